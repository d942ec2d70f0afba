//! Caches resolved host names for some minutes.
//!
//! The system's resolver follows `/etc/hosts`, `nsswitch.conf` and a VPN's rules. It usually has no cache,
//! blocks a thread for each query, and does not report how long a result is valid. So every result is cached
//! for the same time, except empty results and failures. If the connection to a host fails, its name is
//! removed from the cache, so that the next attempt finds the new address of a site that has moved.
//!
//! Cached addresses are checked on each use (`address.rs`).

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::lookup_host;
use tokio::time::Instant;

/// How long a cached address is used. DNS load balancing uses lifetimes of 60 s to 300 s.
const LIFETIME: Duration = Duration::from_secs(300);
/// Maximum number of names, each about 200 bytes. At this number, expired names are removed. If no name is
/// expired, all are removed.
const MOST: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct DnsCache {
    entries: Mutex<HashMap<String, CachedName>>,
}

#[derive(Debug)]
struct CachedName {
    until: Instant,
    addresses: Vec<SocketAddr>,
}

impl DnsCache {
    pub(crate) async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        if let Some(addresses) = self.get(host, Instant::now()) {
            return Ok(addresses);
        }
        let addresses: Vec<SocketAddr> = lookup_host((host, 0)).await?.collect();
        self.insert(host, &addresses, Instant::now());
        Ok(addresses)
    }

    pub(crate) fn forget(&self, host: &str) {
        self.entries().remove(host);
    }

    fn get(&self, host: &str, now: Instant) -> Option<Vec<SocketAddr>> {
        self.entries()
            .get(host)
            .filter(|entries| now < entries.until)
            .map(|entries| entries.addresses.clone())
    }

    fn insert(&self, host: &str, addresses: &[SocketAddr], now: Instant) {
        if addresses.is_empty() {
            return;
        }
        let mut entries = self.entries();
        if entries.len() >= MOST {
            entries.retain(|_, entries| now < entries.until);
            if entries.len() >= MOST {
                entries.clear();
            }
        }
        entries.insert(host.to_owned(), CachedName { until: now + LIFETIME, addresses: addresses.to_vec() });
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<String, CachedName>> {
        // No code panics while it holds this lock, and the entries are independent.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> SocketAddr {
        SocketAddr::from(([192, 0, 2, last], 0))
    }

    #[tokio::test]
    async fn a_name_is_kept_for_its_time_or_until_it_is_forgotten() {
        let (names, now) = (DnsCache::default(), Instant::now());
        names.insert("a.example", &[address(1)], now);
        names.insert("b.example", &[address(2)], now);
        names.insert("nothing.example", &[], now);
        assert_eq!(names.get("a.example", now + LIFETIME / 2), Some(vec![address(1)]));
        assert_eq!(names.get("a.example", now + LIFETIME), None);
        assert_eq!(names.get("nothing.example", now), None);
        names.forget("b.example");
        assert_eq!(names.get("b.example", now), None);
    }

    #[tokio::test]
    async fn what_is_known_is_not_asked_for() {
        let names = DnsCache::default();
        // No resolver has an address for this name (RFC 6761, 6.4).
        names.insert("a.invalid", &[address(1)], Instant::now());
        assert_eq!(names.look_up("a.invalid").await.unwrap(), [address(1)]);
    }

    #[tokio::test]
    async fn the_number_of_names_is_bounded() {
        let (names, now) = (DnsCache::default(), Instant::now());
        for number in 0..=2 * MOST {
            let now = if number < MOST { now } else { now + LIFETIME };
            names.insert(&format!("{number}.example"), &[address(1)], now);
            assert!(names.entries().len() <= MOST);
        }
        assert!(names.get(&format!("{}.example", 2 * MOST), now).is_some());
    }
}
