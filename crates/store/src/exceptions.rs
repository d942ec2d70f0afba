//! Records the hosts that are not stored in the partition of their registrable domain.
//!
//! A host's registrable domain depends on the Public Suffix List, which is part of the program. After a
//! change of the list, workers could look for a host in a partition that does not store it. Therefore a host
//! stays in the partition that stores it:
//!
//! 1. The store records the version of the list that was checked last. Workers with different lists cannot
//!    run at the same time, because the list is one of the settings that must be equal.
//! 2. The first worker with a new list checks the names of all hosts before it takes a partition. It records
//!    each host whose stored partition differs from the partition that the new list implies. Several workers
//!    may do this at the same time. They find the same hosts, and one of them writes the result.
//! 3. Every process looks up a host's partition in these records first.
//!
//! New hosts are stored in the partition that the current list implies. If the hosts of a domain are in
//! different partitions, they do not share one delay between requests.
//!
//! Limitation: a store that was written before this check existed may have a host in two partitions. In this
//! case, the owners of both partitions crawl the host, and a warning names it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_frontier::PUBLIC_SUFFIX_LIST;
use tracing::{info, warn};

use crate::engine::{Engine, Range};
use crate::partitions::{Exceptions, Partition};
use crate::records::{decode, encode};
use crate::{StoreError, keys};

const LIST: &str = "public suffixes";

const HOSTS: &str = "hosts elsewhere";

pub(crate) fn known(engine: &dyn Engine) -> Result<Exceptions, StoreError> {
    let Some(bytes) = engine.get(&keys::meta(HOSTS))? else { return Ok(Exceptions::default()) };
    let hosts: Vec<(String, u8)> = decode("hosts of other partitions", &bytes)?;
    Ok(Arc::new(hosts.into_iter().map(|(host, partition)| (host, Partition::new(partition))).collect()))
}

/// Updates the exceptions for this program's list and returns them. Call this before the process takes a
/// partition.
pub(crate) fn update(engine: &dyn Engine) -> Result<Exceptions, StoreError> {
    let (key, today) = (keys::meta(LIST), encode(&PUBLIC_SUFFIX_LIST));
    loop {
        let last = engine.get(&key)?;
        if last.as_ref() == Some(&today) {
            return known(engine);
        }
        let hosts = found(engine)?;
        info!(hosts = hosts.len(), list = PUBLIC_SUFFIX_LIST, "looked for hosts stored in another partition");
        let records = vec![(key.clone(), today.clone()), (keys::meta(HOSTS), encode(&hosts))];
        // If another worker wrote first, the next iteration reads that worker's result.
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
                partition, "the host is stored in two partitions, and the owner of each crawls it"
            );
        } else {
            elsewhere.insert(name.to_owned(), partition);
        }
    }
    Ok(elsewhere.into_iter().collect())
}
