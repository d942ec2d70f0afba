//! Defines the URLs and hosts that the user removed from the corpus. They are not requested again.

use std::collections::HashSet;

use crate::{CanonicalUrl, UrlKey};

/// The rule that refuses a removed URL, as in `excluded: removed`.
pub const REMOVED: &str = "removed";

/// The removed URLs and hosts.
///
/// ```
/// use gleaner_frontier::{CanonicalUrl, RemovedUrls};
///
/// let mut removed = RemovedUrls::default();
/// removed.add_host("paper.example");
/// let url = |text: &str| CanonicalUrl::parse(text).expect("a valid address");
/// assert!(removed.contains(&url("https://www.paper.example:8080/1")));
/// assert!(!removed.contains(&url("https://otherpaper.example/1")));
/// ```
#[derive(Debug, Clone, Default)]
pub struct RemovedUrls {
    urls: HashSet<UrlKey>,
    hosts: HashSet<String>,
}

impl RemovedUrls {
    /// Adds a URL.
    pub fn add_url(&mut self, url: UrlKey) {
        self.urls.insert(url);
    }

    /// Adds a host with its subdomains. A host without a port includes all its ports.
    pub fn add_host(&mut self, host: &str) {
        self.hosts.insert(host.to_owned());
    }

    /// Whether nothing is removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.urls.is_empty() && self.hosts.is_empty()
    }

    /// Whether the URL or its host is removed.
    #[must_use]
    pub fn contains(&self, url: &CanonicalUrl) -> bool {
        self.urls.contains(&url.key()) || self.contains_host(url.host())
    }

    /// Whether the URL with this key is removed, apart from its host.
    #[must_use]
    pub fn contains_key(&self, url: UrlKey) -> bool {
        self.urls.contains(&url)
    }

    /// Whether the host, or a host of which it is a subdomain, is removed.
    #[must_use]
    pub fn contains_host(&self, host: &str) -> bool {
        if self.hosts.is_empty() {
            return false;
        }
        let name = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let is_listed = |host: &str| {
            let parents = host.match_indices('.').map(|(at, _)| &host[at + 1..]);
            std::iter::once(host).chain(parents).any(|host| self.hosts.contains(host))
        };
        is_listed(host) || name.is_some_and(|(name, _)| is_listed(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_includes_its_subdomains_and_ports() {
        let mut removed = RemovedUrls::default();
        removed.add_host("b.example");
        removed.add_host("c.example:8080");
        let cases = [
            ("b.example", true),
            ("www.b.example", true),
            ("b.example:81", true),
            ("a-b.example", false),
            ("example", false),
            ("c.example", false),
            ("c.example:8080", true),
            ("m.c.example:8080", true),
        ];
        for (host, expected) in cases {
            assert_eq!(removed.contains_host(host), expected, "{host}");
        }
    }

    #[test]
    fn a_url_is_removed_with_http_and_https() {
        let mut removed = RemovedUrls::default();
        let url = |text: &str| CanonicalUrl::parse(text).unwrap();
        removed.add_url(url("http://a.example/1").key());
        assert!(
            removed.contains(&url("https://a.example/1")) && !removed.contains(&url("http://a.example/2"))
        );
    }
}
