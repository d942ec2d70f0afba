//! Allows one request in flight per group of hosts, with a delay between requests.
//!
//! A group is a registrable domain or a host (`fetch.gap_scope`). The caller names the group of each request.
//! The delay runs from the end of a response to the start of the next request, so a slow host gets fewer
//! requests. Requests pass a gate in the order in which they arrive. A waiting request blocks only its own
//! group. A scheduler can avoid the wait with [`Gates::ready_in`]. A 429 or 503 delays only the host and not
//! its group ([`crate::backoff`]).
//!
//! A restart loses the state. Therefore a resumed crawl starts the delay of each group that it may have
//! requested before ([`Gates::start_delay`]). Idle groups are removed from memory. A group whose delay is not
//! the default is kept, because its delay (a host's `Crawl-delay` or the user's setting for the site) would
//! be lost. There are few such groups.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep_until};

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
    /// The number of groups at which idle groups are removed next.
    sweep_at: usize,
}

#[derive(Debug)]
struct Gate {
    /// A semaphore with one permit. The task that waits for the delay, or has a request in flight, holds it.
    turn: Arc<Semaphore>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    delay: Duration,
    /// When the last response ended.
    ended: Option<Instant>,
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
            self.gate.state().ended = Some(Instant::now());
        }
    }
}

impl State {
    fn opens(&self) -> Option<Instant> {
        self.ended.map(|ended| ended + self.delay)
    }
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code panics while it holds this lock, and the fields are independent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opens_in(&self, now: Instant) -> Duration {
        self.state().opens().map_or(Duration::ZERO, |at| at.saturating_duration_since(now))
    }

    /// Whether the gate can be removed without losing state.
    fn is_idle(&self, delay: Duration, now: Instant) -> bool {
        let free = self.turn.available_permits() > 0 && self.opens_in(now).is_zero();
        free && self.state().delay == delay
    }
}

impl Gates {
    /// Creates gates without groups. `delay` is the default time from the end of a response to the next
    /// request.
    #[must_use]
    pub fn new(delay: Duration) -> Self {
        let groups = Groups { by_name: HashMap::new(), sweep_at: SWEEP_AT };
        Self { delay, groups: Arc::new(Mutex::new(groups)) }
    }

    /// Waits for a turn at the group's gate, and for the end of the group's delay. If the future is dropped,
    /// the turn is given up and no delay starts.
    pub async fn enter(&self, group: &str) -> GateGuard {
        let gate = self.gate(group);
        let turn = Arc::clone(&gate.turn).acquire_owned().await.expect("a gate's semaphore is never closed");
        loop {
            // The delay may have become longer during the wait, so the loop checks it again.
            let opens = gate.state().opens();
            match opens {
                Some(at) if at > Instant::now() => sleep_until(at).await,
                _ => return GateGuard { gate, is_unused: false, _turn: turn },
            }
        }
    }

    /// Sets the group's delay, for example the user's setting for a site or the site's `Crawl-delay`. The
    /// caller must cap the `Crawl-delay` ([`crate::Access::effective_delay`]).
    pub fn set_delay(&self, group: &str, delay: Duration) {
        self.gate(group).state().delay = delay;
    }

    /// Starts the group's delay now, as after a response. Use it if another process may have sent a request
    /// just before.
    pub fn start_delay(&self, group: &str) {
        let gate = self.gate(group);
        gate.state().ended = Some(Instant::now());
    }

    /// Returns the time until the group may be requested, or zero if it may be requested now. While a request
    /// is in flight or another task waits at the gate, the result is at least the group's delay, and more
    /// than zero.
    #[must_use]
    pub fn ready_in(&self, group: &str) -> Duration {
        let gate = self.groups().by_name.get(group).cloned();
        let Some(gate) = gate else { return Duration::ZERO };
        let opens_in = gate.opens_in(Instant::now());
        if gate.turn.available_permits() > 0 {
            return opens_in;
        }
        let delay = gate.state().delay;
        opens_in.max(delay).max(BUSY)
    }

    /// Removes each group that has no request in flight and no waiting task, if its delay is the default and
    /// has passed. This also happens automatically each time the number of groups has doubled.
    pub fn forget_idle(&self) {
        let mut groups = self.groups();
        self.sweep(&mut groups);
    }

    /// Returns the number of groups in memory.
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.groups().by_name.len()
    }

    fn sweep(&self, groups: &mut Groups) {
        let now = Instant::now();
        // If a gate has a second owner, a task is about to use it. Gates are cloned only while this lock is
        // held.
        groups.by_name.retain(|_, gate| Arc::strong_count(gate) > 1 || !gate.is_idle(self.delay, now));
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
        let state = State { delay: self.delay, ended: None };
        let gate = Arc::new(Gate { turn: Arc::new(Semaphore::new(1)), state: Mutex::new(state) });
        groups.by_name.insert(group.to_owned(), Arc::clone(&gate));
        gate
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio::time::{advance, sleep};

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
    async fn the_last_gap_that_was_set_counts() {
        let gates = Gates::new(GAP);
        drop(gates.enter("a").await);
        gates.set_delay("a", seconds(30));
        assert_eq!(gates.ready_in("a"), seconds(30));
        gates.set_delay("a", seconds(1));
        assert_eq!(gates.ready_in("a"), seconds(1));
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
        gates.set_delay("a", seconds(30));
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
        gates.set_delay("slow", seconds(60));
        advance(GAP).await;
        drop(gates.enter("gap").await);
        let pass = gates.enter("busy").await;
        gates.forget_idle();
        assert_eq!(gates.remembered(), 3);
        drop(pass);
        advance(GAP).await;
        gates.forget_idle();
        assert_eq!(gates.remembered(), 1);
        drop(gates.enter("slow").await);
        assert_eq!(gates.ready_in("slow"), seconds(60));
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
