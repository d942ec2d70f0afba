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
pub(crate) struct Live(Mutex<Hosts>);

#[derive(Debug, Default)]
struct Hosts {
    hosts: HashMap<String, Seen>,
    gaps: HashMap<GroupName, Instant>,
}

#[derive(Debug, Clone)]
struct Seen {
    visits: u64,
    stored: u64,
    last: String,
    at: Instant,
    asked: bool,
    group: Option<GroupName>,
    pause: Option<(Instant, String)>,
}

impl Seen {
    fn new() -> Self {
        let at = Instant::now();
        Self { visits: 0, stored: 0, last: String::new(), at, asked: false, group: None, pause: None }
    }
}

/// A host with recent activity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    /// The host's name.
    pub host: String,
    /// Number of ended visits since the counters were last reset.
    pub visits: u64,
    /// Number of these visits that stored a new document.
    pub stored: u64,
    /// The last outcome, as [`Outcome::reason`] returns it, or the reason of a retry. It is empty before the
    /// first outcome.
    pub last: String,
    /// Whether a URL of the host is in flight.
    pub asked: bool,
    /// Time since the last dispatch, outcome or pause of the host.
    pub since: Duration,
    /// Time until the host's next request is allowed. `None` if it is allowed, or if one is in flight.
    pub waits: Option<Duration>,
    /// The reason for the wait. `None` if the host only waits for the usual delay between two requests.
    pub waits_for: Option<String>,
}

impl Live {
    fn hosts(&self) -> MutexGuard<'_, Hosts> {
        // The counters stay usable after a panic in another thread.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn clear(&self) {
        *self.hosts() = Hosts::default();
    }

    fn see(&self, host: &str, change: impl FnOnce(&mut Seen)) {
        let hosts = &mut self.hosts().hosts;
        if !hosts.contains_key(host) {
            hosts.insert(host.to_owned(), Seen::new());
        }
        if let Some(seen) = hosts.get_mut(host) {
            change(seen);
            seen.at = Instant::now();
        }
    }

    pub(crate) fn begins(&self, host: &str, group: &GroupName) {
        self.see(host, |seen| {
            seen.asked = true;
            seen.group = Some(GroupName::clone(group));
            seen.pause = None;
        });
    }

    pub(crate) fn gap(&self, group: &GroupName, until: Instant) {
        self.hosts().gaps.insert(GroupName::clone(group), until);
    }

    pub(crate) fn pauses(&self, host: &str, until: Instant, why: &str) {
        self.see(host, |seen| {
            seen.asked = false;
            seen.pause = Some((until, why.to_owned()));
        });
    }

    pub(crate) fn waits(&self, host: &str, reason: &str) {
        self.see(host, |seen| {
            seen.asked = false;
            seen.last = format!("will retry: {reason}");
        });
    }

    pub(crate) fn ended(&self, host: &str, outcome: Option<&Outcome>) {
        self.see(host, |seen| {
            seen.asked = false;
            seen.visits += 1;
            seen.stored += u64::from(matches!(outcome, Some(Outcome::Stored)));
            seen.last = outcome.map_or_else(|| "buffered".into(), Outcome::reason);
        });
    }

    /// Returns up to `limit` active hosts, busiest first, and the number of further active hosts.
    pub(crate) fn active(&self, window: Duration, limit: usize) -> (Vec<Active>, usize) {
        let now = Instant::now();
        let all = self.hosts();
        let active = |(host, seen): (&String, &Seen)| {
            let pause = seen.pause.as_ref().filter(|(until, _)| *until > now);
            let gap = seen.group.as_ref().and_then(|group| all.gaps.get(group)).copied();
            let until = pause.map(|(until, _)| *until).or(gap).filter(|_| !seen.asked);
            let left =
                |until: Instant| Some(until.saturating_duration_since(now)).filter(|left| !left.is_zero());
            Active {
                host: host.clone(),
                visits: seen.visits,
                stored: seen.stored,
                last: seen.last.clone(),
                asked: seen.asked,
                since: now.saturating_duration_since(seen.at),
                waits: until.and_then(left),
                waits_for: pause.map(|(_, why)| why.clone()),
            }
        };
        let mut hosts: Vec<Active> = all.hosts.iter().map(active).collect();
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
        let (live, group) = (Live::default(), GroupName::from("example"));
        for (host, visits) in [("a.example", 2), ("b.example", 5), ("c.example", 1)] {
            for _ in 0..visits {
                live.begins(host, &group);
                live.ended(host, Some(&Outcome::Stored));
            }
        }
        live.begins("e.example", &group);
        live.waits("e.example", "http_503");
        let (all, _) = live.active(Duration::from_secs(60), 9);
        let waiting = all.iter().find(|host| host.host == "e.example").unwrap();
        assert_eq!(
            (waiting.asked, waiting.visits, waiting.last.as_str()),
            (false, 0, "will retry: http_503")
        );
        live.begins("d.example", &group);
        let (hosts, more) = live.active(Duration::from_secs(60), 2);
        let names: Vec<&str> = hosts.iter().map(|host| host.host.as_str()).collect();
        assert_eq!((names, more), (vec!["b.example", "a.example"], 3));
        assert_eq!((hosts[0].visits, hosts[0].stored, hosts[0].last.as_str()), (5, 5, "stored"));
        let (asked, _) = live.active(Duration::ZERO, 9);
        assert!(asked.iter().any(|host| host.host == "d.example" && host.asked && host.last.is_empty()));
        let soon = Instant::now() + Duration::from_secs(300);
        live.gap(&group, soon);
        live.pauses("c.example", soon, "robots.txt is unavailable");
        let (all, _) = live.active(Duration::from_secs(60), 9);
        let waits = |name: &str| {
            let host = all.iter().find(|host| host.host == name).unwrap();
            (host.waits.is_some(), host.waits_for.as_deref())
        };
        assert_eq!(waits("a.example"), (true, None));
        assert_eq!(waits("c.example"), (true, Some("robots.txt is unavailable")));
        assert_eq!(waits("d.example"), (false, None), "a request is in flight");
        live.clear();
        assert_eq!(live.active(Duration::from_secs(60), 9), (Vec::new(), 0));
    }
}
