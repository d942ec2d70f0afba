//! When which group of hosts may be asked.
//!
//! A group is all hosts that share one gap. It is in one of three states: busy (one
//! of its URLs is in flight), due at an instant (in the heap), or asleep (nothing to
//! ask). The heap gives the group that has waited longest; within a group the hosts
//! take turns. So no host starves another, however long its queue is.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use gleaner_store::HostId;

/// The name of a group.
pub(crate) type GroupName = Arc<str>;

/// All groups.
#[derive(Debug, Default)]
pub(crate) struct Schedule {
    groups: HashMap<GroupName, Group>,
    due: BinaryHeap<Reverse<(Instant, GroupName)>>,
}

#[derive(Debug, Default)]
struct Group {
    hosts: VecDeque<HostId>,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Asleep,
    Due,
    Busy,
}

impl Schedule {
    /// Adds a host to its group. A host is to be added once.
    pub(crate) fn add(&mut self, group: &GroupName, host: HostId) {
        self.groups.entry(Arc::clone(group)).or_default().hosts.push_back(host);
    }

    /// A group has something to ask: it is due at `at` if it was asleep.
    pub(crate) fn wake(&mut self, group: &GroupName, at: Instant) {
        if let Some(state) = self.groups.get_mut(group).map(|group| &mut group.state)
            && *state == State::Asleep
        {
            *state = State::Due;
            self.due.push(Reverse((at, Arc::clone(group))));
        }
    }

    /// The group that has been due longest at `now`; it is asleep from then on,
    /// until it is woken or taken as busy.
    pub(crate) fn pop(&mut self, now: Instant) -> Option<GroupName> {
        if self.due.peek().is_none_or(|Reverse((at, _))| *at > now) {
            return None;
        }
        let Reverse((_, name)) = self.due.pop()?;
        if let Some(group) = self.groups.get_mut(&name) {
            group.state = State::Asleep;
        }
        Some(name)
    }

    /// When the next group is due.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }

    /// All groups that are due, now or later, in no order.
    pub(crate) fn due(&self) -> impl Iterator<Item = (Instant, &GroupName)> {
        self.due.iter().map(|Reverse((at, group))| (*at, group))
    }

    /// The hosts of a group, the one whose turn it is first.
    pub(crate) fn hosts(&self, group: &GroupName) -> Vec<HostId> {
        self.groups.get(group).map(|group| group.hosts.iter().copied().collect()).unwrap_or_default()
    }

    /// A URL of `host` is handed out: the group is busy, and the host has had its turn.
    pub(crate) fn take(&mut self, group: &GroupName, host: HostId) {
        let Some(group) = self.groups.get_mut(group) else { return };
        if let Some(at) = group.hosts.iter().position(|other| *other == host) {
            group.hosts.remove(at);
            group.hosts.push_back(host);
        }
        group.state = State::Busy;
    }

    /// The URL in flight has its outcome: the group is due again at `at`.
    pub(crate) fn release(&mut self, group: &GroupName, at: Instant) {
        let Some(state) = self.groups.get_mut(group).map(|group| &mut group.state) else { return };
        if *state == State::Busy {
            *state = State::Due;
            self.due.push(Reverse((at, Arc::clone(group))));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn two_groups() -> (Schedule, GroupName, GroupName, Instant) {
        let (mut schedule, a, b) = (Schedule::default(), GroupName::from("a"), GroupName::from("b"));
        schedule.add(&a, HostId(0));
        schedule.add(&a, HostId(1));
        schedule.add(&b, HostId(2));
        (schedule, a, b, Instant::now())
    }

    #[test]
    fn the_group_that_waits_longest_comes_first() {
        let (mut schedule, a, b, now) = two_groups();
        schedule.wake(&a, now + Duration::from_secs(2));
        schedule.wake(&b, now + Duration::from_secs(1));
        assert_eq!(schedule.pop(now), None);
        assert_eq!(schedule.next(), Some(now + Duration::from_secs(1)));
        assert_eq!(schedule.pop(now + Duration::from_secs(5)), Some(b));
        assert_eq!(schedule.pop(now + Duration::from_secs(5)), Some(a));
    }

    #[test]
    fn a_busy_group_is_not_due_however_often_it_is_woken() {
        let (mut schedule, a, _, now) = two_groups();
        schedule.wake(&a, now);
        schedule.wake(&a, now);
        let name = schedule.pop(now).unwrap();
        schedule.take(&name, HostId(0));
        schedule.wake(&a, now);
        assert_eq!(schedule.pop(now), None);
        schedule.release(&a, now);
        assert_eq!(schedule.pop(now), Some(a));
        assert_eq!(schedule.pop(now), None);
    }

    #[test]
    fn hosts_of_a_group_take_turns() {
        let (mut schedule, a, _, now) = two_groups();
        let mut turns = Vec::new();
        for _ in 0..4 {
            schedule.wake(&a, now);
            let name = schedule.pop(now).unwrap();
            let host = schedule.hosts(&name)[0];
            turns.push(host.0);
            schedule.take(&name, host);
            schedule.release(&name, now);
        }
        assert_eq!(turns, [0, 1, 0, 1]);
    }
}
