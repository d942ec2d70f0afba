//! Holds the data that a report is made from.

use std::collections::BTreeMap;

use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The state at the end of a run, and the runs before it.
#[derive(Debug, Clone)]
pub struct Told {
    /// The run.
    pub run: Run,
    /// When it ended or failed.
    pub ended: Timestamp,
    /// Whether it resumed an interrupted run.
    pub resumed: bool,
    /// How it ended.
    pub ending: Ending,
    /// The hosts of the run.
    pub hosts: Vec<HostTold>,
    /// Earlier runs that ended, newest first. Those beyond [`Told::PAST`] are ignored.
    pub past: Vec<Night>,
    /// Documents in the corpus now.
    pub documents: u64,
    /// When the next URL is due; `None` if none waits.
    pub next_due: Option<Timestamp>,
    /// The disk of the corpus; `None` if unknown.
    pub disk: Option<Disk>,
}

impl Told {
    /// Earlier runs that are considered: those compared with, plus one for the time between runs.
    pub const PAST: usize = 15;
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ending {
    /// Nothing was due.
    Quiet,
    /// A budget was reached.
    Budget {
        /// The setting, such as `crawl.max_time`.
        key: String,
    },
    /// The crawl failed.
    Failed {
        /// The reason, for people.
        error: String,
    },
}

/// A host at a run's end.
#[derive(Debug, Clone, Default)]
pub struct HostTold {
    /// The host's name.
    pub name: String,
    /// Its counts in the run.
    pub counts: Counts,
    /// URLs left for the next run.
    pub held: Vec<Held>,
    /// Its template.
    pub template: Template,
    /// Whether the user paused the host.
    pub paused: bool,
}

/// URLs left for the next run, for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Number of URLs.
    pub urls: u64,
    /// The reason, for people.
    pub why: String,
}

/// A host's template at a run's end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// The newest version; 0 if there is none.
    pub version: u32,
    /// Whether it was learned in this run.
    pub learned: bool,
    /// Whether it is out of date and pages are buffered for the next version.
    pub outdated: bool,
    /// Recently extracted pages that are unlike those it was learned from.
    pub unlike: usize,
    /// Number of recently extracted pages.
    pub watched: usize,
    /// Pages buffered for the next version.
    pub buffered: u32,
}

/// An earlier run that ended.
#[derive(Debug, Clone)]
pub struct Night {
    /// When it began.
    pub started: Timestamp,
    /// The counts of each host in scope, by name.
    pub hosts: BTreeMap<String, Counts>,
}

/// The disk space of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// Free bytes.
    pub free: u64,
    /// Free bytes below which a crawl stops (`store.min_free_disk`).
    pub floor: u64,
}
