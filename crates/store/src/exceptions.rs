//! Hosts that are stored in another partition than that of their registrable domain.
//!
//! What a registrable domain is, a list of public suffixes says, which is part of the program and
//! changes with it. Where it comes to see a domain otherwise, its hosts are in one partition and would
//! be looked for in another, by another worker. So the partition that has a host wins:
//!
//! 1. The store says by which list its partitions were last looked through. Workers of different
//!    lists do not work at once: the list is among the settings in which they must agree.
//! 2. The first worker of another list looks through the names of all hosts, before it takes a
//!    partition, and notes those that are elsewhere than today's list says. Of several that come at
//!    once one writes; all find the same.
//! 3. Every process looks a host's partition up there first.
//!
//! Hosts that are new are in the partition of today's list, and share no gap with those of
//! the same domain that were stored before it changed.
//!
//! Limitation: a store may have a host in both partitions, by a change of the list before this was
//! kept. There both are crawled, each by the owner of its partition, and a warning names the host.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_frontier::PUBLIC_SUFFIX_LIST;
use tracing::{info, warn};

use crate::engine::{Engine, Range};
use crate::partitions::{Exceptions, Partition};
use crate::records::{decode, encode};
use crate::{StoreError, keys};

/// By which list the partitions were looked through.
const LIST: &str = "public suffixes";

/// Names of hosts with the numbers of their partitions.
const HOSTS: &str = "hosts elsewhere";

/// The exceptions as they stand in the store.
pub(crate) fn known(engine: &dyn Engine) -> Result<Exceptions, StoreError> {
    let Some(bytes) = engine.get(&keys::meta(HOSTS))? else { return Ok(Exceptions::default()) };
    let hosts: Vec<(String, u8)> = decode("hosts of other partitions", &bytes)?;
    Ok(Arc::new(hosts.into_iter().map(|(host, partition)| (host, Partition::new(partition))).collect()))
}

/// The same, brought up to date for the list of this program. To be called before a partition is taken.
pub(crate) fn brought_up_to_date(engine: &dyn Engine) -> Result<Exceptions, StoreError> {
    let (key, today) = (keys::meta(LIST), encode(&PUBLIC_SUFFIX_LIST));
    loop {
        let last = engine.get(&key)?;
        if last.as_ref() == Some(&today) {
            return known(engine);
        }
        let hosts = found(engine)?;
        info!(hosts = hosts.len(), list = PUBLIC_SUFFIX_LIST, "looked for hosts stored in another partition");
        let records = vec![(key.clone(), today.clone()), (keys::meta(HOSTS), encode(&hosts))];
        // If another was quicker, what it wrote is read.
        engine.exchange(&key, last.as_deref(), records)?;
    }
}

/// Looks through the names of all hosts.
fn found(engine: &dyn Engine) -> Result<Vec<(String, u8)>, StoreError> {
    let mut elsewhere = BTreeMap::new();
    for pair in engine.scan(Range::with_prefix([keys::HOST]).keys_only()) {
        let (key, _) = pair?;
        let Some((partition, name)) = keys::partition_and_host(&key) else { continue };
        let today = Partition::of_today(name);
        if Partition::new(partition) == today {
            continue;
        }
        if engine.has(&keys::host(today, name))? {
            warn!(
                host = name,
                partition, "the host is stored in two partitions; its records in this one are ignored"
            );
        } else {
            elsewhere.insert(name.to_owned(), partition);
        }
    }
    Ok(elsewhere.into_iter().collect())
}
