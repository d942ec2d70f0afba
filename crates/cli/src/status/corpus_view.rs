//! Caches the data of the corpus that the pages show: runs, hosts, totals.

use std::sync::Arc;
use std::time::Duration;

use gleaner_corpus::CorpusVersion;
use gleaner_crawl::report::Report;
use gleaner_crawl::{HostView, RunHistory};
use gleaner_frontier::OutcomeClass;
use gleaner_store::{Counts, Run, Store, StoreError, Totals};

use crate::status::report_cache::{ReportCache, ReportSummary};
use crate::status::served::ServedCorpus;
use crate::status::workers::{WorkerState, WorkersView};

pub(crate) const RUNS_SHOWN: usize = 14;

/// Maximum number of runs in the charts and in the list of runs.
pub(crate) const RUNS: usize = 60;

#[derive(Debug, Default)]
pub(crate) struct CorpusView {
    pub(crate) runs: Vec<(Run, Counts)>,
    pub(crate) hosts: Vec<HostView>,
    pub(crate) totals: Totals,
    /// The version of the corpus, with the number of the change after which it has this version. `None` during a crawl,
    /// and for a shared corpus.
    pub(crate) version: Option<(u64, CorpusVersion)>,
    /// Size in bytes of the data folder and the archive. For a shared corpus, of its files in object storage.
    pub(crate) disk: u64,
    /// `None` if the corpus is not shared.
    pub(crate) workers: Option<WorkersView>,
    /// Summaries of the last reports, newest first.
    pub(crate) reports: Vec<Arc<ReportSummary>>,
    pub(crate) newest_report: Option<Report>,
}

/// Returns the number of new documents. Like the reports, it excludes near-duplicates.
pub(crate) fn new_documents(counts: &Counts) -> u64 {
    counts.ended("stored")
}

pub(crate) fn failures(counts: &Counts) -> u64 {
    counts.of_class(OutcomeClass::is_failure)
}

pub(crate) fn duplicates(counts: &Counts) -> u64 {
    counts.of_class(|class| class == OutcomeClass::Duplicate)
}

pub(crate) fn last_counts(host: &HostView) -> Counts {
    host.counts.first().cloned().flatten().unwrap_or_default()
}

/// Returns the version of the corpus. Computes it only if the corpus has changed since the last view.
fn version(store: &Store, before: Option<&CorpusView>) -> Result<Option<(u64, CorpusVersion)>, StoreError> {
    let Some(change) = store.last_change()? else { return Ok(None) };
    let known = before.and_then(|view| view.version.clone()).filter(|(at, _)| *at == change);
    known.map_or_else(|| Ok(Some((change, store.version()?))), |known| Ok(Some(known)))
}

impl CorpusView {
    /// How long the cached view is shown before it is computed again.
    pub(crate) const MAX_AGE: Duration = Duration::from_secs(5);

    /// Computes a view. `before` is the last view, if any.
    pub(crate) fn from_corpus(
        corpus: &ServedCorpus,
        reports: &ReportCache,
        before: Option<&Self>,
        is_crawling: bool,
    ) -> Result<Self, StoreError> {
        let store = &corpus.store;
        let mut history = RunHistory::read(store, RUNS)?;
        let hosts = HostView::all(store, &corpus.config, &mut history)?;
        let mut runs = history.runs;
        runs.reverse();
        let (reports, newest_report) = reports.newest(corpus.store.folder(), RUNS);
        Ok(Self {
            runs,
            hosts,
            totals: store.totals()?,
            version: if is_crawling { None } else { version(store, before)? },
            disk: disk(corpus)?,
            workers: WorkersView::from_corpus(corpus)?,
            reports,
            newest_report,
        })
    }

    pub(crate) fn host(&self, name: &str) -> Option<&HostView> {
        self.hosts.iter().find(|host| host.record.name == name)
    }

    pub(crate) fn report_of(&self, run: &Run) -> Option<&ReportSummary> {
        let is_it =
            |summary: &&Arc<ReportSummary>| summary.run == run.number && summary.started == run.started;
        self.reports.iter().find(is_it).map(AsRef::as_ref)
    }

    pub(crate) fn workers_crawl(&self) -> bool {
        let crawls = |workers: &WorkersView| {
            workers.count(WorkerState::Working) + workers.count(WorkerState::Idle) > 0
        };
        self.workers.as_ref().is_some_and(crawls)
    }

    /// Returns the last runs with a host's counts, oldest first, at most [`RUNS_SHOWN`]. The counts are empty
    /// for a run that did not visit the host.
    pub(crate) fn runs_of(&self, host: &HostView) -> Vec<(&Run, Counts)> {
        let counts =
            host.counts.iter().cloned().chain(std::iter::repeat(None)).map(Option::unwrap_or_default);
        let newest_first = self.runs.iter().rev().map(|(run, _)| run).zip(counts).take(RUNS_SHOWN);
        let mut runs: Vec<_> = newest_first.collect();
        runs.reverse();
        runs
    }

    pub(crate) fn new_documents_by_run(&self, host: &HostView) -> Vec<u64> {
        self.runs_of(host).iter().map(|(_, counts)| new_documents(counts)).collect()
    }
}

fn disk(corpus: &ServedCorpus) -> Result<u64, StoreError> {
    let store = &corpus.store;
    if store.is_shared() {
        let files = store.archive_files().chain(store.document_files());
        return files.map(|file| Ok(file?.1.bytes)).sum();
    }
    let archive = gleaner_crawl::archive_folder(&corpus.config);
    let folders = [store.folder(), &archive];
    let apart = if archive.starts_with(store.folder()) { 1 } else { 2 };
    Ok(folders[..apart].iter().copied().map(size).sum())
}

/// Returns the size in bytes of a folder, including two levels of subfolders. Unreadable files count as 0.
fn size(folder: &std::path::Path) -> u64 {
    fn below(folder: &std::path::Path, levels: u32) -> u64 {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let one = |entry: std::fs::DirEntry| match entry.metadata() {
            Ok(file) if file.is_file() => file.len(),
            Ok(file) if file.is_dir() && levels > 0 => below(&entry.path(), levels - 1),
            _ => 0,
        };
        entries.map(one).sum()
    }
    below(folder, 2)
}
