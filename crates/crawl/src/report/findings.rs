//! Finds unusual values of a run and describes them in sentences, gravest first.
//!
//! A note is information and never changes the exit code. An unusual finding should be looked at. A failed
//! run did not do its work.
//!
//! Limitation: every rule here can be wrong. In the first three runs of a host the only unusual finding is an
//! outdated template, because no other value can be compared yet.

use gleaner_render::text::{self, count};
use serde::{Deserialize, Serialize};

use super::run_data::{Ending, HostData, RunData, past_of};
use super::usual::{Rhythm, Usual, median};
use super::{GroupedCounts, PastRun};
use crate::summary::reached;

/// A statement about the run or about one host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The severity of the finding.
    pub grade: Grade,
    /// The host; `None`: the finding is about the run.
    pub host: Option<String>,
    /// The sentence, without the host's name.
    pub text: String,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Information only.
    Note,
    /// A person should look at the finding.
    Unusual,
    /// The run did not do its work.
    Failed,
}

/// Number of runs in which the silence of a host is unusual; after that it is a note.
const NEWS: usize = 7;
/// Fewest earlier runs needed for a comparison.
const KNOWN: usize = 3;
const FEW_FAILURES: u64 = 10;
/// A lower share of failures is noise.
const SMALL_SHARE: f64 = 0.2;
/// Smallest share, in percent, with which one reason explains a low number.
const CHIEF: u64 = 30;
/// With fewer pages, a share is meaningless.
const FEW_PAGES: u64 = 5;
/// Free space is low below this multiple of `store.min_free_disk`.
const FLOORS: u64 = 4;
/// Free space is low if it suffices for fewer runs than this.
const RUNS_LEFT: f64 = 7.0;

impl Finding {
    fn of_run(grade: Grade, text: String) -> Self {
        Self { grade, host: None, text }
    }
}

/// Returns all findings, gravest first. Within a grade, findings about the run are first, then those about
/// hosts, by the host's usual number of new documents.
pub(crate) fn all(data: &RunData) -> Vec<Finding> {
    let past = &data.past[..data.past.len().min(RunData::PAST)];
    let now = data.run.started;
    let rhythm = Rhythm::new(now, past.iter().map(|run| run.started));
    let of_run = [failed(data), nothing_reached(data, &rhythm), missed(&rhythm), budget(data), disk(data)];
    let mut found: Vec<(f64, Finding)> =
        of_run.into_iter().flatten().map(|finding| (f64::INFINITY, finding)).collect();
    for host in &data.hosts {
        let look = Look {
            data,
            host,
            figures: GroupedCounts::from_counts(&host.counts),
            usual: Usual::new(now, past_of(past, &host.name), &rhythm),
            past,
            rhythm: &rhythm,
        };
        let weight = look.usual.as_ref().map_or(0.0, |usual| usual.new);
        let finding = |(grade, text)| Finding { grade, host: Some(host.name.clone()), text };
        found.extend(look.gives().into_iter().map(|text| (weight, finding(text))));
        // A finding about a template is less important than one about the number of documents.
        found.extend(look.template().into_iter().map(|text| (-1.0, finding(text))));
    }
    found.sort_by(|(one, a), (other, b)| b.grade.cmp(&a.grade).then(other.total_cmp(one)));
    found.into_iter().map(|(_, finding)| finding).collect()
}

fn failed(data: &RunData) -> Option<Finding> {
    let Ending::Failed { error } = &data.ending else { return None };
    Some(Finding::of_run(Grade::Failed, format!("the crawl failed: {error}")))
}

/// Reports that no site responded, which means that the network, the proxy or the seeds are wrong.
fn nothing_reached(data: &RunData, rhythm: &Rhythm) -> Option<Finding> {
    if matches!(data.ending, Ending::Failed { .. }) {
        return None;
    }
    let silent = |host: &&HostData| is_silent(host);
    let count = data.hosts.iter().filter(silent).count();
    let is_answered = data.hosts.iter().any(|host| GroupedCounts::from_counts(&host.counts).answered() > 0);
    let is_forbidden =
        data.hosts.iter().any(|host| GroupedCounts::from_counts(&host.counts).disallowed() > 0);
    let of_all = data.documents == 0 || (rhythm.is_whole_now() && count * 2 >= data.hosts.len());
    let is_found = count > 0 && !is_answered && !is_forbidden && of_all;
    is_found.then(|| {
        Finding::of_run(Grade::Failed, "no page of any seed could be fetched; the table says why".into())
    })
}

