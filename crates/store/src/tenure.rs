//! Which parts of a cut store this process has, and how certain that is.
//!
//! A part is had by a lease: a row with its owner, an epoch that grows with each owner, and
//! a time by the database's clock until which it holds ([`crate::engine::postgres::leases`]).
//! Here stands what the process knows of its own leases.
//!
//! 1. It may ask hosts of its parts for pages while it is *certain*: until the leases would
//!    have ended, counted by its own clock that never goes back, from before they were
//!    renewed; and by the time of day as well, since that clock stands still while a machine
//!    is suspended. A process that was asleep finds this time over before it asks anything.
//! 2. What it writes carries the epochs, and is refused if one has moved on.
//! 3. A part that another process should have is given up once what is in flight there has
//!    its outcome on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Instant, SystemTime};

use jiff::Timestamp;

use crate::parts::Part;

/// What a process knows of its leases. Clones share one state.
#[derive(Debug, Clone)]
pub struct Tenure(Arc<Shared>);

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
    /// Whether it waits for its next crawl, and wants no parts.
    waiting: AtomicBool,
}

#[derive(Debug)]
struct State {
    /// Parts by the epoch in which this process has them.
    held: BTreeMap<Part, i64>,
    /// Of those, the ones that the crawl has not yet been told of.
    gained: BTreeSet<Part>,
    /// Whether more are being taken at this moment.
    is_taking: bool,
    /// How many parts are to be given up.
    excess: usize,
    certain_until: (Instant, SystemTime),
    is_lost: bool,
}

/// A part of the store, as a crawl is told of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartId(pub(crate) Part);

/// By the clock that never goes back, and by the time of day.
pub(crate) fn now() -> (Instant, SystemTime) {
    (Instant::now(), SystemTime::now())
}

impl Tenure {
    pub(crate) fn new(session: String) -> Self {
        let state = State {
            held: BTreeMap::new(),
            gained: BTreeSet::new(),
            is_taking: false,
            excess: 0,
            certain_until: now(),
            is_lost: false,
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
        let state = self.state();
        let ((now, time), (until, until_time)) = (now(), state.certain_until);
        !state.is_lost && now < until && time < until_time
    }

    /// Whether a lease is another's by now: what was not flushed is to be forgotten.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.state().is_lost
    }

    /// Parts that have come since this was last asked; only from then on they count as held,
    /// so that nothing is done in them before their hosts are known.
    #[must_use]
    pub fn gained(&self) -> Vec<PartId> {
        std::mem::take(&mut self.state().gained).into_iter().map(PartId).collect()
    }

    /// Whether parts have come that [`Tenure::gained`] was not yet asked for.
    #[must_use]
    pub fn has_gained(&self) -> bool {
        !self.state().gained.is_empty()
    }

    /// How many parts other processes should have.
    #[must_use]
    pub fn excess(&self) -> usize {
        self.state().excess
    }

    /// How many parts this process has.
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

    /// Pages that were read, and whether there is nothing to do: not while there are parts
    /// that the crawl was not yet told of.
    pub(crate) fn reported(&self) -> (u64, bool) {
        let is_told = {
            let state = self.state();
            state.gained.is_empty() && !state.is_taking
        };
        (self.0.pages.load(Ordering::Relaxed), is_told && self.0.idle.load(Ordering::Relaxed))
    }

    /// Whether it waits for its next crawl, and wants no parts.
    pub(crate) fn is_waiting(&self) -> bool {
        self.0.waiting.load(Ordering::Relaxed)
    }

    pub(crate) fn set_waiting(&self, waits: bool) {
        self.0.waiting.store(waits, Ordering::Relaxed);
    }

    /// Parts are about to be taken, or were found to be ours.
    pub(crate) fn begin_taking(&self) {
        self.state().is_taking = true;
    }

    pub(crate) fn held(&self) -> Vec<Part> {
        let state = self.state();
        state.held.keys().filter(|part| !state.gained.contains(part)).copied().collect()
    }

    pub(crate) fn holds(&self, part: Part) -> bool {
        let state = self.state();
        state.held.contains_key(&part) && !state.gained.contains(&part)
    }

    /// Whether a lease of the part is known here, told or not.
    pub(crate) fn knows(&self, part: Part) -> bool {
        self.state().held.contains_key(&part)
    }

    pub(crate) fn epochs(&self, parts: impl IntoIterator<Item = Part>) -> Vec<(Part, Option<i64>)> {
        let state = self.state();
        parts.into_iter().map(|part| (part, state.held.get(&part).copied())).collect()
    }

    /// The leases were renewed: all of `renewed`, until that moment at least.
    pub(crate) fn renewed(&self, renewed: &BTreeMap<Part, i64>, until: (Instant, SystemTime)) {
        let mut state = self.state();
        state.is_lost |= state.held.iter().any(|(part, epoch)| renewed.get(part) != Some(epoch));
        state.certain_until = until;
    }

    pub(crate) fn gain(&self, parts: impl IntoIterator<Item = (Part, i64)>) {
        let mut state = self.state();
        for (part, epoch) in parts {
            state.held.insert(part, epoch);
            state.gained.insert(part);
        }
        state.is_taking = false;
    }

    pub(crate) fn give_up(&self, parts: &[Part]) {
        let mut state = self.state();
        for part in parts {
            state.held.remove(part);
            state.gained.remove(part);
            state.excess = state.excess.saturating_sub(1);
        }
    }

    pub(crate) fn set_excess(&self, excess: usize) {
        self.state().excess = excess;
    }

    pub(crate) fn lose(&self) {
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
    }

    /// The name of the next message: greater than all before it.
    pub(crate) fn next_message(&self) -> [u8; 16] {
        let now = u64::try_from(Timestamp::now().as_microsecond()).unwrap_or(0);
        let greater = |last: u64| Some(now.max(last + 1));
        let last = self.0.sent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, greater).unwrap_or(0);
        let mut id = [0; 16];
        id[..8].copy_from_slice(&now.max(last + 1).to_be_bytes());
        id[8..].copy_from_slice(&gleaner_corpus::ContentHash::of(&self.0.session).as_bytes()[..8]);
        id
    }
}
