//! Contains the state of each host during a crawl.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gleaner_config::GapScope;
use gleaner_fetch::Access;
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{HostId, HostRecord, Store};
use jiff::Timestamp;

use super::schedule::GroupName;

#[derive(Debug)]
pub(crate) struct FrontierHost {
    pub(crate) name: String,
    pub(crate) group: GroupName,
    /// The host's registrable domain. Quotas apply to this domain.
    pub(crate) site: Arc<str>,
    /// The rules of the host's robots.txt. `None` until they are known.
    pub(crate) access: Option<Access>,
    pub(crate) robots_due: Timestamp,
    /// Number of consecutive failed requests for the robots.txt, if the last one was in this run. Otherwise 0.
    pub(crate) robots_failures: u32,
    pub(crate) requests: u64,
    /// Whether a seed is on this host. The crawl requests `/sitemap.xml` only from hosts with a seed.
    pub(crate) is_seed: bool,
    pub(crate) paused: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Hosts {
    by_id: HashMap<HostId, FrontierHost>,
    /// The delay between requests of each group: the longest configured delay or `Crawl-delay` of its hosts.
    delays: HashMap<GroupName, Duration>,
}

impl Hosts {
    pub(crate) fn get(&self, id: HostId) -> Option<&FrontierHost> {
        self.by_id.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: HostId) -> Option<&mut FrontierHost> {
        self.by_id.get_mut(&id)
    }

    pub(crate) fn by_name(&mut self, name: &str) -> Option<(HostId, &mut FrontierHost)> {
        self.by_id.iter_mut().find(|(_, host)| host.name == name).map(|(id, host)| (*id, host))
    }

    pub(crate) fn delay(&self, group: &GroupName) -> Duration {
        self.delays.get(group).copied().unwrap_or_default()
    }

    pub(crate) fn raise_delay(&mut self, group: &GroupName, delay: Duration) -> Duration {
        let kept = self.delays.entry(Arc::clone(group)).or_default();
        *kept = delay.max(*kept);
        *kept
    }

    pub(crate) fn contains(&self, id: HostId) -> bool {
        self.by_id.contains_key(&id)
    }

    pub(crate) fn retain(&mut self, stays: impl Fn(HostId) -> bool) -> Vec<(HostId, FrontierHost)> {
        self.by_id.extract_if(|id, _| !stays(*id)).collect()
    }

    pub(crate) fn insert(&mut self, id: HostId, host: FrontierHost) {
        self.by_id.insert(id, host);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (HostId, &FrontierHost)> {
        self.by_id.iter().map(|(id, host)| (*id, host))
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }
}

pub(crate) fn group_of(scope: GapScope, record: &HostRecord) -> GroupName {
    scope.group(&record.domain, &record.name).into()
}

/// Returns the group of a URL. Uses the stored domain of the URL's host or, for an unknown host, the URL's
/// domain.
pub(crate) fn group_of_url(scope: GapScope, store: &Store, url: &CanonicalUrl) -> GroupName {
    match store.host(url.host()) {
        Ok(Some(known)) => group_of(scope, &known),
        Ok(None) | Err(_) => group_of_unknown(scope, url),
    }
}

pub(crate) fn group_of_unknown(scope: GapScope, url: &CanonicalUrl) -> GroupName {
    scope.group(url.domain(), url.host()).into()
}
