//! Defines the records. They are encoded as MessagePack, in which the position of a field identifies it.
//!
//! A new field is added at the end of a record with `#[serde(default)]`, so older records stay readable. Any
//! other change needs a new format number.

use std::collections::BTreeMap;

use gleaner_corpus::Usage;
use gleaner_frontier::{CanonicalUrl, Outcome, OutcomeClass, RevisitSchedule, Role, UrlKey};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::StoreError;

/// A host's number within one store. Numbers keep the frontier's keys short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct HostId(pub u32);

/// A known URL with its state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UrlRecord {
    /// The canonical URL.
    pub url: String,
    /// The number of the URL's host.
    pub host: HostId,
    /// The expected kind of page: front page, section, page, feed or sitemap.
    pub role: Role,
    /// Number of links between a seed, sitemap or feed and this URL.
    pub depth: u32,
    /// Number of consecutive redirects that led to this URL.
    pub hops: u32,
    /// Number of failed attempts since the last outcome.
    pub tries: u32,
    /// The state of the URL in the frontier.
    pub state: UrlState,
    /// When the content was published, as a feed or sitemap states.
    pub dated: Option<Timestamp>,
    /// `ETag` of the last response, for a conditional request.
    pub etag: Option<String>,
    /// `Last-Modified` of the last response, for a conditional request.
    pub last_modified: Option<String>,
    /// The outcome of the last visit.
    pub last: Option<Outcome>,
    /// The URL of the document with the text of this page. `None` if the page has its own document or no
    /// text.
    pub duplicate_of: Option<UrlKey>,
    /// The position in the archive of the last response with a body.
    #[serde(default)]
    pub archived: Option<ArchivePosition>,
    /// When the URL was visited, and its revisit interval.
    #[serde(default)]
    pub revisits: RevisitSchedule,
    /// The label of the last failed attempt, such as `timeout`. `None` if no attempt failed after the last outcome.
    #[serde(default)]
    pub failure: Option<String>,
}

impl UrlRecord {
    /// Returns the URL.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] if the stored URL cannot be parsed.
    pub fn canonical_url(&self) -> Result<CanonicalUrl, StoreError> {
        CanonicalUrl::from_record(&self.url).map_err(|error| {
            let reason = format!("{}: {error}", self.url);
            StoreError::Damaged { what: "a URL", reason }
        })
    }
}

/// The position of a response in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchivePosition {
    /// Number of the archive's file.
    pub file: u32,
    /// Offset of the response's record, in bytes.
    pub offset: u64,
    /// When the response was fetched.
    pub at: Timestamp,
    /// SHA-1 of the decoded body.
    #[serde(with = "serde_bytes")]
    pub digest: [u8; 20],
    /// SHA-1 of the body as archived, if the archived body is compressed.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "serde_bytes")]
    pub payload: Option<[u8; 20]>,
}

/// The position up to which the archive is known to be on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArchiveEnd {
    /// Name of the archive's newest file.
    pub file: String,
    /// The number of bytes of the newest file that are known to be on disk.
    pub length: u64,
}

/// The state of a URL in the frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UrlState {
    /// The URL may be requested as soon as its host may be requested.
    Ready {
        /// Smaller ranks are requested earlier.
        rank: u8,
        /// Order within the rank: newer URLs first, and equally old URLs in order of discovery.
        sequence: u64,
    },
    /// The URL is due later.
    Waiting {
        /// The reason for waiting.
        wait: WaitReason,
        /// When the URL is due, in seconds since 1970.
        due: u64,
        /// The URL's rank once it is due.
        rank: u8,
    },
    /// An article with a raw page that is kept until its host's template is trained.
    #[serde(rename = "Gathered")]
    Buffered {
        /// Order of buffering within the host.
        sequence: u64,
    },
    /// The visit has ended, and no further visit is planned.
    Done,
    /// Like `Done`, but the raw page is stored for a later extraction.
    Kept,
}

/// The reason why a URL waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitReason {
    /// A retry.
    Retry,
    /// The next visit of a URL.
    Revisit,
}

