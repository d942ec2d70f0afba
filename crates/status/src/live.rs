//! Counts the pages of the running crawl every two seconds.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gleaner_crawl::{Active, Snapshot};

use crate::site::Running;

pub(crate) const EVERY: Duration = Duration::from_secs(2);

/// The number of samples to keep, which cover two minutes.
const LOOKS: usize = 60;

/// How long a host is shown as in progress after its last event.
const IN_PROGRESS: Duration = Duration::from_secs(30);

#[derive(Debug, Default)]
pub(crate) struct Live(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The crawl, and when it started in this process.
    running: Option<(Running, Instant)>,
    looks: VecDeque<(Instant, u64)>,
}

impl Live {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds this lock, so the data are valid even if the lock is poisoned.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn watch(&self, running: Option<Running>) {
        let running = running.map(|running| (running, Instant::now()));
        *self.state() = State { running, looks: VecDeque::new() };
    }

    pub(crate) fn running(&self) -> Option<Running> {
        self.state().running.as_ref().map(|(running, _)| running.clone())
    }

    /// Returns the time since this process started or resumed the crawl.
    pub(crate) fn elapsed(&self) -> Option<Duration> {
        self.state().running.as_ref().map(|(_, since)| since.elapsed())
    }

    pub(crate) fn look(&self, now: Instant) {
        let mut state = self.state();
        let Some((running, _)) = &state.running else { return };
        let responses = running.progress.snapshot().responses;
        state.looks.push_back((now, responses));
        if state.looks.len() > LOOKS {
            state.looks.pop_front();
        }
    }

    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        self.running().map(|running| running.progress.snapshot())
    }

    /// Returns at most `limit` hosts in progress, busiest first, and how many more there are.
    pub(crate) fn hosts(&self, limit: usize) -> (Vec<Active>, usize) {
        self.running().map(|running| running.progress.active(IN_PROGRESS, limit)).unwrap_or_default()
    }

    pub(crate) fn rates(&self) -> Vec<f64> {
        let state = self.state();
        let looks = state.looks.iter().zip(state.looks.iter().skip(1));
        let rate = |((from, before), (to, after)): (&(Instant, u64), &(Instant, u64))| {
            after.saturating_sub(*before) as f64 / to.duration_since(*from).as_secs_f64().max(0.001)
        };
        looks.map(rate).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gleaner_crawl::Stop;

    use super::*;

    #[test]
    fn nothing_is_told_of_a_crawl_that_does_not_run() {
        let live = Live::default();
        live.look(Instant::now());
        assert!(live.snapshot().is_none() && live.elapsed().is_none() && live.hosts(9) == (Vec::new(), 0));
        assert!(live.rates().is_empty());
        live.watch(Some(Running { progress: Arc::default(), stop: Stop::default() }));
        let begun = Instant::now();
        (0..100).for_each(|look| live.look(begun + EVERY * look));
        assert_eq!(live.rates(), vec![0.0; LOOKS - 1]);
    }
}
