//! Computes how many new documents a host usually has, and whether a number is too low.
//!
//! 1. The last 14 runs count, except two kinds. Runs in which the host did not respond do not count. Early
//!    runs, which began less than half of the usual time after the previous run, do not count, because they
//!    find little.
//! 2. The usual number is the median over these runs. There must be at least three.
//! 3. The expected number is the usual number. If less time than usual has passed since the previous run, the
//!    expected number is reduced in proportion.
//! 4. A number is low if it is at most a quarter of the expected number and chance does not explain it.
//!    Counts are modelled as Poisson with an extra spread:
//!    `2 (√(expected + 3/8) − √(count + 3/8)) ≥ 5 √spread` (Anscombe, 1948). The spread is the variance
//!    divided by the usual number, at least 1. The variance is estimated by the median absolute deviation.
//! 5. If the number is below a quarter of the second-lowest of at least seven runs, the spread counts as 1.
//!    This matters for hosts whose numbers vary a lot.
//! 6. The expected number is at most the median of earlier runs on the same weekday. If there is no such run,
//!    a number is low only if it is at most a tenth of the expected number.
//! 7. A single run of a host with few articles is never low. Instead, consecutive runs without new articles
//!    are judged together. With three expected articles per run, four empty runs are reported, unless the
//!    host had an equally long series before.
//!
//! In simulated years (`tests/simulated.rs`) of hosts with 1 to 600 articles per run, there are 12 false
//! alarms in 40 host-years. Ten of them are in the first week of hosts that publish nothing at weekends. If a
//! host with 30 or more articles per run stops, the same run reports it.
//!
//! Limitation: a host that fails in half of the runs looks normal. If a small host stops on a weekend, this
//! is reported some days later.

use gleaner_store::Counts;
use jiff::{SignedDuration, Timestamp};

use super::GroupedCounts;
use super::run_data::RunData;

const FEWEST: usize = 3;
const RUNS: usize = RunData::PAST - 1;
/// A low number is at most this share of the expected number.
const QUARTER: f64 = 0.25;
/// The share that is used instead of [`QUARTER`] if no earlier run was on the same weekday.
const TENTH: f64 = 0.1;
/// From this distance on, in standard deviations, chance does not explain a number.
const FAR: f64 = 5.0;
const MANY: usize = 7;
const HOUR: f64 = 3600.0;
const WEEK: i64 = 7;

pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// The times between the starts of consecutive runs, in seconds. The first is the time since the previous run
/// began.
#[derive(Debug, Clone)]
pub(crate) struct RunIntervals {
    lengths: Vec<f64>,
    /// The median of all times except the first. 0 if unknown.
    pub(crate) usual: f64,
}

impl RunIntervals {
    /// `now` is the start of this run. `past` has the starts of the earlier runs, newest first.
    pub(crate) fn new(now: Timestamp, past: impl Iterator<Item = Timestamp>) -> Self {
        let starts: Vec<Timestamp> = [now].into_iter().chain(past).collect();
        let lengths: Vec<f64> =
            starts.windows(2).map(|pair| pair[0].duration_since(pair[1]).as_secs_f64().max(0.0)).collect();
        let usual = median(lengths.get(1..).unwrap_or_default());
        Self { lengths, usual }
    }

    pub(crate) fn since_last(&self) -> Option<f64> {
        (self.usual > 0.0).then(|| self.lengths.first().map(|length| length / self.usual)).flatten()
    }

    /// Whether at least half of the usual time has passed since the previous run, or at least an hour if the
    /// usual time is unknown.
    pub(crate) fn is_full_interval(&self) -> bool {
        let least = if self.usual > 0.0 { self.usual / 2.0 } else { HOUR };
        self.lengths.first().is_none_or(|length| *length >= least)
    }

    /// Whether at least half of the usual time passed before an earlier run. `number` 0 is the newest one.
    fn was_full_interval(&self, number: usize) -> bool {
        self.lengths.get(number + 1).is_none_or(|length| *length * 2.0 >= self.usual)
    }

