//! Reads a store, even while a writer changes it.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use gleaner_corpus::{CorpusVersion, Document, DocumentId, VersionHasher};
use gleaner_frontier::{CanonicalUrl, UrlKey};
use serde::de::DeserializeOwned;

use crate::change::robots_name;
use crate::engine::postgres::Postgres;
use crate::engine::{Engine, Range, Scan, unlisted};
use crate::lock::Lock;
use crate::packed::{unpack_at, unpack_page};
use crate::partitions::Partitions;
use crate::records::decode;
use crate::workers::WorkerHandle;
use crate::{
    ArchiveEnd, ArchivePosition, HostId, HostRecord, PartitionId, RawPage, Reextracted, StoreError, Totals,
    UrlRecord, Writer, keys,
};

/// The record of a URL and its raw page. Each is `None` if it does not exist.
pub type UrlWithPage = Result<(Option<UrlRecord>, Option<RawPage>), StoreError>;

/// A handle for reading a store. Clones are cheap and may be sent to other threads.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) engine: Arc<dyn Engine>,
    pub(crate) partitions: Partitions,
    pub(crate) folder: Arc<Path>,
    /// The lock of the folder. It is held while a handle exists.
    pub(crate) lock: Arc<Lock>,
    /// The shared database. `None` if only one process uses the store.
    pub(crate) distributed: Option<Postgres>,
    /// The worker. It renews its leases while a handle exists.
    pub(crate) worker: Option<Arc<WorkerHandle>>,
}

impl Store {
    pub(crate) fn whole(engine: Arc<dyn Engine>, folder: &Path, lock: Arc<Lock>) -> Self {
        let folder = Arc::from(folder);
        Self { engine, partitions: Partitions::Whole, folder, lock, distributed: None, worker: None }
    }

    /// Returns the writer of the store, or `None` if a writer already exists.
    ///
    /// # Errors
    /// This function currently returns no error.
    pub fn writer(&self) -> Result<Option<Writer>, StoreError> {
        Ok(Writer::from_store(self))
    }

