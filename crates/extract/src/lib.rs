//! Finds the body text of a page. Implements the block model, and methods that compare the pages of a site.
//!
//! | folder | method | needs |
//! |---|---|---|
//! | [`block_model`] | ours: a model trained on gold text classifies every line | one page |
//! | [`fast_content_extractor`] | Nguyen et al. 2009: learns a site's template by comparing blocks | some 25 pages |
//! | [`content_extractor`] | Debnath et al. 2005: compares the blocks of all pages | the site's pages |
//!
//! All methods take parsed [`gleaner_html::Page`]s and return [`gleaner_html::text::Line`]s in page order,
//! except [`content_extractor`], whose paper defines another order. The methods do no I/O, read no clock, are
//! not async and do not return a `Result`: a method that finds nothing returns no lines. Each method
//! documents its limits of time and memory.

pub mod block_model;
mod blocks;
pub mod content_extractor;
pub mod fast_content_extractor;
mod phrases;
mod words;

pub use block_model::word_hashes;
pub use phrases::Phrases;
pub use words::{UNMARKED_SENTENCE, count_words, has_word, is_of_unmarked_script, words};
