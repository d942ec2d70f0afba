//! Computes statistics of a corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gleaner_corpus::{CorpusVersion, DistinctCounter, Document, Preference, Purpose, Usage, each_word};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{HostView, RunHistory, archive_folder};
use gleaner_store::{Counts, Run, Store, StoreError};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::commands::rebuild_store::size_of;
use crate::distributed;

#[derive(Debug, Serialize)]
pub(super) struct CorpusStats {
    pub(super) folder: String,
    /// The version of the whole corpus.
    pub(super) version: CorpusVersion,
    /// Whether only the selected documents are counted.
    pub(super) is_selection: bool,
    pub(super) documents: u64,
    pub(super) words: u64,
    /// Number of distinct words, ignoring case. It is an estimate with an error of about 1%.
    pub(super) types: Option<u64>,
    /// Number of URLs with the text of another URL. This and the next two figures are `None` for a selection.
    pub(super) duplicates: Option<u64>,
    /// Number of near-duplicates: members of clusters, without the representatives.
    pub(super) near_duplicates: Option<u64>,
    pub(super) clusters: Option<u64>,
    pub(super) last_run: Option<Run>,
    pub(super) languages: Vec<LanguageStats>,
    pub(super) days: Option<Vec<DayStats>>,
    /// The disk space of a corpus in a folder. `None` for a corpus in a database.
    pub(super) disk: Option<DiskStats>,
    pub(super) usage: Option<UsageStats>,
    pub(super) hosts: Vec<HostStats>,
}

/// Disk space in bytes.
#[derive(Debug, Serialize)]
pub(super) struct DiskStats {
    /// The WARC files.
    pub(super) archive: u64,
    /// The store: texts, URLs, hosts and templates.
    pub(super) store: u64,
    /// The search index.
    pub(super) search: u64,
    pub(super) reports: u64,
}

