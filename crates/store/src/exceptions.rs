//! Records hosts that are stored in another partition than that of their registrable domain.
//!
//! The registrable domain depends on the Public Suffix List, which is part of the program and changes with
//! it. After a change, hosts of a domain may be stored in one partition while another worker looks for them
//! in another. So the partition that has a host wins:
//!
//! 1. The store records the list with which its partitions were last checked. Workers with different lists do
//!    not run at the same time: the list is one of the settings that must agree.
//! 2. The first worker with another list checks the names of all hosts, before it takes a partition, and
//!    records those whose partition differs from the current list's. If several workers do so, one writes;
//!    all find the same.
//! 3. Every process looks a host's partition up here first.
//!
//! New hosts go to the partition of the current list, and share no gap with hosts of the same domain that
//! were stored before the list changed.
//!
//! Limitation: a store from before this check may have a host in both partitions. Then the owner of each
//! partition crawls it, and a warning names the host.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_frontier::PUBLIC_SUFFIX_LIST;
use tracing::{info, warn};

use crate::engine::{Engine, Range};
use crate::partitions::{Exceptions, Partition};
use crate::records::{decode, encode};
use crate::{StoreError, keys};

/// The key of the list with which the partitions were checked.
const LIST: &str = "public suffixes";

/// The key of the host names with their partition numbers.
const HOSTS: &str = "hosts elsewhere";

pub(crate) fn known(engine: &dyn Engine) -> Result<Exceptions, StoreError> {
    let Some(bytes) = engine.get(&keys::meta(HOSTS))? else { return Ok(Exceptions::default()) };
    let hosts: Vec<(String, u8)> = decode("hosts of other partitions", &bytes)?;
    Ok(Arc::new(hosts.into_iter().map(|(host, partition)| (host, Partition::new(partition))).collect()))
}

/// Updates the exceptions to this program's list and returns them. Call it before a partition is taken.
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
        // If another worker was faster, its result is read.
        engine.exchange(&key, last.as_deref(), records)?;
    }
}

fn found(engine: &dyn Engine) -> Result<Vec<(String, u8)>, StoreError> {
    let mut elsewhere = BTreeMap::new();
    for pair in engine.scan(Range::with_prefix([keys::HOST]).keys_only()) {
        let (key, _) = pair?;
        let Some((partition, name)) = keys::partition_and_host(&key) else { continue };
        let today = Partition::from_host(name);
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
