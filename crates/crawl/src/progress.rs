//! Counts the progress of a crawl.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use gleaner_frontier::{Outcome, OutcomeClass};

use crate::activity::{ActiveHost, HostActivity};
use crate::control::Control;

/// Upper bounds of the latency histogram's buckets, in milliseconds.
pub const LATENCIES: [u64; 12] = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];

/// Counters of a running crawl, readable from any thread, and the queue of user commands.
#[derive(Debug, Default)]
pub struct Progress {
    pub(crate) responses: AtomicU64,
    pub(crate) stored: AtomicU64,
    pub(crate) duplicates: AtomicU64,
    pub(crate) near_duplicates: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) hosts: AtomicU64,
    pub(crate) queue: AtomicU64,
    pub(crate) buffered: AtomicU64,
    pub(crate) in_flight: AtomicU64,
    pub(crate) activity: HostActivity,
    outcomes: Mutex<BTreeMap<&'static str, u64>>,
    /// Number of requests per bucket of [`LATENCIES`]. The additional last bucket has no upper bound.
    latencies: [AtomicU64; LATENCIES.len() + 1],
    latency_micros: AtomicU64,
    waited_millis: AtomicU64,
    /// `crawl.max_pages` and `crawl.max_time` in seconds. 0 means no limit.
    limits: (AtomicU64, AtomicU64),
    /// Number of responses, including those to requests for robots.txt.
    all_responses: AtomicU64,
    unanswered: Mutex<NoResponse>,
    control: Control,
}

/// The requests of a crawl in which no site has responded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoResponse {
    /// Number of requests, including those for robots.txt.
    pub requests: u64,
    /// The error of the last request.
    pub error: String,
}

/// The durations of page requests, without the delays between them. Each redirect is a separate request.
/// Requests for robots.txt do not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Latency {
    /// Number of requests per bucket of [`LATENCIES`]. The additional last element counts requests above the
    /// last bound.
    pub classes: [u64; LATENCIES.len() + 1],
    /// Sum of all durations.
    pub sum: Duration,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProgressSnapshot {
    /// Responses received since the last reset. Includes responses without a page, such as redirects, errors
    /// and 304.
    pub responses: u64,
    /// Documents stored or revised since the last reset, without near-duplicates.
    pub stored: u64,
    /// URLs whose text was already stored under another URL.
    pub duplicates: u64,
    /// Near-duplicates stored since the last reset.
    pub near_duplicates: u64,
    /// Visits that ended with a failure.
    pub failures: u64,
    /// Hosts that take part in the crawl.
    pub hosts: u64,
    /// URLs that are ready or waiting.
    pub queue: u64,
    /// Articles buffered until their host's template is learned.
    pub buffered: u64,
    /// URLs, robots.txt files and training jobs that are being requested or processed.
    pub in_flight: u64,
}

impl Progress {
    /// Returns the queue of user commands.
    #[must_use]
    pub const fn control(&self) -> &Control {
        &self.control
    }

    /// Returns up to `limit` active hosts, those with the most ended visits first, and the number of the other
    /// active hosts. A host is active if one of its URLs is in flight, if it is in a pause, or if it had a
    /// dispatch, an outcome or a pause within `window`.
    #[must_use]
    pub fn active(&self, window: Duration, limit: usize) -> (Vec<ActiveHost>, usize) {
        self.activity.active(window, limit)
    }

    /// Returns the number of ended visits for each [`Outcome::label`].
    #[must_use]
    pub fn outcomes(&self) -> BTreeMap<&'static str, u64> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the durations of page requests.
    #[must_use]
    pub fn latency(&self) -> Latency {
        Latency {
            classes: self.latencies.each_ref().map(|count| count.load(Ordering::Relaxed)),
            sum: Duration::from_micros(self.latency_micros.load(Ordering::Relaxed)),
        }
    }

    /// Returns the time that groups waited between a response and their next request, summed over all groups.
    #[must_use]
    pub fn waited(&self) -> Duration {
        Duration::from_millis(self.waited_millis.load(Ordering::Relaxed))
    }

