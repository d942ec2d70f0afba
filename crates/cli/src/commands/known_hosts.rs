//! Suggests hosts of the corpus for an unknown name.

use gleaner_crawl::similar_hosts;
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{HostRecord, Store};

use crate::failure::Failure;

/// Returns `; did you mean ...?` with the hosts that `name` may mean, or an empty text. Suggests only hosts for
/// which `is_useful` is true.
pub(crate) fn did_you_mean(
    store: &Store,
    name: &str,
    is_useful: impl Fn(&HostRecord) -> bool,
) -> Result<String, Failure> {
    let known: Vec<HostRecord> = store.hosts().collect::<Result<_, _>>().map_err(Failure::work)?;
    let found = similar_hosts(known.iter().filter(|host| is_useful(host)), name);
    Ok(if found.is_empty() { String::new() } else { format!("; did you mean {}?", found.join(", ")) })
}

/// Returns the host that the value of an option names. The value may also be a URL.
pub(crate) fn host_named(option: &str, text: &str) -> Result<String, Failure> {
    CanonicalUrl::host_named(text).map_err(|refusal| Failure::Usage(format!("{option} {text}: {refusal}")))
}
