//! Limits the disk space and the requests that one site may use.
//!
//! A quota belongs to a registrable domain, because a trap may have any number of subdomains. Without quotas,
//! one site could fill the disk and end the crawl at `store.min_free_disk`.
//!
//! * `crawl.max_queued_per_site` limits the URLs that are ready or waiting. At the limit, newly found URLs do
//!   not enter the frontier and are counted as `queue_full`.
//! * `crawl.max_bytes_per_site` limits the decompressed bytes of the pages, feeds and sitemaps that this run
//!   reads. At the limit, the site gets no more requests in this run.
//! * `max_pages` of a site limits the pages that this run requests. At the limit, the site gets no more
//!   requests in this run.
//!
//! Half of the queue is reserved for current news: URLs with the ranks [`rank::OTHER`] and [`rank::ARCHIVE`]
//! enter only while the queue is less than half full. If the queue refuses a URL from a feed or sitemap, the
//! next visit processes that feed or sitemap even if it is unchanged.
//!
//! Each commit updates the queue length, so one feed or sitemap may exceed the quota by the URLs of one
//! commit. A site belongs to one partition, so only one worker counts its URLs.

use std::collections::HashMap;
use std::sync::Arc;

use crate::settings::Config;
use gleaner_corpus::PerSite;

use crate::rank;

pub(crate) const QUEUE_FULL: &str = "queue_full";

#[derive(Debug)]
pub(crate) struct Quota {
    /// 0 means no limit.
    max_queued: u64,
    /// 0 means no limit.
    max_bytes: u64,
    max_pages: PerSite<u64>,
    sites: HashMap<Arc<str>, SiteUsage>,
}

#[derive(Debug, Default)]
struct SiteUsage {
    queued: u64,
    bytes: u64,
    pages: u64,
}

impl Quota {
    pub(crate) fn new(config: &Config) -> Self {
        let limits = config.site.iter().filter_map(|(name, site)| Some((name.to_owned(), site.max_pages?)));
        Self {
            max_queued: config.crawl.max_queued_per_site,
            max_bytes: config.crawl.max_bytes_per_site.get(),
            max_pages: limits.filter(|(_, pages)| *pages > 0).collect(),
            sites: HashMap::new(),
        }
    }

    pub(crate) fn add_queued(&mut self, site: &Arc<str>, by: i64) {
        let used = self.used(site);
        used.queued = used.queued.saturating_add_signed(by);
    }

    pub(crate) fn add_bytes(&mut self, site: &Arc<str>, bytes: u64) {
        self.used(site).bytes += bytes;
    }

    pub(crate) fn add_pages(&mut self, site: &Arc<str>, pages: u64) {
        self.used(site).pages += pages;
    }

    pub(crate) fn give_back_page(&mut self, site: &Arc<str>) {
        let used = self.used(site);
        used.pages = used.pages.saturating_sub(1);
    }

    /// Stops counting for a site. Returns the number of its ready and waiting URLs.
    pub(crate) fn remove(&mut self, site: &str) -> u64 {
        self.sites.remove(site).map_or(0, |used| used.queued)
    }

    pub(crate) fn has_room(&self, site: &str, rank: u8) -> bool {
        let queued = self.sites.get(site).map_or(0, |used| used.queued);
        let room = if rank >= rank::OTHER { self.max_queued.div_ceil(2) } else { self.max_queued };
        self.max_queued == 0 || queued < room
    }

    pub(crate) fn spent(&self, site: &str) -> Option<String> {
        let used = self.sites.get(site)?;
        if self.max_bytes > 0 && used.bytes >= self.max_bytes {
            return Some("crawl.max_bytes_per_site".into());
        }
        let pages = self.max_pages.of_host(site).filter(|limit| used.pages >= **limit)?;
        Some(format!("site.\"{site}\".max_pages = {pages}"))
    }

    fn used(&mut self, site: &Arc<str>) -> &mut SiteUsage {
        self.sites.entry(Arc::clone(site)).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(sets: &[&str]) -> (Quota, Arc<str>) {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        (Quota::new(&crate::settings::read(None, &sets).unwrap()), "a.example".into())
    }

    #[test]
    fn half_of_the_queue_is_reserved_for_what_is_new() {
        let (mut quota, site) = quota(&["crawl.max_queued_per_site=5"]);
        let has_room = |quota: &Quota| {
            [rank::ARCHIVE, rank::OTHER, rank::ARTICLE].map(|rank| quota.has_room(&site, rank))
        };
        for (queued, expected) in [(2, [true, true, true]), (3, [false, false, true]), (5, [false; 3])] {
            let now = quota.sites.get(&site).map_or(0, |used| used.queued);
            quota.add_queued(&site, queued - now.cast_signed());
            assert_eq!(has_room(&quota), expected, "{queued}");
        }
        assert!(quota.has_room("b.example", rank::ARCHIVE), "another site has a queue of its own");
        quota.add_queued(&site, -5);
        assert_eq!(has_room(&quota), [true; 3]);
    }

    #[test]
    fn bytes_are_spent_at_the_quota_and_not_before() {
        let (mut quota, site) = quota(&["crawl.max_bytes_per_site=1KiB"]);
        quota.add_bytes(&site, 1023);
        assert_eq!(quota.spent(&site), None);
        quota.add_bytes(&site, 1);
        assert_eq!(quota.spent(&site).as_deref(), Some("crawl.max_bytes_per_site"));
        assert_eq!(quota.spent("b.example"), None);
        quota.remove(&site);
        assert_eq!(quota.spent(&site), None);
    }

    #[test]
    fn a_site_has_a_limit_of_pages() {
        let text = "[site.\"a.example\"]\nmax_pages = 2\n[site.\"b.example\"]\nmax_pages = 0\n";
        let origin = crate::settings::ConfigFile { file: "x.toml", text };
        let mut quota = Quota::new(&crate::settings::read(Some(origin), &[]).unwrap());
        let sites: [Arc<str>; 3] = ["a.example", "b.example", "c.example"].map(Into::into);
        sites.iter().for_each(|site| quota.add_pages(site, 2));
        let spent = sites.clone().map(|site| quota.spent(&site));
        assert_eq!(spent, [Some("site.\"a.example\".max_pages = 2".to_owned()), None, None]);
        quota.give_back_page(&sites[0]);
        assert_eq!(quota.spent(&sites[0]), None);
    }

    #[test]
    fn zero_is_no_limit() {
        let (mut quota, site) = quota(&["crawl.max_queued_per_site=0", "crawl.max_bytes_per_site=0B"]);
        quota.add_queued(&site, i64::MAX);
        quota.add_bytes(&site, u64::MAX);
        assert!(quota.has_room(&site, rank::ARCHIVE) && quota.spent(&site).is_none());
    }
}