    pub(crate) fn ended(&self, outcome: &Outcome) {
        // No code panics while it holds this lock.
        let mut outcomes = self.outcomes.lock().unwrap_or_else(PoisonError::into_inner);
        *outcomes.entry(outcome.label()).or_default() += 1;
        let counter = match (outcome, outcome.class()) {
            (Outcome::NearDuplicate { .. }, _) => &self.near_duplicates,
            (_, OutcomeClass::Stored) => &self.stored,
            (_, OutcomeClass::Duplicate) => &self.duplicates,
            (_, class) if class.is_failure() => &self.failures,
            _ => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Sets the budgets of the run. 0 means no limit.
    pub(crate) fn set_limits(&self, pages: u64, time: Duration) {
        self.limits.0.store(pages, Ordering::Relaxed);
        self.limits.1.store(time.as_secs(), Ordering::Relaxed);
    }

    /// Estimates how long the requests for all ready URLs take, or until a budget ends the run. `rate` is the number
    /// of responses per second. URLs that are found later need more time. Returns `None` if the time is unknown.
    #[must_use]
    pub fn time_left(&self, elapsed: Duration, rate: f64) -> Option<Duration> {
        let Latency { classes, sum } = self.latency();
        let requests = u32::try_from(classes.iter().sum::<u64>()).unwrap_or(u32::MAX);
        let queue = self.activity.time_left(sum.checked_div(requests).unwrap_or_default())?;
        let read = |counter: &AtomicU64| Some(counter.load(Ordering::Relaxed)).filter(|limit| *limit > 0);
        let time = read(&self.limits.1).map(|limit| Duration::from_secs(limit).saturating_sub(elapsed));
        let pages = read(&self.limits.0).filter(|_| rate > 0.0).and_then(|limit| {
            let pages = limit.saturating_sub(self.responses.load(Ordering::Relaxed));
            Duration::try_from_secs_f64(pages as f64 / rate).ok()
        });
        [Some(queue), time, pages].into_iter().flatten().min()
    }

    /// Returns the number of requests and the last error. Returns `None` if a site has responded or if no
    /// request has ended yet.
    #[must_use]
    pub fn no_response(&self) -> Option<NoResponse> {
        let is_answered = self.all_responses.load(Ordering::Relaxed) > 0;
        let unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        (!is_answered && unanswered.requests > 0).then(|| unanswered.clone())
    }

    pub(crate) fn answered(&self) {
        self.all_responses.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn unanswered(&self, error: &str) {
        let mut unanswered = self.unanswered.lock().unwrap_or_else(PoisonError::into_inner);
        unanswered.requests += 1;
        error.clone_into(&mut unanswered.error);
    }

    pub(crate) fn took(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let class = LATENCIES.iter().position(|bound| millis <= *bound).unwrap_or(LATENCIES.len());
        self.latencies[class].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.latency_micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(crate) fn waits(&self, time: Duration) {
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.waited_millis.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn queue_grows(&self, by: i64) {
        if by >= 0 {
            self.queue.fetch_add(by.unsigned_abs(), Ordering::Relaxed);
        } else {
            self.queue.fetch_sub(by.unsigned_abs(), Ordering::Relaxed);
        }
    }

    /// Sets all counters to zero for the next run.
    pub fn reset(&self) {
        let counters = [
            &self.responses,
            &self.stored,
            &self.duplicates,
            &self.near_duplicates,
            &self.failures,
            &self.hosts,
            &self.queue,
            &self.buffered,
            &self.in_flight,
            &self.latency_micros,
            &self.waited_millis,
            &self.all_responses,
        ];
        counters.into_iter().chain(&self.latencies).for_each(|counter| counter.store(0, Ordering::Relaxed));
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner).clear();
        *self.unanswered.lock().unwrap_or_else(PoisonError::into_inner) = NoResponse::default();
        self.activity.clear();
    }

    /// Returns the current counters.
    #[must_use]
    pub fn snapshot(&self) -> ProgressSnapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ProgressSnapshot {
            responses: read(&self.responses),
            stored: read(&self.stored),
            duplicates: read(&self.duplicates),
            near_duplicates: read(&self.near_duplicates),
            failures: read(&self.failures),
            hosts: read(&self.hosts),
            queue: read(&self.queue),
            buffered: read(&self.buffered),
            in_flight: read(&self.in_flight),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_by_how_long_they_took() {
        let progress = Progress::default();
        for millis in [0, 10, 11, 60_000, 60_001] {
            progress.took(Duration::from_millis(millis));
        }
        let Latency { classes, sum } = progress.latency();
        assert_eq!((classes[0], classes[1], classes[11], classes[12]), (2, 1, 1, 1));
        assert_eq!(sum, Duration::from_millis(120_022));
    }

    #[test]
    fn a_budget_ends_a_run_before_its_queue() {
        let (progress, group) = (Progress::default(), "a.example".into());
        progress.activity.ready_grows(&group, 60);
        let left = |rate| progress.time_left(Duration::from_secs(10), rate).map(|left| left.as_secs());
        assert_eq!(left(0.5), None);
        progress.activity.delay(&group, Duration::from_secs(2));
        assert_eq!(left(0.5), Some(120));
        progress.set_limits(20, Duration::ZERO);
        assert_eq!((left(0.5), left(0.0)), (Some(40), Some(120)));
        progress.set_limits(20, Duration::from_secs(30));
        assert_eq!(left(0.5), Some(20));
    }

    #[test]
    fn outcomes_are_counted_by_their_labels() {
        let progress = Progress::default();
        progress.ended(&Outcome::Stored);
        progress.ended(&Outcome::Gone { status: 404 });
        progress.ended(&Outcome::Gone { status: 410 });
        assert_eq!(progress.outcomes(), BTreeMap::from([("gone", 2), ("stored", 1)]));
    }
}
