//! Collects the pins of all hosts.

use std::collections::BTreeMap;

use gleaner_corpus::{Extra, Insert, PerSite};

use super::Pins;

/// The pins of hosts and sites, with a default for all other hosts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HostPins {
    hosts: BTreeMap<String, Pins>,
    sites: PerSite<Pins>,
    others: Pins,
}

impl HostPins {
    /// Returns the pins of a host. If the host has none, returns the pins of its site. If the site has none either,
    /// the default.
    #[must_use]
    pub fn for_host(&self, host: &str) -> &Pins {
        self.hosts.get(host).or_else(|| self.sites.of_host(host)).unwrap_or(&self.others)
    }

    /// Sets the pins of sites. They apply to hosts that have no pins of their own.
    #[must_use]
    pub fn with_sites(self, sites: PerSite<Pins>) -> Self {
        Self { sites, ..self }
    }

    /// Sets the inserts of every host whose pins do not set them. [`Pins::or_inserts`] describes the
    /// arguments.
    #[must_use]
    pub fn or_inserts(self, inserts: &[Insert], asked_by: &str) -> Self {
        self.map(|pins| pins.or_inserts(inserts.to_vec(), asked_by))
    }

    /// Sets, for every host, the parts of a page that are stored in addition to its text.
    #[must_use]
    pub fn with_extras(self, extras: &[Extra]) -> Self {
        self.map(|pins| pins.with_extras(extras.to_vec()))
    }

    /// Describes the pins that have selected no element of any page so far, except the pins of the hosts in
    /// `except`. A pin counts as used if it selected an element through a clone of this value.
    pub fn unused(&self, except: &[String]) -> impl Iterator<Item = String> {
        let of_hosts = self.hosts.iter().filter(|(host, _)| !except.contains(host)).map(|(_, pins)| pins);
        of_hosts.chain(self.sites.iter().map(|(_, pins)| pins)).flat_map(Pins::unused)
    }

    fn map(self, change: impl Fn(Pins) -> Pins) -> Self {
        let of_site = |(site, pins): (&str, &Pins)| (site.to_owned(), change(pins.clone()));
        Self {
            sites: self.sites.iter().map(of_site).collect(),
            hosts: self.hosts.into_iter().map(|(host, pins)| (host, change(pins))).collect(),
            others: change(self.others),
        }
    }
}

impl FromIterator<(String, Pins)> for HostPins {
    fn from_iter<T: IntoIterator<Item = (String, Pins)>>(all: T) -> Self {
        Self { hosts: all.into_iter().collect(), ..Self::default() }
    }
}
