//! `--protocol papers`: the tables of the papers, with our figures in their rows.
//!
//! | file | paper | tables |
//! |---|---|---|
//! | `fast_content_extractor/` | Nguyen, Nguyen, Pham, Bui: FastContentExtractor, KSE 2009 | II, III, IV |
//! | `bte.rs` | Phan, Ha: improved BTE, 2013 | 1, 2 |
//!
//! The papers' own pages are gone, so every table is measured on the sets at hand, and
//! a difference is one of pages and years as much as of programs. What a paper does not
//! say and was decided stands in the table's remarks and in docs/papers.md.

#[cfg_attr(not(test), expect(dead_code, reason = "printed once the protocol is there"))]
mod bte;
#[cfg_attr(not(test), expect(dead_code, reason = "printed once the protocol is there"))]
mod fast_content_extractor;
mod statistics;
mod table;

pub use table::{Column, From, Row, Table};
