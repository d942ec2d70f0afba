//! Finds the hosts of a corpus that a user may have meant by an unknown name.

use gleaner_frontier::CanonicalUrl;
use gleaner_store::HostRecord;

/// Minimum similarity, 0 to 1, of a known host's name to a misspelt one.
const SIMILAR: f64 = 0.8;

const MAX_NAMED: usize = 3;

/// Whether two names of hosts differ so little that one may be a misspelling of the other.
fn is_similar(known: &str, name: &str) -> bool {
    strsim::normalized_damerau_levenshtein(known, name) >= SIMILAR
}

/// Returns the registrable domain of a host, or `None` if `host` is not a valid host name.
#[must_use]
pub fn site_of(host: &str) -> Option<String> {
    CanonicalUrl::parse(&format!("http://{host}/")).ok().map(|url| url.domain().to_owned())
}

/// Returns the names of at most three hosts in `known` that are on the same site as `name`, whose site has the name
/// `name` before its ending, or that have a similar name, most similar first.
pub fn similar_hosts<'a>(known: impl IntoIterator<Item = &'a HostRecord>, name: &str) -> Vec<&'a str> {
    let site = site_of(name);
    let is_meant = |host: &&HostRecord| {
        let is_of_site = site.as_deref() == Some(host.domain.as_str());
        let is_name_of_site = host.domain.split('.').next() == Some(name);
        host.name != name && (is_of_site || is_name_of_site || is_similar(&host.name, name))
    };
    let mut found: Vec<&str> = known.into_iter().filter(is_meant).map(|host| host.name.as_str()).collect();
    found.sort_by_key(|host| strsim::damerau_levenshtein(host, name));
    found.truncate(MAX_NAMED);
    found
}

#[cfg(test)]
mod tests {
    use gleaner_store::HostId;

    use super::*;

    #[test]
    fn hosts_of_the_site_and_similar_names_are_found() {
        let record = |name: &str| HostRecord::new(HostId(1), name, &site_of(name).unwrap());
        let known = ["vnexpress.net", "english.vnexpress.net", "tuoitre.vn", "www.tuoitre.vn"].map(record);
        for (name, found) in [
            ("vnexpres.net", &["vnexpress.net"][..]),
            ("vnexpress", &["vnexpress.net", "english.vnexpress.net"]),
            ("net", &[]),
            ("e.vnexpress.net", &["vnexpress.net", "english.vnexpress.net"]),
            ("tuoitre.vn", &["www.tuoitre.vn"]),
            ("bbc.com", &[]),
            ("", &[]),
        ] {
            assert_eq!(similar_hosts(&known, name), found, "{name}");
        }
    }
}
