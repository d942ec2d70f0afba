//! Summarizes a run.

use gleaner_store::{Counts, HostRecord, Run, Store, StoreError, WaitReason};

use gleaner_fetch::Access;

use crate::frontier::Frontier;
use crate::frontier::FrontierHost;
use crate::frontier::budget::Ending;

/// The result of a run.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The run.
    pub run: Run,
    /// Whether an interrupted run was resumed.
    pub resumed: bool,
    /// How the run ended.
    pub ending: Ending,
    /// The counts by host name, for each host with counts in the run.
    pub hosts: Vec<(String, Counts)>,
    /// URLs left for the next run, by host and reason.
    pub deferred_urls: Vec<DeferredHost>,
    /// Fetched pages that wait for their host's template, by host. Empty unless the run was interrupted.
    pub buffered: Vec<DeferredHost>,
    /// Documents in the corpus at the end of the run.
    pub documents: u64,
    /// When the next URL is due, in seconds since 1970. `None` if no URL is waiting.
    pub next_due: Option<u64>,
}

/// URLs of a host that were left for the next run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeferredHost {
    /// The host's name.
    pub host: String,
    /// Number of URLs.
    pub urls: u64,
    /// The reason, for people.
    pub why: String,
}

const COUNTED: usize = 100_000;

pub(crate) fn deferred_urls(
    store: &Store,
    frontier: &Frontier,
    ending: Ending,
) -> Result<Vec<DeferredHost>, StoreError> {
    let mut held = Vec::new();
    for (id, host) in &frontier.hosts {
        let urls = store.count_ready(*id, COUNTED)?;
        if urls > 0 {
            held.push(DeferredHost { host: host.name.clone(), urls, why: why(host, frontier, ending) });
        }
    }
    for record in &store.waiting(WaitReason::Retry, COUNTED)? {
        let Some(host) = frontier.hosts.get(&record.host) else { continue };
        let why = "waiting for a retry".to_owned();
        match held.iter_mut().find(|other| other.host == host.name && other.why == why) {
            Some(other) => other.urls += 1,
            None => held.push(DeferredHost { host: host.name.clone(), urls: 1, why }),
        }
    }
    held.sort_by(|a, b| (&a.host, &a.why).cmp(&(&b.host, &b.why)));
    Ok(held)
}

/// Returns the number of a host's buffered pages that have no outcome yet. The other buffered pages were
/// already extracted, without a template or with the previous template.
///
/// # Errors
/// The store cannot be read.
pub fn pages_without_outcome(store: &Store, host: &HostRecord) -> Result<u64, StoreError> {
    let keys = if host.buffered > 0 { store.buffered(host.id)? } else { Vec::new() };
    let mut pages = 0;
    for key in keys {
        pages += u64::from(store.url(key)?.is_some_and(|record| record.last.is_none()));
    }
    Ok(pages)
}

/// Returns the fetched pages that wait for their host's template, by host.
///
/// # Errors
/// The store cannot be read.
pub fn buffered(store: &Store) -> Result<Vec<DeferredHost>, StoreError> {
    let mut all = Vec::new();
    for host in store.hosts() {
        let host = host?;
        let urls = pages_without_outcome(store, &host)?;
        if urls > 0 {
            all.push(DeferredHost { host: host.name, urls, why: "fetched; waiting for a template".into() });
        }
    }
    Ok(all)
}

/// Describes a limit that was reached. The report compares these texts.
pub(crate) fn reached(setting: &str) -> String {
    format!("{setting} reached")
}

fn why(host: &FrontierHost, frontier: &Frontier, ending: Ending) -> String {
    if host.paused {
        return "the host is paused".into();
    }
    let spent = frontier.quota.spent(&host.site);
    match (&host.access, ending) {
        (Some(Access::AllDisallowed { reason }), _) => reason.clone(),
        _ if frontier.is_at_cap(host) => {
            reached(&format!("crawl.max_pages_per_host = {}", frontier.page_cap()))
        }
        _ if spent.is_some() => reached(&spent.unwrap_or_default()),
        (_, Ending::Stopped) => "the run was interrupted".into(),
        (_, Ending::Budget(budget)) => reached(&budget.to_string()),
        (_, Ending::Quiet) => "the host asked to wait".into(),
    }
}
