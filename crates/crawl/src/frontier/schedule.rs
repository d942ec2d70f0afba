//! Decides which group of hosts may send its next request, and when.
//!
//! A group is in one of three states: busy (one of its URLs is in flight), due (it has a time for its next
//! request) or asleep (it has no work). Only due groups are in the queue, so a group without work costs
//! nothing. The queue is in the order of time, so the group that has been due longest is next. The hosts of a
//! group take turns, so no host blocks another.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use crate::settings::GapScope;
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{HostId, HostRecord, Store};

pub(crate) type GroupName = Arc<str>;

#[derive(Debug, Default)]
pub(crate) struct Schedule {
    groups: HashMap<GroupName, Group>,
    /// The groups in the state [`State::Due`], in the order of their times.
    due: BTreeSet<(Instant, GroupName)>,
}

#[derive(Debug, Default)]
struct Group {
    awake: VecDeque<HostId>,
    known: HashSet<HostId>,
    state: State,
    /// While the group is due, the time of the earliest work for which the run waits before it ends. `None`
    /// if there is no such work.
    awaited: Option<Instant>,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Asleep,
    Due(Instant),
    Busy,
}

impl Schedule {
    /// Records that a host may have work. Its group becomes due at `at`, unless it is busy or due earlier.
    pub(crate) fn wake(&mut self, group: &GroupName, host: HostId, at: Instant) {
        let entry = self.groups.entry(Arc::clone(group)).or_default();
        if entry.known.insert(host) {
            entry.awake.push_back(host);
        }
        self.put_off(group, at, Some(at));
    }

    /// Makes a group due at `at`, unless it is busy or due earlier. The run waits only for the work at
    /// `awaited`. `None` means that it does not wait.
    pub(crate) fn put_off(&mut self, group: &GroupName, at: Instant, awaited: Option<Instant>) {
        let Some(entry) = self.groups.get_mut(group) else { return };
        let (earlier, known) = match entry.state {
            State::Asleep => (None, None),
            State::Due(due) => (Some(due), entry.awaited),
            State::Busy => return,
        };
        entry.awaited = known.into_iter().chain(awaited).min();
        if earlier.is_some_and(|due| due <= at) {
            return;
        }
        if let Some(due) = earlier {
            self.due.remove(&(due, Arc::clone(group)));
        }
        entry.state = State::Due(at);
        self.due.insert((at, Arc::clone(group)));
    }

    /// Marks a host as idle. It gets no turn until the next [`Schedule::wake`].
    pub(crate) fn mark_idle(&mut self, group: &GroupName, host: HostId) {
        if let Some(group) = self.groups.get_mut(group)
            && group.known.remove(&host)
        {
            group.awake.retain(|other| *other != host);
        }
    }

    pub(crate) fn is_busy(&self, group: &GroupName) -> bool {
        self.groups.get(group).is_some_and(|group| group.state == State::Busy)
    }

    /// Removes and returns the group that has been due longest at `now`. The group sleeps until
    /// [`Schedule::put_off`] or [`Schedule::take`].
    pub(crate) fn pop(&mut self, now: Instant) -> Option<GroupName> {
        self.due.first().filter(|(at, _)| *at <= now)?;
        let (_, name) = self.due.pop_first()?;
        self.groups.get_mut(&name)?.state = State::Asleep;
        Some(name)
    }

    /// Returns the hosts that have the next turns, at most `limit`.
    pub(crate) fn next_hosts(&self, now: Instant, limit: usize) -> Vec<HostId> {
        let due = self.due.iter().take_while(|(at, _)| *at <= now);
        due.filter_map(|(_, name)| self.groups.get(name)?.awake.front().copied()).take(limit).collect()
    }

    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Returns the due groups with work for which the run may wait before it ends. Each has the time of this
    /// work, which may be past. They are in the order of the times when they are due.
    pub(crate) fn awaited(&self) -> impl Iterator<Item = (Instant, &GroupName)> {
        self.due.iter().filter_map(|(_, name)| Some((self.groups.get(name)?.awaited?, name)))
    }

    pub(crate) fn awake(&self, group: &GroupName) -> Vec<HostId> {
        self.groups.get(group).map(|group| group.awake.iter().copied().collect()).unwrap_or_default()
    }

    /// Records the dispatch of a URL of `host`. The group becomes busy, and `host` is the last of its group
    /// to get the next turn.
    pub(crate) fn take(&mut self, group: &GroupName, host: HostId) {
        let Some(entry) = self.groups.get_mut(group) else { return };
        if let Some(at) = entry.awake.iter().position(|other| *other == host) {
            entry.awake.remove(at);
            entry.awake.push_back(host);
        }
        if let State::Due(at) = entry.state {
            self.due.remove(&(at, Arc::clone(group)));
        }
        entry.state = State::Busy;
    }

    /// Records the outcome of the URL in flight. The group is due again at `at`.
    pub(crate) fn release(&mut self, group: &GroupName, at: Instant) {
        if let Some(entry) = self.groups.get_mut(group)
            && entry.state == State::Busy
        {
            (entry.state, entry.awaited) = (State::Due(at), Some(at));
            self.due.insert((at, Arc::clone(group)));
        }
    }
}