/// Whether no request to a host got a response, or the host could not be requested.
fn is_silent(host: &HostData) -> bool {
    let figures = GroupedCounts::from_counts(&host.counts);
    figures.answered() == 0 && !host.paused && (figures.failed() > 0 || !host.held.is_empty())
}

/// Shortest time between two runs, in seconds, that is reported as missed runs.
const LATE: f64 = 3.0 * 3600.0;

fn missed(rhythm: &Rhythm) -> Option<Finding> {
    // Manual runs a few minutes apart have no rhythm.
    let is_late = |times: &f64| *times > 2.0 && rhythm.usual * times >= LATE;
    let times = rhythm.since_last().filter(is_late)?;
    let grade = if rhythm.is_steady() { Grade::Unusual } else { Grade::Note };
    let (passed, usual) = (span(rhythm.usual * times), span(rhythm.usual));
    Some(Finding::of_run(
        grade,
        format!("runs were missed: the previous run began {passed} earlier, usually {usual}"),
    ))
}

/// Formats a duration, rounded to minutes.
fn span(seconds: f64) -> String {
    text::duration((seconds / 60.0).round() as u64 * 60)
}

fn budget(data: &RunData) -> Option<Finding> {
    let Ending::Budget { key } = &data.ending else { return None };
    let left: u64 = data.hosts.iter().flat_map(|host| &host.held).map(|held| held.urls).sum();
    Some(Finding::of_run(Grade::Note, format!("{}; URLs left for the next run: {left}", reached(key))))
}

fn disk(data: &RunData) -> Option<Finding> {
    let disk = data.disk?;
    let room = disk.free.saturating_sub(disk.floor);
    let past: Vec<f64> = data.past.iter().map(|run| bytes_of(run) as f64).collect();
    let a_run = median(&past);
    let runs = if a_run > 0.0 && past.len() >= KNOWN { room as f64 / a_run } else { f64::INFINITY };
    let is_low = disk.free < disk.floor.saturating_mul(FLOORS) || runs < RUNS_LEFT;
    let runs = if runs.is_finite() {
        format!("; estimated runs until store.min_free_disk: {runs:.0}")
    } else {
        String::new()
    };
    is_low.then(|| {
        let free = text::bytes(disk.free);
        Finding::of_run(Grade::Unusual, format!("the disk is getting full: {free} free{runs}"))
    })
}

fn bytes_of(run: &PastRun) -> u64 {
    run.hosts.values().map(|counts| counts.bytes).sum()
}

struct Look<'a> {
    data: &'a RunData,
    host: &'a HostData,
    figures: GroupedCounts,
    usual: Option<Usual>,
    past: &'a [PastRun],
    rhythm: &'a Rhythm,
}

