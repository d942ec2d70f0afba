//! What a host usually gives, and when a number is too small for it.
//!
//! 1. Of the last 14 runs those count in which the host answered, and before which about
//!    the usual time had passed: a crawl by hand an hour after the night's finds little.
//! 2. Usual is their median. Fewer than three, and nothing is usual.
//! 3. What is expected now is the usual, less where less time has passed.
//! 4. A number is low if it is at most a quarter of what is expected, and too far from it
//!    for chance: counts of articles are taken as Poisson's with a spread of their own,
//!    `2 (√(expected + 3/8) − √(count + 3/8)) ≥ 5 √spread` (Anscombe, 1948), where the
//!    spread is the variance over the mean, by the median absolute deviation, and 1 at least.
//! 5. A host that varies much is low all the same below a quarter of its second-worst run.
//! 6. Weekends: no more is expected than on the same weekday a week and two weeks before.
//!    Where there was none yet, the number must be a tenth of the usual.
//! 7. A host with a few articles a run is never low in one run. Runs without any are taken
//!    together: where three are expected a run, four empty runs are too few, if there were
//!    never as many in a row before.
//!
//! In simulated years (`tests/simulated.rs`) of hosts with 1 to 600 articles a night that
//! vary by a fifth to a half, with weekends from none to all of it, there are 12 false alarms
//! in 40 years of a host, 10 of them in the first week of those that are silent at
//! weekends; a host with 30 a night or more that stops is noticed
//! the same night.
//!
//! Known failure: a host that was bad for half of the runs is usual as it is; a small host
//! that stops on a weekend day is noticed some days later.

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::told::Told;
use super::{Figures, Night};

/// Fewest runs from which something is usual.
const FEWEST: usize = 3;
/// Runs that are looked at.
const RUNS: usize = Told::PAST - 1;
/// A number is low below this share of what is expected.
const QUARTER: f64 = 0.25;
/// The same where no run of that weekday is known.
const TENTH: f64 = 0.1;
/// How many deviations are too far for chance.
const FAR: f64 = 5.0;
/// From so many runs on the second-worst says what the host can be like.
const MANY: usize = 7;
/// Seconds.
const HOUR: f64 = 3600.0;
/// A run is of the same weekday if it lies so many days back, or a week more.
const WEEK: i64 = 7;

/// The median; 0 of nothing.
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

/// The times between runs, in seconds, the newest first: before this run, before the one
/// before it, and so on.
#[derive(Debug, Clone)]
pub(crate) struct Rhythm {
    gaps: Vec<f64>,
    /// The usual one; 0 where it is not known.
    pub(crate) usual: f64,
}

impl Rhythm {
    /// The rhythm of a run's start and those before it, the newest first.
    pub(crate) fn new(now: Timestamp, past: &[Night]) -> Self {
        let starts: Vec<Timestamp> =
            [now].into_iter().chain(past.iter().map(|night| night.started)).collect();
        let gaps: Vec<f64> =
            starts.windows(2).map(|pair| pair[0].duration_since(pair[1]).as_secs_f64().max(0.0)).collect();
        let usual = median(gaps.get(1..).unwrap_or_default());
        Self { gaps, usual }
    }

    /// The time before this run as a share of the usual.
    pub(crate) fn since_last(&self) -> Option<f64> {
        (self.usual > 0.0).then(|| self.gaps.first().map(|gap| gap / self.usual)).flatten()
    }

    /// Whether so much time has passed that listings were due: about the usual, or an hour
    /// where nothing is usual yet. A crawl by hand soon after another asks for little but
    /// what failed before.
    pub(crate) fn is_whole_now(&self) -> bool {
        let least = if self.usual > 0.0 { self.usual / 2.0 } else { HOUR };
        self.gaps.first().is_none_or(|gap| *gap >= least)
    }

    /// Whether about the usual time, or more, had passed before the past run of that
    /// number, 0 for the newest.
    fn is_whole(&self, number: usize) -> bool {
        self.gaps.get(number + 1).is_none_or(|gap| *gap * 2.0 >= self.usual)
    }

    /// Whether the runs before this one came like a clock: all within a quarter of the
    /// usual time.
    pub(crate) fn is_steady(&self) -> bool {
        let past = self.gaps.get(1..).unwrap_or_default();
        past.len() >= FEWEST && past.iter().all(|gap| (gap - self.usual).abs() <= self.usual * QUARTER)
    }
}

/// A past run of a host: how long ago, and what it gave.
#[derive(Debug, Clone, Copy)]
struct Value {
    days_ago: i64,
    new: f64,
}

/// What a host usually gives.
#[derive(Debug, Clone)]
pub(crate) struct Usual {
    values: Vec<Value>,
    /// New documents a run.
    pub(crate) new: f64,
    /// What is expected of this run.
    expected: f64,
    spread: f64,
}

impl Usual {
    /// What a host usually gave before `now`; `None`: that is not known.
    pub(crate) fn new(host: &str, now: Timestamp, past: &[Night], rhythm: &Rhythm) -> Option<Self> {
        let value = |(number, night): (usize, &Night)| {
            let figures = Figures::from_counts(night.hosts.get(host)?);
            let counts = rhythm.is_whole(number) && figures.answered() > 0;
            counts.then(|| Value { days_ago: days(night.started, now), new: figures.new as f64 })
        };
        let values: Vec<Value> = past.iter().take(RUNS).enumerate().filter_map(value).collect();
        Self::over(values, rhythm.since_last().unwrap_or(1.0).min(1.0))
    }

    fn over(values: Vec<Value>, share: f64) -> Option<Self> {
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

    /// Whether so few new documents are too few.
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

    /// Whether it is far below the second-worst of many runs.
    fn is_worse_than_bad(&self, new: f64) -> bool {
        let mut sorted: Vec<f64> = self.values.iter().map(|value| value.new).collect();
        sorted.sort_by(f64::total_cmp);
        sorted.len() >= MANY && new < sorted[1] * QUARTER
    }

    /// How many runs in a row, this one among them, had nothing, if that is too many
    /// for what the host gave before them.
    pub(crate) fn silence(&self, new: u64) -> Option<usize> {
        let before = self.values.iter().take_while(|value| value.new == 0.0).count();
        if new > 0 || before == 0 {
            return None;
        }
        let earlier = Self::over(self.values[before..].to_vec(), 1.0)?;
        let runs = before + 1;
        let silences = earlier.values.split(|value| value.new > 0.0).map(<[Value]>::len);
        if silences.max().is_some_and(|longest| longest >= runs) {
            return None;
        }
        let is_far = distance(earlier.new * runs as f64, 0.0) >= FAR * earlier.spread.sqrt();
        is_far.then_some(runs)
    }
}

/// How many deviations of Poisson's distribution lie between what is expected and less.
fn distance(expected: f64, count: f64) -> f64 {
    2.0 * ((expected + 0.375).sqrt() - (count + 0.375).sqrt())
}

/// Whole days between two times, by the calendar.
fn days(earlier: Timestamp, later: Timestamp) -> i64 {
    let half_a_day = SignedDuration::from_hours(12);
    let apart = later.duration_since(earlier) + half_a_day;
    apart.as_hours() / 24
}

/// The time as people write it.
pub(crate) fn minute(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M UTC").to_string()
}
