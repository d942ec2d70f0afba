//! Which partitions this worker may request from, and whether it has reported that it has no work.
//!
//! A crawl without other workers keeps its single partition, and is always a member.

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
    /// Partitions on hold because their last worker did not release them, and until when.
    holds: BTreeMap<PartitionId, Instant>,
    /// Whether we reported to other workers that there is no work here.
    pub(crate) is_idle: bool,
}

impl Membership {
    pub(crate) fn new(store: Store, progress: Arc<Progress>) -> Self {
        Self { store, progress, leaving: BTreeSet::new(), holds: BTreeMap::new(), is_idle: false }
    }

    /// Whether the leases certainly hold, so that requests may be sent.
    pub(crate) fn may_request(&self) -> bool {
        self.store.leases().is_none_or(Leases::is_certain)
    }

    pub(crate) fn is_leaving(&self, host: HostId) -> bool {
        !self.leaving.is_empty() && self.leaving.contains(&self.store.partition_of(host))
    }

    /// The end of a partition's hold, set if its last worker did not release it; `None` if there is none.
    pub(crate) fn held_until(&self, partition: PartitionId) -> Option<Instant> {
        self.holds.get(&partition).copied().filter(|until| *until > Instant::now())
    }

    /// When the last hold of a partition ends; `None` if there is none.
    pub(crate) fn holds_end(&self) -> Option<Instant> {
        self.holds.values().max().copied()
    }

    /// Sends no requests in these partitions until `until`.
    pub(crate) fn hold(&mut self, partitions: impl Iterator<Item = PartitionId>, until: Instant) {
        self.holds.extend(partitions.map(|partition| (partition, until)));
    }

    /// Forgets the partitions that are leaving, and returns them.
    pub(crate) fn take_leaving(&mut self) -> Vec<PartitionId> {
        let left = std::mem::take(&mut self.leaving);
        self.holds.retain(|partition, _| !left.contains(partition));
        left.into_iter().collect()
    }

    /// Partitions that others should have, without those on hold: the next owner would not know of the hold.
    pub(crate) fn surplus(&self, leases: &Leases) -> Vec<PartitionId> {
        let is_free = |partition: &PartitionId| self.held_until(*partition).is_none();
        self.store.held_partitions().into_iter().rev().filter(is_free).take(leases.excess()).collect()
    }

    /// Reports our state to the other workers.
    pub(crate) fn report(&self, leases: &Leases, is_idle: bool) {
        leases.report(self.progress.pages.load(Ordering::Relaxed), is_idle);
    }

    /// Reports that there is work here, if we had reported that there is none.
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
