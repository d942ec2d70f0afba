//! Builds the report of a run and compares it with earlier runs.
//!
//! | part | content | module |
//! |---|---|---|
//! | [`RunData`] | the state of the store at the end of a run | `run_data` |
//! | [`GroupedCounts`] | a host's counts, grouped for people | `grouped_counts` |
//! | usual | a host's usual number of new documents | `usual` |
//! | findings | sentences about unusual values | `findings` |
//! | [`Report`] | the complete report, as JSON | `data` |
//! | [`page`], [`text`] | the report as HTML and as plain text | `page`, `text` |
//! | [`folder`] | the files in `DATA/reports` | `folder` |
//!
//! Only `collect` and `folder` do IO, and no module reads a clock.
//!
//! Limitation: a host's usual values are known after three runs. A site that was down in half of the last
//! runs is treated like a site without articles. Therefore a fault is reported for about a week; after that
//! only the table shows it.

mod collect;
mod data;
mod findings;
pub mod folder;
mod grouped_counts;
pub mod page;
mod run_data;
pub mod text;
mod usual;

pub use collect::build;
pub use data::{Host, Report, Status};
pub use findings::{Finding, Grade};
pub use grouped_counts::GroupedCounts;
pub use run_data::{Disk, Ending, Held, HostData, PastRun, RunData};
pub(crate) use usual::{Rhythm, Usual};
