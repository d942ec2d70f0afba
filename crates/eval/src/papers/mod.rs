//! `--protocol papers`: the tables of the papers, with our figures in their rows.
//!
//! | file | paper | tables |
//! |---|---|---|
//!
//! The papers' own pages are gone, so every table is measured on the sets at hand, and
//! a difference is one of pages and years as much as of programs. What a paper does not
//! say and was decided stands in the table's remarks and in docs/papers.md.

mod table;

pub use table::{Column, From, Row, Table};
