//! Tracks in which partitions this worker may send requests, and whether it has reported that it is idle.
//!
//! A crawl without other workers has one partition and may always send requests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_store::{HostId, Leases, PartitionId, Store};

use crate::progress::Progress;

#[derive(Debug)]
pub(crate) struct Membership {
    store: Store,
    progress: Arc<Progress>,
    /// Partitions that will be released once nothing is in flight there.
    pub(crate) leaving: BTreeSet<PartitionId>,
    /// The partitions that their previous worker did not release, with the instant at which requests may
    /// start there.
    holds: BTreeMap<PartitionId, Instant>,
    pub(crate) is_idle: bool,
}

impl Membership {
    pub(crate) fn new(store: Store, progress: Arc<Progress>) -> Self {
        Self { store, progress, leaving: BTreeSet::new(), holds: BTreeMap::new(), is_idle: false }
    }

    /// Whether the leases are certainly still valid, so that requests may be sent.
    pub(crate) fn may_request(&self) -> bool {
        self.store.leases().is_none_or(Leases::is_certain)
    }

    pub(crate) fn is_leaving(&self, host: HostId) -> bool {
        !self.leaving.is_empty() && self.leaving.contains(&self.store.partition_of(host))
    }

    pub(crate) fn held_until(&self, partition: PartitionId) -> Option<Instant> {
        self.holds.get(&partition).copied().filter(|until| *until > Instant::now())
    }

    /// Returns the instant from which requests to all partitions are allowed. This instant may be in the
    /// past. Returns `None` if every partition was released by its previous worker.
    pub(crate) fn holds_end(&self) -> Option<Instant> {
        self.holds.values().max().copied()
    }

    pub(crate) fn hold(&mut self, partitions: impl Iterator<Item = PartitionId>, until: Instant) {
        self.holds.extend(partitions.map(|partition| (partition, until)));
    }

    pub(crate) fn take_leaving(&mut self) -> Vec<PartitionId> {
        let left = std::mem::take(&mut self.leaving);
        self.holds.retain(|partition, _| !left.contains(partition));
        left.into_iter().collect()
    }

    /// Returns the partitions that other workers should get. A partition that must not get requests yet is
    /// not returned, because its next owner would not know this.
    pub(crate) fn surplus(&self, leases: &Leases) -> Vec<PartitionId> {
        let is_free = |partition: &PartitionId| self.held_until(*partition).is_none();
        self.store.held_partitions().into_iter().rev().filter(is_free).take(leases.excess()).collect()
    }

    pub(crate) fn report(&self, leases: &Leases, is_idle: bool) {
        leases.report(self.progress.responses.load(Ordering::Relaxed), is_idle);
    }

    pub(crate) fn mark_busy(&mut self) {
        if std::mem::take(&mut self.is_idle)
            && let Some(leases) = self.store.leases()
        {
            self.report(leases, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::session_config::SessionConfig;

    #[test]
    fn a_partition_on_hold_or_leaving_gets_no_requests() {
        let folder = tempfile::tempdir().unwrap();
        let (session, writer) = SessionConfig::in_folder(folder.path(), &[]);
        let store = writer.store();
        let host = store.host("a.example").unwrap().unwrap().id;
        let partition = store.partition_of(host);
        let mut membership = Membership::new(store, session.progress);
        assert!(membership.may_request() && !membership.is_leaving(host));
        assert_eq!((membership.held_until(partition), membership.holds_end()), (None, None));
        let until = Instant::now() + Duration::from_secs(60);
        membership.hold([partition].into_iter(), until);
        assert_eq!((membership.held_until(partition), membership.holds_end()), (Some(until), Some(until)));
        membership.leaving.insert(partition);
        assert!(membership.is_leaving(host));
        assert_eq!(membership.take_leaving(), [partition]);
        assert!(!membership.is_leaving(host) && membership.held_until(partition).is_none());
    }
}