/// The state of a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HostRecord {
    /// The host's number.
    pub id: HostId,
    /// The host's name, with its port if it is not the default.
    pub name: String,
    /// The host's registrable domain.
    pub domain: String,
    /// The next sequence number. Each URL that becomes ready or buffered gets a sequence number.
    pub sequence: u64,
    /// Number of URLs that are ready or waiting.
    pub queued: u64,
    /// Number of buffered articles that were not yet used for training.
    pub buffered: u32,
    /// Version of the newest template, or 0 if there is no template.
    pub template: u32,
    /// The end of the host's back-off. [`HostRecord::hold_until`] extends it.
    pub held_until: Option<Timestamp>,
    /// Whether the newest template is outdated, and pages are buffered for a new one.
    #[serde(default)]
    pub outdated: bool,
    /// Whether the user has paused requests to the host.
    #[serde(default)]
    pub paused: bool,
    /// Number of visits to articles that a feed or sitemap announced as changed. When this number is large,
    /// it is halved together with `confirmed_updates`.
    #[serde(default)]
    pub announced_updates: u32,
    /// Number of the visits in `announced_updates` in which the article had changed.
    #[serde(default)]
    pub confirmed_updates: u32,
}

impl HostRecord {
    /// Creates the record of a host without URLs and without a template.
    #[must_use]
    pub fn new(id: HostId, name: &str, domain: &str) -> Self {
        Self {
            id,
            name: name.into(),
            domain: domain.into(),
            sequence: 0,
            queued: 0,
            buffered: 0,
            template: 0,
            held_until: None,
            outdated: false,
            paused: false,
            announced_updates: 0,
            confirmed_updates: 0,
        }
    }

    /// Extends the host's back-off to `end`. A back-off that ends later is kept: a 429 without `Retry-After`
    /// must not shorten the wait that an earlier response asked for.
    pub fn hold_until(&mut self, end: Timestamp) {
        self.held_until = self.held_until.max(Some(end));
    }
}

/// A raw page that is stored for training or for a later extraction.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RawPage {
    /// The body's bytes, after removal of content codings such as gzip, but before character decoding.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
    /// The `Content-Type` header.
    pub content_type: Option<String>,
    /// When the page was fetched.
    pub fetched: Timestamp,
    /// What was stated about the use of the page.
    #[serde(default)]
    pub usage: Usage,
}

/// The counts of one host in one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Number of ended visits, by [`Outcome::reason`].
    pub outcomes: BTreeMap<String, u64>,
    /// Number of links that were not followed, by the label of the reason.
    pub refused: BTreeMap<String, u64>,
    /// Number of responses with a body.
    pub fetched: u64,
    /// Total size of the response bodies, in bytes.
    pub bytes: u64,
    /// Total duration of the visits in milliseconds. A visit begins with the dispatch of its URL.
    #[serde(default)]
    pub millis: u64,
    /// Number of requests, including retries and redirects but not robots.txt. 0 in a replay.
    #[serde(default)]
    pub requests: u64,
    /// Number of sitemaps and feeds that were not read, by role and reason, such as
    /// `sitemap is not readable: gone: http_404`.
    #[serde(default)]
    pub broken_lists: BTreeMap<String, u64>,
}

/// One run of the crawl.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The run's number. The first run is 1.
    pub number: u32,
    /// When the run began.
    pub started: Timestamp,
    /// When the run ended normally. `None` if it is in progress or was interrupted.
    pub ended: Option<Timestamp>,
    /// Whether the run read an archive instead of the network.
    #[serde(default)]
    pub replayed: bool,
}

/// The position up to which the archive was re-extracted in a partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reextracted {
    /// Number of the run that re-extracts. A later run starts again from the beginning.
    pub run: u32,
    /// A digest of the settings of the re-extraction. If the settings change, the re-extraction starts again
    /// from the beginning.
    pub settings: String,
    /// The number of the archive file in progress. All earlier files are done.
    pub file: u32,
    /// The position in that file, in bytes.
    pub offset: u64,
}

/// Sums over the whole corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Number of documents and of words, by language.
    pub languages: BTreeMap<String, (u64, u64)>,
    /// Number of URLs whose text is stored under another URL.
    pub duplicates: u64,
    /// Number of members of clusters, without the representatives.
    #[serde(default)]
    pub near_duplicates: u64,
    /// Number of clusters with at least one document besides the representative.
    #[serde(default)]
    pub clusters: u64,
    /// How many numbers were assigned to documents and clusters so far.
    #[serde(default)]
    pub numbers: u32,
}

impl Totals {
    pub(crate) fn add(&mut self, other: &Self) {
        for (language, (documents, words)) in &other.languages {
            let sum = self.languages.entry(language.clone()).or_default();
            sum.0 += documents;
            sum.1 += words;
        }
        self.duplicates += other.duplicates;
        self.near_duplicates += other.near_duplicates;
        self.clusters += other.clusters;
        self.numbers = self.numbers.saturating_add(other.numbers);
    }

