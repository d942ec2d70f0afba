//! Reproduces the tables of the papers with our measurements (`--protocol papers`).
//!
//! | file | paper | tables |
//! |---|---|---|
//! | `fast_content_extractor/` | Nguyen et al.: FastContentExtractor | II, III, IV |
//! | `bte.rs` | Phan, Ha: improved Body Text Extraction | 1, 2 |
//! | `text_to_tag_ratio.rs`, `svg.rs` | Weninger, Hsu: Text-To-Tag Ratio | 2, 3, 4, figure 5 |
//! | `line_block.rs` | Pan Ei San, Nilar Aye: Line-Block | 1, 2 |
//! | `comma_score/` | Posch: comma score | statistics, comparison |
//!
//! The pages of the papers no longer exist, so every table is measured on our sets. Differences may be caused
//! by the pages and their age, or by the program. If a paper leaves a point open, the remarks of its table and
//! docs/papers.md state our decision.

mod bte;
mod clock;
mod comma_score;
mod fast_content_extractor;
mod line_block;
mod pages;
mod reproduce;
mod statistics;
mod svg;
mod table;
mod text_to_tag_ratio;

pub use reproduce::{Paper, reproduce};
pub use table::{Column, Row, RowSource, Table};
pub use text_to_tag_ratio::figure_5;
