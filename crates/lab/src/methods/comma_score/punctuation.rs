//! Implements the punctuation score, which the comma score extends.
//!
//! Mingqiu S., Xintao W.: Content extraction from web pages based on Chinese punctuation number, WiCom 2007,
//! pp. 5573-5575. We reconstructed it from Posch's description.
//! * Posch states that nodes, each "some HTML tag", are "evaluated by full-stops count and ratio of ASCII
//!   text and anchor text of node content". Main content has many full stops.
//! * Posch implies that commas, punctuation in anchors and position control are his own additions.
//! * We add the formula `score = FS * (CL / ACL)` on the node's own text, without exponents. FS is the number
//!   of full stops. Nodes above the average are main content. We read "ASCII text" as text, because the
//!   method is for Chinese.
//!
//! Cost: linear in the page. Known failure: copyright lines and teasers also contain full stops.
//!
//! ```
//! use gleaner_lab::methods::comma_score::punctuation;
//! use gleaner_html::Page;
//! let page = Page::parse(
//!     "<div><a href=/>新闻</a> <a href=/s>体育。</a></div><div>大桥今天通车。市长出席了仪式。</div><div>联系我们</div>");
//! let lines = punctuation::extract(&page, &punctuation::PunctuationScoreParams::default());
//! assert_eq!(lines.len(), 1);
//! assert_eq!(lines[0].text, "大桥今天通车。市长出席了仪式。");
//! ```

use gleaner_html::Page;
use gleaner_html::text::Line;

use super::score::{Parts, above_average, text_to_anchor};
use super::{Marks, Punctuation};

/// Settings of [`extract`]. The default values are from our reconstruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PunctuationScoreParams {
    /// The elements that count as nodes, in lower case.
    pub elements: Vec<String>,
    /// The writing systems whose full stops count.
    pub marks: Marks,
}

impl Default for PunctuationScoreParams {
    fn default() -> Self {
        Self { elements: vec!["div".into()], marks: Marks::Both }
    }
}

/// Returns the own text of the nodes above the average score, and of the best node. Returns no lines if no
/// node has a full stop.
#[must_use]
pub fn extract(page: &Page, params: &PunctuationScoreParams) -> Vec<Line> {
    let parts = Parts::new(page, &params.elements, params.marks);
    let scores: Vec<f64> = parts.as_slice().iter().map(|part| score(&part.own)).collect();
    above_average(&scores).map(|(_, above)| parts.lines(page, &above)).unwrap_or_default()
}

/// Returns the score `FS * (CL / ACL)`. FS is the number of full stops. [`Punctuation`] explains CL and ACL.
/// ACL is at least 1.
#[must_use]
pub fn score(own: &Punctuation) -> f64 {
    own.full_stops as f64 * text_to_anchor(own)
}
