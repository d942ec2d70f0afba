//! Records which hosts are active, for display in a terminal.
//!
//! The owner thread records dispatches, outcomes and pauses. Other threads read copies. The entry of a host
//! takes about 100 bytes and stays until the run ends.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gleaner_frontier::Outcome;

use crate::frontier::schedule::GroupName;

#[derive(Debug, Default)]
pub(crate) struct HostActivity(Mutex<Hosts>);

#[derive(Debug, Default)]
struct Hosts {
    hosts: HashMap<String, ActivityEntry>,
    groups: HashMap<GroupName, GroupActivity>,
}

#[derive(Debug, Default, Clone, Copy)]
struct GroupActivity {
    /// Number of ready URLs.
    ready: i64,
    /// The last delay and its end.
    delay: Option<(Duration, Instant)>,
}

#[derive(Debug, Clone)]
struct ActivityEntry {
    visits: u64,
    stored: u64,
    last: String,
    at: Instant,
    asked: bool,
    group: Option<GroupName>,
    pause: Option<(Instant, String)>,
}

impl ActivityEntry {
    fn new() -> Self {
        let at = Instant::now();
        Self { visits: 0, stored: 0, last: String::new(), at, asked: false, group: None, pause: None }
    }
}

/// A host with recent activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveHost {
    /// The host's name.
    pub host: String,
    /// Number of ended visits since the counters were last reset.
    pub visits: u64,
    /// Number of these visits that stored a new document.
    pub stored: u64,
    /// The result for the host's last URL: the outcome ([`Outcome::reason`]), `buffered`, or `will retry: `
    /// with the reason. Empty if there is no result yet.
    pub last: String,
    /// Whether a URL of the host is in flight.
    pub asked: bool,
    /// Time since the last dispatch, outcome or pause of the host.
    pub since: Duration,
    /// Time until the host's next request is allowed. `None` if a request is allowed now or is in flight.
    pub waits: Option<Duration>,
    /// The reason for the wait. `None` if the host does not wait, or waits only for the usual delay.
    pub waits_for: Option<String>,
}

