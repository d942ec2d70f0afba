//! How well does a method do: recorded sets, measures, protocols.
//!
//! [`Set`]s are folders of recorded pages with gold text; a [`Method`] extracts, a
//! [`Protocol`] says from which pages it may learn, [`measure`] compares, a [`Report`]
//! sums up. Files are read in [`set`] only; the only clock is the time a page that the
//! report's table shows.
//!
//! The awkward truth: gold text has faults of its own, and a difference of a few
//! thousandths between two methods says nothing about either.

pub mod measure;
pub mod metadata;
mod method;
pub mod papers;
mod protocol;
pub mod report;
mod score;
pub mod set;

pub use measure::Measure;
pub use method::{Learned, Method};
pub use protocol::{Protocol, Run, SetScores, Task, run};
pub use report::Report;
pub use score::{PageScore, score_page};
pub use set::{Entry, Recorded, Set, SetError};
