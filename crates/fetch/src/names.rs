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
const KEPT_FOR: Duration = Duration::from_secs(300);
/// Maximum number of names, each about 200 bytes. At this number, expired names are removed. If no name is
/// expired, all are removed.
const MOST: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Names {
    kept: Mutex<HashMap<String, Kept>>,
}

#[derive(Debug)]
struct Kept {
    until: Instant,
    addresses: Vec<SocketAddr>,
}

impl Names {
    pub(crate) async fn look_up(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        if let Some(addresses) = self.known(host, Instant::now()) {
            return Ok(addresses);
        }
        let addresses: Vec<SocketAddr> = lookup_host((host, 0)).await?.collect();
        self.keep(host, &addresses, Instant::now());
        Ok(addresses)
    }

    pub(crate) fn forget(&self, host: &str) {
        self.kept().remove(host);
    }

    fn known(&self, host: &str, now: Instant) -> Option<Vec<SocketAddr>> {
        self.kept().get(host).filter(|kept| now < kept.until).map(|kept| kept.addresses.clone())
    }

    fn keep(&self, host: &str, addresses: &[SocketAddr], now: Instant) {
        if addresses.is_empty() {
            return;
        }
        let mut kept = self.kept();
        if kept.len() >= MOST {
            kept.retain(|_, kept| now < kept.until);
            if kept.len() >= MOST {
                kept.clear();
            }
        }
        kept.insert(host.to_owned(), Kept { until: now + KEPT_FOR, addresses: addresses.to_vec() });
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        // No code panics while it holds this lock, and the entries are independent.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
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
        let (names, now) = (Names::default(), Instant::now());
        names.keep("a.example", &[address(1)], now);
        names.keep("b.example", &[address(2)], now);
        names.keep("nothing.example", &[], now);
        assert_eq!(names.known("a.example", now + KEPT_FOR / 2), Some(vec![address(1)]));
        assert_eq!(names.known("a.example", now + KEPT_FOR), None);
        assert_eq!(names.known("nothing.example", now), None);
        names.forget("b.example");
        assert_eq!(names.known("b.example", now), None);
    }

    #[tokio::test]
    async fn what_is_known_is_not_asked_for() {
        let names = Names::default();
        // No resolver has an address for this name (RFC 6761, 6.4).
        names.keep("a.invalid", &[address(1)], Instant::now());
        assert_eq!(names.look_up("a.invalid").await.unwrap(), [address(1)]);
    }

    #[tokio::test]
    async fn the_number_of_names_is_bounded() {
        let (names, now) = (Names::default(), Instant::now());
        for number in 0..=2 * MOST {
            let now = if number < MOST { now } else { now + KEPT_FOR };
            names.keep(&format!("{number}.example"), &[address(1)], now);
            assert!(names.kept().len() <= MOST);
        }
        assert!(names.known(&format!("{}.example", 2 * MOST), now).is_some());
    }
}