impl DiskStats {
    fn new(config: &Config) -> Self {
        let folder = Path::new(&config.store.path);
        let of = |name: &str| size_of(&folder.join(name));
        Self {
            archive: size_of(&archive_folder(config)),
            store: of("sled"),
            search: of("search"),
            reports: of("reports"),
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct LanguageStats {
    pub(super) language: String,
    pub(super) documents: u64,
    pub(super) words: u64,
    pub(super) types: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct DayStats {
    pub(super) day: Date,
    pub(super) documents: u64,
    pub(super) words: u64,
}

/// What is stated about the use of the documents.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct UsageStats {
    /// Number of documents by purpose and preference.
    pub(super) purposes: BTreeMap<&'static str, BTreeMap<&'static str, u64>>,
    /// Number of documents by the source and name of a statement.
    pub(super) statements: BTreeMap<String, u64>,
    /// Number of documents by crawler that robots.txt bars from their pages.
    pub(super) barred_agents: BTreeMap<String, u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct HostStats {
    pub(super) host: String,
    /// Number of documents of the host. `None` if the documents were not read.
    pub(super) documents: Option<u64>,
    /// `None` in the statistics of a selection.
    #[serde(flatten)]
    pub(super) crawl: Option<CrawlStats>,
}

/// What the crawls of a host did, and its state.
#[derive(Debug, Serialize)]
pub(super) struct CrawlStats {
    /// Number of stored documents, with those that were removed later.
    pub(super) stored: u64,
    pub(super) near_duplicates: u64,
    pub(super) duplicates: u64,
    pub(super) fetched: u64,
    pub(super) queued: u64,
    pub(super) buffered: u32,
    pub(super) template: String,
}

#[derive(Debug, Default)]
pub(super) struct DocumentPass {
    types: BTreeMap<String, DistinctCounter>,
    /// Number of documents and words by language.
    languages: BTreeMap<String, (u64, u64)>,
    /// Number of documents by host.
    hosts: BTreeMap<String, u64>,
    days: BTreeMap<Date, (u64, u64)>,
    usage: UsageStats,
}

impl DocumentPass {
    pub(super) fn add(&mut self, document: &Document) {
        let types = self.types.entry(document.language.clone()).or_default();
        let mut words = 0;
        for word in each_word(&document.text) {
            types.insert(&word.to_lowercase());
            words += 1;
        }
        let day = document.fetched.to_zoned(TimeZone::UTC).date();
        let language = self.languages.entry(document.language.clone()).or_default();
        for (documents, sum) in [self.days.entry(day).or_default(), language] {
            *documents += 1;
            *sum += words;
        }
        *self.hosts.entry(document.host.clone()).or_default() += 1;
        self.usage.add(&document.usage);
    }

    fn types(&self) -> u64 {
        let mut all = DistinctCounter::default();
        self.types.values().for_each(|types| all.merge(types));
        all.estimate()
    }

    fn days(&self) -> Vec<DayStats> {
        let day = |(&day, &(documents, words)): (&Date, &(u64, u64))| DayStats { day, documents, words };
        self.days.iter().map(day).collect()
    }
}

impl UsageStats {
    fn add(&mut self, usage: &Usage) {
        for purpose in Purpose::ALL {
            let counts = self.purposes.entry(purpose.name()).or_default();
            *counts.entry(usage.preference(purpose).name()).or_default() += 1;
        }
        let kind = |text: &String| text.split(':').next().unwrap_or_default().to_owned();
        let kinds: BTreeSet<String> = usage.use_statements.iter().map(kind).collect();
        kinds.into_iter().for_each(|kind| *self.statements.entry(kind).or_default() += 1);
        for agent in &usage.barred_agents {
            *self.barred_agents.entry(agent.clone()).or_default() += 1;
        }
    }

    /// Returns the number of documents with this preference.
    pub(super) fn count(&self, purpose: Purpose, preference: Preference) -> u64 {
        let counts = self.purposes.get(purpose.name());
        counts.and_then(|counts| counts.get(preference.name())).copied().unwrap_or_default()
    }
}

impl CorpusStats {
    /// `pass` contains the statistics that need all documents. It is `None` if the documents were not read.
    pub(super) fn new(
        store: &Store,
        config: &Config,
        pass: Option<&DocumentPass>,
    ) -> Result<Self, StoreError> {
        let totals = store.totals()?;
        Ok(Self {
            folder: distributed::store_address(config),
            version: store.version()?,
            is_selection: false,
            documents: totals.documents(),
            words: totals.words(),
            types: pass.map(DocumentPass::types),
            duplicates: Some(totals.duplicates),
            near_duplicates: Some(totals.near_duplicates),
            clusters: Some(totals.clusters),
            last_run: store.runs(1)?.pop(),
            languages: languages(&totals.languages, pass),
            days: pass.map(DocumentPass::days),
            disk: (!distributed::is_shared(config)).then(|| DiskStats::new(config)),
            usage: pass.map(|pass| pass.usage.clone()),
            hosts: hosts(store, config, pass)?,
        })
    }

    /// Returns the statistics of the selected documents, which `pass` has counted, and of their hosts.
    pub(super) fn of_selection(
        store: &Store,
        config: &Config,
        pass: &DocumentPass,
    ) -> Result<Self, StoreError> {
        let mut stats = Self::new(store, config, Some(pass))?;
        (stats.is_selection, stats.disk) = (true, None);
        (stats.duplicates, stats.near_duplicates, stats.clusters) = (None, None, None);
        stats.documents = pass.languages.values().map(|(documents, _)| documents).sum();
        stats.words = pass.languages.values().map(|(_, words)| words).sum();
        stats.languages = languages(&pass.languages, Some(pass));
        let host = |(host, count): (&String, &u64)| HostStats {
            host: host.clone(),
            documents: Some(*count),
            crawl: None,
        };
        stats.hosts = pass.hosts.iter().map(host).collect();
        Ok(stats)
    }
}

fn languages(counts: &BTreeMap<String, (u64, u64)>, pass: Option<&DocumentPass>) -> Vec<LanguageStats> {
    let language = |(tag, (documents, words)): (&String, &(u64, u64))| LanguageStats {
        language: tag.clone(),
        documents: *documents,
        words: *words,
        types: pass.and_then(|pass| pass.types.get(tag)).map(DistinctCounter::estimate),
    };
    counts.iter().filter(|(_, (documents, _))| *documents > 0).map(language).collect()
}

fn hosts(store: &Store, config: &Config, pass: Option<&DocumentPass>) -> Result<Vec<HostStats>, StoreError> {
    let counts = counts(store)?;
    let nothing = Counts::default();
    let host = |host: HostView| {
        let counts = counts.get(&host.record.name).unwrap_or(&nothing);
        let crawl = CrawlStats {
            stored: counts.ended("stored"),
            near_duplicates: counts.ended("near_duplicate"),
            duplicates: counts.ended("duplicate"),
            fetched: counts.fetched,
            queued: host.record.queued,
            buffered: host.record.buffered,
            template: host.template.to_string(),
        };
        let documents = pass.map(|pass| pass.hosts.get(&host.record.name).copied().unwrap_or_default());
        HostStats { host: host.record.name, documents, crawl: Some(crawl) }
    };
    let views = HostView::all(store, config, &mut RunHistory::default())?;
    Ok(views.into_iter().map(host).collect())
}

fn counts(store: &Store) -> Result<BTreeMap<String, Counts>, StoreError> {
    let mut all: BTreeMap<String, Counts> = BTreeMap::new();
    let last = store.last_run()?.map_or(0, |run| run.number);
    for run in 1..=last {
        for (host, counts) in store.counts(run)? {
            all.entry(host).or_default().add(&counts);
        }
    }
    Ok(all)
}
