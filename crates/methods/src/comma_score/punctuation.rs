//! The punctuation score that the comma score extends.
//!
//! Mingqiu S., Xintao W.: Content extraction from web pages based on Chinese punctuation number, WiCom 2007,
//! pp. 5573-5575, reconstructed from Posch's description.
//! * Stated: nodes, each "some HTML tag", are "evaluated by full-stops count and ratio of ASCII text and
//!   anchor text of node content"; main content has many full stops.
//! * Implied: commas, punctuation in anchors and position control are Posch's additions.
//! * Reconstructed: `score = FS * (CL / ACL)` on the node's own text, without exponents, where FS is the
//!   number of full stops. Nodes above the average are main content. "ASCII text" is taken to mean text,
//!   because the method is for Chinese.
//!
//! Cost: linear in the page. Known failure: copyright lines and teasers contain full stops too.
//!
//! ```
//! use gleaner_methods::comma_score::punctuation;
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

/// Settings of [`extract`], by default the reconstruction's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PunctuationScoreParams {
    /// The lower-case names of the elements that are nodes.
    pub elements: Vec<String>,
    /// Defines full stops.
    pub marks: Marks,
}

impl Default for PunctuationScoreParams {
    fn default() -> Self {
        Self { elements: vec!["div".into()], marks: Marks::Both }
    }
}

/// Returns the own text of the best node and nodes above the average score; empty without full stops.
#[must_use]
pub fn extract(page: &Page, params: &PunctuationScoreParams) -> Vec<Line> {
    let parts = Parts::new(page, &params.elements, params.marks);
    let scores: Vec<f64> = parts.as_slice().iter().map(|part| score(&part.own)).collect();
    above_average(&scores).map(|(_, above)| parts.lines(page, &above)).unwrap_or_default()
}

/// Returns the score `FS * (CL / ACL)`. ACL is at least 1.
#[must_use]
pub fn score(own: &Punctuation) -> f64 {
    own.full_stops as f64 * text_to_anchor(own)
}
