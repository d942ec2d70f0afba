//! Every published method, in a folder of its own name.
//!
//! | folder | method | needs |
//! |---|---|---|
//! | [`fast_content_extractor`] | Nguyen et al. 2009: a site's template from block comparison | some 25 pages of one site |
//! | [`bte`] | Body Text Extraction, improved by Phan and Ha 2013 | one page |
//!
//! All take a parsed [`gleaner_html::Page`] and give [`gleaner_html::text::Line`]s in
//! page order. No IO, no clock, nothing async and no `Result`: a page on which a
//! method finds nothing gives no line, which is an answer and not an error.
//! Every method is bounded in time and memory by what its head says.

pub mod bte;
pub mod fast_content_extractor;
mod words;

pub use words::{has_word, words};
