//! Defines the scope of a crawl: the registrable domains of the seeds.
//!
//! A seed on one subdomain also includes the other subdomains of its domain: `edition.cnn.com` includes
//! `www.cnn.com`, but also the publisher's shop. If a publisher has two domains (`bbc.com` and `bbc.co.uk`),
//! each needs a seed.
//!
//! The rules of a site further limit the fetched URLs ([`SiteRules`]). Removed URLs are never fetched
//! ([`RemovedUrls`]).

use crate::{CanonicalUrl, FoundUrl, REMOVED, RemovedUrls, Seed, SiteRules, UrlRefusal};
use std::collections::BTreeMap;

/// The registrable domains ([`CanonicalUrl::domain`]) of a crawl, and their rules.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    sites: BTreeMap<String, SiteRules>,
    removed: RemovedUrls,
}

impl Scope {
    /// Creates a scope of these registrable domains, without rules. They must be lower-case A-labels. IP
    /// addresses and single labels include their port.
    pub fn new<D: Into<String>>(domains: impl IntoIterator<Item = D>) -> Self {
        let sites = domains.into_iter().map(|domain| (domain.into(), SiteRules::default())).collect();
        Self { sites, removed: RemovedUrls::default() }
    }

    /// Creates a scope of the seeds' domains, without rules.
    #[must_use]
    pub fn from_seeds(seeds: &[Seed]) -> Self {
        Self::new(seeds.iter().map(|seed| seed.url.domain()))
    }

    /// Sets the rules of a domain. Does nothing if the domain is not in scope.
    pub fn set_rules(&mut self, domain: &str, rules: SiteRules) {
        if let Some(site) = self.sites.get_mut(domain) {
            *site = rules;
        }
    }

    /// Excludes removed URLs, seeds too.
    #[must_use]
    pub fn without(self, removed: RemovedUrls) -> Self {
        Self { removed, ..self }
    }

    /// Whether the user removed the URL or its host.
    #[must_use]
    pub fn is_removed(&self, url: &CanonicalUrl) -> bool {
        self.removed.contains(url)
    }

    /// Whether the URL is on one of the domains.
    #[must_use]
    pub fn contains(&self, url: &CanonicalUrl) -> bool {
        self.sites.contains_key(url.domain())
    }

    /// Whether this is one of the domains.
    #[must_use]
    pub fn contains_domain(&self, domain: &str) -> bool {
        self.sites.contains_key(domain)
    }

    /// Returns why a URL is not fetched: it is removed or out of scope, or a rule excludes it. Returns `None` if
    /// the URL may be fetched.
    #[must_use]
    pub fn refusal(&self, found: &FoundUrl) -> Option<UrlRefusal> {
        if self.is_removed(&found.url) {
            return Some(UrlRefusal::Excluded { rule: REMOVED.into() });
        }
        match self.sites.get(found.url.domain()) {
            None => Some(UrlRefusal::OutOfScope),
            Some(rules) => rules.refusal(found),
        }
    }

    /// Returns the domains in sorted order.
    pub fn domains(&self) -> impl Iterator<Item = &str> {
        self.sites.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::Scope;
    use crate::{CanonicalUrl, parse_seeds};

    #[test]
    fn by_registrable_domain() {
        let seeds = parse_seeds("www.bbc.co.uk/news\nhttp://127.0.0.1:4000/", "s.txt").unwrap();
        let scope = Scope::from_seeds(&seeds);
        for (url, inside) in [
            ("https://bbc.co.uk/sport", true),
            ("http://feeds.bbc.co.uk:8080/", true),
            ("https://bbc.com/", false),
            ("https://notbbc.co.uk/", false),
            ("http://127.0.0.1:4000/a", true),
            ("http://127.0.0.1:4001/a", false),
        ] {
            assert_eq!(scope.contains(&CanonicalUrl::parse(url).unwrap()), inside, "{url}");
        }
        assert_eq!(scope.domains().collect::<Vec<_>>(), ["127.0.0.1:4000", "bbc.co.uk"]);
    }
}
