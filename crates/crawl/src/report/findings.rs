//! What is unusual about a run, in sentences for people, the gravest first.
//!
//! Limitation: every rule here can be wrong. What is told only because a human may
//! want to know it is a note, and a note never changes the exit code; what a human should
//! look at is unusual; a run that did not do its work has failed. In its first three runs a
//! host is not unusual, since nothing is usual yet.

use serde::{Deserialize, Serialize};

use super::told::{Ending, HostTold, Told};
use super::usual::{Rhythm, Usual, median};
use super::{Figures, Night};

/// Something that a report says about a run or a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// How grave it is.
    pub grade: Grade,
    /// The host; `None`: the run.
    pub host: Option<String>,
    /// What is found, for people, without the host.
    pub text: String,
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// Good to know.
    Note,
    /// A human should look at it.
    Unusual,
    /// The run did not do its work.
    Failed,
}

/// Runs for which a fault is unusual; after that it is the state of things.
const NEWS: usize = 7;
/// Fewest past runs with an answer that make a host one that answers.
const KNOWN: usize = 3;
/// Failures below this number are noise.
const FEW_FAILURES: u64 = 10;
/// Share of failures below which they are noise.
const SMALL_SHARE: f64 = 0.2;
/// Share of one reason from which it explains why a host gives little, in percent.
const CHIEF: u64 = 30;
/// Pages below which shares say nothing.
const FEW_PAGES: u64 = 5;
/// The disk is told of below so many times the floor.
const FLOORS: u64 = 4;
/// The disk is told of if it holds fewer runs than this.
const RUNS_LEFT: f64 = 7.0;

impl Finding {
    fn of_run(grade: Grade, text: String) -> Self {
        Self { grade, host: None, text }
    }
}

/// All findings, the gravest first; within a grade those of the run, then hosts by what
/// they usually give.
pub(crate) fn all(told: &Told) -> Vec<Finding> {
    let past = &told.past[..told.past.len().min(Told::PAST)];
    let rhythm = Rhythm::new(told.run.started, past);
    let of_run = [failed(told), nothing_reached(told, &rhythm), missed(&rhythm), budget(told), disk(told)];
    let mut found: Vec<(f64, Finding)> =
        of_run.into_iter().flatten().map(|finding| (f64::INFINITY, finding)).collect();
    for host in &told.hosts {
        let look = Look {
            told,
            host,
            figures: Figures::from_counts(&host.counts),
            usual: Usual::new(&host.name, told.run.started, past, &rhythm),
            past,
            rhythm: &rhythm,
        };
        let weight = look.usual.as_ref().map_or(0.0, |usual| usual.new);
        let finding = |(grade, text)| Finding { grade, host: Some(host.name.clone()), text };
        found.extend(look.gives().into_iter().map(|told| (weight, finding(told))));
        // What a host gives is graver than how.
        found.extend(look.template().into_iter().map(|told| (-1.0, finding(told))));
    }
    found.sort_by(|(one, a), (other, b)| b.grade.cmp(&a.grade).then(other.total_cmp(one)));
    found.into_iter().map(|(_, finding)| finding).collect()
}

fn failed(told: &Told) -> Option<Finding> {
    let Ending::Failed { error } = &told.ending else { return None };
    Some(Finding::of_run(Grade::Failed, format!("the crawl failed: {error}")))
}

/// Whether no site answered at all: the network, the proxy or the seeds are at fault.
fn nothing_reached(told: &Told, rhythm: &Rhythm) -> Option<Finding> {
    if matches!(told.ending, Ending::Failed { .. }) {
        return None;
    }
    let silent = |host: &&HostTold| is_silent(host);
    let count = told.hosts.iter().filter(silent).count();
    let is_answered = told.hosts.iter().any(|host| Figures::from_counts(&host.counts).answered() > 0);
    let is_forbidden = told.hosts.iter().any(|host| Figures::from_counts(&host.counts).disallowed() > 0);
    let of_all = told.documents == 0 || (rhythm.is_whole_now() && count * 2 >= told.hosts.len());
    let is_found = count > 0 && !is_answered && !is_forbidden && of_all;
    is_found.then(|| {
        Finding::of_run(Grade::Failed, "no page of any seed could be fetched; the table says why".into())
    })
}

