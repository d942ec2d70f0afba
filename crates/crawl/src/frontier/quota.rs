//! Limits the disk space that one site may use.
//!
//! A site is a registrable domain, because a trap may have any number of subdomains. Without quotas, one site
//! could fill the disk and end the whole crawl at `store.min_free_disk`.
//!
//! | quota | counts | when exceeded |
//! |---|---|---|
//! | `crawl.max_queued_per_site` | URLs that are ready or waiting | newly found URLs do not enter the frontier; they are counted as `queue_full` |
//! | `crawl.max_bytes_per_site` | decompressed bytes of pages, feeds and sitemaps read in this run | the site gets no more requests in this run |
//!
//! Half of the queue is reserved for current news: URLs with the ranks [`rank::OTHER`] and [`rank::ARCHIVE`]
//! enter only while the queue is less than half full. If a URL of a list does not enter, the full list is
//! read again at the next visit.
//!
//! The queue length is updated at each commit, so one list may exceed the quota by the URLs of one commit. A
//! site is in one partition, so only one worker counts it.

use std::collections::HashMap;
use std::sync::Arc;

use gleaner_config::Crawl;

use crate::rank;

/// The reason recorded for a URL that did not enter the frontier.
pub(crate) const QUEUE_FULL: &str = "queue_full";

#[derive(Debug)]
pub(crate) struct Quota {
    /// 0: no limit.
    max_queued: u64,
    /// 0: no limit.
    max_bytes: u64,
    sites: HashMap<Arc<str>, Used>,
}

#[derive(Debug, Default)]
struct Used {
    queued: u64,
    bytes: u64,
}

impl Quota {
    pub(crate) fn new(crawl: &Crawl) -> Self {
        let (max_queued, max_bytes) = (crawl.max_queued_per_site, crawl.max_bytes_per_site.get());
        Self { max_queued, max_bytes, sites: HashMap::new() }
    }

    pub(crate) fn add_queued(&mut self, site: &Arc<str>, by: i64) {
        let used = self.used(site);
        used.queued = used.queued.saturating_add_signed(by);
    }

    pub(crate) fn add_bytes(&mut self, site: &Arc<str>, bytes: u64) {
        self.used(site).bytes += bytes;
    }

    pub(crate) fn remove(&mut self, site: &str) {
        self.sites.remove(site);
    }

    pub(crate) fn has_room(&self, site: &str, rank: u8) -> bool {
        let queued = self.sites.get(site).map_or(0, |used| used.queued);
        let room = if rank >= rank::OTHER { self.max_queued.div_ceil(2) } else { self.max_queued };
        self.max_queued == 0 || queued < room
    }

    pub(crate) fn is_spent(&self, site: &str) -> bool {
        self.max_bytes > 0 && self.sites.get(site).is_some_and(|used| used.bytes >= self.max_bytes)
    }

    fn used(&mut self, site: &Arc<str>) -> &mut Used {
        self.sites.entry(Arc::clone(site)).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(sets: &[&str]) -> (Quota, Arc<str>) {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        (Quota::new(&gleaner_config::read(None, &sets).unwrap().crawl), "a.example".into())
    }

    #[test]
    fn half_of_the_queue_is_reserved_for_what_is_new() {
        let (mut quota, site) = quota(&["crawl.max_queued_per_site=5"]);
        let rooms = |quota: &Quota| {
            [rank::ARCHIVE, rank::OTHER, rank::ARTICLE].map(|rank| quota.has_room(&site, rank))
        };
        for (queued, expected) in [(2, [true, true, true]), (3, [false, false, true]), (5, [false; 3])] {
            let now = quota.sites.get(&site).map_or(0, |used| used.queued);
            quota.add_queued(&site, queued - now.cast_signed());
            assert_eq!(rooms(&quota), expected, "{queued}");
        }
        assert!(quota.has_room("b.example", rank::ARCHIVE), "another site has a queue of its own");
        quota.add_queued(&site, -5);
        assert_eq!(rooms(&quota), [true; 3]);
    }

    #[test]
    fn bytes_are_spent_at_the_quota_and_not_before() {
        let (mut quota, site) = quota(&["crawl.max_bytes_per_site=1KiB"]);
        quota.add_bytes(&site, 1023);
        assert!(!quota.is_spent(&site));
        quota.add_bytes(&site, 1);
        assert!(quota.is_spent(&site) && !quota.is_spent("b.example"));
        quota.remove(&site);
        assert!(!quota.is_spent(&site));
    }

    #[test]
    fn zero_is_no_limit() {
        let (mut quota, site) = quota(&["crawl.max_queued_per_site=0", "crawl.max_bytes_per_site=0B"]);
        quota.add_queued(&site, i64::MAX);
        quota.add_bytes(&site, u64::MAX);
        assert!(quota.has_room(&site, rank::ARCHIVE) && !quota.is_spent(&site));
    }
}
