//! Allows one request in flight per group of hosts, with a delay between requests.
//!
//! A group is a registrable domain or a host (`fetch.gap_scope`). The caller names the group of each request.
//! The delay runs from the end of a response to the start of the next request, so a slow host gets fewer
//! requests. Requests pass a gate in the order in which they arrive. A waiting request blocks only its own
//! group. A scheduler can avoid the wait with [`Gates::ready_in`]. A 429 or 503 delays only the host and not
//! its group ([`crate::backoff`]).
//!
//! A restart loses the state. Therefore a resumed crawl starts the delay of each group that it may have
//! requested before ([`Gates::start_delay`]). Gates without a running delay are removed. The delay of a group
//! stays in memory, because it is a host's `Crawl-delay` or the user's setting for the site.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep};

/// The number of groups at which idle groups are removed for the first time.
const SWEEP_AT: usize = 1024;
/// The shortest result of [`Gates::ready_in`] while a request is in flight.
const BUSY: Duration = Duration::from_millis(10);

/// The gates of all groups. Clones are cheap and share the gates.
#[derive(Debug, Clone)]
pub struct Gates {
    delay: Duration,
    groups: Arc<Mutex<Groups>>,
}

#[derive(Debug)]
struct Groups {
    by_name: HashMap<String, Arc<Gate>>,
    /// The delays that [`Gates::raise_delay`] set.
    delays: HashMap<String, Duration>,
    /// The number of groups at which idle groups are removed next.
    sweep_at: usize,
}

#[derive(Debug)]
struct Gate {
    /// A semaphore with one permit. The task that waits for the delay, or has a request in flight, holds it.
    turn: Arc<Semaphore>,
    /// When the last response ended.
    ended: Mutex<Option<Instant>>,
}

/// A turn at the gate of a group, for one request. Dropping it starts the delay, even if the request failed.
#[derive(Debug)]
pub struct GateGuard {
    gate: Arc<Gate>,
    is_unused: bool,
    // Dropped after `Drop::drop` has recorded the end of the request, so the next task sees the recorded end.
    _turn: OwnedSemaphorePermit,
}

impl GateGuard {
    /// Gives the turn up without starting the delay. Call this only if no request was sent.
    pub fn cancel(mut self) {
        self.is_unused = true;
    }
}

impl Drop for GateGuard {
    fn drop(&mut self) {
        if !self.is_unused {
            *self.gate.ended() = Some(Instant::now());
        }
    }
}

impl Gate {
    fn ended(&self) -> MutexGuard<'_, Option<Instant>> {
        // No code panics while it holds this lock.
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opens_in(&self, delay: Duration, now: Instant) -> Duration {
        self.ended().map_or(Duration::ZERO, |ended| (ended + delay).saturating_duration_since(now))
    }

    /// Whether the gate can be removed without losing state.
    fn is_idle(&self, delay: Duration, now: Instant) -> bool {
        self.turn.available_permits() > 0 && self.opens_in(delay, now).is_zero()
    }
}

impl Gates {
    /// Creates gates without groups. `delay` is the default time from the end of a response to the next
    /// request.
    #[must_use]
    pub fn new(delay: Duration) -> Self {
        let groups = Groups { by_name: HashMap::new(), delays: HashMap::new(), sweep_at: SWEEP_AT };
        Self { delay, groups: Arc::new(Mutex::new(groups)) }
    }

    /// Waits for a turn at the group's gate, and for the end of the group's delay. If the future is dropped,
    /// the turn is given up and no delay starts.
    pub async fn enter(&self, group: &str) -> GateGuard {
        let gate = self.gate(group);
        let turn = Arc::clone(&gate.turn).acquire_owned().await.expect("a gate's semaphore is never closed");
        loop {
            // The delay may have become longer during the wait, so the loop checks it again.
            let wait = gate.opens_in(self.delay(group), Instant::now());
            if wait.is_zero() {
                return GateGuard { gate, is_unused: false, _turn: turn };
            }
            sleep(wait).await;
        }
    }

