//! Samples the running crawl every two seconds.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gleaner_crawl::{Progress, Snapshot};

/// The time between two samples.
pub(crate) const EVERY: Duration = Duration::from_secs(2);

/// The number of samples that are kept: two minutes.
const LOOKS: usize = 60;

#[derive(Debug, Default)]
pub(crate) struct Live(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    progress: Option<Arc<Progress>>,
    looks: VecDeque<(Instant, u64)>,
}

impl Live {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn watch(&self, progress: Option<Arc<Progress>>) {
        *self.state() = State { progress, looks: VecDeque::new() };
    }

    pub(crate) fn progress(&self) -> Option<Arc<Progress>> {
        self.state().progress.clone()
    }

    pub(crate) fn look(&self, now: Instant) {
        let mut state = self.state();
        let Some(pages) = state.progress.as_ref().map(|progress| progress.snapshot().pages) else { return };
        state.looks.push_back((now, pages));
        if state.looks.len() > LOOKS {
            state.looks.pop_front();
        }
    }

    pub(crate) fn snapshot(&self) -> Option<Snapshot> {
        self.state().progress.as_ref().map(|progress| progress.snapshot())
    }

    /// Returns the pages per second between consecutive samples, oldest first.
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
    use super::*;

    #[test]
    fn nothing_is_told_of_a_crawl_that_does_not_run() {
        let live = Live::default();
        live.look(Instant::now());
        assert!(live.snapshot().is_none() && live.rates().is_empty());
        live.watch(Some(Arc::default()));
        let begun = Instant::now();
        (0..100).for_each(|look| live.look(begun + EVERY * look));
        assert_eq!(live.rates(), vec![0.0; LOOKS - 1]);
    }
}