pub(crate) fn group_of(scope: GapScope, record: &HostRecord) -> GroupName {
    scope.group(&record.domain, &record.name).into()
}

/// Returns the group of a URL. Uses the stored domain of the URL's host or, for an unknown host, the URL's
/// domain.
pub(crate) fn group_of_url(scope: GapScope, store: &Store, url: &CanonicalUrl) -> GroupName {
    match store.host(url.host()) {
        Ok(Some(known)) => group_of(scope, &known),
        Ok(None) | Err(_) => group_of_unknown(scope, url),
    }
}

pub(crate) fn group_of_unknown(scope: GapScope, url: &CanonicalUrl) -> GroupName {
    scope.group(url.domain(), url.host()).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const A: [HostId; 2] = [HostId(0), HostId(1)];
    const B: HostId = HostId(2);

    fn names() -> (Schedule, GroupName, GroupName, Instant) {
        (Schedule::default(), GroupName::from("a"), GroupName::from("b"), Instant::now())
    }

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn the_group_that_waits_longest_comes_first() {
        let (mut schedule, a, b, now) = names();
        schedule.wake(&a, A[0], now + seconds(2));
        schedule.wake(&b, B, now + seconds(1));
        assert_eq!(schedule.pop(now), None);
        assert_eq!(schedule.next(), Some(now + seconds(1)));
        assert_eq!(schedule.next_hosts(now + seconds(1), 9), [B]);
        assert_eq!(schedule.next_hosts(now + seconds(5), 1), [B]);
        assert_eq!(schedule.next_hosts(now + seconds(5), 9), [B, A[0]]);
        assert_eq!(schedule.pop(now + seconds(5)), Some(b));
        assert_eq!(schedule.pop(now + seconds(5)), Some(a));
    }

    #[test]
    fn a_busy_group_is_not_due_however_often_it_is_woken() {
        let (mut schedule, a, _, now) = names();
        schedule.wake(&a, A[0], now);
        schedule.wake(&a, A[0], now);
        let name = schedule.pop(now).unwrap();
        schedule.take(&name, A[0]);
        schedule.wake(&a, A[1], now);
        assert_eq!(schedule.pop(now), None);
        schedule.release(&a, now);
        assert_eq!(schedule.pop(now), Some(a));
        assert_eq!(schedule.pop(now), None);
    }

    #[test]
    fn a_due_group_that_becomes_busy_is_not_due() {
        let (mut schedule, a, _, now) = names();
        schedule.wake(&a, A[0], now);
        schedule.take(&a, A[0]);
        assert_eq!((schedule.next(), schedule.pop(now)), (None, None));
        schedule.release(&a, now);
        assert_eq!(schedule.pop(now), Some(a));
    }

    #[test]
    fn a_group_that_is_put_off_is_woken_by_what_comes_earlier() {
        let (mut schedule, a, _, now) = names();
        schedule.wake(&a, A[0], now + seconds(60));
        schedule.wake(&a, A[1], now + seconds(1));
        assert_eq!(schedule.awaited().count(), 1);
        assert_eq!(schedule.pop(now + seconds(1)), Some(Arc::clone(&a)));
        assert_eq!(schedule.pop(now + seconds(90)), None, "the old entry counts no more");
        schedule.put_off(&a, now + seconds(70), Some(now + seconds(70)));
        assert_eq!(schedule.pop(now + seconds(90)), Some(a));
    }

    #[test]
    fn only_some_work_is_awaited() {
        let (mut schedule, a, b, now) = names();
        schedule.wake(&a, A[0], now);
        schedule.wake(&b, B, now);
        while schedule.pop(now).is_some() {}
        schedule.put_off(&a, now + seconds(1), Some(now + seconds(9)));
        schedule.put_off(&b, now + seconds(2), None);
        let awaited = |schedule: &Schedule| {
            let mut times: Vec<Instant> = schedule.awaited().map(|(at, _)| at).collect();
            times.sort();
            times
        };
        assert_eq!((awaited(&schedule), schedule.next()), (vec![now + seconds(9)], Some(now + seconds(1))));
        schedule.wake(&b, B, now + seconds(3));
        assert_eq!(awaited(&schedule), [now + seconds(3), now + seconds(9)], "new work is awaited");
        assert_eq!((schedule.pop(now + seconds(2)), schedule.pop(now + seconds(2))), (Some(a), Some(b)));
        assert!(awaited(&schedule).is_empty());
    }

    #[test]
    fn hosts_of_a_group_take_turns_while_they_are_awake() {
        let (mut schedule, a, _, now) = names();
        A.iter().for_each(|host| schedule.wake(&a, *host, now));
        let mut turns = Vec::new();
        for turn in 0..5 {
            let name = schedule.pop(now).unwrap();
            let host = schedule.awake(&name)[0];
            turns.push(host.0);
            schedule.take(&name, host);
            if turn == 3 {
                schedule.mark_idle(&a, HostId(0));
            }
            schedule.release(&name, now);
        }
        assert_eq!(turns, [0, 1, 0, 1, 1]);
    }
}