/// Whether a host was asked in vain, or could not be asked.
fn is_silent(host: &HostTold) -> bool {
    let figures = Figures::from_counts(&host.counts);
    figures.answered() == 0 && !host.paused && (figures.failed() > 0 || !host.held.is_empty())
}

/// Seconds without a run that are worth a word.
const LATE: f64 = 3.0 * 3600.0;

/// Whether a run that was due did not happen.
fn missed(rhythm: &Rhythm) -> Option<Finding> {
    // Runs by hand, minutes apart, have no rhythm that could be missed.
    let is_late = |times: &f64| *times > 2.0 && rhythm.usual * times >= LATE;
    let times = rhythm.since_last().filter(is_late)?;
    let grade = if rhythm.is_steady() { Grade::Unusual } else { Grade::Note };
    let (passed, usual) = (span(rhythm.usual * times), span(rhythm.usual));
    Some(Finding::of_run(
        grade,
        format!("the run before it began {passed} earlier, usually {usual}: runs did not happen"),
    ))
}

fn span(seconds: f64) -> String {
    let hours = seconds / 3600.0;
    match hours {
        _ if hours >= 48.0 => format!("{:.1} days", hours / 24.0),
        _ if hours >= 1.0 => format!("{hours:.1} hours"),
        _ => format!("{:.0} minutes", hours * 60.0),
    }
}

fn budget(told: &Told) -> Option<Finding> {
    let Ending::Budget { key } = &told.ending else { return None };
    let left: u64 = told.hosts.iter().flat_map(|host| &host.held).map(|held| held.urls).sum();
    Some(Finding::of_run(Grade::Note, format!("{key} reached, {left} URLs are left to the next run")))
}

fn disk(told: &Told) -> Option<Finding> {
    let disk = told.disk?;
    let room = disk.free.saturating_sub(disk.floor);
    let past: Vec<f64> = told.past.iter().map(|night| bytes_of(night) as f64).collect();
    let a_run = median(&past);
    let runs = if a_run > 0.0 && past.len() >= KNOWN { room as f64 / a_run } else { f64::INFINITY };
    let is_low = disk.free < disk.floor.saturating_mul(FLOORS) || runs < RUNS_LEFT;
    let runs = if runs.is_finite() { format!(", room for some {runs:.0} runs") } else { String::new() };
    is_low.then(|| {
        let free = super::text::size(disk.free);
        Finding::of_run(Grade::Unusual, format!("the disk is getting full: {free} are free{runs}"))
    })
}

fn bytes_of(night: &Night) -> u64 {
    night.hosts.values().map(|counts| counts.bytes).sum()
}

/// A host that is looked at.
struct Look<'a> {
    told: &'a Told,
    host: &'a HostTold,
    figures: Figures,
    usual: Option<Usual>,
    past: &'a [Night],
    rhythm: &'a Rhythm,
}

