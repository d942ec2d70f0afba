//! Tracks which partitions this worker may request from, and whether it has reported that it has no work.
//!
//! A crawl without other workers keeps its single partition and always may send requests.

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
    /// Partitions on hold because their last worker did not release them, with the end of each hold.
    holds: BTreeMap<PartitionId, Instant>,
    /// Whether this worker has reported to the others that it has no work.
    pub(crate) is_idle: bool,
}

impl Membership {
    pub(crate) fn new(store: Store, progress: Arc<Progress>) -> Self {
        Self { store, progress, leaving: BTreeSet::new(), holds: BTreeMap::new(), is_idle: false }
    }

    /// Whether the leases are certainly valid, so that requests may be sent.
    pub(crate) fn may_request(&self) -> bool {
        self.store.leases().is_none_or(Leases::is_certain)
    }

    pub(crate) fn is_leaving(&self, host: HostId) -> bool {
        !self.leaving.is_empty() && self.leaving.contains(&self.store.partition_of(host))
    }

    /// Returns the end of a partition's hold; `None` if it is not on hold. A hold is set if the last worker
    /// did not release the partition.
    pub(crate) fn held_until(&self, partition: PartitionId) -> Option<Instant> {
        self.holds.get(&partition).copied().filter(|until| *until > Instant::now())
    }

    /// Returns when the last hold of a partition ends; `None` if there was none. The time may have passed.
    pub(crate) fn holds_end(&self) -> Option<Instant> {
        self.holds.values().max().copied()
    }

    /// Blocks requests in these partitions until `until`.
    pub(crate) fn hold(&mut self, partitions: impl Iterator<Item = PartitionId>, until: Instant) {
        self.holds.extend(partitions.map(|partition| (partition, until)));
    }

    /// Removes and returns the leaving partitions, with their holds.
    pub(crate) fn take_leaving(&mut self) -> Vec<PartitionId> {
        let left = std::mem::take(&mut self.leaving);
        self.holds.retain(|partition, _| !left.contains(partition));
        left.into_iter().collect()
    }

    /// Returns the partitions that other workers should get. Partitions on hold are excluded, because their
    /// next owner would not know of the hold.
    pub(crate) fn surplus(&self, leases: &Leases) -> Vec<PartitionId> {
        let is_free = |partition: &PartitionId| self.held_until(*partition).is_none();
        self.store.held_partitions().into_iter().rev().filter(is_free).take(leases.excess()).collect()
    }

    pub(crate) fn report(&self, leases: &Leases, is_idle: bool) {
        leases.report(self.progress.pages.load(Ordering::Relaxed), is_idle);
    }

    /// Reports that this worker has work, if it had reported that it has none.
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
