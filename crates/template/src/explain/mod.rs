//! A page as an editor of a corpus wants to see it: every line with what it is called,
//! its figures, and why. For `gleaner template explain`.
//!
//! | file | question |
//! |---|---|
//! | `class` | what is a line called: content, repeated, link list, caption, comment? |
//! | `why` | why, in a sentence? |
//! | `view` | how does it look? |
//!
//! The result is one HTML file that needs nothing else: no script, no picture, no
//! font. It is built from the page's lines and never from its markup, every text is
//! escaped, and a content security policy forbids whatever might slip through, so a
//! page's scripts, styles and trackers cannot run.
//!
//! The awkward truth: it shows lines, not the page; what a style sheet hid, moved or
//! coloured is not seen. Of a huge page only the beginning is listed ([`MOST_BYTES`]);
//! the counts are of all of it.

mod class;
mod view;
mod why;

use gleaner_html::Page;

pub use class::Class;
pub use view::MOST_BYTES;

use crate::{Judgement, Pins, SiteTemplate};

/// What is to be explained.
#[derive(Debug, Clone, Copy)]
pub struct Explained<'a> {
    /// The page.
    pub page: &'a Page,
    /// Where it came from, if that is known.
    pub url: Option<&'a str>,
    /// The template that was handed to the judgement, if any.
    pub template: Option<&'a SiteTemplate>,
    /// The pins that were.
    pub pins: &'a Pins,
    /// What came of it: [`Judgement::of`] this page, template and pins.
    pub judgement: &'a Judgement,
}

/// The explanation as an HTML document, of some [`MOST_BYTES`] at most.
///
/// ```
/// use gleaner_html::Page;
/// use gleaner_template::explain::{Explained, explain};
/// use gleaner_template::{Judgement, Pins};
///
/// let (page, pins) = (Page::parse("<p>Rain <script>alert(1)</script>fell."), Pins::default());
/// let judgement = Judgement::of(&page, None, &pins);
/// let html = explain(&Explained { page: &page, url: None, template: None, pins: &pins, judgement: &judgement });
/// assert!(html.contains("Rain fell.") && !html.contains("<script"));
/// ```
#[must_use]
pub fn explain(explained: &Explained<'_>) -> String {
    view::View::of(explained).write()
}
