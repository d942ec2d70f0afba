//! Builds the report of a run and compares it with earlier runs.
//!
//! | part | content | module |
//! |---|---|---|
//! | [`RunData`] | the state of the store at the end of a run | `run_data` |
//! | [`GroupedCounts`] | a host's counts, grouped for people | `grouped_counts` |
//! | usual | a host's usual number of new documents | `usual` |
//! | findings | sentences about unusual values of the run and of each host | `findings`, `host_findings` |
//! | cause | the words and the command of a cause | `cause` |
//! | [`Report`] | the complete report, as JSON | `data` |
//! | [`page`], [`text`] | the report as HTML and as plain text | `page`, `text` |
//! | [`folder`] | the files in `DATA/reports` | `folder` |
//!
//! Only `collect` and `folder` do IO, and no module reads a clock.
//!
//! Limitation: a host's usual values are known after three runs. A site that was down in half of the last
//! runs looks like a site without articles. So a fault is reported for about a week; then only the table
//! shows it.

pub(crate) mod cause;
mod collect;
mod data;
mod findings;
pub mod folder;
mod grouped_counts;
mod host_findings;
pub mod page;
mod run_data;
pub mod text;
mod usual;

pub use collect::build;
pub use data::{Host, Report, Status};
pub use findings::{Finding, Grade, Group, groups};
pub use grouped_counts::GroupedCounts;
pub use run_data::{Disk, Ending, Held, HostData, PastRun, RunData};
pub(crate) use usual::{Rhythm, Usual};
