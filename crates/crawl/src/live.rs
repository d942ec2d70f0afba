//! Records which hosts are active, for display in a terminal.
//!
//! The owner records dispatches and outcomes; readers get copies. The entry of a host remains until the run
//! ends and takes about 100 bytes.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gleaner_frontier::Outcome;

#[derive(Debug, Default)]
pub(crate) struct Live(Mutex<HashMap<String, Seen>>);

#[derive(Debug, Clone)]
struct Seen {
    pages: u64,
    stored: u64,
    last: String,
    at: Instant,
    asked: bool,
}

/// An active host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    /// The host's name.
    pub host: String,
    /// Number of ended visits since the counters were last reset.
    pub pages: u64,
    /// Number of these visits that stored a new document.
    pub stored: u64,
    /// The last outcome, by [`Outcome::reason`], or the reason of a retry; empty if there is none.
    pub last: String,
    /// Whether a URL of the host is in flight.
    pub asked: bool,
    /// Time since the host's last event.
    pub since: Duration,
}

impl Live {
    fn hosts(&self) -> MutexGuard<'_, HashMap<String, Seen>> {
        // Counters stay usable after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn clear(&self) {
        self.hosts().clear();
    }

    fn see(&self, host: &str, change: impl FnOnce(&mut Seen)) {
        let mut hosts = self.hosts();
        if !hosts.contains_key(host) {
            let seen = Seen { pages: 0, stored: 0, last: String::new(), at: Instant::now(), asked: false };
            hosts.insert(host.to_owned(), seen);
        }
        if let Some(seen) = hosts.get_mut(host) {
            change(seen);
            seen.at = Instant::now();
        }
    }

    pub(crate) fn begins(&self, host: &str) {
        self.see(host, |seen| seen.asked = true);
    }

    pub(crate) fn waits(&self, host: &str, reason: &str) {
        self.see(host, |seen| {
            seen.asked = false;
            seen.last = format!("will retry: {reason}");
        });
    }

    /// Records the end of a visit. `None`: the page was buffered.
    pub(crate) fn ended(&self, host: &str, outcome: Option<&Outcome>) {
        self.see(host, |seen| {
            seen.asked = false;
            seen.pages += 1;
            seen.stored += u64::from(matches!(outcome, Some(Outcome::Stored)));
            seen.last = outcome.map_or_else(|| "buffered".into(), Outcome::reason);
        });
    }

    /// Returns up to `limit` hosts that have a URL in flight or had an event within `window`, busiest first,
    /// and the number of further such hosts.
    pub(crate) fn active(&self, window: Duration, limit: usize) -> (Vec<Active>, usize) {
        let now = Instant::now();
        let active = |(host, seen): (&String, &Seen)| Active {
            host: host.clone(),
            pages: seen.pages,
            stored: seen.stored,
            last: seen.last.clone(),
            asked: seen.asked,
            since: now.saturating_duration_since(seen.at),
        };
        let mut hosts: Vec<Active> = self.hosts().iter().map(active).collect();
        hosts.retain(|host| host.asked || host.since <= window);
        hosts.sort_by(|a, b| b.pages.cmp(&a.pages).then_with(|| a.host.cmp(&b.host)));
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
        let live = Live::default();
        for (host, visits) in [("a.example", 2), ("b.example", 5), ("c.example", 1)] {
            for _ in 0..visits {
                live.begins(host);
                live.ended(host, Some(&Outcome::Stored));
            }
        }
        live.begins("e.example");
        live.waits("e.example", "http_503");
        let (all, _) = live.active(Duration::from_secs(60), 9);
        let waiting = all.iter().find(|host| host.host == "e.example").unwrap();
        assert_eq!((waiting.asked, waiting.pages, waiting.last.as_str()), (false, 0, "will retry: http_503"));
        live.begins("d.example");
        let (hosts, more) = live.active(Duration::from_secs(60), 2);
        let names: Vec<&str> = hosts.iter().map(|host| host.host.as_str()).collect();
        assert_eq!((names, more), (vec!["b.example", "a.example"], 3));
        assert_eq!((hosts[0].pages, hosts[0].stored, hosts[0].last.as_str()), (5, 5, "stored"));
        let (asked, _) = live.active(Duration::ZERO, 9);
        assert!(asked.iter().any(|host| host.host == "d.example" && host.asked && host.last.is_empty()));
        live.clear();
        assert_eq!(live.active(Duration::from_secs(60), 9), (Vec::new(), 0));
    }
}
