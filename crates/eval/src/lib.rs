//! How well does a method do: recorded sets, measures, protocols.
//!
//! [`Set`]s are folders of recorded pages with gold text; a [`Method`] extracts, a
//! [`Protocol`] says from which pages it may learn, [`measure`] compares, a [`Report`]
//! sums up. This is the only way in which files are read here, and the only clock is
//! the time a page that the report's table shows.
//!
//! The awkward truth: gold text has faults of its own, and a difference of a few
//! thousandths between two methods says nothing about either.

pub mod measure;
mod method;
pub mod papers;
mod protocol;
pub mod report;
pub mod set;

pub use method::{Learned, Method};
pub use protocol::{PageScore, Protocol, Run, SetScores, Task, run};
pub use report::Report;
pub use set::{Entry, Recorded, Set, SetError};
