//! Methods from papers that extract text from a single page. The crawler itself does not use them.
//!
//! | folder | method | needs |
//! |---|---|---|
//! | [`bte`] | Body Text Extraction: Finn et al. 2001; Phan and Ha 2013; linear time | one page or its source |
//! | [`text_to_tag_ratio`] | Weninger and Hsu 2008: lines of source by their text-to-tag ratio | one page's source |
//! | [`line_block`] | Pan Ei San and Nilar Aye: blocks of lines by ratio, anchors, title words | one page's source |
//! | [`comma_score`] | Posch: elements by their commas; the punctuation score, which it extends | one page |
//!
//! [`SinglePage`] lists these methods and gleaner's own block model. [`gleaner_extract`] has the methods that
//! compare pages of a site.
//!
//! All methods take a parsed [`gleaner_html::Page`] or its source, and return [`gleaner_html::text::Line`]s
//! in page order. They do no IO, read no clock, are not async and do not return a `Result`: a method that
//! finds nothing returns no lines. Each method documents its bounds on time and memory.

pub mod bte;
pub mod comma_score;
pub mod line_block;
mod single_page;
mod source_lines;
mod source_links;
pub mod text_to_tag_ratio;

pub use single_page::{Input, SinglePage};
pub use source_lines::Lines;
