//! The methods of the papers, as published (docs/papers.md).
//!
//! | folder | method | input |
//! |---|---|---|
//! | [`bte`] | Body Text Extraction (Finn et al. 2001; Phan and Ha 2013), also linear | page or source |
//! | [`text_to_tag_ratio`] | Weninger and Hsu 2008: source lines by their text-to-tag ratio | source |
//! | [`line_block`] | Pan Ei San and Nilar Aye: blocks of source lines by three features | source |
//! | [`comma_score`] | Posch: elements by their commas. Also the older punctuation score | page |
//! | [`fast_content_extractor`] | Nguyen et al. 2009: learns a site's template by comparing blocks | some 25 pages |
//! | [`content_extractor`] | Debnath et al. 2005: compares the blocks of all pages | the site's pages |
//!
//! [`extract`] runs a method that needs one page, and [`PublishedTemplate`] one that learns from a site.
//!
//! All methods take a parsed [`gleaner_html::Page`] or its source, and return [`gleaner_html::text::Line`]s
//! in page order, except [`content_extractor`], whose paper defines another order. They do no input or output,
//! read no clock and are not async. They never fail: a method that finds nothing returns no lines. Each method
//! documents its limits of time and memory.

mod blocks;
pub mod bte;
pub mod comma_score;
pub mod content_extractor;
pub mod fast_content_extractor;
pub mod line_block;
mod published;
mod single_page;
mod source_lines;
mod source_links;
pub mod text_to_tag_ratio;

pub use published::{FoundLines, PublishedTemplate};
pub use single_page::{Input, extract};
pub use source_lines::LineEnds;
