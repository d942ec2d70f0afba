//! Which partitions of a cut store this process has, and how certain that is.
//!
//! A partition is had by a lease: a row with its owner, an epoch that grows with each owner, and
//! a time by the database's clock until which it holds ([`crate::engine::postgres::leases`]).
//! Here stands what the process knows of its own leases.
//!
//! 1. It may ask hosts of its partitions for pages while it is *certain*: until the leases would
//!    have ended, counted by its own clock that never goes back, from before they were
//!    renewed; and by the time of day as well, since that clock stands still while a machine
//!    is suspended. A tenth of a lease's life is taken off: clocks do not run alike, and it takes
//!    time to close a connection. A [`Lease`] says what is left of that time at any moment.
//! 2. What it writes carries the epochs, and is refused if one has moved on.
//! 3. A partition that another process should have is given up once what is in flight there has
//!    its outcome on disk.
//! 4. A partition whose last owner did not give it up may still have requests of that owner in flight: a
//!    site may work on one whose connection was closed. So it comes as [`Gained::was_left`].

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use jiff::Timestamp;

use crate::partitions::Partition;

/// What a process knows of its leases. Clones share one state.
#[derive(Debug, Clone)]
pub struct Leases(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    session: String,
    state: Mutex<State>,
    /// Held while leases are renewed, taken or given back, so that none of it is done beside another.
    dealing: Mutex<()>,
    /// Number of the last message that was sent.
    sent: AtomicU64,
    /// Pages that were read since the process began.
    pages: AtomicU64,
    /// Whether it has nothing to do.
    idle: AtomicBool,
    /// Whether it waits for its next crawl, and wants no partitions.
    waiting: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// Partitions by the epoch in which this process has them.
    held: BTreeMap<Partition, i64>,
    /// Of those, the ones that the crawl has not yet been told of, and whether the last owner
    /// gave them up.
    gained: BTreeMap<Partition, bool>,
    /// Whether more are being taken at this moment.
    is_taking: bool,
    /// How many partitions are to be given up.
    excess: usize,
    certain_until: (Instant, SystemTime),
    is_lost: bool,
    /// How often all leases were forgotten.
    generation: u64,
}

impl State {
    /// For how long the leases certainly hold.
    fn certain_for(&self) -> Duration {
        if self.is_lost {
            return Duration::ZERO;
        }
        let ((now, time), (until, until_time)) = (now(), self.certain_until);
        until.saturating_duration_since(now).min(until_time.duration_since(time).unwrap_or_default())
    }
}

/// Of a lease's life, one partition in so many is not counted on.
const MARGIN: u32 = 10;

/// A partition that has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gained {
    /// Which.
    pub partition: PartitionId,
    /// Whether the worker that had it did not give it up, so that requests of it may still be
    /// worked on.
    pub was_left: bool,
}

/// The lease of one partition, as long as this process has it without a break.
#[derive(Debug, Clone)]
pub struct Lease(Option<Known>);

#[derive(Debug, Clone)]
struct Known {
    leases: Leases,
    partition: Partition,
    /// `None`: it was not held when this was made.
    epoch: Option<i64>,
    generation: u64,
}

impl Lease {
    /// Of a store that is this process's alone.
    pub(crate) const UNLIMITED: Self = Self(None);

    /// For how long it certainly holds, as known now; it is longer once it is renewed.
    /// Zero: it has ended, and will not hold again.
    #[must_use]
    pub fn left(&self) -> Duration {
        let Some(Known { leases, partition, epoch, generation }) = &self.0 else { return Duration::MAX };
        let state = leases.state();
        let is_held = epoch.is_some() && state.held.get(partition) == epoch.as_ref();
        if is_held && state.generation == *generation { state.certain_for() } else { Duration::ZERO }
    }
}

/// A partition of the store, as a crawl is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartitionId(pub(crate) Partition);

/// By the clock that never goes back, and by the time of day.
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
        // Nothing that holds the lock can fail half way.
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever asks the database about leases, and notes the answer, has this meanwhile: an answer
    /// that is noted late would bring back what was given up.
    pub(crate) fn dealing(&self) -> MutexGuard<'_, ()> {
        self.0.dealing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The name of this process's life, which no other has.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.0.session
    }

    /// Whether hosts may be asked: the leases hold for certain.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        !self.state().certain_for().is_zero()
    }

    pub(crate) fn lease(&self, partition: Partition) -> Lease {
        let state = self.state();
        let (epoch, generation) = (state.held.get(&partition).copied(), state.generation);
        Lease(Some(Known { leases: self.clone(), partition, epoch, generation }))
    }

    /// Whether a lease is another's by now: what was not flushed is to be forgotten.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.state().is_lost
    }

    /// Partitions that have come since this was last asked; only from then on they count as held,
    /// so that nothing is done in them before their hosts are known.
    #[must_use]
    pub fn gained(&self) -> Vec<Gained> {
        let gained = std::mem::take(&mut self.state().gained);
        gained
            .into_iter()
            .map(|(partition, was_left)| Gained { partition: PartitionId(partition), was_left })
            .collect()
    }

    /// Whether partitions have come that [`Leases::gained`] was not yet asked for.
    #[must_use]
    pub fn has_gained(&self) -> bool {
        !self.state().gained.is_empty()
    }

    /// How many partitions other processes should have.
    #[must_use]
    pub fn excess(&self) -> usize {
        self.state().excess
    }

    /// How many partitions this process has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state().held.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Notes how much the process has done, and whether it has nothing to do, for whoever
    /// looks at all workers.
    pub fn report(&self, pages: u64, is_idle: bool) {
        self.0.pages.store(pages, Ordering::Relaxed);
        self.0.idle.store(is_idle, Ordering::Relaxed);
    }

    /// Pages that were read, and whether there is nothing to do: not while there are partitions
    /// that the crawl was not yet told of.
    pub(crate) fn reported(&self) -> (u64, bool) {
        let is_told = {
            let state = self.state();
            state.gained.is_empty() && !state.is_taking
        };
        (self.0.pages.load(Ordering::Relaxed), is_told && self.0.idle.load(Ordering::Relaxed))
    }

    /// Whether it waits for its next crawl, and wants no partitions.
    pub(crate) fn is_waiting(&self) -> bool {
        self.0.waiting.load(Ordering::Relaxed)
    }

    pub(crate) fn set_waiting(&self, waits: bool) {
        self.0.waiting.store(waits, Ordering::Relaxed);
    }

    /// Partitions are about to be taken, or were found to be ours.
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

    /// Whether a lease of the partition is known here, told or not.
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

    /// The leases were renewed: all of `renewed`, for `life` from `begun` at least.
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

    /// Partitions have come, each in its epoch. `was_left`: see [`Gained`].
    pub(crate) fn gain(&self, partitions: impl IntoIterator<Item = (Partition, i64, bool)>) {
        let mut state = self.state();
        for (partition, epoch, was_left) in partitions {
            state.held.insert(partition, epoch);
            state.gained.insert(partition, was_left);
        }
        state.is_taking = false;
    }

    pub(crate) fn give_up(&self, partitions: &[Partition]) {
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

    /// Leases are another's, or count as if they were: no request may go on.
    pub fn lose(&self) {
        self.state().is_lost = true;
    }

    /// All leases are forgotten, as if the process had just begun.
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

    /// The name of the next message: greater than all before it.
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
                leases.give_up(&[Partition::new(1)]);
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
