//! Finds the hosts of a corpus that a user may have meant by an unknown name.

use gleaner_frontier::CanonicalUrl;
use gleaner_store::Store;

use crate::failure::Failure;

/// Minimum similarity, 0 to 1, between a misspelt name and the name of a known host.
const SIMILAR: f64 = 0.8;

const MOST_NAMED: usize = 3;

pub(crate) fn is_similar(known: &str, name: &str) -> bool {
    strsim::normalized_damerau_levenshtein(known, name) >= SIMILAR
}

/// Returns the registrable domain of a host's name.
pub(crate) fn site(host: &str) -> Option<String> {
    CanonicalUrl::parse(&format!("http://{host}/")).ok().map(|url| url.domain().to_owned())
}

/// Returns `; did you mean ...?` with the most similar hosts of the corpus. The text is empty if there are
/// none.
pub(crate) fn did_you_mean(store: &Store, name: &str) -> Result<String, Failure> {
    let own = site(name);
    let mut found = Vec::new();
    for host in store.hosts() {
        let host = host.map_err(Failure::work)?;
        let is_of_site = own.as_deref() == Some(host.domain.as_str());
        if host.name != name && (is_of_site || is_similar(&host.name, name)) {
            found.push(host.name);
        }
    }
    let distance = |host: &String| strsim::damerau_levenshtein(host, name);
    found.sort_by_key(distance);
    found.truncate(MOST_NAMED);
    Ok(if found.is_empty() { String::new() } else { format!("; did you mean {}?", found.join(", ")) })
}
