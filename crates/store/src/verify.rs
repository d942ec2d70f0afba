//! Checks that all records of a store are consistent.
//!
//! 1. Every record and every text is readable, and each text has the stored hash.
//! 2. A URL is in the list of its state, and each entry of a list refers to a URL in that state. Each
//!    buffered or kept URL has a raw page.
//! 3. A document has a URL, and the hash of its text refers to the document. An alias has a document, and the
//!    alias's URL refers to that document. Each URL that refers to another URL's document has an alias.
//! 4. A signed document is alone, represents its cluster, or is a member of a cluster with an existing
//!    representative. Each signature belongs to a signed document.
//! 5. The stored numbers of documents, duplicates, clusters and queued URLs are correct.
//! 6. The file with the index of near-duplicates is intact.
//!
//! The check reads all records once in the order of their keys, and looks up related records by key. Its time
//! grows with the size of the store, and its memory with the number of hosts.

mod clusters;

use std::collections::BTreeMap;

use gleaner_corpus::{ContentHash, Document, DocumentId};
use gleaner_frontier::UrlKey;
use serde::de::DeserializeOwned;

use crate::documents::own_hash;
use crate::packed::{unpack, unpack_at};
use crate::records::{decode, document_id};
use crate::{
    ArchivePosition, History, HostId, HostRecord, Store, StoreError, Totals, UrlRecord, UrlState, keys, near,
};

/// The number of records that were checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CheckedCounts {
    /// URLs.
    pub urls: u64,
    /// Documents.
    pub documents: u64,
    /// URLs with the text of another URL.
    pub aliases: u64,
    /// Members of clusters of near-duplicates, without the representatives.
    pub members: u64,
    /// Clusters with at least one document besides the representative.
    pub clusters: u64,
    /// Raw pages.
    pub pages: u64,
}

/// Receives the faults that a check finds, and the positions that the archive should contain.
pub trait Examiner {
    /// Reports a fault. `what` describes the fault, with the URL or key.
    fn fault(&mut self, what: String);
    /// Receives a URL. The archive should contain the last response body of the URL at `at`.
    fn archived(&mut self, url: &UrlRecord, at: ArchivePosition);
    /// Receives a document whose URL has no position in the archive.
    fn without_archive(&mut self, document: &Document);
}

impl Store {
    /// Checks the whole store.
    ///
    /// # Errors
    /// The engine cannot continue to read. A single unreadable record or text is a fault, not an error.
    pub fn verify(&self, examiner: &mut impl Examiner) -> Result<CheckedCounts, StoreError> {
        let mut look =
            StoreCheck { store: self, examiner, looked: CheckedCounts::default(), queued: BTreeMap::new() };
        for space in keys::SPACES {
            for pair in self.scan([space]) {
                match pair {
                    Ok((key, value)) => look.record(&key, &value)?,
                    Err(StoreError::Lost { id, revision, source }) => look.lost(id, revision, &source)?,
                    Err(error @ StoreError::Unreadable { .. }) => look.examiner.fault(error.to_string()),
                    Err(error) => return Err(error),
                }
            }
        }
        look.hosts()?;
        look.totals()?;
        look.pages()?;
        look.index()?;
        Ok(look.looked)
    }

    /// Checks that the mark in the object storage names this corpus. Does nothing for a store in a folder.
    ///
    /// # Errors
    /// The mark is missing, names another corpus, or cannot be read.
    pub fn check_storage(&self) -> Result<(), StoreError> {
        self.distributed.as_ref().map_or(Ok(()), |engine| engine.check_objects())
    }

    /// Returns a clearer error if `error` reports a missing file and the storage belongs to another corpus.
    /// Otherwise returns `error` unchanged.
    #[must_use]
    pub fn explained(&self, error: StoreError) -> StoreError {
        match &self.distributed {
            Some(engine) => engine.explained(error),
            None => error,
        }
    }
}

struct StoreCheck<'a, E> {
    store: &'a Store,
    examiner: &'a mut E,
    looked: CheckedCounts,
    queued: BTreeMap<HostId, (u64, u32)>,
}

