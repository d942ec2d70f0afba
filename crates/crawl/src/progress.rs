//! How far a crawl is, for whoever watches.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a running crawl, written by its owner and read by anyone.
#[derive(Debug, Default)]
pub struct Progress {
    pub(crate) pages: AtomicU64,
    pub(crate) stored: AtomicU64,
    pub(crate) duplicates: AtomicU64,
    pub(crate) near_duplicates: AtomicU64,
    pub(crate) failures: AtomicU64,
    pub(crate) hosts: AtomicU64,
    pub(crate) queue: AtomicU64,
    pub(crate) gathered: AtomicU64,
    pub(crate) in_flight: AtomicU64,
    pub(crate) live: crate::live::Live,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// Answers received in this run.
    pub pages: u64,
    /// Documents stored in this run, near-duplicates not counted.
    pub stored: u64,
    /// URLs whose text was stored already.
    pub duplicates: u64,
    /// Documents stored in this run for which others stand that are nearly the same.
    pub near_duplicates: u64,
    /// URLs that failed for good.
    pub failures: u64,
    /// Hosts known.
    pub hosts: u64,
    /// URLs ready or waiting.
    pub queue: u64,
    /// Articles kept until their host's template is learned.
    pub gathered: u64,
    /// URLs asked or worked on at this moment.
    pub in_flight: u64,
}

impl Progress {
    /// The counters now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Snapshot {
            pages: read(&self.pages),
            stored: read(&self.stored),
            duplicates: read(&self.duplicates),
            near_duplicates: read(&self.near_duplicates),
            failures: read(&self.failures),
            hosts: read(&self.hosts),
            queue: read(&self.queue),
            gathered: read(&self.gathered),
            in_flight: read(&self.in_flight),
        }
    }
}
