//! Finds the body text of a page: the block model, and the methods that compare the pages of a site.
//!
//! | folder | method | needs |
//! |---|---|---|
//! | [`block_model`] | ours: a model trained on gold text classifies every line | one page |
//! | [`fast_content_extractor`] | Nguyen et al. 2009: a site's template from block comparison | some 25 pages of one site |
//! | [`content_extractor`] | Debnath et al. 2005, as Nguyen et al. describe it: compares blocks over a site | the site's pages |
//!
//! All methods take parsed [`gleaner_html::Page`]s and return [`gleaner_html::text::Line`]s in page order,
//! except [`content_extractor`], whose paper defines a different order. They do no IO, read no clock, are not
//! async and do not return a `Result`: if a method finds nothing on a page, it returns no lines. The
//! documentation of each method states its bounds on time and memory.

pub mod block_model;
mod blocks;
pub mod content_extractor;
pub mod fast_content_extractor;
mod words;

pub use words::{count_words, has_word, words};
