//! Tracks which partitions of a shared store this process owns, and how long it may rely on its leases.
//!
//! A lease is a row in the database. It contains the owner of a partition, an epoch that grows with each new
//! owner, and an end time by the database's clock ([`crate::engine::postgres::leases`]). This module contains
//! the process's own view of its leases.
//!
//! 1. The process may request pages from hosts of its partitions while its leases are *certain*: for nine
//!    tenths of their duration, counted from just before their last renewal. The last tenth is a margin,
//!    because clocks differ and closing a connection takes time. The remaining time is measured with the
//!    monotonic clock and with the time of day. The shorter result counts, because the monotonic clock stops
//!    while a machine is suspended. [`Lease::left`] returns the remaining time.
//! 2. Each write of the process contains the epochs of its leases. The database refuses the write if one of
//!    the epochs has grown.
//! 3. If another process should have a partition, this process releases it. Before the release, the outcomes
//!    of the requests in flight must be on disk.
//! 4. If the last owner of a partition did not release it, a site may still process requests of that owner,
//!    although their connections were closed. [`GainedPartition::was_left`] marks such partitions.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

use crate::partitions::Partition;

/// The leases of this process. Clones share one state.
#[derive(Debug, Clone)]
pub struct Leases(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    session: String,
    state: Mutex<State>,
    /// Locked while leases are renewed, taken or released, because these operations must not overlap.
    dealing: Mutex<()>,
    sent: AtomicU64,
    pages: AtomicU64,
    idle: AtomicBool,
    /// Whether this worker waits for its next crawl, and therefore takes no partitions.
    waiting: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// The partitions of this process, each with the epoch of its lease.
    held: BTreeMap<Partition, i64>,
    /// Owned partitions that the crawl does not know yet. The value is `true` if the last owner did not
    /// release the partition.
    gained: BTreeMap<Partition, bool>,
    is_taking: bool,
    excess: usize,
    certain_until: (Instant, SystemTime),
    is_lost: bool,
    generation: u64,
}

impl State {
    fn certain_for(&self) -> Duration {
        if self.is_lost {
            return Duration::ZERO;
        }
        let ((now, time), (until, until_time)) = (now(), self.certain_until);
        until.saturating_duration_since(now).min(until_time.duration_since(time).unwrap_or_default())
    }
}

/// The share of a lease's duration that is not used: one part in `MARGIN`.
const MARGIN: u32 = 10;

/// A partition that this process has just gained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GainedPartition {
    /// The partition.
    pub partition: PartitionId,
    /// Whether the previous owner did not release the partition. If `true`, a site may still process that
    /// owner's requests.
    pub was_left: bool,
}

/// The lease of one partition. It ends if this process loses the partition, even for a moment.
#[derive(Debug, Clone)]
pub struct Lease(Option<HeldLease>);

#[derive(Debug, Clone)]
struct HeldLease {
    leases: Leases,
    partition: Partition,
    /// The epoch of the lease. `None` if the process did not own the partition when this value was created.
    epoch: Option<i64>,
    generation: u64,
}

impl Lease {
    /// The lease of a store that is not shared. It never ends.
    pub(crate) const UNLIMITED: Self = Self(None);

    /// Returns how long the lease is still certain. A renewal extends this time. Returns zero if the lease has
    /// ended, or if it is uncertain until its next renewal.
    #[must_use]
    pub fn left(&self) -> Duration {
        let Some(HeldLease { leases, partition, epoch, generation }) = &self.0 else { return Duration::MAX };
        let state = leases.state();
        let is_held = epoch.is_some() && state.held.get(partition) == epoch.as_ref();
        if is_held && state.generation == *generation { state.certain_for() } else { Duration::ZERO }
    }
}

/// The identifier of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionId(pub(crate) Partition);

pub(crate) fn now() -> (Instant, SystemTime) {
    (Instant::now(), SystemTime::now())
}

