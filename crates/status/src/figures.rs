//! Caches figures of hosts and runs for all pages.
//!
//! Limitation: a "night" in names here is a run; two runs in one night are two bars.

use std::collections::BTreeMap;
use std::time::Duration;

use gleaner_fetch::RobotsRecord;
use gleaner_frontier::{Class, UrlKey};
use gleaner_store::{Counts, HostRecord, Run, StoreError, Totals};
use gleaner_template::Window;
use jiff::Timestamp;

use crate::site::Corpus;
use crate::workers::Workers;

pub(crate) const NIGHTS: usize = 14;

const RUNS: usize = 60;

#[derive(Debug, Default)]
pub(crate) struct Figures {
    /// The last runs with their totals, the oldest first.
    pub(crate) runs: Vec<(Run, Counts)>,
    /// All hosts, sorted by name.
    pub(crate) hosts: Vec<HostFigures>,
    pub(crate) totals: Totals,
    /// Bytes of the data folder and of the archive; for a shared corpus, of its files in object storage.
    pub(crate) disk: u64,
    /// `None` if the corpus is not shared.
    pub(crate) workers: Option<Workers>,
}

#[derive(Debug, Clone)]
pub(crate) struct HostFigures {
    pub(crate) record: HostRecord,
    pub(crate) nights: Vec<Counts>,
    /// How many of the last pages do not match the template, and the number of those pages.
    pub(crate) unlike: (usize, usize),
    pub(crate) success: Option<Timestamp>,
    pub(crate) gap: Duration,
}

/// New documents, without near-duplicates, as in the reports.
pub(crate) fn new(counts: &Counts) -> u64 {
    counts.ended("stored")
}

pub(crate) fn failures(counts: &Counts) -> u64 {
    counts.of_class(Class::is_failure)
}

pub(crate) fn duplicates(counts: &Counts) -> u64 {
    counts.of_class(|class| class == Class::Duplicate)
}

impl Figures {
    /// Time until cached figures are recomputed.
    pub(crate) const FRESH: Duration = Duration::from_secs(5);

    pub(crate) fn from_corpus(corpus: &Corpus) -> Result<Self, StoreError> {
        let store = &corpus.store;
        let mut last = store.runs(RUNS)?;
        last.reverse();
        let nights = last.len().saturating_sub(NIGHTS);
        let mut by_host: BTreeMap<String, Vec<Counts>> = BTreeMap::new();
        let mut success: BTreeMap<String, Timestamp> = BTreeMap::new();
        let (mut runs, shown) = (Vec::new(), last.len() - nights);
        for (at, run) in last.into_iter().enumerate() {
            let mut all = Counts::default();
            for (host, counts) in store.counts(run.number)? {
                all.add(&counts);
                if new(&counts) > 0 {
                    success.insert(host.clone(), run.started);
                }
                if at >= nights {
                    by_host.entry(host).or_insert_with(|| vec![Counts::default(); shown])[at - nights] =
                        counts;
                }
            }
            runs.push((run, all));
        }
        let host = |record: Result<HostRecord, StoreError>| {
            let record = record?;
            let window: Window<UrlKey> = store.health(&record.name)?.unwrap_or_default();
            Ok(HostFigures {
                nights: by_host.remove(&record.name).unwrap_or_else(|| vec![Counts::default(); shown]),
                unlike: (window.unlike().count(), window.len()),
                success: success.get(&record.name).copied(),
                gap: gap(corpus, &record)?,
                record,
            })
        };
        let hosts = store.hosts().map(host).collect::<Result<_, StoreError>>()?;
        Ok(Self {
            runs,
            hosts,
            totals: store.totals()?,
            disk: disk(corpus)?,
            workers: Workers::from_corpus(corpus)?,
        })
    }

    pub(crate) fn host(&self, name: &str) -> Option<&HostFigures> {
        self.hosts.iter().find(|host| host.record.name == name)
    }

    /// The last runs, at most [`NIGHTS`].
    pub(crate) fn nights(&self) -> &[(Run, Counts)] {
        &self.runs[self.runs.len().saturating_sub(NIGHTS)..]
    }
}

fn gap(corpus: &Corpus, host: &HostRecord) -> Result<Duration, StoreError> {
    let fetch = &corpus.config.fetch;
    let robots = corpus.store.robots::<RobotsRecord>(&host.name)?;
    let asked = robots.and_then(|robots| robots.rules(fetch.product()).crawl_delay()).unwrap_or_default();
    Ok(fetch.delay.get().max(asked.min(fetch.max_crawl_delay.get())))
}

fn disk(corpus: &Corpus) -> Result<u64, StoreError> {
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

/// Bytes of the files in a folder, two levels deep; unreadable files count as 0.
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

impl HostFigures {
    pub(crate) fn last(&self) -> Counts {
        self.nights.last().cloned().unwrap_or_default()
    }

    pub(crate) fn news(&self) -> Vec<u64> {
        self.nights.iter().map(new).collect()
    }

    /// Whether the template needs attention: out of date, or many pages do not match it.
    pub(crate) fn is_unwell(&self) -> bool {
        self.record.outdated || self.unlike.0 * 3 >= self.unlike.1.max(1)
    }
}
