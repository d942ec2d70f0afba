//! Defines the report of a run.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::GroupedCounts;
use super::findings::{self, Finding, Grade};
use super::run_data::{DeferredUrls, RunData, RunEnding, past_of};
use super::usual::{RunIntervals, UsualCount};
use crate::host_view::TemplateState;

/// The result of a run, for people and programs. Later versions may add fields to the JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The status, which follows from the most severe finding.
    pub status: RunStatus,
    /// The run's number.
    pub run: u32,
    /// When the run began.
    pub started: Timestamp,
    /// When the run ended.
    pub ended: Timestamp,
    /// Whether an interrupted run was resumed.
    pub resumed: bool,
    /// How the run ended.
    pub ending: RunEnding,
    /// Documents in the corpus at the end of the run.
    pub documents: u64,
    /// Free bytes on the disk at the end of the run. `None` if unknown.
    pub free_disk: Option<u64>,
    /// When the next URL is due. `None` if no URL is waiting, or if the crawl failed.
    pub next_due: Option<Timestamp>,
    /// Number of earlier runs that were compared with this run.
    pub compared: usize,
    /// The findings, most severe first.
    pub findings: Vec<Finding>,
    /// The counts of all hosts together.
    pub totals: GroupedCounts,
    /// The hosts, sorted by name.
    pub hosts: Vec<HostReport>,
}

/// The results of one host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostReport {
    /// The host's name.
    pub name: String,
    /// The host's usual number of new documents. `None` if unknown.
    pub usual: Option<f64>,
    /// The host's counts.
    pub figures: GroupedCounts,
    /// URLs left for the next run, by reason.
    pub held: Vec<DeferredUrls>,
    /// The state of the host's template.
    pub template: TemplateState,
    /// Whether the user paused the host.
    pub paused: bool,
    /// The origin of the site's seed, such as `seeds.txt line 3`. `None` if unknown.
    #[serde(default)]
    pub seed: Option<String>,
}

/// The status of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// There are no findings, or only notes.
    Fine,
    /// A person should look at a finding.
    Unusual,
    /// The run did not do its work.
    Failed,
}

impl RunStatus {
    /// Returns the name used in JSON.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Fine => "fine",
            Self::Unusual => "unusual",
            Self::Failed => "failed",
        }
    }
}

impl From<Grade> for RunStatus {
    fn from(grade: Grade) -> Self {
        match grade {
            Grade::Note => Self::Fine,
            Grade::Unusual => Self::Unusual,
            Grade::Failed => Self::Failed,
        }
    }
}

impl Report {
    /// Builds the report. The time grows with the number of hosts times the number of runs.
    #[must_use]
    pub fn new(data: &RunData) -> Self {
        let mut findings = findings::all(data);
        findings::count_repeated(&mut findings, &data.last_findings);
        let gravest = findings.iter().map(|finding| finding.grade).max().unwrap_or(Grade::Note);
        let mut totals = gleaner_store::Counts::default();
        data.hosts.iter().for_each(|host| totals.add(&host.counts));
        let now = data.run.started;
        let intervals = RunIntervals::new(now, data.past.iter().map(|run| run.started));
        let mut hosts: Vec<HostReport> = data
            .hosts
            .iter()
            .map(|host| HostReport {
                name: host.name.clone(),
                usual: UsualCount::new(now, past_of(&data.past, &host.name), &intervals)
                    .map(|usual| usual.new),
                figures: GroupedCounts::from_counts(&host.counts),
                held: host.held.clone(),
                template: host.template.clone(),
                paused: host.paused,
                seed: host.seed.clone(),
            })
            .collect();
        hosts.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            status: gravest.into(),
            run: data.run.number,
            started: data.run.started,
            ended: data.ended,
            resumed: data.resumed,
            ending: data.ending.clone(),
            documents: data.documents,
            free_disk: data.disk.map(|disk| disk.free),
            next_due: data.next_due,
            compared: data.past.len().min(RunData::PAST - 1),
            findings,
            totals: GroupedCounts::from_counts(&totals),
            hosts,
        }
    }

    /// Returns the duration of the run in seconds, including interruptions.
    #[must_use]
    pub fn seconds(&self) -> u64 {
        u64::try_from(self.ended.duration_since(self.started).as_secs()).unwrap_or_default()
    }

    /// Returns the hosts that have visits, fetched pages or URLs left for the next run, and the hosts that
    /// usually have new documents.
    pub fn active_hosts(&self) -> impl Iterator<Item = &HostReport> {
        let is_lively = |host: &&HostReport| {
            host.figures.visits() > 0
                || host.figures.fetched > 0
                || !host.held.is_empty()
                || host.usual.is_some_and(|usual| usual > 0.0)
        };
        self.hosts.iter().filter(is_lively)
    }
}
