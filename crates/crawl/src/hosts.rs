//! What the owner knows of each host while a crawl runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use gleaner_config::GapScope;
use gleaner_fetch::Access;
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{HostId, HostRecord, Store};
use jiff::Timestamp;

use crate::extraction::Applied;
use crate::schedule::GroupName;

/// A host of this run.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) name: String,
    pub(crate) group: GroupName,
    /// Its registrable domain: what quotas are for.
    pub(crate) site: Arc<str>,
    /// What its robots.txt allows; `None` until it was asked for.
    pub(crate) access: Option<Access>,
    /// When robots.txt is to be asked for again.
    pub(crate) robots_due: Timestamp,
    pub(crate) template: Option<Arc<Applied>>,
    /// Version of the newest template in the store; 0 where there is none.
    pub(crate) version: u32,
    /// Articles buffered and not yet learned from.
    pub(crate) buffered: usize,
    /// Pages fetched in this run.
    pub(crate) fetched: u64,
    /// Whether it is the host of a seed: only there is a sitemap guessed.
    pub(crate) seed: bool,
    /// Set when learning failed in this run, so that it is not tried for ever.
    pub(crate) unteachable: bool,
    /// Nothing is asked there for now: the user wants it so.
    pub(crate) paused: bool,
}

/// The hosts of this run, by number.
#[derive(Debug, Default)]
pub(crate) struct Hosts {
    by_id: HashMap<HostId, Host>,
    /// The gap of each group: the configured one, or the longest `Crawl-delay`.
    gaps: HashMap<GroupName, Duration>,
}

impl Hosts {
    pub(crate) fn get(&self, id: HostId) -> Option<&Host> {
        self.by_id.get(&id)
    }

    pub(crate) fn get_mut(&mut self, id: HostId) -> Option<&mut Host> {
        self.by_id.get_mut(&id)
    }

    /// The gap of a group.
    pub(crate) fn gap(&self, group: &GroupName) -> Duration {
        self.gaps.get(group).copied().unwrap_or_default()
    }

    /// Makes a group's gap at least this long, and gives it.
    pub(crate) fn widen(&mut self, group: &GroupName, gap: Duration) -> Duration {
        let kept = self.gaps.entry(Arc::clone(group)).or_default();
        *kept = gap.max(*kept);
        *kept
    }

    pub(crate) fn contains(&self, id: HostId) -> bool {
        self.by_id.contains_key(&id)
    }

    /// Drops the hosts that are not to stay; gives them.
    pub(crate) fn retain(&mut self, stays: impl Fn(HostId) -> bool) -> Vec<(HostId, Host)> {
        self.by_id.extract_if(|id, _| !stays(*id)).collect()
    }

    pub(crate) fn insert(&mut self, id: HostId, host: Host) {
        self.by_id.insert(id, host);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (HostId, &Host)> {
        self.by_id.iter().map(|(id, host)| (*id, host))
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }
}

/// The group whose gap a host shares.
pub(crate) fn group_of(scope: GapScope, record: &HostRecord) -> GroupName {
    match scope {
        GapScope::Domain => record.domain.as_str().into(),
        GapScope::Host => record.name.as_str().into(),
    }
}

/// The group of a URL's host. One that is known keeps the domain that it was stored with; one that
/// is not, or cannot be looked up, has that of the URL.
pub(crate) fn group_of_url(scope: GapScope, store: &Store, url: &CanonicalUrl) -> GroupName {
    match store.host(url.host()) {
        Ok(Some(known)) => group_of(scope, &known),
        Ok(None) | Err(_) => group_of_unknown(scope, url),
    }
}

/// The group of a URL's host that is not known.
pub(crate) fn group_of_unknown(scope: GapScope, url: &CanonicalUrl) -> GroupName {
    match scope {
        GapScope::Domain => url.domain().into(),
        GapScope::Host => url.host().into(),
    }
}
