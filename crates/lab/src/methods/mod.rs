//! The methods of the papers that read one page, as published (docs/papers.md).
//!
//! Those that learn from a site are in [`gleaner_extract::site_methods`], because a crawl can use them.
//!
//! | folder | method | input |
//! |---|---|---|
//! | [`bte`] | Body Text Extraction (Finn et al. 2001; Phan and Ha 2013), also linear | page or source |
//! | [`text_to_tag_ratio`] | Weninger and Hsu 2008: source lines by their text-to-tag ratio | source |
//! | [`line_block`] | Pan Ei San and Nilar Aye: blocks of source lines by three features | source |
//! | [`comma_score`] | Posch: elements by their commas. Also the older punctuation score | page |
//!
//! All methods take a parsed [`gleaner_html::Page`] or its source, and return [`gleaner_html::text::Line`]s
//! in page order. They do no input or output,
//! read no clock and are not async. They never fail: a method that finds nothing returns no lines. Each method
//! documents its limits of time and memory.

pub mod bte;
pub mod comma_score;
pub mod line_block;
mod single_page;
mod source_lines;
mod source_links;
pub mod text_to_tag_ratio;

pub use single_page::{Input, extract};
pub use source_lines::LineEnds;