impl Look<'_> {
    /// What is to be said of what it gives.
    fn gives(&self) -> Option<(Grade, String)> {
        if self.host.paused {
            return Some((Grade::Note, "it is paused: nothing is asked there".into()));
        }
        let less = self.unreachable().or_else(|| self.drop()).or_else(|| self.silence());
        less.or_else(|| self.failures())
    }

    /// It was asked, or should have been, and did not answer.
    fn unreachable(&self) -> Option<(Grade, String)> {
        let figures = &self.figures;
        if figures.answered() > 0 || (figures.visits() == 0 && self.held_back().is_none()) {
            return None;
        }
        let text = match (figures.failures.iter().max_by_key(|(_, count)| **count), self.held_back()) {
            (Some((reason, count)), _) => format!("it cannot be reached: {reason} ({count} URLs)"),
            (None, Some(why)) => format!("nothing could be asked: {why}"),
            (None, None) => {
                format!("robots.txt forbids all that is asked for ({} URLs)", figures.disallowed())
            }
        };
        Some((self.grade_of_silence(), text))
    }

    /// Why its URLs were left, unless it is the run's own budget.
    fn held_back(&self) -> Option<&str> {
        let by_budget = self.by_budget();
        let most = self.host.held.iter().filter(|held| Some(held.why.as_str()) != by_budget.as_deref());
        most.max_by_key(|held| held.urls).map(|held| held.why.as_str())
    }

    fn by_budget(&self) -> Option<String> {
        match &self.told.ending {
            Ending::Budget { key } => Some(format!("{key} reached")),
            Ending::Quiet | Ending::Failed { .. } => None,
        }
    }

    /// A host that used to answer is unusual, for some runs.
    fn grade_of_silence(&self) -> Grade {
        let answered = |night: &Night| {
            night.hosts.get(&self.host.name).map(|counts| Figures::from_counts(counts).answered() > 0)
        };
        let past: Vec<bool> = self.past.iter().filter_map(answered).collect();
        let silent = past.iter().take_while(|answered| !**answered).count();
        let is_known = past.iter().filter(|answered| **answered).count() >= KNOWN;
        if is_known && silent < NEWS && self.rhythm.is_whole_now() { Grade::Unusual } else { Grade::Note }
    }

    /// It gave much less than usual.
    fn drop(&self) -> Option<(Grade, String)> {
        let usual = self.usual.as_ref()?;
        if self.figures.answered() == 0 || !usual.is_low(self.figures.new) {
            return None;
        }
        let is_left = self.by_budget().is_some_and(|why| self.host.held.iter().any(|held| held.why == why));
        let grade = if is_left { Grade::Note } else { Grade::Unusual };
        Some((grade, format!("{} new, usually {:.0}: {}", self.figures.new, usual.new, self.cause())))
    }

    /// It gave nothing for longer than chance explains.
    fn silence(&self) -> Option<(Grade, String)> {
        let usual = self.usual.as_ref()?;
        let counts = self.figures.answered() > 0 && self.rhythm.is_whole_now();
        let runs = usual.silence(self.figures.new).filter(|_| counts)?;
        Some((Grade::Unusual, format!("nothing new in the last {runs} runs: {}", self.cause())))
    }

    /// What most of its pages ended as, or why there were hardly any.
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
            return format!("{pages} pages were asked for, {} URLs are left: {}", held.urls, held.why);
        }
        if let Some((reason, count)) = figures.failures.iter().max_by_key(|(_, count)| **count) {
            return format!("{count} URLs end as {reason}");
        }
        format!(
            "{} front pages, sections, feeds and sitemaps were read and name nothing new ({pages} other URLs were asked for)",
            figures.listings()
        )
    }

    /// Many more visits fail than usual.
    fn failures(&self) -> Option<(Grade, String)> {
        let share = |figures: &Figures| figures.failed() as f64 / figures.visits().max(1) as f64;
        let past: Vec<f64> = self
            .past
            .iter()
            .filter_map(|night| night.hosts.get(&self.host.name).map(Figures::from_counts))
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
            let text =
                format!("{}% of its URLs fail, usually {}%: most by {reason}", percent(now), percent(usual));
            (Grade::Unusual, text)
        })
    }

    fn template(&self) -> Option<(Grade, String)> {
        let template = &self.host.template;
        (template.outdated && !self.host.paused).then(|| {
            let text = format!(
                "its template (version {}) is out of date: {} pages are buffered for the next",
                template.version, template.buffered
            );
            (Grade::Unusual, text)
        })
    }
}