impl Leases {
    pub(crate) fn new(session: String) -> Self {
        let state = State {
            held: BTreeMap::new(),
            gained: BTreeMap::new(),
            is_taking: false,
            excess: 0,
            certain_until: now(),
            is_lost: false,
            generation: 0,
        };
        Self(Arc::new(Shared {
            session,
            state: Mutex::new(state),
            dealing: Mutex::default(),
            sent: AtomicU64::new(0),
            pages: AtomicU64::new(0),
            idle: false.into(),
            waiting: false.into(),
        }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic cannot leave the state half changed, so a poisoned lock is usable.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks changes of the leases. Hold the lock from a database request about leases until its result is
    /// recorded. Otherwise, a late result could restore released leases.
    pub(crate) fn lock_requests(&self) -> MutexGuard<'_, ()> {
        self.0.dealing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the identifier of this process. A restarted process gets a new identifier.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.0.session
    }

    /// Whether this process may request hosts now. It may do so during the first nine tenths of its leases'
    /// duration, counted from their last renewal, unless it lost a lease.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        !self.state().certain_for().is_zero()
    }

    pub(crate) fn lease(&self, partition: Partition) -> Lease {
        let state = self.state();
        let (epoch, generation) = (state.held.get(&partition).copied(), state.generation);
        Lease(Some(HeldLease { leases: self.clone(), partition, epoch, generation }))
    }

    /// Whether another process has taken one of the leases. If so, unflushed changes must be dropped.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.state().is_lost
    }

    /// Returns the partitions that were gained since the last call. The process counts as their owner only
    /// from this call on, so that nothing happens in these partitions before the crawl knows their hosts.
    #[must_use]
    pub fn gained(&self) -> Vec<GainedPartition> {
        let gained = std::mem::take(&mut self.state().gained);
        gained
            .into_iter()
            .map(|(partition, was_left)| GainedPartition { partition: PartitionId(partition), was_left })
            .collect()
    }

    /// Whether [`Leases::gained`] would return partitions.
    #[must_use]
    pub fn has_gained(&self) -> bool {
        !self.state().gained.is_empty()
    }

    /// Returns how many partitions this process should release to others.
    #[must_use]
    pub fn excess(&self) -> usize {
        self.state().excess
    }

    /// Returns the number of partitions for which this process has leases.
    pub(crate) fn count(&self) -> usize {
        self.state().held.len()
    }

    /// Records how many pages this process has read, and whether it is idle. The list of workers shows both.
    pub fn report(&self, pages: u64, is_idle: bool) {
        self.0.pages.store(pages, Ordering::Relaxed);
        self.0.idle.store(is_idle, Ordering::Relaxed);
    }

    /// Returns the reported number of pages, and whether the process is idle. A process is not idle while the
    /// crawl does not know all its partitions.
    pub(crate) fn reported(&self) -> (u64, bool) {
        let knows_all = {
            let state = self.state();
            state.gained.is_empty() && !state.is_taking
        };
        (self.0.pages.load(Ordering::Relaxed), knows_all && self.0.idle.load(Ordering::Relaxed))
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.0.waiting.load(Ordering::Relaxed)
    }

    pub(crate) fn set_waiting(&self, waits: bool) {
        self.0.waiting.store(waits, Ordering::Relaxed);
    }

    /// Records that this process is about to take partitions. Until the crawl knows them, the process does
    /// not count as idle.
    pub(crate) fn begin_taking(&self) {
        self.state().is_taking = true;
    }

    pub(crate) fn held(&self) -> Vec<Partition> {
        let state = self.state();
        state.held.keys().filter(|partition| !state.gained.contains_key(partition)).copied().collect()
    }

    pub(crate) fn holds(&self, partition: Partition) -> bool {
        let state = self.state();
        state.held.contains_key(&partition) && !state.gained.contains_key(&partition)
    }

    /// Whether this process has a lease of the partition, even if the crawl does not know the partition yet.
    pub(crate) fn knows(&self, partition: Partition) -> bool {
        self.state().held.contains_key(&partition)
    }

    pub(crate) fn epochs(
        &self,
        partitions: impl IntoIterator<Item = Partition>,
    ) -> Vec<(Partition, Option<i64>)> {
        let state = self.state();
        partitions.into_iter().map(|partition| (partition, state.held.get(&partition).copied())).collect()
    }

