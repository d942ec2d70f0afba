//! How well does a method do: recorded sets, measures, protocols.
//!
//! [`Set`]s are folders of recorded pages with gold text; a [`Method`] extracts, a
//! [`Protocol`] says from which pages it may learn, [`measure`] compares, a [`Report`]
//! sums up; [`papers`] has the papers' tables; [`pairs`] shows how well duplicates are
//! told. Files are read in [`set`] only. A clock is read in two places: for the time a
//! page of a [`Report`], and in `papers/clock.rs` for the times that two of the papers'
//! tables show.
//!
//! Limitation: gold text has faults of its own, and a difference of a few
//! thousandths between two methods says nothing about either.

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