impl HostActivity {
    fn hosts(&self) -> MutexGuard<'_, Hosts> {
        // The counters stay usable after a panic in another thread.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn clear(&self) {
        *self.hosts() = Hosts::default();
    }

    fn update(&self, host: &str, change: impl FnOnce(&mut ActivityEntry)) {
        let hosts = &mut self.hosts().hosts;
        if !hosts.contains_key(host) {
            hosts.insert(host.to_owned(), ActivityEntry::new());
        }
        if let Some(entry) = hosts.get_mut(host) {
            change(entry);
            entry.at = Instant::now();
        }
    }

    pub(crate) fn request_started(&self, host: &str, group: &GroupName) {
        self.update(host, |entry| {
            entry.asked = true;
            entry.group = Some(GroupName::clone(group));
            entry.pause = None;
        });
    }

    pub(crate) fn delay(&self, group: &GroupName, wait: Duration) {
        let groups = &mut self.hosts().groups;
        groups.entry(GroupName::clone(group)).or_default().delay = Some((wait, Instant::now() + wait));
    }

    pub(crate) fn ready_grows(&self, group: &GroupName, by: i64) {
        self.hosts().groups.entry(GroupName::clone(group)).or_default().ready += by;
    }

    /// Estimates the time until all ready URLs were requested, if a response takes `latency`. Returns `None` before
    /// the first delay.
    pub(crate) fn time_left(&self, latency: Duration) -> Option<Duration> {
        let time = |group: &GroupActivity| {
            let (delay, _) = group.delay?;
            let ready = u32::try_from(group.ready).unwrap_or_default();
            Some((delay + latency).saturating_mul(ready))
        };
        self.hosts().groups.values().filter_map(time).max()
    }

    pub(crate) fn pauses(&self, host: &str, until: Instant, why: &str) {
        self.update(host, |entry| {
            entry.asked = false;
            entry.pause = Some((until, why.to_owned()));
        });
    }

    pub(crate) fn waits(&self, host: &str, reason: &str) {
        self.update(host, |entry| {
            entry.asked = false;
            entry.last = format!("will retry: {reason}");
        });
    }

    pub(crate) fn request_ended(&self, host: &str, outcome: Option<&Outcome>) {
        self.update(host, |entry| {
            entry.asked = false;
            entry.visits += 1;
            entry.stored += u64::from(matches!(outcome, Some(Outcome::Stored)));
            entry.last = outcome.map_or_else(|| "buffered".into(), Outcome::reason);
        });
    }

    /// Returns up to `limit` active hosts, busiest first, and the number of active hosts that were left out.
    pub(crate) fn active(&self, window: Duration, limit: usize) -> (Vec<ActiveHost>, usize) {
        let now = Instant::now();
        let all = self.hosts();
        let active = |(host, entry): (&String, &ActivityEntry)| {
            let pause = entry.pause.as_ref().filter(|(until, _)| *until > now);
            let group = entry.group.as_ref().and_then(|group| all.groups.get(group));
            let delay_end = group.and_then(|group| group.delay).map(|(_, end)| end);
            let until = pause.map(|(until, _)| *until).or(delay_end).filter(|_| !entry.asked);
            let left =
                |until: Instant| Some(until.saturating_duration_since(now)).filter(|left| !left.is_zero());
            ActiveHost {
                host: host.clone(),
                visits: entry.visits,
                stored: entry.stored,
                last: entry.last.clone(),
                asked: entry.asked,
                since: now.saturating_duration_since(entry.at),
                waits: until.and_then(left),
                waits_for: pause.map(|(_, why)| why.clone()),
            }
        };
        let mut hosts: Vec<ActiveHost> = all.hosts.iter().map(active).collect();
        drop(all);
        hosts.retain(|host| host.asked || host.since <= window || host.waits_for.is_some());
        hosts.sort_by(|a, b| b.visits.cmp(&a.visits).then_with(|| a.host.cmp(&b.host)));
        let more = hosts.len().saturating_sub(limit);
        hosts.truncate(limit);
        (hosts, more)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_busiest_hosts_come_first_and_the_rest_is_counted() {
        let (activity, group) = (HostActivity::default(), GroupName::from("example"));
        for (host, visits) in [("a.example", 2), ("b.example", 5), ("c.example", 1)] {
            for _ in 0..visits {
                activity.request_started(host, &group);
                activity.request_ended(host, Some(&Outcome::Stored));
            }
        }
        activity.request_started("e.example", &group);
        activity.waits("e.example", "http_503");
        let (all, _) = activity.active(Duration::from_secs(60), 9);
        let waiting = all.iter().find(|host| host.host == "e.example").unwrap();
        assert_eq!(
            (waiting.asked, waiting.visits, waiting.last.as_str()),
            (false, 0, "will retry: http_503")
        );
        activity.request_started("d.example", &group);
        let (hosts, more) = activity.active(Duration::from_secs(60), 2);
        let names: Vec<&str> = hosts.iter().map(|host| host.host.as_str()).collect();
        assert_eq!((names, more), (vec!["b.example", "a.example"], 3));
        assert_eq!((hosts[0].visits, hosts[0].stored, hosts[0].last.as_str()), (5, 5, "stored"));
        let (asked, _) = activity.active(Duration::ZERO, 9);
        assert!(asked.iter().any(|host| host.host == "d.example" && host.asked && host.last.is_empty()));
        let wait = Duration::from_secs(300);
        activity.delay(&group, wait);
        activity.pauses("c.example", Instant::now() + wait, "robots.txt is unavailable");
        let (all, _) = activity.active(Duration::from_secs(60), 9);
        let waits = |name: &str| {
            let host = all.iter().find(|host| host.host == name).unwrap();
            (host.waits.is_some(), host.waits_for.as_deref())
        };
        assert_eq!(waits("a.example"), (true, None));
        assert_eq!(waits("c.example"), (true, Some("robots.txt is unavailable")));
        assert_eq!(waits("d.example"), (false, None), "a request is in flight");
        activity.clear();
        assert_eq!(activity.active(Duration::from_secs(60), 9), (Vec::new(), 0));
    }
    #[test]
    fn the_slowest_group_decides_the_time_left() {
        let (activity, latency) = (HostActivity::default(), Duration::from_secs(1));
        let [slow, fast, unknown] = ["slow.example", "fast.example", "new.example"].map(GroupName::from);
        assert_eq!(activity.time_left(latency), None);
        for (group, ready) in [(&slow, 10), (&fast, 20), (&unknown, 900)] {
            activity.ready_grows(group, ready);
        }
        activity.delay(&slow, Duration::from_secs(9));
        activity.delay(&fast, Duration::from_secs(2));
        assert_eq!(activity.time_left(latency), Some(Duration::from_secs(100)));
        activity.ready_grows(&slow, -10);
        assert_eq!(activity.time_left(latency), Some(Duration::from_secs(60)));
    }
}
