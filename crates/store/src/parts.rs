//! The fixed parts into which a store for many processes is cut.
//!
//! A part is all registrable domains with the same hash; there are 256, for ever. So a host
//! with its URLs, documents and counts belongs to one part, and so do all hosts that share a
//! gap. The list that says what a registrable domain is changes; a host stays in the part that has it
//! (`exceptions.rs`). At a time one process has a part and may write its records. Numbers of hosts,
//! documents and clusters begin with the part's, so that each part gives out its own.
//!
//! A store in one folder is not cut: it is one part without a number, and its keys and
//! numbers are those that they were before there were parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use gleaner_frontier::{CanonicalUrl, part_of};

use crate::HostId;
use crate::tenure::Tenure;

/// Bits of a number behind those of its part.
const WITHIN: u32 = 24;

/// One part, or a whole store that is not cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Part(Option<[u8; 1]>);

impl Part {
    /// A store that is not cut.
    pub(crate) const WHOLE: Self = Self(None);

    pub(crate) const fn new(number: u8) -> Self {
        Self(Some([number]))
    }

    /// That of a host by its name and the list of public suffixes of this program.
    pub(crate) fn of_today(host: &str) -> Self {
        match CanonicalUrl::from_record(&format!("http://{host}/")) {
            Ok(url) => Self::new(part_of(url.domain())),
            Err(_) => Self::new(part_of(host)),
        }
    }

    /// As it stands in keys.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], <[u8; 1]>::as_slice)
    }

    /// Its number; `None`: the whole store.
    pub(crate) fn index(self) -> Option<u8> {
        self.0.map(|[number]| number)
    }

    /// The `n`-th number that it gives out; `None`: it has no more.
    pub(crate) fn number(self, n: u32) -> Option<u32> {
        match self.index() {
            None => Some(n),
            Some(part) => (n < 1 << WITHIN).then_some(u32::from(part) << WITHIN | n),
        }
    }
}

/// Hosts by name that are stored in another part than that of their domain: the list of public
/// suffixes has changed since (`exceptions.rs`).
pub(crate) type Exceptions = Arc<BTreeMap<String, Part>>;

/// How a store is cut, and which of its parts are this process's.
#[derive(Debug, Clone)]
pub(crate) enum Parts {
    /// Not at all.
    Whole,
    /// Into 256, of which some are held. `None`: it is only read.
    Cut(Option<Tenure>, Exceptions),
}

impl Parts {
    pub(crate) const fn is_cut(&self) -> bool {
        matches!(self, Self::Cut(..))
    }

    /// The part of a host by its name, with its port where it has one, and its registrable
    /// domain: the one that has the host, else that of the domain.
    pub(crate) fn of(&self, host: &str, domain: &str) -> Part {
        match self {
            Self::Whole => Part::WHOLE,
            Self::Cut(_, exceptions) => {
                exceptions.get(host).copied().unwrap_or_else(|| Part::new(part_of(domain)))
            }
        }
    }

    /// The part of a URL's host.
    pub(crate) fn of_url(&self, url: &CanonicalUrl) -> Part {
        self.of(url.host(), url.domain())
    }

    /// The part of a host by its name alone.
    pub(crate) fn of_name(&self, host: &str) -> Part {
        match self {
            Self::Whole => Part::WHOLE,
            Self::Cut(_, exceptions) => exceptions.get(host).copied().unwrap_or_else(|| Part::of_today(host)),
        }
    }

    /// The part that gave out a host's number.
    pub(crate) fn of_host(&self, host: HostId) -> Part {
        self.of_number(host.0)
    }

    /// The part that gave out the number of a document or cluster.
    pub(crate) fn of_number(&self, number: u32) -> Part {
        if self.is_cut() { Part::new((number >> WITHIN) as u8) } else { Part::WHOLE }
    }

    /// Whether this process crawls what it has of the store, and does not just read it.
    pub(crate) const fn is_held(&self) -> bool {
        matches!(self, Self::Whole | Self::Cut(Some(_), _))
    }

    /// The parts that this process has.
    pub(crate) fn held(&self) -> Vec<Part> {
        match self {
            Self::Whole => vec![Part::WHOLE],
            Self::Cut(tenure, _) => tenure.as_ref().map(Tenure::held).unwrap_or_default(),
        }
    }

    /// All parts, whoever has them.
    pub(crate) fn all(&self) -> Vec<Part> {
        if self.is_cut() { (0..=u8::MAX).map(Part::new).collect() } else { vec![Part::WHOLE] }
    }

    /// The name of the next message to a part.
    pub(crate) fn next_message(&self) -> [u8; 16] {
        match self {
            Self::Cut(Some(tenure), _) => tenure.next_message(),
            Self::Cut(None, _) | Self::Whole => [0; 16],
        }
    }

    /// Whether this process has the part.
    pub(crate) fn holds(&self, part: Part) -> bool {
        match self {
            Self::Whole => true,
            Self::Cut(tenure, _) => tenure.as_ref().is_some_and(|tenure| tenure.holds(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_tell_the_part_that_gave_them_out() {
        let parts = Parts::Cut(None, Exceptions::default());
        for part in [0, 7, 255].map(Part::new) {
            let number = part.number(5).unwrap();
            assert_eq!(parts.of_number(number), part);
            assert_eq!(part.number(1 << WITHIN), None);
        }
        assert_eq!(Part::WHOLE.number(u32::MAX), Some(u32::MAX));
        assert_eq!(Parts::Whole.of_number(u32::MAX), Part::WHOLE);
    }

    #[test]
    fn hosts_of_a_domain_are_in_its_part() {
        let parts = Parts::Cut(None, Exceptions::default());
        let domain = parts.of("www.vnexpress.net", "vnexpress.net");
        assert_eq!(parts.of_name("e.vnexpress.net"), domain);
        assert_eq!(parts.of_name("vnexpress.net:8080"), domain);
    }

    #[test]
    fn a_host_is_of_the_part_that_has_it() {
        let stored = Part::new(part_of("vnexpress.net").wrapping_add(1));
        let parts = Parts::Cut(None, Arc::new([("e.vnexpress.net".to_owned(), stored)].into()));
        let url = CanonicalUrl::parse("http://e.vnexpress.net/a").unwrap();
        assert_eq!((parts.of_name("e.vnexpress.net"), parts.of_url(&url)), (stored, stored));
        assert_ne!(parts.of_name("vnexpress.net"), stored);
    }
}
