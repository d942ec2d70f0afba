//! The extraction methods: every published one, and our own, in a folder of its own name.
//!
//! | folder | method | needs |
//! |---|---|---|
//! | [`content_extractor`] | Debnath et al. 2005, as Nguyen et al. describe it: compares blocks over a site | the site's pages |
//! | [`fast_content_extractor`] | Nguyen et al. 2009: a site's template from block comparison | some 25 pages of one site |
//! | [`bte`] | Body Text Extraction: Finn et al. 2001, improved by Phan and Ha 2013, and in linear time | one page; for the original its source |
//! | [`text_to_tag_ratio`] | Weninger and Hsu 2008: lines of source by their text-to-tag ratio | one page's source |
//! | [`line_block`] | Pan Ei San and Nilar Aye: blocks of lines by ratio, anchors, title words | one page's source |
//! | [`comma_score`] | Posch: elements by their commas; and the punctuation score it extends | one page |
//! | [`block_model`] | ours: a model trained on gold text classifies every line | one page |
//!
//! All take a parsed [`gleaner_html::Page`] or its source, and return [`gleaner_html::text::Line`]s in page
//! order, except [`content_extractor`], whose paper has another order. They do no IO, read no clock, and are
//! neither async nor return a `Result`: if a method finds nothing on a page, it returns no line, which is not
//! an error. The documentation of each method names its bounds on time and memory.

pub mod block_model;
mod blocks;
pub mod bte;
pub mod comma_score;
pub mod content_extractor;
pub mod fast_content_extractor;
pub mod line_block;
mod single_page;
mod source_lines;
mod source_links;
pub mod text_to_tag_ratio;
mod words;

pub use single_page::{Input, SinglePage};
pub use source_lines::Lines;
pub use words::{count_words, has_word, words};
