//! Defines the input of a report.

use std::collections::BTreeMap;

use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::findings::Finding;
use crate::host_view::TemplateState;
use crate::integrity::IntegrityReport;
use crate::moved::MovedSite;

/// The state at the end of a run, and the earlier runs.
#[derive(Debug, Clone)]
pub struct RunData {
    /// The run.
    pub run: Run,
    /// When the run ended or failed.
    pub ended: Timestamp,
    /// Whether an interrupted run was resumed.
    pub resumed: bool,
    /// How the run ended.
    pub ending: RunEnding,
    /// The hosts of the run.
    pub hosts: Vec<HostData>,
    /// Earlier runs that ended, newest first. Findings use only the first [`RunData::PAST`] runs.
    pub past: Vec<PastRun>,
    /// The findings of the last report.
    pub last_findings: Vec<Finding>,
    /// Documents in the corpus at the end of the run.
    pub documents: u64,
    /// When the next URL is due. `None` if no URL is waiting, or if the crawl failed.
    pub next_due: Option<Timestamp>,
    /// The disk space of the corpus. `None` if unknown.
    pub disk: Option<Disk>,
    /// What the checks of store and archive have found.
    pub integrity: IntegrityReport,
}

impl RunData {
    /// Maximum number of earlier runs. The usual number of documents is computed from one run fewer, because
    /// the time before each of these runs must be known too.
    pub const PAST: usize = 15;
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum RunEnding {
    /// Nothing was due.
    Quiet,
    /// A budget was reached.
    Budget {
        /// The name of the setting, such as `crawl.max_time`.
        key: String,
    },
    /// The crawl failed.
    Failed {
        /// The reason, for people.
        error: String,
    },
}

/// A host at the end of a run.
#[derive(Debug, Clone, Default)]
pub struct HostData {
    /// The host's name.
    pub name: String,
    /// The host's counts in the run.
    pub counts: Counts,
    /// URLs left for the next run.
    pub held: Vec<DeferredUrls>,
    /// The state of the host's template.
    pub template: TemplateState,
    /// Whether the user paused the host.
    pub paused: bool,
    /// The origin of the site's seed. `None` if unknown.
    pub seed: Option<String>,
    /// The site to which the host redirects the visitors of its front page.
    pub moved: Option<MovedSite>,
}

/// URLs left for the next run, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeferredUrls {
    /// Number of URLs.
    pub urls: u64,
    /// The reason, for people.
    pub why: String,
}

/// An earlier run that ended.
#[derive(Debug, Clone)]
pub struct PastRun {
    /// When the run began.
    pub started: Timestamp,
    /// The counts of each host in scope, by host name.
    pub hosts: BTreeMap<String, Counts>,
}

/// Returns the start of each earlier run with the host's counts. The counts are `None` if the run did not
/// include the host.
pub(crate) fn past_of<'a>(
    past: &'a [PastRun],
    host: &'a str,
) -> impl Iterator<Item = (Timestamp, Option<&'a Counts>)> {
    past.iter().map(move |run| (run.started, run.hosts.get(host)))
}

/// The disk space of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// Free bytes.
    pub free: u64,
    /// Free bytes below which a crawl stops (`store.min_free_disk`).
    pub floor: u64,
}
