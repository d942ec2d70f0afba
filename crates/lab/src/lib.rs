//! The laboratory: evaluates extraction methods on recorded pages with gold text, and trains models.
//!
//! [`methods`] has the papers' methods that read one page. The binary `gleaner-lab` prints the figures.
//!
//! [`Dataset`]s are folders of recorded pages with gold text. A [`Method`](gleaner_corpus::Method) extracts a
//! text. A [`Protocol`] defines which pages the method may learn from. [`measure`] compares the text with the
//! gold text, and an [`EvalReport`] summarizes the scores. [`papers`] reproduces the tables of papers. [`pairs`]
//! evaluates the detection of duplicates. Only [`dataset`] reads files.
//!
//! Limitation: gold texts contain errors, so differences of a few thousandths are not significant.

pub mod dataset;
mod folds;
pub mod measure;
pub mod metadata;
pub mod methods;
pub mod pairs;
pub mod papers;
mod parallel;
mod protocol;
pub mod report;
mod score;
pub mod training;

pub use dataset::{Dataset, DatasetError, PageEntry, RecordedPage};
pub use measure::Measure;
pub use parallel::PER_CORE;
pub use protocol::{DatasetScores, EvalRun, EvalTask, Protocol, run};
pub use report::EvalReport;
pub use score::{PageScore, score_page};
