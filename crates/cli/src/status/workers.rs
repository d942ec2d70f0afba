//! Reads the state of each worker of a shared corpus.
//!
//! Each worker writes its list of partitions and its progress to the database three times per lease duration.
//!
//! Limitation: with the default lease duration, the data are up to 10 s old. A worker counts pages since its
//! own start. Workers that have stopped are missing from the totals.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_store::{PARTITIONS, StoreError, WorkerStatus};

use crate::status::served::ServedCorpus;

/// Workers that have not reported for longer than this are not shown.
const MAX_SILENCE: Duration = Duration::from_secs(24 * 3_600);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkerState {
    Working,
    Idle,
    Waiting,
    /// The worker has not reported for longer than a lease duration.
    Gone,
}

impl WorkerState {
    pub(crate) const ALL: [Self; 4] = [Self::Working, Self::Idle, Self::Waiting, Self::Gone];

    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Working => "at_work",
            Self::Idle => "idle",
            Self::Waiting => "waiting",
            Self::Gone => "gone",
        }
    }
}

#[derive(Debug)]
pub(crate) struct WorkersView {
    pub(crate) all: Vec<WorkerStatus>,
    lease: Duration,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct WorkerTotals {
    pub(crate) partitions: u64,
    pub(crate) pages: u64,
    pub(crate) rate: f64,
}

impl WorkersView {
    pub(crate) fn from_corpus(corpus: &ServedCorpus) -> Result<Option<Self>, StoreError> {
        if !corpus.store.is_shared() {
            return Ok(None);
        }
        let lease = corpus.config.workers.lease.get();
        Ok(Some(Self { all: corpus.store.workers(MAX_SILENCE)?, lease }))
    }

    pub(crate) fn state(&self, worker: &WorkerStatus) -> WorkerState {
        match worker {
            _ if worker.silent > self.lease.as_secs_f64() => WorkerState::Gone,
            WorkerStatus { waiting: true, .. } => WorkerState::Waiting,
            WorkerStatus { idle: true, .. } => WorkerState::Idle,
            WorkerStatus { .. } => WorkerState::Working,
        }
    }

    pub(crate) fn count(&self, state: WorkerState) -> u64 {
        self.all.iter().filter(|worker| self.state(worker) == state).count() as u64
    }

    /// Returns the number of partitions that no worker has leased. It is 0 while all workers wait for a
    /// crawl.
    pub(crate) fn partitions_without(&self) -> u64 {
        let crawls = self.count(WorkerState::Working) + self.count(WorkerState::Idle) > 0;
        if !crawls && self.count(WorkerState::Waiting) > 0 {
            return 0;
        }
        PARTITIONS.saturating_sub(self.all.iter().map(|worker| worker.partitions).sum())
    }

    /// Returns the pages per second of all workers that are not `Gone`. The sum starts at 0.0, because
    /// `sum()` of an empty iterator returns -0.0.
    pub(crate) fn rate(&self) -> f64 {
        self.by_name().values().fold(0.0, |sum, done| sum + done.rate)
    }

    pub(crate) fn by_name(&self) -> BTreeMap<&str, WorkerTotals> {
        let mut by_name: BTreeMap<&str, WorkerTotals> = BTreeMap::new();
        for worker in self.all.iter().filter(|worker| self.state(worker) != WorkerState::Gone) {
            let done = by_name.entry(&worker.name).or_default();
            done.partitions += worker.partitions;
            done.pages += worker.pages;
            done.rate += worker.rate;
        }
        by_name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worker(name: &str, silent: f64, partitions: u64, idle: bool) -> WorkerStatus {
        WorkerStatus {
            name: name.into(),
            session: format!("{name} {silent}"),
            version: "0.1.0".into(),
            age: 60.0,
            silent,
            partitions,
            pages: 10,
            rate: 1.5,
            idle,
            waiting: false,
        }
    }

    #[test]
    fn between_crawls_no_partition_lacks_a_worker() {
        let waits = |silent| WorkerStatus { waiting: true, ..worker("a", silent, 0, true) };
        let lease = Duration::from_secs(30);
        let without = |all: Vec<WorkerStatus>| WorkersView { all, lease }.partitions_without();
        assert_eq!(without(vec![waits(3.0), waits(5.0)]), 0);
        assert_eq!(without(vec![waits(3.0), worker("b", 1.0, 200, false)]), 56);
        assert_eq!(without(vec![waits(31.0)]), 256, "nobody is there");
    }

    #[test]
    fn gone_workers_are_not_counted() {
        let all = vec![
            worker("a", 3.0, 100, false),
            worker("a", 4.0, 20, true),
            worker("b", 9.0, 86, true),
            worker("c", 31.0, 0, false),
        ];
        let workers = WorkersView { all, lease: Duration::from_secs(30) };
        assert_eq!(WorkerState::ALL.map(|state| workers.count(state)), [1, 2, 0, 1]);
        assert_eq!(workers.partitions_without(), 50);
        let by_name = workers.by_name();
        assert_eq!(by_name.keys().copied().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(by_name["a"], WorkerTotals { partitions: 120, pages: 20, rate: 3.0 });
        assert!((workers.rate() - 4.5).abs() < 1e-9);
        let nobody = WorkersView { all: vec![worker("c", 31.0, 0, false)], lease: Duration::from_secs(30) };
        assert_eq!(format!("{:.1}", nobody.rate()), "0.0");
    }
}
