//! Counts the pages of the running crawl every two seconds.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gleaner_crawl::{ActiveHost, ProgressSnapshot};

use crate::status::served::RunningCrawl;

pub(crate) const SAMPLE_INTERVAL: Duration = Duration::from_secs(2);

/// The number of samples to keep, which cover two minutes.
const SAMPLES: usize = 60;

/// How long a host is shown as in progress after its last event.
const IN_PROGRESS: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub(crate) struct CrawlMonitor(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The crawl, and when it started in this process.
    running: Option<(RunningCrawl, Instant)>,
    samples: VecDeque<(Instant, u64)>,
}

impl CrawlMonitor {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds this lock, so the data are valid even if the lock is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_crawl(&self, running: Option<RunningCrawl>) {
        let running = running.map(|running| (running, Instant::now()));
        *self.state() = State { running, samples: VecDeque::new() };
    }

    pub(crate) fn running(&self) -> Option<RunningCrawl> {
        self.state().running.as_ref().map(|(running, _)| running.clone())
    }

    /// Returns the time since this process started or resumed the crawl.
    pub(crate) fn elapsed(&self) -> Option<Duration> {
        self.state().running.as_ref().map(|(_, since)| since.elapsed())
    }

    pub(crate) fn sample(&self, now: Instant) {
        let mut state = self.state();
        let Some((running, _)) = &state.running else { return };
        let responses = running.progress.snapshot().responses;
        state.samples.push_back((now, responses));
        if state.samples.len() > SAMPLES {
            state.samples.pop_front();
        }
    }

    pub(crate) fn snapshot(&self) -> Option<ProgressSnapshot> {
        self.running().map(|running| running.progress.snapshot())
    }

    /// Returns at most `limit` hosts in progress, busiest first, and the number of other hosts in progress.
    pub(crate) fn hosts(&self, limit: usize) -> (Vec<ActiveHost>, usize) {
        self.running().map(|running| running.progress.active(IN_PROGRESS, limit)).unwrap_or_default()
    }

    /// Estimates the time until the running crawl has no URL left.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let rates = self.rates();
        let rate = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
        self.running()?.progress.time_left(self.elapsed()?, rate)
    }

    pub(crate) fn rates(&self) -> Vec<f64> {
        let state = self.state();
        let samples = state.samples.iter().zip(state.samples.iter().skip(1));
        let rate = |((from, before), (to, after)): (&(Instant, u64), &(Instant, u64))| {
            after.saturating_sub(*before) as f64 / to.duration_since(*from).as_secs_f64().max(0.001)
        };
        samples.map(rate).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gleaner_crawl::StopRequest;

    use super::*;

    #[test]
    fn without_a_crawl_there_are_no_figures() {
        let monitor = CrawlMonitor::default();
        monitor.sample(Instant::now());
        assert!(
            monitor.snapshot().is_none()
                && monitor.elapsed().is_none()
                && monitor.hosts(9) == (Vec::new(), 0)
        );
        assert!(monitor.rates().is_empty());
        monitor.set_crawl(Some(RunningCrawl { progress: Arc::default(), stop: StopRequest::default() }));
        let begun = Instant::now();
        (0..100).for_each(|sample| monitor.sample(begun + SAMPLE_INTERVAL * sample));
        assert_eq!(monitor.rates(), vec![0.0; SAMPLES - 1]);
    }
}