impl<E: Examiner> StoreCheck<'_, E> {
    fn record(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        match key.first().copied() {
            Some(keys::URL) => self.url(key, value),
            Some(keys::READY | keys::BUFFERED | keys::RETRY | keys::REVISIT) => self.entry(key),
            Some(keys::DOCUMENT) => self.document(key, value),
            Some(keys::HISTORY) => self.history(key, value),
            Some(keys::CONTENT) => self.content(value),
            Some(keys::ALIAS) => self.alias(key),
            Some(keys::MEMBERSHIP) => self.cluster_membership(key, value),
            Some(keys::SIGNED) => self.signed(key, value),
            Some(keys::CLUSTER) => self.cluster(key, value),
            Some(keys::HOST) => {
                self.read::<HostRecord>("a host", key, value);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn read<T: DeserializeOwned>(&mut self, what: &'static str, key: &[u8], value: &[u8]) -> Option<T> {
        match decode(what, value) {
            Ok(record) => Some(record),
            Err(error) => {
                self.examiner.fault(format!("{error} (key {})", keys::hex(key)));
                None
            }
        }
    }

    fn history(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some((id, number)) = keys::revision_of(key) else {
            self.examiner.fault(format!("a history has the invalid key {}", keys::hex(key)));
            return Ok(());
        };
        if number.is_some() {
            if let Err(error) = unpack(value) {
                self.examiner.fault(format!("an earlier revision of {id}: {error}"));
            }
            return Ok(());
        }
        let Some(history) = self.read::<History>("a history", key, value) else { return Ok(()) };
        for number in 1..=history.earlier {
            let key = keys::revision(id, number);
            if !self.has(&key)? {
                self.examiner.fault(format!("revision {number} of document {id} is missing"));
            }
        }
        Ok(())
    }

    fn url(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(record) = self.read::<UrlRecord>("a URL", key, value) else { return Ok(()) };
        let Some(url) = keys::last_url(key) else { return Ok(()) };
        self.looked.urls += 1;
        let of_host = self.queued.entry(record.host).or_default();
        let list = match record.state {
            UrlState::Ready { rank, sequence } => {
                of_host.0 += 1;
                Some(keys::ready(record.host, rank, sequence, url))
            }
            UrlState::Waiting { wait, due, .. } => {
                of_host.0 += 1;
                Some(keys::waiting(self.store.partitions.of_host(record.host), wait, due, url))
            }
            UrlState::Buffered { sequence } => {
                of_host.1 += 1;
                Some(keys::buffered(record.host, sequence, url))
            }
            UrlState::Done | UrlState::Kept => None,
        };
        if let Some(list) = list
            && !self.has(&list)?
        {
            self.examiner.fault(format!("{} is not in the list of state {:?}", record.url, record.state));
        }
        if matches!(record.state, UrlState::Buffered { .. } | UrlState::Kept)
            && self.store.page(url)?.is_none()
        {
            self.examiner.fault(format!("{} has no raw page, but is {:?}", record.url, record.state));
        }
        if let Some(original) = record.duplicate_of
            && !self.has(&keys::alias(document_id(original), url))?
        {
            self.examiner.fault(format!("{} is an alias of a document without a record of it", record.url));
        }
        if let Some(at) = record.archived {
            self.examiner.archived(&record, at);
        }
        Ok(())
    }

    fn entry(&mut self, key: &[u8]) -> Result<(), StoreError> {
        let Some(url) = keys::last_url(key) else { return Ok(()) };
        let list = match self.store.url(url) {
            Ok(Some(record)) => match record.state {
                UrlState::Ready { rank, sequence } => keys::ready(record.host, rank, sequence, url),
                UrlState::Waiting { wait, due, .. } => {
                    keys::waiting(self.store.partitions.of_host(record.host), wait, due, url)
                }
                UrlState::Buffered { sequence } => keys::buffered(record.host, sequence, url),
                UrlState::Done | UrlState::Kept => Vec::new(),
            },
            Ok(None) => Vec::new(),
            // The check of the URL reports this fault, so it is ignored here.
            Err(StoreError::Damaged { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        if list != key {
            self.examiner.fault(format!("a list names the URL {url}, which has another state"));
        }
        Ok(())
    }

    fn document(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let document = match unpack_at(key, value) {
            Ok(document) => document,
            Err(StoreError::Lost { id, revision, source }) => return self.lost(id, revision, &source),
            Err(error) => return Err(error),
        };
        self.looked.documents += 1;
        let url = UrlKey::from_bytes(document.id.0);
        if key != keys::document(document.id) {
            self.examiner.fault(format!("the document of {} is stored under another id", document.url));
        }
        if ContentHash::from_text(&document.text) != document.content_hash {
            self.examiner.fault(format!("the text of {} differs from the stored hash", document.url));
        }
        let found: Option<DocumentId> =
            self.store.get("a content hash", &keys::content(&document.content_hash))?;
        let own = keys::content(&own_hash(&document.content_hash, document.id));
        if found != Some(document.id) && !self.has(&own)? {
            self.examiner.fault(format!("the content hash of {} does not refer to it", document.url));
        }
        match self.store.url(url) {
            Ok(Some(record)) if record.archived.is_none() => self.examiner.without_archive(&document),
            Ok(Some(_)) | Err(StoreError::Damaged { .. }) => {}
            Ok(None) => self.examiner.fault(format!("the document of {} has no URL", document.url)),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn lost(&mut self, id: DocumentId, revision: Option<u32>, why: &StoreError) -> Result<(), StoreError> {
        let what = match revision {
            Some(number) => format!("revision {number}"),
            None => "the text".to_owned(),
        };
        self.looked.documents += u64::from(revision.is_none());
        let url = match self.store.url(UrlKey::from_bytes(id.0)) {
            Ok(Some(record)) => record.url.to_string(),
            Ok(None) | Err(StoreError::Damaged { .. }) => format!("the document {id}"),
            Err(error) => return Err(error),
        };
        self.examiner.fault(format!("{what} of {url} cannot be read: {why}"));
        Ok(())
    }

    fn content(&mut self, value: &[u8]) -> Result<(), StoreError> {
        let Some(id) = self.read::<DocumentId>("a content hash", &[], value) else { return Ok(()) };
        if !self.has(&keys::document(id))? {
            self.examiner.fault(format!("a content hash names the document {id}, which is missing"));
        }
        Ok(())
    }

    fn alias(&mut self, key: &[u8]) -> Result<(), StoreError> {
        self.looked.aliases += 1;
        let (Some(of), Some(url)) = (key.get(1..17), keys::last_url(key)) else { return Ok(()) };
        let of = DocumentId(of.try_into().unwrap_or_default());
        if !self.has(&keys::document(of))? {
            self.examiner.fault(format!("the URL {url} is an alias of the missing document {of}"));
        }
        let original = self.store.url(url)?.and_then(|record| record.duplicate_of).map(document_id);
        if original != Some(of) {
            self.examiner.fault(format!("the URL {url} does not record that it is an alias of {of}"));
        }
        Ok(())
    }

    fn has(&self, key: &[u8]) -> Result<bool, StoreError> {
        self.store.engine.has(key)
    }

    fn hosts(&mut self) -> Result<(), StoreError> {
        for host in self.store.hosts() {
            let host = match host {
                Ok(host) => host,
                Err(StoreError::Damaged { .. }) => continue,
                Err(error) => return Err(error),
            };
            let (queued, buffered) = self.queued.get(&host.id).copied().unwrap_or_default();
            if (host.queued, host.buffered) != (queued, buffered) {
                self.examiner.fault(format!(
                    "{} counts {} queued and {} buffered URLs, but has {queued} and {buffered}",
                    host.name, host.queued, host.buffered
                ));
            }
        }
        Ok(())
    }

    fn totals(&mut self) -> Result<(), StoreError> {
        let totals: Totals = self.store.totals()?;
        let CheckedCounts { documents, aliases, members, clusters, .. } = self.looked;
        if (totals.near_duplicates, totals.clusters) != (members, clusters) {
            self.examiner.fault(format!(
                "the totals have {} near-duplicates in {} clusters, the store {members} in {clusters}",
                totals.near_duplicates, totals.clusters
            ));
        }
        if (totals.documents(), totals.duplicates) != (documents, aliases) {
            self.examiner.fault(format!(
                "the totals have {} documents and {} duplicates, the store {documents} and {aliases}",
                totals.documents(),
                totals.duplicates
            ));
        }
        Ok(())
    }

    fn index(&mut self) -> Result<(), StoreError> {
        if let Some(fault) = near::file_fault(self.store)? {
            self.examiner.fault(format!("the index of near-duplicates is damaged: {fault}"));
        }
        Ok(())
    }

    fn pages(&mut self) -> Result<(), StoreError> {
        for key in self.store.keys([keys::PAGE]) {
            let key = key?;
            self.looked.pages += 1;
            let Some(url) = keys::last_url(&key) else {
                self.examiner.fault(format!("a raw page has the invalid key {}", keys::hex(&key)));
                continue;
            };
            if let Err(error) = self.store.page(url) {
                self.examiner.fault(format!("{error} (URL {url})"));
            }
        }
        Ok(())
    }
}
