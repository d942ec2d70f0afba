//! Knows the sitemaps on other domains that the robots.txt of hosts in scope name.
//!
//! A robots.txt may name sitemaps on any host, such as a CDN (sitemaps.org, "Sitemaps & Cross Submits"). Such a host
//! is out of scope. Only the named sitemaps are requested from it, and the sitemaps that they list on their own host.
//! Its robots.txt, its delay and all limits apply. Of the URLs that these sitemaps list, only those in scope count. The
//! robots.txt of such a host cannot name sitemaps on further domains.
//!
//! Limitation: if the host was crawled with other seeds before and still has URLs in its queue, they may come before the
//! sitemaps, which are then not requested.

use std::collections::{HashMap, HashSet};

use gleaner_frontier::{CanonicalUrl, Role, Scope};
use gleaner_store::{HostId, UrlRecord};

/// Maximum number of sitemaps on other domains that one robots.txt may name. Further ones are ignored.
pub(crate) const MAX_PER_HOST: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct OtherDomains {
    /// The sitemaps by the host whose robots.txt names them.
    named: HashMap<HostId, Vec<CanonicalUrl>>,
    /// With several workers: the hosts out of scope for which the robots.txt of all hosts were read.
    checked: HashSet<String>,
}

impl OtherDomains {
    /// Replaces the sitemaps that the robots.txt of a host names. `all` may contain sitemaps in scope.
    pub(crate) fn set(&mut self, by: HostId, all: Vec<CanonicalUrl>, scope: &Scope) {
        let named: Vec<_> = all.into_iter().filter(|url| !scope.contains(url)).take(MAX_PER_HOST).collect();
        match named.is_empty() {
            true => drop(self.named.remove(&by)),
            false => drop(self.named.insert(by, named)),
        }
    }

    pub(crate) fn named_by(&self, host: HostId) -> &[CanonicalUrl] {
        self.named.get(&host).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn has_host(&self, name: &str) -> bool {
        self.named.values().flatten().any(|url| url.host() == name)
    }

    /// Whether a URL of a host out of scope may be requested: it is one of the sitemaps, or another sitemap lists it.
    pub(crate) fn allows(&self, url: &CanonicalUrl, record: &UrlRecord) -> bool {
        let is_named = || self.named.values().flatten().any(|named| named.key() == url.key());
        record.role == Role::Sitemap && (record.depth > 0 || is_named())
    }

    /// Records that these hosts out of scope are checked. Returns whether any of them was not checked before.
    pub(crate) fn check<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) -> bool {
        let mut has_new = false;
        for name in names {
            has_new |= self.checked.insert(name.to_owned());
        }
        has_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(address: &str) -> CanonicalUrl {
        CanonicalUrl::parse(address).unwrap()
    }

    #[test]
    fn only_a_limited_number_of_sitemaps_out_of_scope_is_kept() {
        let scope = Scope::new(["a.vn"]);
        let mut other = OtherDomains::default();
        let all = |count: usize| {
            let foreign = (0..count).map(|number| url(&format!("https://cdn.example/{number}.xml")));
            foreign.chain([url("https://www.a.vn/sitemap.xml")]).collect::<Vec<_>>()
        };
        other.set(HostId(1), all(MAX_PER_HOST + 5), &scope);
        assert_eq!(other.named_by(HostId(1)).len(), MAX_PER_HOST);
        assert!(other.has_host("cdn.example") && !other.has_host("www.a.vn"));
        other.set(HostId(1), all(0), &scope);
        assert!(!other.has_host("cdn.example"), "the robots.txt has changed");
    }
}
