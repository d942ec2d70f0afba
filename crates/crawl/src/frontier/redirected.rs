//! Tracks which robots.txt files are targets of redirects from hosts in other partitions, and the messages
//! that wait for these files.

use std::collections::BTreeMap;

use gleaner_store::{PartitionId, RobotsQuery};
use url::Url;

#[derive(Debug)]
pub(crate) struct PendingRobots {
    pub(crate) partition: PartitionId,
    pub(crate) by: Vec<RobotsQuery>,
    /// Whether the answer depends on a further partition, because this URL redirects there.
    pub(crate) is_elsewhere: bool,
}

#[derive(Debug, Default)]
pub(crate) struct RedirectedRobots(BTreeMap<String, PendingRobots>);

impl RedirectedRobots {
    pub(crate) fn get_mut(&mut self, url: &str) -> Option<&mut PendingRobots> {
        self.0.get_mut(url)
    }

    pub(crate) fn contains(&self, url: &Url) -> bool {
        self.0.contains_key(url.as_str())
    }

    pub(crate) fn is_known(&self, wanted: &RobotsQuery) -> bool {
        self.0.get(&wanted.url).is_some_and(|known| known.by.contains(wanted))
    }

    pub(crate) fn insert(&mut self, wanted: RobotsQuery, partition: PartitionId) {
        self.0.insert(wanted.url.clone(), PendingRobots { partition, by: vec![wanted], is_elsewhere: false });
    }

    pub(crate) fn remove(&mut self, url: &str) -> Vec<RobotsQuery> {
        self.0.remove(url).map(|wanted| wanted.by).unwrap_or_default()
    }

    pub(crate) fn is_requesting_in(&self, partitions: impl Fn(PartitionId) -> bool) -> bool {
        self.0.values().any(|wanted| !wanted.is_elsewhere && partitions(wanted.partition))
    }

    /// Forgets the messages to partitions that this worker releases. The next owners find them in the store.
    pub(crate) fn release(&mut self, stays: impl Fn(PartitionId) -> bool) {
        self.0.retain(|_, wanted| stays(wanted.partition));
    }
}