    /// Returns the data folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn get<T: DeserializeOwned>(
        &self,
        what: &'static str,
        key: &[u8],
    ) -> Result<Option<T>, StoreError> {
        self.engine.get(key)?.map(|bytes| decode(what, &bytes)).transpose()
    }

    pub(crate) fn scan(&self, prefix: impl Into<Vec<u8>>) -> Scan {
        self.engine.scan(Range::with_prefix(prefix))
    }

    pub(crate) fn keys<P: Into<Vec<u8>>>(
        &self,
        prefix: P,
    ) -> impl Iterator<Item = Result<Vec<u8>, StoreError>> + use<P> {
        self.engine.scan(Range::with_prefix(prefix).keys_only()).map(|pair| pair.map(|(key, _)| key))
    }

    /// Returns the record of a URL, or `None` if the crawl does not know the URL.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn url(&self, key: UrlKey) -> Result<Option<UrlRecord>, StoreError> {
        self.get("a URL", &keys::url(key))
    }

    /// Returns the records of all known URLs, in no particular order. Reads one record at a time.
    pub fn urls(&self) -> impl Iterator<Item = Result<UrlRecord, StoreError>> + use<> {
        self.scan([keys::URL]).map(|pair| decode("a URL", &pair?.1))
    }

    /// Returns the host's next URL to request, in the order of [`crate::QueuePosition`]. Returns `None` if no URL
    /// is ready.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn next_ready(&self, host: HostId) -> Result<Option<(UrlKey, UrlRecord)>, StoreError> {
        let Some((key, record)) = self.engine.first_listed(&keys::ready_of(host))? else { return Ok(None) };
        let url = keys::last_url(&key).ok_or_else(unlisted)?;
        Ok(Some((url, decode("a URL", &record)?)))
    }

    /// Reads the next URLs of these hosts in one request. Later calls of [`Self::next_ready`] use the result. Does
    /// nothing for a store in a folder.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_ready_ahead(&self, hosts: impl IntoIterator<Item = HostId>) -> Result<(), StoreError> {
        self.engine.read_lists_ahead(hosts.into_iter().map(keys::ready_of).collect())
    }

    /// Reads the robots.txt and the next URL of each of these hosts, in two requests. Later reads use the results. Does
    /// nothing for a store in a folder.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_hosts_ahead(&self, hosts: &[HostRecord]) -> Result<(), StoreError> {
        self.engine.read_ahead(hosts.iter().map(|host| keys::robots(&host.name)).collect())?;
        self.read_ready_ahead(hosts.iter().map(|host| host.id))
    }

    /// Counts the documents whose response is not in the archive. `is_there` returns whether the archive
    /// contains the response at a position.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn count_without_archive(
        &self,
        is_there: impl Fn(ArchivePosition) -> bool,
    ) -> Result<u64, StoreError> {
        let mut count = 0;
        for key in self.keys([keys::DOCUMENT]) {
            let Some(url) = keys::last_url(&key?) else { continue };
            let archived = self.url(url)?.and_then(|record| record.archived);
            count += u64::from(!archived.is_some_and(&is_there));
        }
        Ok(count)
    }

    /// Counts the ready URLs of a host, up to `limit`.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn count_ready(&self, host: HostId, limit: usize) -> Result<u64, StoreError> {
        let mut count = 0;
        for key in self.keys(keys::ready_of(host)).take(limit) {
            key?;
            count += 1;
        }
        Ok(count)
    }

    /// Returns all hosts, sorted by partition and name.
    pub fn hosts(&self) -> impl Iterator<Item = Result<HostRecord, StoreError>> + use<> {
        self.scan([keys::HOST]).map(|pair| decode("a host", &pair?.1))
    }

    /// Returns the hosts of these partitions.
    pub fn hosts_of_partitions(
        &self,
        partitions: Vec<PartitionId>,
    ) -> impl Iterator<Item = Result<HostRecord, StoreError>> + use<> {
        let engine = Arc::clone(&self.engine);
        let prefixes = partitions.into_iter().map(|PartitionId(partition)| keys::hosts_of(partition));
        let ranges = merge_ranges(prefixes);
        ranges.into_iter().flat_map(move |range| engine.scan(range)).map(|pair| decode("a host", &pair?.1))
    }

    /// Returns the record of a host, or `None` if the host is unknown.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn host(&self, name: &str) -> Result<Option<HostRecord>, StoreError> {
        self.get("a host", &keys::host(self.partitions.of_name(name), name))
    }

    /// Returns the record of a host's robots.txt, or `None` if no record is stored.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn robots<T: DeserializeOwned>(&self, host: &str) -> Result<Option<T>, StoreError> {
        self.get("a robots.txt", &keys::robots(host))
    }

    /// Returns the record of the robots.txt at `url`, or `None` if no record is stored. `url` is a host's own
    /// robots.txt, or the target of its redirect.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn robots_at<T: DeserializeOwned>(&self, url: &CanonicalUrl) -> Result<Option<T>, StoreError> {
        self.robots(robots_name(url))
    }

    /// Returns the health of a host's template, computed from the host's last pages. Returns `None` if no
    /// health is stored.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn health<T: DeserializeOwned>(&self, host: &str) -> Result<Option<T>, StoreError> {
        self.get("a template's health", &keys::health(host))
    }

    /// Returns the newest template of a host as JSON, or `None` if the host has none.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn template(&self, host: &str) -> Result<Option<String>, StoreError> {
        let newest = self.engine.scan(Range::with_prefix(keys::templates_of(host)).backwards()).next();
        newest.transpose()?.map(|(_, json)| text(&json)).transpose()
    }

    /// Returns the URLs of a host's buffered pages, in the order of buffering.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn buffered(&self, host: HostId) -> Result<Vec<UrlKey>, StoreError> {
        let keys = self.keys(keys::buffered_of(host));
        keys.map(|key| {
            keys::last_url(&key?).ok_or_else(|| StoreError::Damaged {
                what: "the buffered pages",
                reason: "a key without its URL".into(),
            })
        })
        .collect()
    }

    /// Returns the raw page of a buffered or kept URL. Returns `None` if the URL has no raw page.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn page(&self, url: UrlKey) -> Result<Option<RawPage>, StoreError> {
        self.engine.get(&keys::page(url))?.map(|packed| unpack_page(&packed)).transpose()
    }

    /// Returns the records of URLs and their raw pages, like [`url`](Self::url) and [`page`](Self::page), in
    /// one request. If a record or page cannot be decoded, only the result for this URL is an error.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn urls_with_pages(&self, urls: &[UrlKey]) -> Result<Vec<UrlWithPage>, StoreError> {
        let keys: Vec<Vec<u8>> = urls.iter().flat_map(|url| [keys::url(*url), keys::page(*url)]).collect();
        let mut read = self.engine.get_all(&keys)?.into_iter();
        let decoded = |_: &UrlKey| {
            let (record, page) = (read.next().flatten(), read.next().flatten());
            let record = record.map(|bytes| decode("a URL", &bytes)).transpose()?;
            Ok((record, page.map(|packed| unpack_page(&packed)).transpose()?))
        };
        Ok(urls.iter().map(decoded).collect())
    }

    /// Returns a document, or `None` if the document does not exist.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn document(&self, id: DocumentId) -> Result<Option<Document>, StoreError> {
        let key = keys::document(id);
        self.engine.get(&key)?.map(|bytes| unpack_at(&key, &bytes)).transpose()
    }

    /// Returns all documents in the order of their ids. The iterator reads one document at a time. It continues
    /// after a document whose text is unreadable ([`StoreError::Lost`]).
    pub fn documents(&self) -> impl Iterator<Item = Result<Document, StoreError>> + use<> {
        self.documents_after(None)
    }

    /// Returns the documents after `last` in the order of their ids. Returns all documents if `last` is
    /// `None`.
    pub fn documents_after(
        &self,
        last: Option<DocumentId>,
    ) -> impl Iterator<Item = Result<Document, StoreError>> + use<> {
        let all = Range::with_prefix([keys::DOCUMENT]);
        let range = match last {
            Some(id) => all.after(keys::document(id)),
            None => all,
        };
        self.engine.scan(range).map(|pair| {
            let (key, value) = pair?;
            unpack_at(&key, &value)
        })
    }

    /// Returns all URLs with a document's text: its own URL, then its aliases in key order.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn urls_of(&self, document: &Document) -> Result<Vec<String>, StoreError> {
        let mut urls = vec![document.url.clone()];
        for pair in self.scan(keys::aliases_of(document.id)) {
            urls.push(text(&pair?.1)?);
        }
        Ok(urls)
    }

    /// Returns the totals of the whole corpus.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        let keys: Vec<Vec<u8>> =
            self.partitions.all().into_iter().map(|partition| keys::meta_of(partition, "totals")).collect();
        let mut totals = Totals::default();
        for bytes in self.engine.get_all(&keys)?.into_iter().flatten() {
            totals.add(&decode("the totals", &bytes)?);
        }
        Ok(totals)
    }

    /// Returns the version of the corpus. Reads a small record of each document, but no texts.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn version(&self) -> Result<CorpusVersion, StoreError> {
        let mut hasher = VersionHasher::default();
        for pair in self.scan([keys::CONTENT]) {
            let (key, id) = pair?;
            let hash = keys::content_hash(&key).ok_or_else(|| StoreError::Damaged {
                what: "a content hash",
                reason: format!("the key {}", keys::hex(&key)),
            })?;
            hasher.add(&hash, decode("a content hash", &id)?);
        }
        Ok(hasher.finish())
    }

    /// Returns the position up to which the archive is known to be on disk. Returns `None` if nothing was
    /// archived.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn archive_end(&self) -> Result<Option<ArchiveEnd>, StoreError> {
        self.get("the archive's end", &keys::meta("archive"))
    }

    /// Returns, for each of these partitions, the offset in bytes up to which the file was replayed for this
    /// purpose. The offset is 0 if the file was not replayed in the partition.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn replayed(
        &self,
        purpose: &str,
        file: &str,
        partitions: &[PartitionId],
    ) -> Result<Vec<u64>, StoreError> {
        let keys: Vec<_> = partitions
            .iter()
            .map(|PartitionId(partition)| keys::replayed(purpose, *partition, file))
            .collect();
        let marks = self.engine.get_all(&keys)?.into_iter();
        marks.map(|mark| mark.map_or(Ok(0), |mark| decode("the state of a replay", &mark))).collect()
    }

    /// Returns, for each of these partitions, the position up to which the archive was re-extracted. The
    /// position is `None` if the archive was not re-extracted in the partition.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn reextracted(&self, partitions: &[PartitionId]) -> Result<Vec<Option<Reextracted>>, StoreError> {
        let keys: Vec<_> = partitions
            .iter()
            .map(|PartitionId(partition)| keys::meta_of(*partition, "reextracted"))
            .collect();
        let done = self.engine.get_all(&keys)?.into_iter();
        done.map(|done| done.map(|done| decode("the state of a re-extraction", &done)).transpose()).collect()
    }

    /// Whether a rebuild of an older version, which built the store in its place, is unfinished.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn is_rebuilding(&self) -> Result<bool, StoreError> {
        Ok(self.get("the state of the store", &keys::meta("rebuilding"))?.unwrap_or(false))
    }
}

/// Returns the ranges of these prefixes. Joins ranges that directly follow each other.
fn merge_ranges(prefixes: impl Iterator<Item = Vec<u8>>) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for range in prefixes.map(Range::with_prefix) {
        match (ranges.last_mut(), &range.begin) {
            (Some(Range { end: end @ Bound::Excluded(_), .. }), Bound::Included(begin))
                if *end == Bound::Excluded(begin.clone()) =>
            {
                end.clone_from(&range.end);
            }
            _ => ranges.push(range),
        }
    }
    ranges
}

pub(crate) fn text(bytes: &[u8]) -> Result<String, StoreError> {
    String::from_utf8(bytes.to_vec())
        .map_err(|error| StoreError::Damaged { what: "a text", reason: error.to_string() })
}
