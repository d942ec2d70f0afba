//! Records the hosts that are not stored in the partition of their registrable domain.
//!
//! A host's registrable domain depends on the Public Suffix List, which is part of the program. After a
//! change of the list, a host may be stored in one partition while workers look for it in another. The
//! partition that stores a host therefore takes precedence:
//!
//! 1. The store records the list with which its partitions were last checked. Workers with different lists
//!    cannot run at the same time, because the list is one of the settings that must be equal.
//! 2. The first worker with a new list checks the names of all hosts before it takes a partition. It records
//!    the hosts whose partition differs from the one that the new list implies. If several workers do this at
//!    the same time, they find the same hosts, and one of them writes the result.
//! 3. Every process looks up a host's partition in these records first.
//!
//! New hosts are stored in the partition that the current list implies. They share no gap with hosts of the
//! same domain that the old list put into another partition.
//!
//! Limitation: a store that was written before this check existed may have a host in both partitions. The
//! owner of each partition then crawls the host, and a warning names it.

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
        // If another worker wrote first, the next iteration reads its result.
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