    /// Whether at least three quarters of the earlier runs began at the usual time after the run before. A run that was
    /// missed or began by hand does not make a schedule irregular.
    pub(crate) fn is_regular(&self) -> bool {
        let past = self.lengths.get(1..).unwrap_or_default();
        let is_usual = |length: &&f64| (*length - self.usual).abs() <= self.usual * QUARTER;
        past.len() >= FEWEST && 4 * past.iter().filter(is_usual).count() >= 3 * past.len()
    }
}

#[derive(Debug, Clone, Copy)]
struct PastCount {
    days_ago: i64,
    new: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct UsualCount {
    values: Vec<PastCount>,
    pub(crate) new: f64,
    expected: f64,
    spread: f64,
}

impl UsualCount {
    /// `past` has the start of each earlier run, newest first, with the host's counts if the host was in
    /// scope. Returns `None` if fewer than three runs count.
    pub(crate) fn new<'a>(
        now: Timestamp,
        past: impl Iterator<Item = (Timestamp, Option<&'a Counts>)>,
        intervals: &RunIntervals,
    ) -> Option<Self> {
        let value = |(number, (started, counts)): (usize, (Timestamp, Option<&Counts>))| {
            let figures = GroupedCounts::from_counts(counts?);
            let is_usual = intervals.was_full_interval(number) && figures.answered() > 0;
            is_usual.then(|| PastCount { days_ago: days(started, now), new: figures.new as f64 })
        };
        let values: Vec<PastCount> = past.take(RUNS).enumerate().filter_map(value).collect();
        Self::from_counts(values, intervals.since_last().unwrap_or(1.0).min(1.0))
    }

    fn from_counts(values: Vec<PastCount>, share: f64) -> Option<Self> {
        let numbers: Vec<f64> = values.iter().map(|value| value.new).collect();
        if numbers.len() < FEWEST {
            return None;
        }
        let new = median(&numbers);
        let deviations: Vec<f64> = numbers.iter().map(|number| (number - new).abs()).collect();
        let deviation = 1.4826 * median(&deviations);
        let spread = if new > 0.0 { (deviation * deviation / new).max(1.0) } else { 1.0 };
        Some(Self { values, new, expected: new * share, spread })
    }

    pub(crate) fn is_low(&self, new: u64) -> bool {
        let new = new as f64;
        let same_day: Vec<f64> = self
            .values
            .iter()
            .filter(|value| value.days_ago > 0 && value.days_ago % WEEK == 0)
            .map(|value| value.new)
            .collect();
        let (expected, share) = match same_day.is_empty() {
            true => (self.expected, TENTH),
            false => (self.expected.min(median(&same_day)), QUARTER),
        };
        let far = distance(expected, new);
        let is_far = far >= FAR * self.spread.sqrt() || (far >= FAR && self.is_worse_than_bad(new));
        new <= expected * share && is_far
    }

    fn is_worse_than_bad(&self, new: f64) -> bool {
        let mut sorted: Vec<f64> = self.values.iter().map(|value| value.new).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.len() >= MANY && new < sorted[1] * QUARTER
    }

    /// Returns for how many runs in a row the host had no new documents. Returns `None` if chance explains
    /// this number.
    pub(crate) fn no_new_documents(&self, new: u64) -> Option<usize> {
        let before = self.values.iter().take_while(|value| value.new == 0.0).count();
        if new > 0 || before == 0 {
            return None;
        }
        let earlier = Self::from_counts(self.values[before..].to_vec(), 1.0)?;
        let runs = before + 1;
        let silences = earlier.values.split(|value| value.new > 0.0).map(<[PastCount]>::len);
        if silences.max().is_some_and(|longest| longest >= runs) {
            return None;
        }
        let is_far = distance(earlier.new * runs as f64, 0.0) >= FAR * earlier.spread.sqrt();
        is_far.then_some(runs)
    }
}

/// Returns how far the count is below the expected number, in standard deviations of a Poisson variable.
fn distance(expected: f64, count: f64) -> f64 {
    2.0 * ((expected + 0.375).sqrt() - (count + 0.375).sqrt())
}

fn days(earlier: Timestamp, later: Timestamp) -> i64 {
    let half_a_day = SignedDuration::from_hours(12);
    let apart = later.duration_since(earlier) + half_a_day;
    apart.as_hours() / 24
}