    /// Sets the group's delay, for example to the user's setting for a site or the site's `Crawl-delay`. A
    /// later call does not shorten the delay, because another host of the group may have requested it. The
    /// caller must cap the `Crawl-delay` ([`crate::Access::effective_delay`]).
    pub fn raise_delay(&self, group: &str, delay: Duration) {
        let mut groups = self.groups();
        let known = groups.delays.entry(group.to_owned()).or_default();
        *known = delay.max(*known);
    }

    /// Returns the group's delay: the longest that was set for it, or the default if none was set.
    #[must_use]
    pub fn delay(&self, group: &str) -> Duration {
        self.groups().delays.get(group).copied().unwrap_or(self.delay)
    }

    /// Starts the group's delay now, as after a response. Use it if another process may have sent a request
    /// just before.
    pub fn start_delay(&self, group: &str) {
        *self.gate(group).ended() = Some(Instant::now());
    }

    /// Returns the time until the group may be requested, or zero if it may be requested now. While a request
    /// is in flight or another task waits at the gate, the result is at least the group's delay, and more
    /// than zero.
    #[must_use]
    pub fn ready_in(&self, group: &str) -> Duration {
        let gate = self.groups().by_name.get(group).cloned();
        let Some(gate) = gate else { return Duration::ZERO };
        let delay = self.delay(group);
        let opens_in = gate.opens_in(delay, Instant::now());
        if gate.turn.available_permits() > 0 {
            return opens_in;
        }
        opens_in.max(delay).max(BUSY)
    }

    /// Removes the gate of each group that has no request in flight and no waiting task, if its delay has
    /// passed. This also happens automatically each time the number of groups has doubled.
    pub fn forget_idle(&self) {
        let mut groups = self.groups();
        self.sweep(&mut groups);
    }