    /// Returns the number of documents in the corpus.
    #[must_use]
    pub fn documents(&self) -> u64 {
        self.languages.values().map(|(documents, _)| documents).sum()
    }

    /// Returns the number of words in the corpus.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.languages.values().map(|(_, words)| words).sum()
    }
}

impl Counts {
    /// Adds another host's or run's counts.
    pub fn add(&mut self, other: &Self) {
        for (into, from) in [
            (&mut self.outcomes, &other.outcomes),
            (&mut self.refused, &other.refused),
            (&mut self.broken_lists, &other.broken_lists),
        ] {
            for (label, count) in from {
                *into.entry(label.clone()).or_default() += count;
            }
        }
        self.fetched += other.fetched;
        self.bytes += other.bytes;
        self.millis += other.millis;
        self.requests += other.requests;
    }

    /// Returns the number of visits that ended with this [`Outcome::label`].
    #[must_use]
    pub fn ended(&self, label: &str) -> u64 {
        let of = |reason: &str| reason.split(": ").next() == Some(label);
        self.outcomes.iter().filter(|(reason, _)| of(reason)).map(|(_, count)| count).sum()
    }

    /// Returns the number of visits with an outcome of a class for which `is_wanted` returns true.
    #[must_use]
    pub fn of_class(&self, is_wanted: impl Fn(OutcomeClass) -> bool) -> u64 {
        let is_wanted = |reason: &str| OutcomeClass::from_reason(reason).is_some_and(&is_wanted);
        self.outcomes.iter().filter(|(reason, _)| is_wanted(reason)).map(|(_, count)| count).sum()
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PackedInfo {
    pub(crate) document: gleaner_corpus::Document,
    #[serde(with = "serde_bytes")]
    pub(crate) text: Vec<u8>,
}

/// Returns the id of a URL's document.
#[must_use]
pub fn document_id(url: UrlKey) -> gleaner_corpus::DocumentId {
    gleaner_corpus::DocumentId(*url.as_bytes())
}

pub(crate) fn encode<T: Serialize>(record: &T) -> Vec<u8> {
    rmp_serde::to_vec(record).expect("records are plain data, which MessagePack can always hold")
}

pub(crate) fn decode<T: DeserializeOwned>(what: &'static str, bytes: &[u8]) -> Result<T, StoreError> {
    rmp_serde::from_slice(bytes).map_err(|error| StoreError::Damaged { what, reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::Preference;

    use super::*;

    #[test]
    fn totals_of_stores_without_clusters_are_read() {
        let languages = BTreeMap::from([("vi".to_owned(), (3_u64, 700_u64))]);
        let totals: Totals = decode("the totals", &encode(&(languages, 5_u64))).unwrap();
        assert_eq!((totals.documents(), totals.words(), totals.duplicates), (3, 700, 5));
        assert_eq!((totals.near_duplicates, totals.clusters, totals.numbers), (0, 0, 0));
    }

    #[test]
    fn usage_of_which_nothing_is_stated_takes_one_byte() {
        assert_eq!(encode(&Usage::default()).len(), 1);
        let at: Timestamp = "2026-11-20T02:00:00.000007Z".parse().unwrap();
        let usage = Usage {
            use_train_ai: Preference::Disallow,
            use_search: Preference::Allow,
            use_tdm: Preference::Disallow,
            use_statements: vec!["header Content-Usage: train-ai=n".into()],
            barred_agents: vec!["CCBot".into()],
            robots_fetched: Some(at),
            ..Usage::default()
        };
        assert_eq!(decode::<Usage>("a usage", &encode(&usage)).unwrap(), usage);
        let barred =
            Usage { barred_agents: vec!["CCBot".into()], robots_fetched: Some(at), ..Usage::default() };
        assert_eq!(encode(&barred).len(), 20);
    }

    #[test]
    fn raw_pages_of_older_stores_are_read() {
        let older = (serde_bytes::Bytes::new(b"<p>"), Some("text/html"), Timestamp::UNIX_EPOCH);
        let page: RawPage = decode("a raw page", &encode(&older)).unwrap();
        assert_eq!((page.body.as_slice(), page.usage), (&b"<p>"[..], Usage::default()));
    }

    #[test]
    fn a_back_off_is_never_shortened() {
        let mut host = HostRecord::new(HostId(1), "a.example", "a.example");
        let [early, late] = ["2026-11-28T01:00:00Z", "2026-11-28T02:00:00Z"].map(|at| at.parse().unwrap());
        for (end, expected) in [(early, early), (late, late), (early, late)] {
            host.hold_until(end);
            assert_eq!(host.held_until, Some(expected));
        }
    }
}
