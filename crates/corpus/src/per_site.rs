//! Defines settings that differ by site.

use std::collections::BTreeMap;

/// Values by site. The key is a registrable domain in lower case, or an IP address with its port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerSite<T>(BTreeMap<String, T>);

impl<T> PerSite<T> {
    /// Returns the value for the site of `host`. The site may be the host itself, its name without the port, or
    /// a domain above it. Returns `None` if the site has no value.
    ///
    /// ```
    /// let delays = gleaner_corpus::PerSite::from_iter([("bbc.com".to_owned(), 9)]);
    /// assert_eq!(delays.of_host("www.bbc.com"), Some(&9));
    /// assert_eq!(delays.of_host("notbbc.com"), None);
    /// ```
    #[must_use]
    pub fn of_host(&self, host: &str) -> Option<&T> {
        if self.0.is_empty() {
            return None;
        }
        let bare = host.rsplit_once(':').map_or(host, |(name, _)| name);
        let above = std::iter::successors(Some(bare), |name| Some(name.split_once('.')?.1));
        std::iter::once(host).chain(above).find_map(|name| self.0.get(name))
    }

    /// Returns the sites in sorted order, with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(site, value)| (site.as_str(), value))
    }
}

impl<T> Default for PerSite<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T> FromIterator<(String, T)> for PerSite<T> {
    fn from_iter<I: IntoIterator<Item = (String, T)>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_belongs_to_the_domain_above_it() {
        let names = ["bbc.co.uk", "127.0.0.1:81", "localhost"];
        let sites: PerSite<&str> = names.map(|name| (name.to_owned(), name)).into_iter().collect();
        for (host, site) in [
            ("bbc.co.uk", Some("bbc.co.uk")),
            ("m.news.bbc.co.uk:8080", Some("bbc.co.uk")),
            ("co.uk", None),
            ("xbbc.co.uk", None),
            ("127.0.0.1:81", Some("127.0.0.1:81")),
            ("127.0.0.1:82", None),
            ("localhost:8080", Some("localhost")),
            ("", None),
        ] {
            assert_eq!(sites.of_host(host).copied(), site, "{host}");
        }
    }
}
