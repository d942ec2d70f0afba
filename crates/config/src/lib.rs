//! What a user may set: every key with its unit, its default and its check.
//!
//! One struct a table of the file: [`Fetch`], [`Crawl`], [`Template`], [`Text`], [`Corpus`],
//! [`Store`], [`Archive`], [`Report`], [`Schedule`], [`Log`],
//! [`Telemetry`], [`Demo`]. [`read`] lays a file and `--set key=value` pairs over the defaults and checks the whole, so that the rest of the program is handed
//! values that make sense. `config/default.toml` documents the keys; a test here
//! holds it complete and equal to the defaults in this file.
//!
//! What a user says of one host's pages is a file of its own ([`read_pins`]).
//!
//! What it does not do: look at the environment or at the command line.

mod keeping;
mod nights;
mod pins;
mod read;
mod units;

pub use keeping::{Archive, Cluster, Store};
pub use nights::{Notify, Report, Schedule};
pub use pins::{PinsFile, Written, read_pins};
pub use read::{ConfigError, Origin, read};
pub use units::{Bytes, Span};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

/// Everything a user may set.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How pages are asked for.
    pub fetch: Fetch,
    /// Which pages are asked for and when a run ends.
    pub crawl: Crawl,
    /// How a host's template is learned.
    pub template: Template,
    /// What the text of an article is.
    pub text: Text,
    /// Which documents enter the corpus, in which form, and which of them are one.
    pub corpus: Corpus,
    /// Where and how the corpus is kept.
    pub store: Store,
    /// What a worker is to others.
    pub cluster: Cluster,
    /// Whether and how answers are kept as they came.
    pub archive: Archive,
    /// What is said about a run that has ended, and to whom.
    pub report: Report,
    /// When `gleaner schedule` crawls.
    pub schedule: Schedule,
    /// What is logged.
    pub log: Log,
    /// Spans for a collector of traces.
    pub telemetry: Telemetry,
    /// The bundled newspaper.
    pub demo: Demo,
}

/// How pages are asked for: identity, politeness, limits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Fetch {
    /// Pause between the end of one answer and the next request to the same
    /// registrable domain (or host, see [`Fetch::gap_scope`]). A larger
    /// `Crawl-delay` in robots.txt wins.
    pub delay: Span,
    /// Who shares a gap.
    pub gap_scope: GapScope,
    /// The largest `Crawl-delay` that is honoured; a larger one counts as this.
    pub max_crawl_delay: Span,
    /// The `User-Agent` header; its part before the first `/` or space is the
    /// name looked for in robots.txt.
    pub user_agent: String,
    /// A mail address or a web page at which a site's owner reaches you; added
    /// to the user agent in brackets. Empty: nothing is added.
    pub contact: String,
    /// HTTP proxy for all requests, such as `http://127.0.0.1:8090`. Empty: the
    /// usual environment variables decide.
    pub proxy: String,
    /// Requests in flight at once, over all hosts.
    pub concurrency: usize,
    /// Limit for a whole request: connecting, headers and body.
    pub timeout: Span,
    /// Limit for opening a connection.
    pub connect_timeout: Span,
    /// Largest page, after decompression.
    pub max_page: Bytes,
    /// Largest sitemap or feed, after decompression.
    pub max_sitemap: Bytes,
    /// How often a failed URL is tried again before it is recorded as failed.
    pub retries: u32,
    /// Pause before the first retry; doubles with each further one.
    pub retry_backoff: Span,
    /// Hops of redirects that are followed.
    pub max_redirects: u32,
    /// Addresses that may be asked although they are loopback, private or
    /// link-local, as networks in CIDR form.
    pub allow_addresses: Vec<IpNet>,
}

/// Which hosts share one gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GapScope {
    /// All hosts of one registrable domain together.
    Domain,
    /// Each host for itself.
    Host,
}

/// Which pages are asked for and when a run ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Crawl {
    /// Files of seed sites, read when the command line names none.
    pub seeds: Vec<String>,
    /// Links away from a seed, sitemap or feed at which following ends.
    pub max_depth: u32,
    /// Pages fetched from one host in one run; the rest waits for the next run.
    /// 0: no limit.
    pub max_pages_per_host: u64,
    /// URLs of one site (registrable domain) that are ready or waiting; more are not
    /// taken in. 0: no limit.
    pub max_queued_per_site: u64,
    /// Bytes of bodies, decompressed, read from one site in one run; the rest waits for
    /// the next run. 0: no limit.
    pub max_bytes_per_site: Bytes,
    /// Pages fetched in one run from all hosts together; then it ends. 0: no limit.
    pub max_pages: u64,
    /// A run ends after this time. 0s: no limit.
    pub max_time: Span,
    /// The run waits this long for retries that are not yet due, then ends and
    /// leaves them to the next run.
    pub linger: Span,
    /// The shortest time after which front pages, sections, feeds and sitemaps are asked
    /// again; what gives nothing new is asked more seldom.
    pub revisit: Span,
    /// An article is asked again when a feed or sitemap says that it has changed, until
    /// so long after its first visit.
    pub recheck_window: Span,
    /// Ages, from the first visit, at which every article is asked again. Empty: none is
    /// without a reason.
    pub recheck: Vec<Span>,
    /// Threads that parse and extract. 0: one a core.
    pub workers: usize,
    /// Where no terminal is watched, a line of progress is printed this often.
    pub progress: Span,
}

