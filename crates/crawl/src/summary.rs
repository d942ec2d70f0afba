//! What a run came to.

use gleaner_store::{Counts, Run, Store, StoreError, Wait};

use crate::budget::Ending;
use crate::hosts::{Host, Hosts};
use crate::quota::Quota;
use gleaner_fetch::Access;

/// What a run came to, by host.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The run.
    pub run: Run,
    /// Whether it went on with a run that had been interrupted.
    pub resumed: bool,
    /// How it ended.
    pub ending: Ending,
    /// Hosts with what happened there, by name.
    pub hosts: Vec<(String, Counts)>,
    /// Hosts with URLs that were left to the next run.
    pub held_back: Vec<HeldBack>,
    /// Documents in the corpus now.
    pub documents: u64,
    /// The second since 1970 at which the next URL is due, if one waits.
    pub next_due: Option<u64>,
}

/// URLs that were left to the next run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBack {
    /// The host.
    pub host: String,
    /// How many.
    pub urls: u64,
    /// Why, for people.
    pub why: String,
}

/// URLs counted a host at most when they are left over.
const COUNTED: usize = 100_000;

pub(crate) fn held_back(
    store: &Store,
    hosts: &Hosts,
    quota: &Quota,
    cap: u64,
    ending: Ending,
) -> Result<Vec<HeldBack>, StoreError> {
    let mut held = Vec::new();
    for (id, host) in hosts.iter() {
        let urls = store.count_ready(id, COUNTED)?;
        if urls > 0 {
            held.push(HeldBack { host: host.name.clone(), urls, why: why(host, quota, cap, ending) });
        }
    }
    for record in &store.waiting(Wait::Retry, COUNTED)? {
        let Some(host) = hosts.get(record.host) else { continue };
        let why = "waiting for another try".to_owned();
        match held.iter_mut().find(|other| other.host == host.name && other.why == why) {
            Some(other) => other.urls += 1,
            None => held.push(HeldBack { host: host.name.clone(), urls: 1, why }),
        }
    }
    held.sort_by(|a, b| (&a.host, &a.why).cmp(&(&b.host, &b.why)));
    Ok(held)
}

fn why(host: &Host, quota: &Quota, cap: u64, ending: Ending) -> String {
    if host.paused {
        return "the host is paused".into();
    }
    match (&host.access, ending) {
        (Some(Access::AllDisallowed { reason }), _) => reason.clone(),
        _ if cap > 0 && host.fetched >= cap => format!("crawl.max_pages_per_host = {cap} reached"),
        _ if quota.is_spent(&host.site) => "crawl.max_bytes_per_site reached".into(),
        (_, Ending::Stopped) => "the run was interrupted".into(),
        (_, Ending::Budget(budget)) => format!("{budget} reached"),
        (_, Ending::Quiet) => "the host asked to wait".into(),
    }
}