    /// Records that the leases in `renewed` were renewed for at least `life` from `begun`.
    pub(crate) fn renewed(
        &self,
        renewed: &BTreeMap<Partition, i64>,
        begun: (Instant, SystemTime),
        life: Duration,
    ) {
        let mut state = self.state();
        state.is_lost |= state.held.iter().any(|(partition, epoch)| renewed.get(partition) != Some(epoch));
        let certain = life - life / MARGIN;
        state.certain_until = (begun.0 + certain, begun.1 + certain);
    }

    pub(crate) fn gain(&self, partitions: impl IntoIterator<Item = (Partition, i64, bool)>) {
        let mut state = self.state();
        for (partition, epoch, was_left) in partitions {
            state.held.insert(partition, epoch);
            state.gained.insert(partition, was_left);
        }
        state.is_taking = false;
    }

    pub(crate) fn remove(&self, partitions: &[Partition]) {
        let mut state = self.state();
        for partition in partitions {
            state.held.remove(partition);
            state.gained.remove(partition);
            state.excess = state.excess.saturating_sub(1);
        }
    }

    pub(crate) fn set_excess(&self, excess: usize) {
        self.state().excess = excess;
    }

    /// Marks the leases as lost, so that no request may continue.
    pub fn lose(&self) {
        self.state().is_lost = true;
    }

    pub(crate) fn forget(&self) {
        let mut state = self.state();
        state.held.clear();
        state.gained.clear();
        state.is_taking = false;
        state.excess = 0;
        state.is_lost = false;
        state.certain_until = now();
        state.generation += 1;
    }

    /// Returns the key of the next message. It is greater than all earlier keys of this process.
    pub(crate) fn next_message(&self) -> [u8; 16] {
        let now = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or(0);
        let greater = |last: u64| Some(now.max(last + 1));
        let last = self.0.sent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, greater).unwrap_or(0);
        let mut id = [0; 16];
        id[..8].copy_from_slice(&now.max(last + 1).to_be_bytes());
        id[8..].copy_from_slice(&gleaner_corpus::ContentHash::from_text(&self.0.session).as_bytes()[..8]);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFE: Duration = Duration::from_secs(100);

    fn tenure_of(partition: Partition) -> Leases {
        let leases = Leases::new("one".into());
        leases.renewed(&BTreeMap::new(), now(), LIFE);
        leases.gain([(partition, 1, false)]);
        leases
    }

    #[test]
    fn a_lease_is_counted_on_for_less_than_its_life() {
        let (partition, other) = (Partition::new(1), Partition::new(2));
        let leases = tenure_of(partition);
        let left = leases.lease(partition).left();
        assert!(left > LIFE / 2 && left <= LIFE - LIFE / MARGIN, "{left:?}");
        assert_eq!(leases.lease(other).left(), Duration::ZERO);
        let ago = (now().0.checked_sub(LIFE).unwrap(), now().1.checked_sub(LIFE).unwrap());
        leases.renewed(&BTreeMap::from([(partition, 1)]), ago, LIFE);
        assert_eq!(leases.lease(partition).left(), Duration::ZERO);
        assert!(!leases.is_certain() && !leases.is_lost());
    }

    #[test]
    fn a_lease_that_was_lost_or_given_up_does_not_come_back() {
        let partition = Partition::new(1);
        type End = fn(&Leases);
        let ends: [End; 3] = [
            Leases::forget,
            |leases| {
                leases.remove(&[Partition::new(1)]);
                leases.gain([(Partition::new(1), 2, false)]);
            },
            |leases| leases.renewed(&BTreeMap::from([(Partition::new(1), 2)]), now(), LIFE),
        ];
        for end in ends {
            let leases = tenure_of(partition);
            let lease = leases.lease(partition);
            end(&leases);
            assert_eq!(lease.left(), Duration::ZERO);
        }
        let leases = tenure_of(partition);
        let lease = leases.lease(partition);
        leases.forget();
        leases.renewed(&BTreeMap::new(), now(), LIFE);
        leases.gain([(partition, 1, false)]);
        assert_eq!(lease.left(), Duration::ZERO, "it is another leases");
        assert!(!leases.lease(partition).left().is_zero());
    }
}