/// How a host's template is learned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Template {
    /// Article pages gathered before a host's template is learned (20 to 30 in
    /// the paper).
    pub prepare_pages: usize,
    /// At the end of a run a host with at least this many gathered pages is
    /// learned from what there is; with fewer, its pages are extracted one by one.
    pub min_pages: usize,
    /// Folder of the pins: a file `HOST.toml` for each host that has any
    /// ([`read_pins`]). The default one need not exist. Empty: pins are not looked for.
    pub pins: String,
}

/// What the text of an article is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Text {
    /// Lines in the body that are left out unless they are named here.
    pub keep: Vec<Insert>,
}

/// Lines in an article's body that are no text of it, but may be wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Insert {
    /// What stands below a picture.
    Captions,
    /// Whose picture it is.
    Credits,
    /// Who wrote the article, when, from which source.
    ByLines,
    /// Pointers to other stories between paragraphs.
    ReadMore,
}

/// Which documents enter the corpus, in which form, and which of them are one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Corpus {
    /// BCP 47 primary tags such as `vi`; documents in other languages are kept out. `und`
    /// stands for those of which it cannot be told. Empty: all enter.
    pub languages: Vec<String>,
    /// Conditions such as `words >= 50` that must hold of a document's figures. Empty: all
    /// enter.
    pub keep_if: Vec<String>,
    /// Where tone marks stand in Vietnamese texts and titles.
    pub tones: Tones,
    /// Which duplicates are looked for as documents are stored.
    pub duplicates: Vec<Duplicate>,
    /// Similarity from which a text is a near-duplicate, 0.3 to 1.
    pub similarity: f64,
    /// Which document of a cluster of near-duplicates stands for it.
    pub head: Head,
    /// Memory for the index in which near-duplicates are found.
    pub index_memory: Bytes,
    /// Days after which the index of near-duplicates in a database forgets a document.
    pub index_days: u32,
}

/// A level of likeness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Duplicate {
    /// The same text.
    Exact,
    /// Nearly the same.
    Near,
}

/// Which document of a cluster stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Head {
    /// The one that came first.
    First,
    /// The one with the most words.
    Longest,
}

/// Where tone marks stand in open `oa`, `oe` and `uy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tones {
    /// Where the page has them.
    #[default]
    AsWritten,
    /// On the first vowel: `hòa`.
    Old,
    /// On the second: `hoà`.
    New,
}

/// What is logged, on standard error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// Level of our own messages, or a filter such as `error,gleaner_crawl=debug`.
    pub level: String,
    /// One JSON object a line instead of text.
    pub json: bool,
}

/// Spans for a collector of traces.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telemetry {
    /// Where spans are sent, by OTLP over HTTP: the whole URL, such as
    /// `http://127.0.0.1:4318/v1/traces`. Empty: they are not made.
    pub endpoint: String,
}

/// The bundled newspaper.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Demo {
    /// Serve the bundled newspaper on loopback for as long as the crawl runs,
    /// and crawl it instead of the seeds.
    pub newspaper: bool,
}

impl Default for Fetch {
    fn default() -> Self {
        Self {
            delay: Span::seconds(5),
            gap_scope: GapScope::Domain,
            max_crawl_delay: Span::seconds(120),
            user_agent: concat!("gleaner/", env!("CARGO_PKG_VERSION")).into(),
            contact: String::new(),
            proxy: String::new(),
            concurrency: 64,
            timeout: Span::seconds(60),
            connect_timeout: Span::seconds(15),
            max_page: Bytes::mebibytes(5),
            max_sitemap: Bytes::mebibytes(50),
            retries: 3,
            retry_backoff: Span::seconds(10),
            max_redirects: 5,
            allow_addresses: Vec::new(),
        }
    }
}

impl Default for Crawl {
    fn default() -> Self {
        Self {
            seeds: vec!["seeds/vietnamese.txt".into(), "seeds/english.txt".into()],
            max_depth: 12,
            max_pages_per_host: 10_000,
            max_queued_per_site: 500_000,
            max_bytes_per_site: Bytes::mebibytes(4096),
            max_pages: 0,
            max_time: Span::seconds(0),
            linger: Span::seconds(60),
            revisit: Span::seconds(90 * 60),
            recheck_window: Span::seconds(3 * 86_400),
            recheck: Vec::new(),
            workers: 0,
            progress: Span::seconds(10),
        }
    }
}

impl Default for Template {
    fn default() -> Self {
        Self { prepare_pages: 25, min_pages: 5, pins: "config/pins".into() }
    }
}

impl Default for Corpus {
    fn default() -> Self {
        Self {
            languages: Vec::new(),
            keep_if: Vec::new(),
            tones: Tones::AsWritten,
            duplicates: vec![Duplicate::Exact, Duplicate::Near],
            similarity: 0.5,
            head: Head::First,
            index_memory: Bytes::mebibytes(64),
            index_days: 30,
        }
    }
}

impl Default for Log {
    fn default() -> Self {
        Self { level: "warn".into(), json: false }
    }
}

impl Fetch {
    /// The `User-Agent` header with the contact, as RFC 9110 section 10.1.5 has it.
    #[must_use]
    pub fn agent(&self) -> String {
        if self.contact.is_empty() {
            self.user_agent.clone()
        } else {
            format!("{} (+{})", self.user_agent, self.contact)
        }
    }

    /// The product token that is looked for in robots.txt (RFC 9309, 2.2.1).
    #[must_use]
    pub fn product(&self) -> &str {
        self.user_agent.split(['/', ' ']).next().unwrap_or_default()
    }
}
