//! Builds a report from the store.
//!
//! Limitation: `rebuild`, `ingest` and `reextract` are runs as well, and later runs are compared with them
//! like with any other. This matters only after three of them in a row.

use std::collections::BTreeMap;

use super::{Disk, Held, HostTold, Night, Report, Template, Told};
use gleaner_config::Config;
use gleaner_frontier::UrlKey;
use gleaner_store::{Counts, HostRecord, Run, Store, StoreError};
use gleaner_template::{SiteTemplate, Window};
use jiff::Timestamp;

use crate::error::CrawlError;
use crate::frontier::budget::Ending;
use crate::summary::Summary;

/// Most earlier runs examined to find those that ended.
const RUNS: usize = 4 * Told::PAST;

/// The report of a crawl that ended or failed at `now`. `None` if the run was interrupted, or if the crawl
/// failed before any run began.
///
/// # Errors
/// The store cannot be read.
pub fn build(
    store: &Store,
    config: &Config,
    crawled: &Result<Summary, CrawlError>,
    now: Timestamp,
) -> Result<Option<Report>, StoreError> {
    let (run, ending) = match crawled {
        Ok(summary) => (Some(summary.run.clone()), told_ending(summary.ending)),
        Err(error) => {
            let ending = super::Ending::Failed { error: error.to_string() };
            // A run that has ended is not the one that failed.
            (store.last_run()?.filter(|run| run.ended.is_none()), Some(ending))
        }
    };
    let (Some(run), Some(ending)) = (run, ending) else { return Ok(None) };
    let summary = crawled.as_ref().ok();
    let mut hosts = hosts(store, &run)?;
    for held in summary.iter().flat_map(|summary| &summary.held_back) {
        if let Some(host) = hosts.iter_mut().find(|host| host.name == held.host) {
            host.held.push(Held { urls: held.urls, why: held.why.clone() });
        }
    }
    let told = Told {
        ended: now,
        resumed: summary.is_some_and(|summary| summary.resumed),
        ending,
        hosts,
        past: past(store, &run)?,
        documents: store.totals()?.documents(),
        next_due: summary.and_then(|summary| summary.next_due).and_then(second),
        disk: disk(store, config)?,
        run,
    };
    Ok(Some(Report::from_told(&told)))
}

fn told_ending(ending: Ending) -> Option<super::Ending> {
    match ending {
        Ending::Quiet => Some(super::Ending::Quiet),
        Ending::Budget(budget) => Some(super::Ending::Budget { key: budget.to_string() }),
        Ending::Stopped => None,
    }
}

fn second(second: u64) -> Option<Timestamp> {
    Timestamp::from_second(i64::try_from(second).ok()?).ok()
}

fn hosts(store: &Store, run: &Run) -> Result<Vec<HostTold>, StoreError> {
    let told = |(name, counts): (String, Counts)| {
        let record = store.host(&name)?;
        let template = record.as_ref().map(|record| template(store, record, run)).transpose()?;
        let paused = record.is_some_and(|record| record.paused);
        Ok(HostTold { name, counts, held: Vec::new(), template: template.unwrap_or_default(), paused })
    };
    store.counts(run.number)?.into_iter().map(told).collect()
}

fn template(store: &Store, host: &HostRecord, run: &Run) -> Result<Template, StoreError> {
    let window: Window<UrlKey> = store.health(&host.name)?.unwrap_or_default();
    let newest = if host.template > 0 { store.template(&host.name)? } else { None };
    let learned =
        newest.and_then(|json| SiteTemplate::from_json(&json).ok()).map(|template| template.learned);
    Ok(Template {
        version: host.template,
        learned: learned.is_some_and(|learned| learned >= run.started),
        outdated: host.outdated,
        unlike: window.unlike().count(),
        watched: window.len(),
        buffered: host.buffered,
    })
}

fn past(store: &Store, run: &Run) -> Result<Vec<Night>, StoreError> {
    let before = |other: &Run| other.number < run.number && other.ended.is_some();
    let runs = store.runs(RUNS)?.into_iter().filter(before).take(Told::PAST);
    runs.map(|run| {
        let hosts: BTreeMap<String, Counts> = store.counts(run.number)?.into_iter().collect();
        Ok(Night { started: run.started, hosts })
    })
    .collect()
}

fn disk(store: &Store, config: &Config) -> Result<Option<Disk>, StoreError> {
    let free = store.writer()?.and_then(|writer| writer.free_space().ok());
    Ok(free.map(|free| Disk { free, floor: config.store.min_free_disk.get() }))
}
