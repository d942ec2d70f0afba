//! `--protocol papers`: the tables of the papers, with our figures in their rows.
//!
//! | file | paper | tables |
//! |---|---|---|
//! | `text_to_tag_ratio.rs`, `svg.rs` | Weninger, Hsu: Text-to-Tag Ratio, 2008 | 2, 3, 4, figure 5 |
//! | `line_block.rs` | Pan Ei San, Nilar Aye: Line-Block | 1, 2 |
//! | `comma_score/` | Posch: comma score | statistics, comparison |
//!
//! The papers' own pages are gone, so every table is measured on the sets at hand, and
//! a difference is one of pages and years as much as of programs. What a paper does not
//! say and was decided stands in the table's remarks and in docs/papers.md.

mod comma_score;
mod line_block;
mod pages;
mod statistics;
mod svg;
mod table;
mod text_to_tag_ratio;

pub use table::{Column, From, Row, Table};
pub use text_to_tag_ratio::figure_5;

use crate::set::{Set, SetError};

/// The tables of the papers, measured on these sets one after another. `done` is called
/// once a paper for each page with gold, from any thread of rayon's current pool.
///
/// # Errors
/// [`SetError`]: the first page that cannot be read.
pub fn tables(sets: &[Set], done: &(dyn Fn() + Sync)) -> Result<Vec<Table>, SetError> {
    let papers = [text_to_tag_ratio::tables, line_block::tables, comma_score::tables];
    let tables = papers.iter().map(|tables| tables(sets, done)).collect::<Result<Vec<_>, _>>()?;
    Ok(tables.concat())
}
