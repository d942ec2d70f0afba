//! Evaluates extraction methods on recorded pages with gold text.
//!
//! [`Set`]s are folders of recorded pages with gold text. A [`Method`] extracts a text. A [`Protocol`]
//! defines which pages the method may learn from. [`measure`] compares the text with the gold text, and a
//! [`Report`] summarizes the scores. [`papers`] reproduces the tables of papers. [`pairs`] evaluates the
//! detection of duplicates. Only [`set`] reads files. Times are measured per page for a [`Report`], and in
//! `papers/clock.rs` for two of the papers.
//!
//! Limitation: gold texts contain errors, so differences of a few thousandths are not significant.

mod folds;
pub mod measure;
pub mod metadata;
mod method;
pub mod pairs;
pub mod papers;
mod parallel;
mod protocol;
pub mod report;
mod score;
pub mod set;
pub mod training;

pub use measure::Measure;
pub use method::{Learned, Method};
pub use parallel::PER_CORE;
pub use protocol::{Protocol, Run, SetScores, Task, run};
pub use report::Report;
pub use score::{PageScore, score_page};
pub use set::{Entry, Recorded, Set, SetError};
