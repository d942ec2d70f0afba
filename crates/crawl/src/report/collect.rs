//! Builds a report from the store.
//!
//! Runs that read an archive (`rebuild`, `ingest`, `reextract`) are not compared with later runs.

use std::collections::BTreeMap;
use std::path::Path;

use super::{DeferredUrls, Disk, Finding, HostData, PastRun, Report, RunData, folder};
use crate::settings::Config;
use gleaner_extract::template::SiteTemplate;
use gleaner_store::{Counts, Run, Store, StoreError};
use jiff::Timestamp;

use crate::error::CrawlError;
use crate::frontier::budget::Ending;
use crate::host_view::{HostView, RunHistory, TemplateState};
use crate::integrity;
use crate::summary::Summary;

/// Maximum number of runs that are read in the search for earlier runs that ended.
const RUNS: usize = 4 * RunData::PAST;

/// Builds the report of a crawl that ended or failed at `now`. Returns `None` if the run was interrupted, or
/// if the crawl failed before its run began.
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
            let ending = super::RunEnding::Failed { error: error.to_string() };
            // If the last run in the store has ended, the crawl failed before it began a new run.
            (store.last_run()?.filter(|run| run.ended.is_none()), Some(ending))
        }
    };
    let (Some(run), Some(ending)) = (run, ending) else { return Ok(None) };
    let summary = crawled.as_ref().ok();
    let mut hosts = hosts(store, config, &run)?;
    for held in summary.iter().flat_map(|summary| &summary.deferred_urls) {
        if let Some(host) = hosts.iter_mut().find(|host| host.name == held.host) {
            host.held.push(DeferredUrls { urls: held.urls, why: held.why.clone() });
        }
    }
    let data = RunData {
        ended: now,
        resumed: summary.is_some_and(|summary| summary.resumed),
        ending,
        hosts,
        past: past(store, &run)?,
        last_findings: last_findings(config),
        documents: store.totals()?.documents(),
        next_due: summary.and_then(|summary| summary.next_due).and_then(second),
        disk: disk(store, config)?,
        integrity: integrity::report(Path::new(&config.store.path), now),
        run,
    };
    Ok(Some(Report::new(&data)))
}

fn told_ending(ending: Ending) -> Option<super::RunEnding> {
    match ending {
        Ending::Quiet => Some(super::RunEnding::Quiet),
        Ending::Budget(budget) => Some(super::RunEnding::Budget { key: budget.to_string() }),
        Ending::Stopped => None,
    }
}

fn second(second: u64) -> Option<Timestamp> {
    Timestamp::from_second(i64::try_from(second).ok()?).ok()
}

fn hosts(store: &Store, config: &Config, run: &Run) -> Result<Vec<HostData>, StoreError> {
    // Only the seeds are needed, so the history contains no runs.
    let mut history = RunHistory::read(store, 0)?;
    let host_data = |(name, counts): (String, Counts)| {
        let mut host = HostData { name, counts, ..HostData::default() };
        let Some(record) = store.host(&host.name)? else { return Ok(host) };
        let view = HostView::new(store, config, record, &mut history)?;
        host.seed = view.seeding.origin().map(str::to_owned);
        host.paused = view.record.paused;
        host.moved = view.moved.clone().filter(|moved| moved.from == host.name);
        host.template = TemplateState { learned: is_learned(store, &view, run)?, ..view.template };
        Ok(host)
    };
    store.counts(run.number)?.into_iter().map(host_data).collect()
}

fn is_learned(store: &Store, host: &HostView, run: &Run) -> Result<bool, StoreError> {
    let newest = if host.template.version > 0 { store.template(&host.record.name)? } else { None };
    let template = newest.and_then(|json| SiteTemplate::from_json(&json).ok());
    Ok(template.is_some_and(|template| template.learned >= run.started))
}

fn past(store: &Store, run: &Run) -> Result<Vec<PastRun>, StoreError> {
    let before = |other: &Run| other.number < run.number && other.ended.is_some();
    let runs = store.runs(RUNS)?.into_iter().filter(before).take(RunData::PAST);
    runs.map(|run| {
        let hosts: BTreeMap<String, Counts> = store.counts(run.number)?.into_iter().collect();
        Ok(PastRun { started: run.started, hosts })
    })
    .collect()
}

/// Returns the findings of the last report. Without a readable report, all findings of this run count as new.
fn last_findings(config: &Config) -> Vec<Finding> {
    let paths = folder::list(&folder::reports_folder(Path::new(&config.store.path))).unwrap_or_default();
    let last = paths.first().and_then(|path| folder::read(path).ok());
    last.map(|report| report.findings).unwrap_or_default()
}

fn disk(store: &Store, config: &Config) -> Result<Option<Disk>, StoreError> {
    let free = store.writer()?.and_then(|writer| writer.free_space().ok());
    Ok(free.map(|free| Disk { free, floor: config.store.min_free_disk.get() }))
}