impl Look<'_> {
    /// Returns the finding about the host's documents, if any.
    fn gives(&self) -> Option<(Grade, String)> {
        if self.host.paused {
            return Some((Grade::Note, "paused by the user; not crawled".into()));
        }
        let less = self.unreachable().or_else(|| self.drop()).or_else(|| self.silence());
        less.or_else(|| self.failures())
    }

    /// Finds a host without responses, or without requests.
    fn unreachable(&self) -> Option<(Grade, String)> {
        let figures = &self.figures;
        if figures.answered() > 0 || (figures.visits() == 0 && self.held_back().is_none()) {
            return None;
        }
        let text = match (figures.failures.iter().max_by_key(|(_, count)| **count), self.held_back()) {
            (Some((reason, count)), _) => format!("cannot be reached: {reason} (URLs: {count})"),
            (None, Some(why)) => format!("not crawled: {why}"),
            (None, None) => {
                format!("robots.txt forbids every URL that was due (URLs: {})", figures.disallowed())
            }
        };
        Some((self.grade_of_silence(), text))
    }

    /// Returns the main reason why URLs were left, other than the budget of the run.
    fn held_back(&self) -> Option<&str> {
        let by_budget = self.by_budget();
        let most = self.host.held.iter().filter(|held| Some(held.why.as_str()) != by_budget.as_deref());
        most.max_by_key(|held| held.urls).map(|held| held.why.as_str())
    }

    fn by_budget(&self) -> Option<String> {
        match &self.data.ending {
            Ending::Budget { key } => Some(reached(key)),
            Ending::Quiet | Ending::Failed { .. } => None,
        }
    }

    /// Grades silence as unusual in the first runs after the host stopped responding, otherwise as a note.
    fn grade_of_silence(&self) -> Grade {
        let answered = |run: &PastRun| {
            run.hosts.get(&self.host.name).map(|counts| GroupedCounts::from_counts(counts).answered() > 0)
        };
        let past: Vec<bool> = self.past.iter().filter_map(answered).collect();
        let silent = past.iter().take_while(|answered| !**answered).count();
        let is_known = past.iter().filter(|answered| **answered).count() >= KNOWN;
        if is_known && silent < NEWS && self.rhythm.is_whole_now() { Grade::Unusual } else { Grade::Note }
    }

    fn drop(&self) -> Option<(Grade, String)> {
        let usual = self.usual.as_ref()?;
        if self.figures.answered() == 0 || !usual.is_low(self.figures.new) {
            return None;
        }
        let is_left = self.by_budget().is_some_and(|why| self.host.held.iter().any(|held| held.why == why));
        let grade = if is_left { Grade::Note } else { Grade::Unusual };
        Some((grade, format!("{} new, usually {:.0}: {}", self.figures.new, usual.new, self.cause())))
    }

    fn silence(&self) -> Option<(Grade, String)> {
        let usual = self.usual.as_ref()?;
        let counts = self.figures.answered() > 0 && self.rhythm.is_whole_now();
        let runs = usual.silence(self.figures.new).filter(|_| counts)?;
        Some((
            Grade::Unusual,
            format!("nothing new in the last {}: {}", count(runs as u64, "run"), self.cause()),
        ))
    }

    /// Describes the most common outcome of the host's pages, or why there were few pages.
    fn cause(&self) -> String {
        let figures = &self.figures;
        let pages = figures.pages();
        if let Some((reason, count)) = figures.worst()
            && pages >= FEW_PAGES
            && count * 100 >= pages * CHIEF
        {
            return format!("{}% of pages end as {reason}", count * 100 / pages);
        }
        if let Some(held) = self.host.held.iter().max_by_key(|held| held.urls) {
            return format!("pages requested: {pages}, URLs left: {} ({})", held.urls, held.why);
        }
        if let Some((reason, count)) = figures.failures.iter().max_by_key(|(_, count)| **count) {
            return format!("{reason} (URLs: {count})");
        }
        format!(
            "front pages, sections, feeds and sitemaps name nothing new (read: {}; other URLs requested: {pages})",
            figures.listings()
        )
    }

    fn failures(&self) -> Option<(Grade, String)> {
        let share = |figures: &GroupedCounts| figures.failed() as f64 / figures.visits().max(1) as f64;
        let past: Vec<f64> = self
            .past
            .iter()
            .filter_map(|run| run.hosts.get(&self.host.name).map(GroupedCounts::from_counts))
            .filter(|figures| figures.visits() >= FEW_FAILURES)
            .map(|figures| share(&figures))
            .collect();
        let (now, usual) = (share(&self.figures), median(&past));
        let visits = self.figures.visits() as f64;
        let chance = 5.0 * (visits * usual * (1.0 - usual) + 1.0).sqrt();
        let is_found = past.len() >= KNOWN
            && self.rhythm.is_whole_now()
            && self.figures.failed() >= FEW_FAILURES
            && now >= SMALL_SHARE
            && now >= 3.0 * usual
            && self.figures.failed() as f64 - visits * usual > chance;
        let reason = self.figures.failures.iter().max_by_key(|(_, count)| **count)?.0;
        let percent = |share: f64| (share * 100.0).round();
        is_found.then(|| {
            let text = format!(
                "{}% of its URLs fail, usually {}%; most common reason: {reason}",
                percent(now),
                percent(usual)
            );
            (Grade::Unusual, text)
        })
    }

    fn template(&self) -> Option<(Grade, String)> {
        let template = &self.host.template;
        (template.outdated && !self.host.paused).then(|| {
            let text = format!(
                "its template (version {}) is out of date; pages buffered for the next version: {}",
                template.version, template.buffered
            );
            (Grade::Unusual, text)
        })
    }
}
