//! Maps hosts, documents and clusters to the fixed partitions of a shared store.
//!
//! There are always 256 partitions. The hash of a registrable domain determines the partition of its hosts.
//! Therefore one partition has all URLs, documents and counts of a host. It also has all hosts of a domain,
//! which share one delay between requests. When the Public Suffix List changes, a host stays in the partition
//! that stores it (`exceptions.rs`). At any time, at most one process owns a partition and may write its
//! records. The numbers of hosts, documents and clusters begin with the number of their partition, so each
//! partition assigns its numbers independently.
//!
//! A store in a folder is a single partition without a number. Its keys and numbers contain no partition.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_frontier::{CanonicalUrl, partition_of};

use crate::HostId;
use crate::leases::Leases;

/// Number of partitions of a shared store.
pub const PARTITIONS: u64 = 256;

/// Number of low bits of a number that count within the partition. The higher bits are the partition.
const WITHIN: u32 = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Partition(Option<[u8; 1]>);

impl Partition {
    pub(crate) const WHOLE: Self = Self(None);

    pub(crate) const fn new(number: u8) -> Self {
        Self(Some([number]))
    }

    pub(crate) fn from_host(host: &str) -> Self {
        match CanonicalUrl::from_record(&format!("http://{host}/")) {
            Ok(url) => Self::new(partition_of(url.domain())),
            Err(_) => Self::new(partition_of(host)),
        }
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], <[u8; 1]>::as_slice)
    }

    pub(crate) fn index(self) -> Option<u8> {
        self.0.map(|[number]| number)
    }

    pub(crate) fn number(self, n: u32) -> Option<u32> {
        match self.index() {
            None => Some(n),
            Some(partition) => (n < 1 << WITHIN).then_some(u32::from(partition) << WITHIN | n),
        }
    }
}

/// Hosts that are not in the partition of their registrable domain (`exceptions.rs`).
pub(crate) type Exceptions = Arc<BTreeMap<String, Partition>>;

#[derive(Debug, Clone)]
pub(crate) enum Partitions {
    Whole,
    /// 256 partitions, of which this process owns some. `None` if the store is opened only for reading.
    Cut(Option<Leases>, Exceptions),
}

impl Partitions {
    pub(crate) const fn is_cut(&self) -> bool {
        matches!(self, Self::Cut(..))
    }

    /// Returns the partition that stores a host. `host` is the name, with the port if it is not the default.
    /// `domain` is the registrable domain, which determines the partition unless the host is an exception.
    pub(crate) fn for_host(&self, host: &str, domain: &str) -> Partition {
        match self {
            Self::Whole => Partition::WHOLE,
            Self::Cut(_, exceptions) => {
                exceptions.get(host).copied().unwrap_or_else(|| Partition::new(partition_of(domain)))
            }
        }
    }

    pub(crate) fn of_url(&self, url: &CanonicalUrl) -> Partition {
        self.for_host(url.host(), url.domain())
    }

    pub(crate) fn of_name(&self, host: &str) -> Partition {
        match self {
            Self::Whole => Partition::WHOLE,
            Self::Cut(_, exceptions) => {
                exceptions.get(host).copied().unwrap_or_else(|| Partition::from_host(host))
            }
        }
    }

    pub(crate) fn of_host(&self, host: HostId) -> Partition {
        self.of_number(host.0)
    }

    /// Returns the partition that assigned the number of a host, document or cluster.
    pub(crate) fn of_number(&self, number: u32) -> Partition {
        if self.is_cut() { Partition::new((number >> WITHIN) as u8) } else { Partition::WHOLE }
    }

    /// Returns the epoch of the lease of a partition. It grows each time the partition changes hands. Returns 0
    /// for a store in a folder, and for a partition without a lease.
    pub(crate) fn epoch(&self, partition: Partition) -> i64 {
        match self {
            Self::Cut(Some(leases), _) => leases.epochs([partition]).pop().and_then(|(_, epoch)| epoch),
            Self::Cut(None, _) | Self::Whole => None,
        }
        .unwrap_or_default()
    }

    pub(crate) const fn is_held(&self) -> bool {
        matches!(self, Self::Whole | Self::Cut(Some(_), _))
    }

    pub(crate) fn held(&self) -> Vec<Partition> {
        match self {
            Self::Whole => vec![Partition::WHOLE],
            Self::Cut(leases, _) => leases.as_ref().map(Leases::held).unwrap_or_default(),
        }
    }

    pub(crate) fn all(&self) -> Vec<Partition> {
        if self.is_cut() { (0..=u8::MAX).map(Partition::new).collect() } else { vec![Partition::WHOLE] }
    }

    pub(crate) fn next_message(&self) -> [u8; 16] {
        match self {
            Self::Cut(Some(leases), _) => leases.next_message(),
            Self::Cut(None, _) | Self::Whole => [0; 16],
        }
    }

    pub(crate) fn holds(&self, partition: Partition) -> bool {
        match self {
            Self::Whole => true,
            Self::Cut(leases, _) => leases.as_ref().is_some_and(|leases| leases.holds(partition)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_the_partition_that_gave_them_out() {
        let partitions = Partitions::Cut(None, Exceptions::default());
        for partition in [0, 7, 255].map(Partition::new) {
            let number = partition.number(5).unwrap();
            assert_eq!(partitions.of_number(number), partition);
            assert_eq!(partition.number(1 << WITHIN), None);
        }
        assert_eq!(Partition::WHOLE.number(u32::MAX), Some(u32::MAX));
        assert_eq!(Partitions::Whole.of_number(u32::MAX), Partition::WHOLE);
    }

    #[test]
    fn hosts_of_a_domain_are_in_its_partition() {
        let partitions = Partitions::Cut(None, Exceptions::default());
        let domain = partitions.for_host("www.vnexpress.net", "vnexpress.net");
        assert_eq!(partitions.of_name("e.vnexpress.net"), domain);
        assert_eq!(partitions.of_name("vnexpress.net:8080"), domain);
    }

    #[test]
    fn a_host_is_of_the_partition_that_has_it() {
        let stored = Partition::new(partition_of("vnexpress.net").wrapping_add(1));
        let partitions = Partitions::Cut(None, Arc::new([("e.vnexpress.net".to_owned(), stored)].into()));
        let url = CanonicalUrl::parse("http://e.vnexpress.net/a").unwrap();
        assert_eq!((partitions.of_name("e.vnexpress.net"), partitions.of_url(&url)), (stored, stored));
        assert_ne!(partitions.of_name("vnexpress.net"), stored);
    }
}
