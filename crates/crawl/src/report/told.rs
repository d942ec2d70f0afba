//! What is known when a run has ended: of itself, and of the runs before it.

use std::collections::BTreeMap;

use gleaner_store::{Counts, Run};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// All that a report is made from.
#[derive(Debug, Clone)]
pub struct Told {
    /// The run.
    pub run: Run,
    /// When it ended, by itself or by a failure.
    pub ended: Timestamp,
    /// Whether it went on with a run that had been interrupted.
    pub resumed: bool,
    /// How it ended.
    pub ending: Ending,
    /// The hosts of the run.
    pub hosts: Vec<HostTold>,
    /// Runs that ended before it, the newest first. Those beyond [`Told::PAST`] are not
    /// looked at.
    pub past: Vec<Night>,
    /// Documents in the corpus now.
    pub documents: u64,
    /// When the next URL is due; `None`: nothing waits.
    pub next_due: Option<Timestamp>,
    /// The disk of the corpus; `None` where the system does not tell.
    pub disk: Option<Disk>,
}

impl Told {
    /// Runs that one is held against, and one more for the time between them.
    pub const PAST: usize = 15;
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ending {
    /// Nothing was due any more.
    Quiet,
    /// A budget was reached.
    Budget {
        /// The key that sets it, such as `crawl.max_time`.
        key: String,
    },
    /// The crawl could not go on.
    Failed {
        /// Why, for people.
        error: String,
    },
}

/// A host at a run's end.
#[derive(Debug, Clone, Default)]
pub struct HostTold {
    /// Its name.
    pub name: String,
    /// What happened there in the run.
    pub counts: Counts,
    /// URLs that were left to the next run.
    pub held: Vec<Held>,
    /// Its template.
    pub template: Template,
    /// Whether the user wants nothing to be asked there.
    pub paused: bool,
}

/// URLs that were left to the next run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// How many.
    pub urls: u64,
    /// Why, for people.
    pub why: String,
}

/// A host's template at a run's end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    /// Version of the newest one; 0: there is none.
    pub version: u32,
    /// Whether it was learned in this run.
    pub learned: bool,
    /// Whether it is out of date, and pages are buffered for another.
    pub outdated: bool,
    /// Of the last pages that it extracted, those unlike the ones it was learned from.
    pub unlike: usize,
    /// How many last pages that is of.
    pub watched: usize,
    /// Pages buffered for the next one.
    pub buffered: u32,
}

/// A run that ended.
#[derive(Debug, Clone)]
pub struct Night {
    /// When it began.
    pub started: Timestamp,
    /// What happened at each host that was in scope, by name.
    pub hosts: BTreeMap<String, Counts>,
}

/// A disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disk {
    /// Bytes that are free.
    pub free: u64,
    /// Bytes below which a crawl stops (`store.min_free_disk`).
    pub floor: u64,
}
