//! Defines all settings, each with its unit, its default and its check.
//!
//! Each table of the settings file has a struct: [`FetchSettings`], [`CrawlSettings`], [`TemplateSettings`],
//! [`TextSettings`], [`CorpusSettings`], [`StoreSettings`], [`WorkerSettings`], [`ArchiveSettings`],
//! [`ReportSettings`], [`ScheduleSettings`], [`LogSettings`], [`DemoSettings`] and
//! [`SitesSettings`]. [`read`] applies a file and `--set key=value` pairs to the defaults and checks the
//! result. Therefore the rest of the program gets only valid values. `config/default.toml` documents the
//! keys. A test checks that this file contains all keys with their defaults.
//!
//! Relative paths in a file are relative to the folder of the file. Relative paths in `--set` pairs are
//! relative to the working directory. The rules with which users correct templates (pins) are in a separate
//! file for each host ([`read_pins`]). This module reads no file, environment or command line: the program does.

mod method;
mod paths;
mod pins;
mod reader;
mod schedule;
mod site;
mod storage;

pub use gleaner_fetch::settings::{ByteSize, DurationSetting, FetchSettings, GapScope, StartDay};
pub use pins::{PinsFile, SettingText, read_pins};
pub use reader::{ConfigError, ConfigFile, read};
pub use schedule::{Notify, ReportSettings, ScheduleSettings};
pub use site::{SiteSettings, SitesSettings};
pub use storage::{ArchiveSettings, StoreSettings, WorkerSettings};

use gleaner_corpus::dedup::{Representative, SimilarityParams};
use gleaner_corpus::{Extra, Insert, Method, Purpose, Tones};
use serde::{Deserialize, Serialize};

/// All settings.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How pages are requested.
    pub fetch: FetchSettings,
    /// Which pages are requested, and when a run ends.
    pub crawl: CrawlSettings,
    /// How a host's template is trained.
    pub template: TemplateSettings,
    /// What counts as the body text of an article.
    pub text: TextSettings,
    /// Which documents enter the corpus, in which form, and how duplicates are detected.
    pub corpus: CorpusSettings,
    /// The location and options of the store.
    pub store: StoreSettings,
    /// The workers that share a database. `cluster` is an older name of this table.
    #[serde(alias = "cluster")]
    pub workers: WorkerSettings,
    /// Whether and how responses are archived.
    pub archive: ArchiveSettings,
    /// Reports of ended runs, and notifications.
    pub report: ReportSettings,
    /// When `gleaner schedule` starts crawls.
    pub schedule: ScheduleSettings,
    /// Logging.
    pub log: LogSettings,
    /// The bundled test newspaper.
    pub demo: DemoSettings,
    /// Settings of single sites.
    pub site: SitesSettings,
}

/// The part of a site that a seed with a path covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeedScope {
    /// The whole registrable domain.
    Site,
    /// The pages at and below the seed's path, and the feeds and sitemaps of the registrable domain.
    Section,
}

/// Something that a page may ask of crawlers, in `<meta name=robots>` or in the header `X-Robots-Tag`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RobotsDirective {
    /// The article on the page is not stored. Its links are followed.
    Noindex,
    /// The links of the page are not followed. Its article is stored.
    Nofollow,
}

/// Settings that select the pages to request and decide when a run ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CrawlSettings {
    /// Seed files to read if the command line has no seeds.
    pub seeds: Vec<String>,
    /// What a seed with a path, such as `bbc.com/news`, covers.
    pub scope: SeedScope,
    /// The first wanted day of publication. Articles that are known to be older are not fetched. Articles
    /// that turn out to be older only after fetching are not stored.
    pub published_after: StartDay,
    /// What pages may ask of the crawl. Other requests of pages are ignored. If empty, all are ignored.
    pub robots_meta: Vec<RobotsDirective>,
    /// Whether to request `/.well-known/tdmrep.json` of each host once a day, after its robots.txt. The file states whether
    /// the rights of text and data mining are reserved.
    pub tdmrep: bool,
    /// Maximum number of links that a crawl follows one after another from a seed, sitemap or feed to a URL.
    pub max_depth: u32,
    /// Maximum number of pages per host and run. Further pages wait for the next run. 0 means no limit.
    pub max_pages_per_host: u64,
    /// Maximum number of ready and waiting URLs of one site (registrable domain). Further URLs are not added.
    /// 0 means no limit.
    pub max_queued_per_site: u64,
    /// Whether a crawl stops requesting the links of a host that give nothing new, such as the days of an
    /// endless calendar, and removes session ids from links.
    pub skip_traps: bool,
    /// Maximum decompressed size of the bodies read from one site in one run. Further URLs of the site wait
    /// for the next run. 0 means no limit.
    pub max_bytes_per_site: ByteSize,
    /// Maximum number of pages requested from all hosts in one run, including pages that fail or do not
    /// exist. 0 means no limit.
    pub max_pages: u64,
    /// Maximum duration of a run. 0s means no limit.
    pub max_time: DurationSetting,
    /// How long a run waits for retries and back-offs. URLs whose wait is longer are left to the next run. If
    /// a host's robots.txt cannot be read, the run waits only if the host has a seed, and only for one retry.
    /// In its first ten minutes, a crawl of `gleaner schedule` or `gleaner serve` waits for all retries.
    pub linger: DurationSetting,
    /// Shortest time between two visits of a front page, section, feed or sitemap. If visits find no new
    /// URLs, the time becomes longer.
    pub revisit: DurationSetting,
    /// If a feed or sitemap reports that an article has changed, the article is fetched again, but only
    /// within this time after its first visit. 0s means never.
    pub recheck_window: DurationSetting,
    /// Every article is fetched again when it reaches each of these ages, counted from its first visit. If
    /// empty, articles are fetched again only if a change is reported.
    pub recheck: Vec<DurationSetting>,
    /// Number of threads that parse and extract. 0 means one per core.
    pub workers: usize,
    /// Time between two lines of progress if the output is not a terminal.
    pub progress: DurationSetting,
}