    /// Returns the number of gates in memory.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.groups().by_name.len()
    }

    fn sweep(&self, groups: &mut Groups) {
        let now = Instant::now();
        // If a gate has a second owner, a task is about to use it. Gates are cloned only while this lock is
        // held.
        let Groups { by_name, delays, .. } = &mut *groups;
        let delay = |name: &str| delays.get(name).copied().unwrap_or(self.delay);
        by_name.retain(|name, gate| Arc::strong_count(gate) > 1 || !gate.is_idle(delay(name), now));
        groups.sweep_at = (2 * groups.by_name.len()).max(SWEEP_AT);
    }

    fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn gate(&self, group: &str) -> Arc<Gate> {
        let mut groups = self.groups();
        if let Some(gate) = groups.by_name.get(group) {
            return Arc::clone(gate);
        }
        if groups.by_name.len() >= groups.sweep_at {
            self.sweep(&mut groups);
        }
        let gate = Arc::new(Gate { turn: Arc::new(Semaphore::new(1)), ended: Mutex::new(None) });
        groups.by_name.insert(group.to_owned(), Arc::clone(&gate));
        gate
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::time::advance;

    use super::*;

    const GAP: Duration = Duration::from_secs(5);

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    async fn visit(gates: Gates, group: &str, stay: Duration) -> (Instant, Instant) {
        let pass = gates.enter(group).await;
        let start = Instant::now();
        sleep(stay).await;
        let end = Instant::now();
        drop(pass);
        (start, end)
    }

    #[tokio::test(start_paused = true)]
    async fn the_gap_runs_from_the_end_of_an_answer() {
        let gates = Gates::new(GAP);
        let (first, end) = visit(gates.clone(), "a", seconds(3)).await;
        assert_eq!(end - first, seconds(3));
        assert_eq!(gates.ready_in("a"), GAP);
        let (second, _) = visit(gates.clone(), "a", seconds(1)).await;
        assert_eq!(second - end, GAP);
    }

    #[tokio::test(start_paused = true)]
    async fn groups_do_not_wait_for_each_other() {
        let gates = Gates::new(GAP);
        let _held = gates.enter("a").await;
        let before = Instant::now();
        drop(gates.enter("b").await);
        assert_eq!(before.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn ready_in_says_when_nobody_would_wait() {
        let gates = Gates::new(GAP);
        assert_eq!(gates.ready_in("a"), Duration::ZERO);
        let pass = gates.enter("a").await;
        assert_eq!(gates.ready_in("a"), GAP);
        drop(pass);
        advance(seconds(2)).await;
        assert_eq!(gates.ready_in("a"), seconds(3));
        advance(seconds(3)).await;
        assert_eq!(gates.ready_in("a"), Duration::ZERO);
        let eager = Gates::new(Duration::ZERO);
        let _pass = eager.enter("a").await;
        assert_eq!(eager.ready_in("a"), BUSY);
    }

    #[tokio::test(start_paused = true)]
    async fn a_gap_that_was_set_may_be_shorter_than_the_default_and_is_only_raised() {
        let gates = Gates::new(GAP);
        drop(gates.enter("a").await);
        for (set, expected) in [(1, 1), (30, 30), (2, 30)] {
            gates.raise_delay("a", seconds(set));
            assert_eq!((gates.ready_in("a"), gates.delay("a")), (seconds(expected), seconds(expected)));
        }
        assert_eq!(gates.delay("b"), GAP);
    }

    #[tokio::test(start_paused = true)]
    async fn a_right_given_back_starts_no_gap() {
        let gates = Gates::new(GAP);
        gates.enter("a").await.cancel();
        assert_eq!(gates.ready_in("a"), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_gap_started_by_hand_is_a_whole_one_of_any_length() {
        let gates = Gates::new(GAP);
        gates.start_delay("a");
        assert_eq!(gates.ready_in("a"), GAP);
        gates.raise_delay("a", seconds(30));
        assert_eq!(gates.ready_in("a"), seconds(30));
    }

    #[tokio::test(start_paused = true)]
    async fn who_gives_up_waiting_leaves_the_gate_as_it_was() {
        let gates = Gates::new(GAP);
        drop(gates.enter("a").await);
        let waited = tokio::time::timeout(seconds(2), gates.enter("a")).await;
        assert!(waited.is_err());
        assert_eq!(gates.ready_in("a"), seconds(3));
    }

    #[tokio::test(start_paused = true)]
    async fn only_what_is_past_is_forgotten() {
        let gates = Gates::new(GAP);
        drop(gates.enter("past").await);
        gates.raise_delay("slow", seconds(60));
        drop(gates.enter("slow").await);
        advance(GAP).await;
        drop(gates.enter("gap").await);
        let pass = gates.enter("busy").await;
        gates.forget_idle();
        assert_eq!(gates.remembered(), 3);
        drop(pass);
        advance(GAP).await;
        gates.forget_idle();
        assert_eq!((gates.remembered(), gates.ready_in("slow")), (1, seconds(50)));
        advance(seconds(50)).await;
        gates.forget_idle();
        assert_eq!(gates.remembered(), 0);
        drop(gates.enter("slow").await);
        assert_eq!(gates.ready_in("slow"), seconds(60), "the delay of a group is kept without its gate");
    }

    #[tokio::test(start_paused = true)]
    async fn idle_groups_do_not_pile_up() {
        let gates = Gates::new(GAP);
        for n in 0..5 * SWEEP_AT {
            drop(gates.enter(&n.to_string()).await);
            advance(GAP).await;
            assert!(gates.remembered() <= SWEEP_AT);
        }
    }

    proptest! {
        #[test]
        fn never_two_in_flight_and_the_gap_always_kept(
            visits in proptest::collection::vec((0u64..20_000, 0u64..4_000, 0usize..2), 1..20),
            delay in 0u64..6_000,
        ) {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
            runtime.unwrap().block_on(async {
                let gates = Gates::new(Duration::from_millis(delay));
                let mut tasks: [Vec<_>; 2] = Default::default();
                for (arrival, stay, group) in visits {
                    let gates = gates.clone();
                    tasks[group].push(tokio::spawn(async move {
                        sleep(Duration::from_millis(arrival)).await;
                        visit(gates, ["a", "b"][group], Duration::from_millis(stay)).await
                    }));
                }
                for group in tasks {
                    let mut spans = Vec::new();
                    for task in group {
                        spans.push(task.await.unwrap());
                    }
                    spans.sort();
                    for pair in spans.windows(2) {
                        assert!(pair[1].0 >= pair[0].1 + Duration::from_millis(delay), "{pair:?}");
                    }
                }
            });
        }
    }
}
