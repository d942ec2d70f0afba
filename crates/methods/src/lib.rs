//! Methods from papers that extract text from a single page. The crawler itself does not use them.
//!
//! | folder | method | needs |
//! |---|---|---|
//! | [`bte`] | Body Text Extraction: Finn et al. 2001, improved by Phan and Ha 2013, and in linear time | one page; the original, its source |
//! | [`text_to_tag_ratio`] | Weninger and Hsu 2008: lines of source by their text-to-tag ratio | one page's source |
//! | [`line_block`] | Pan Ei San and Nilar Aye: blocks of lines by ratio, anchors, title words | one page's source |
//! | [`comma_score`] | Posch: elements by their commas; and the punctuation score that it extends | one page |
//!
//! [`SinglePage`] lists these methods together with gleaner's own block model. The methods that compare pages
//! of a site are in [`gleaner_extract`].
//!
//! All methods take a parsed [`gleaner_html::Page`] or its source, and return [`gleaner_html::text::Line`]s
//! in page order. They do no IO, read no clock, are not async and do not return a `Result`: if a method finds
//! nothing on a page, it returns no lines. The documentation of each method states its bounds on time and
//! memory.

pub mod bte;
pub mod comma_score;
pub mod line_block;
mod single_page;
mod source_lines;
mod source_links;
pub mod text_to_tag_ratio;

pub use single_page::{Input, SinglePage};
pub use source_lines::Lines;
