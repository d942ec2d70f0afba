//! Builds the report of a run and compares it with earlier runs.
//!
//! * `collect` reads the state of the store at the end of a run into [`RunData`].
//! * [`GroupedCounts`] groups a host's counts for people.
//! * `usual` computes a host's usual number of new documents.
//! * `findings` and `host_findings` describe unusual values of the run and of each host in sentences.
//! * `cause` compares causes, and names the command to run next.
//! * [`Report`] is the complete report, which is also its JSON form.
//! * [`page`] and [`text`] render the report as HTML and as plain text.
//! * [`folder`] stores the files in `DATA/reports`.
//!
//! Only `collect` and `folder` do IO, and no module reads a clock.
//!
//! Limitation: a host's usual values are known only after three runs. If a site was down in half of the last
//! runs, it looks like a site without articles. So a failure is reported for about a week. After that, only
//! the table of hosts shows it.

pub(crate) mod cause;
mod collect;
mod data;
mod findings;
pub mod folder;
mod grouped_counts;
pub(crate) mod host_findings;
pub mod page;
mod run_data;
pub mod text;
mod usual;

pub use collect::build;
pub use data::{HostReport, Report, RunStatus};
pub use findings::{Finding, FindingGroup, Grade, Translation, as_before, groups};
pub use grouped_counts::GroupedCounts;
pub use run_data::{DeferredUrls, Disk, HostData, PastRun, RunData, RunEnding};
pub(crate) use usual::{RunIntervals, UsualCount};
