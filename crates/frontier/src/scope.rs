//! Defines the scope of a crawl: the registrable domains of the seeds.
//!
//! A seed on one subdomain includes the domain's other subdomains (`edition.cnn.com` includes `www.cnn.com`,
//! but also the publisher's shop). A publisher's second domain (`bbc.com` and `bbc.co.uk`) is out of scope
//! unless it is a seed, too.

use crate::{CanonicalUrl, Seed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// A set of registrable domains as [`CanonicalUrl::domain`] returns them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Scope {
    domains: BTreeSet<String>,
}

impl Scope {
    /// Creates the scope of these registrable domains, which are lower-case A-labels. IP addresses and single
    /// labels include their port.
    pub fn new<D: Into<String>>(domains: impl IntoIterator<Item = D>) -> Self {
        Self { domains: domains.into_iter().map(Into::into).collect() }
    }

    /// Creates the scope of the seeds' domains.
    #[must_use]
    pub fn from_seeds(seeds: &[Seed]) -> Self {
        Self::new(seeds.iter().map(|seed| seed.url.domain()))
    }

    /// Whether the URL is on one of the domains.
    #[must_use]
    pub fn contains(&self, url: &CanonicalUrl) -> bool {
        self.domains.contains(url.domain())
    }

    /// Returns the domains in sorted order.
    pub fn domains(&self) -> impl Iterator<Item = &str> {
        self.domains.iter().map(String::as_str)
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
        let json = serde_json::to_string(&scope).unwrap();
        assert_eq!(json, r#"["127.0.0.1:4000","bbc.co.uk"]"#);
        assert_eq!(serde_json::from_str::<Scope>(&json).unwrap(), scope);
    }
}