/// Settings for the training of templates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TemplateSettings {
    /// The method for learning and applying templates: [`Method::Template`] or a published one that learns from a site.
    #[serde(with = "method")]
    pub method: Method,
    /// Number of buffered article pages at which a host's template is trained. The paper
    /// (FastContentExtractor) uses 20 to 30.
    pub prepare_pages: usize,
    /// Minimum number of buffered pages to train a host's template at the end of a run. With fewer pages,
    /// each page is extracted without a template.
    pub min_pages: usize,
    /// Folder with pins, the rules with which users correct templates. Each host with pins has a file
    /// `HOST.toml` ([`read_pins`]). A missing folder is an error, unless it is the default folder. If this
    /// value is empty, there are no pins.
    pub pins: String,
}

/// Settings for the parts of a page that are kept in addition to the body text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TextSettings {
    /// Kinds of additional lines to keep in the body text, such as captions. Other kinds are removed.
    pub keep: Vec<Insert>,
    /// Parts of a page to keep in separate fields.
    pub also: Vec<Extra>,
}

/// Settings for the documents of the corpus: selection, form, detection of duplicates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CorpusSettings {
    /// BCP 47 primary tags such as `vi`. Documents in other languages are omitted. `und` means an unknown
    /// language. If empty, all languages are accepted.
    pub languages: Vec<String>,
    /// Conditions such as `words >= 50` on a document's measured values. All of them must hold.
    pub keep_if: Vec<String>,
    /// Purposes for which the site and the page of a document must not disallow its use. If empty, statements on
    /// use do not decide which documents are stored.
    pub allowed: Vec<Purpose>,
    /// Crawlers by their names in robots.txt. Each document records which of them robots.txt bars from its page.
    pub agents: Vec<String>,
    /// Where tone marks are placed in Vietnamese texts and titles.
    pub tones: Tones,
    /// The kinds of duplicates that are detected when a document is stored.
    pub duplicates: Vec<DuplicateKind>,
    /// Minimum similarity of near-duplicates, from 0.3 to 1.
    pub similarity: f64,
    /// How the representative of a cluster is chosen.
    pub head: Representative,
    /// Size of the index of near-duplicates, in its file or in the memory of a worker. A full index gradually forgets the
    /// oldest documents.
    pub index_memory: ByteSize,
}

/// A kind of duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DuplicateKind {
    /// The normalized texts are equal.
    Exact,
    /// The texts are similar.
    Near,
}

/// Settings for the log on standard error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSettings {
    /// Minimum level of gleaner's own messages, or a filter such as `error,gleaner_crawl=debug`.
    pub level: String,
    /// Whether each message is one line of JSON instead of text.
    pub json: bool,
}

/// Settings for the bundled test newspaper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DemoSettings {
    /// Whether to serve the bundled newspaper on loopback, and to crawl it instead of the seeds.
    pub newspaper: bool,
}

impl Default for CrawlSettings {
    fn default() -> Self {
        Self {
            seeds: Vec::new(),
            scope: SeedScope::Site,
            published_after: StartDay::default(),
            robots_meta: vec![RobotsDirective::Noindex, RobotsDirective::Nofollow],
            tdmrep: true,
            max_depth: 12,
            max_pages_per_host: 10_000,
            max_queued_per_site: 500_000,
            skip_traps: true,
            max_bytes_per_site: ByteSize::mebibytes(4096),
            max_pages: 0,
            max_time: DurationSetting::seconds(0),
            linger: DurationSetting::seconds(60),
            revisit: DurationSetting::seconds(90 * 60),
            recheck_window: DurationSetting::seconds(3 * 86_400),
            recheck: Vec::new(),
            workers: 0,
            progress: DurationSetting::seconds(10),
        }
    }
}

impl Default for TemplateSettings {
    fn default() -> Self {
        let method = Method::Template;
        Self { method, prepare_pages: 25, min_pages: 5, pins: "config/pins".into() }
    }
}

impl Default for CorpusSettings {
    fn default() -> Self {
        Self {
            languages: Vec::new(),
            keep_if: Vec::new(),
            allowed: Vec::new(),
            agents: ["CCBot", "GPTBot", "Google-Extended", "ClaudeBot"].map(str::to_owned).into(),
            tones: Tones::AsWritten,
            duplicates: vec![DuplicateKind::Exact, DuplicateKind::Near],
            similarity: SimilarityParams::DUPLICATE,
            head: Representative::First,
            index_memory: ByteSize::mebibytes(64),
        }
    }
}

impl Default for LogSettings {
    fn default() -> Self {
        Self { level: "warn".into(), json: false }
    }
}
