//! Classifies the links of a page, and remembers the results for the next pages of the host.
//!
//! Most links of a page are on every page of its site. Without the remembered results, parsing links would
//! take most of the time. All worker threads share the results. A host has one page in flight at a time, so
//! only one thread at a time uses the results of a host.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gleaner_frontier::{CanonicalUrl, DiscoveredUrls, LinkCache, Scope, links};
use url::Position;

/// Maximum number of remembered links of all hosts together. They take about 7 MB.
const MOST: usize = 20_000;

#[derive(Debug)]
pub(crate) struct KnownLinks {
    scope: Arc<Scope>,
    origins: Mutex<Origins>,
}

#[derive(Debug, Default)]
struct Origins {
    /// The remembered results by origin, each with the sequence number of its last use.
    judged: HashMap<String, (u64, LinkCache)>,
    links: usize,
    uses: u64,
}

impl KnownLinks {
    pub(crate) fn new(scope: Arc<Scope>) -> Self {
        Self { scope, origins: Mutex::default() }
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Classifies the links of a page, like [`links::judge`].
    pub(crate) fn judge<'a>(
        &self,
        base: &CanonicalUrl,
        hrefs: impl Iterator<Item = &'a str>,
    ) -> DiscoveredUrls {
        let origin = &base.url()[..Position::BeforePath];
        let mut judged = self.origins().take(origin);
        let discovered = links::judge_again(base, hrefs, &self.scope, &mut judged);
        self.origins().put(origin, judged);
        discovered
    }

    fn origins(&self) -> MutexGuard<'_, Origins> {
        // A panic in another thread loses the results of at most one origin.
        self.origins.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Origins {
    fn take(&mut self, origin: &str) -> LinkCache {
        let judged = self.judged.remove(origin).map(|(_, judged)| judged).unwrap_or_default();
        self.links -= judged.len();
        judged
    }

    fn put(&mut self, origin: &str, judged: LinkCache) {
        self.uses += 1;
        self.links += judged.len();
        if let Some((_, other)) = self.judged.insert(origin.to_owned(), (self.uses, judged)) {
            self.links -= other.len();
        }
        while self.links > MOST && self.judged.len() > 1 {
            let oldest = self.judged.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(origin, _)| origin.clone()) else { return };
            drop(self.take(&oldest));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_hosts_together_have_a_limited_memory() {
        let known = KnownLinks::new(Arc::new(Scope::new(["a.vn"])));
        let base = |host: usize| CanonicalUrl::parse(&format!("http://h{host}.a.vn/")).unwrap();
        let hrefs: Vec<String> = (0..500).map(|number| format!("/{number}")).collect();
        for host in 0..100 {
            let found = known.judge(&base(host), hrefs.iter().map(String::as_str)).found;
            assert_eq!((found.len(), found[7].url.host()), (500, &*format!("h{host}.a.vn")));
            let origins = known.origins();
            assert!(origins.links <= MOST);
            let links: usize = origins.judged.values().map(|(_, judged)| judged.len()).sum();
            assert_eq!(links, origins.links);
            assert!(origins.judged.contains_key(&format!("http://h{host}.a.vn")), "the last one stays");
        }
    }
}
