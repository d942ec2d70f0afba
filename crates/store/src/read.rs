//! Reading a store, beside the one who writes it.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::UrlKey;
use serde::de::DeserializeOwned;

use crate::lock::Lock;
use crate::packed::{unpack, unpack_page};
use crate::records::decode;
use crate::{
    ArchiveEnd, Counts, HostId, HostRecord, RawPage, Run, StoreError, Totals, UrlRecord, UrlState, Wait,
    Writer, keys,
};

/// A handle for reading; clones are cheap and may go to other threads.
#[derive(Debug, Clone)]
pub struct Store {
    pub(crate) records: sled::Tree,
    pub(crate) pages: sled::Tree,
    pub(crate) database: sled::Db,
    pub(crate) folder: Arc<Path>,
    /// sled keeps the folder open as long as any handle lives.
    pub(crate) lock: Arc<Lock>,
}

impl Store {
    /// The one who may change the store; `None` while there is one already.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn writer(&self) -> Result<Option<Writer>, StoreError> {
        Writer::of(self)
    }

    /// The data folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn get<T: DeserializeOwned>(
        &self,
        what: &'static str,
        key: &[u8],
    ) -> Result<Option<T>, StoreError> {
        match self.records.get(key).map_err(StoreError::sled("reading"))? {
            Some(bytes) => decode(what, &bytes).map(Some),
            None => Ok(None),
        }
    }

    /// The record of a URL; `None` where the crawl does not know it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn url(&self, key: UrlKey) -> Result<Option<UrlRecord>, StoreError> {
        self.get("a URL", &keys::url(key))
    }

    /// The URL that a host is to be asked next: the first by rank, then by the
    /// order of discovery. `None` where nothing is ready.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn next_ready(&self, host: HostId) -> Result<Option<(UrlKey, UrlRecord)>, StoreError> {
        let Some(key) = self.records.scan_prefix(keys::ready_of(host)).keys().next() else { return Ok(None) };
        let key = key.map_err(StoreError::sled("reading the frontier"))?;
        let damaged = || StoreError::Damaged { what: "the frontier", reason: "a key without its URL".into() };
        let url = keys::last_url(&key).ok_or_else(damaged)?;
        let record = self.url(url)?.ok_or_else(damaged)?;
        Ok(Some((url, record)))
    }

    /// How many documents are of pages that the archive does not have.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn count_without_archive(&self) -> Result<u64, StoreError> {
        let mut count = 0;
        for key in self.records.scan_prefix([keys::DOCUMENT]).keys() {
            let key = key.map_err(StoreError::sled("reading documents"))?;
            let Some(url) = keys::last_url(&key) else { continue };
            count += u64::from(self.url(url)?.is_none_or(|record| record.archived.is_none()));
        }
        Ok(count)
    }

    /// How many URLs of a host are ready; counts up to `limit`.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn count_ready(&self, host: HostId, limit: usize) -> Result<u64, StoreError> {
        let mut count = 0;
        for key in self.records.scan_prefix(keys::ready_of(host)).keys().take(limit) {
            key.map_err(StoreError::sled("reading the frontier"))?;
            count += 1;
        }
        Ok(count)
    }

    /// The second since 1970 at which the next URL is due that waits for this.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn next_due(&self, wait: Wait) -> Result<Option<u64>, StoreError> {
        match self.records.scan_prefix(keys::waiting_for(wait)).keys().next() {
            Some(key) => Ok(keys::due_of(&key.map_err(StoreError::sled("reading the frontier"))?)),
            None => Ok(None),
        }
    }

    /// All hosts, by name.
    pub fn hosts(&self) -> impl Iterator<Item = Result<HostRecord, StoreError>> {
        self.records
            .scan_prefix([keys::HOST])
            .values()
            .map(|value| decode("a host", &value.map_err(StoreError::sled("reading hosts"))?))
    }

    /// The record of one host.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn host(&self, name: &str) -> Result<Option<HostRecord>, StoreError> {
        self.get("a host", &keys::host(name))
    }

    /// What is known of a host's robots.txt.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn robots<T: DeserializeOwned>(&self, host: &str) -> Result<Option<T>, StoreError> {
        self.get("a robots.txt", &keys::robots(host))
    }

    /// What the last pages of a host told of its template.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn health<T: DeserializeOwned>(&self, host: &str) -> Result<Option<T>, StoreError> {
        self.get("a template's health", &keys::health(host))
    }

    /// The newest template of a host, as JSON.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn template(&self, host: &str) -> Result<Option<String>, StoreError> {
        match self.records.scan_prefix(keys::templates_of(host)).values().next_back() {
            Some(json) => text(&json.map_err(StoreError::sled("reading a template"))?).map(Some),
            None => Ok(None),
        }
    }

    /// The URLs of a host whose raw pages are kept for learning, in the order in
    /// which they were gathered.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn gathered(&self, host: HostId) -> Result<Vec<UrlKey>, StoreError> {
        let keys = self.records.scan_prefix(keys::gathered_of(host)).keys();
        keys.map(|key| {
            let key = key.map_err(StoreError::sled("reading gathered pages"))?;
            keys::last_url(&key).ok_or_else(|| StoreError::Damaged {
                what: "the gathered pages",
                reason: "a key without its URL".into(),
            })
        })
        .collect()
    }

    /// The raw page of a URL that is gathered or kept.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn page(&self, url: UrlKey) -> Result<Option<RawPage>, StoreError> {
        let Some(packed) = self.pages.get(url.as_bytes()).map_err(StoreError::sled("reading a page"))? else {
            return Ok(None);
        };
        unpack_page(&packed).map(Some)
    }

    /// A document.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn document(&self, id: DocumentId) -> Result<Option<Document>, StoreError> {
        match self.records.get(keys::document(id)).map_err(StoreError::sled("reading a document"))? {
            Some(bytes) => unpack(&bytes).map(Some),
            None => Ok(None),
        }
    }

    /// All documents, in the order of their ids: the whole corpus, one at a time.
    pub fn documents(&self) -> impl Iterator<Item = Result<Document, StoreError>> + use<> {
        self.documents_after(None)
    }

    /// The documents behind that one, in the order of their ids; all of them behind `None`.
    pub fn documents_after(
        &self,
        last: Option<DocumentId>,
    ) -> impl Iterator<Item = Result<Document, StoreError>> + use<> {
        let begin =
            last.map_or(Bound::Included(vec![keys::DOCUMENT]), |id| Bound::Excluded(keys::document(id)));
        let end = Bound::Excluded(vec![keys::DOCUMENT + 1]);
        self.records
            .range((begin, end))
            .values()
            .map(|value| unpack(&value.map_err(StoreError::sled("reading documents"))?))
    }

    /// The URLs that carried a document's text, its own first, the others in the
    /// order of their keys.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn urls_of(&self, document: &Document) -> Result<Vec<String>, StoreError> {
        let mut urls = vec![document.url.clone()];
        for value in self.records.scan_prefix(keys::aliases_of(document.id)).values() {
            urls.push(text(&value.map_err(StoreError::sled("reading aliases"))?)?);
        }
        Ok(urls)
    }

    /// Sums over the whole corpus.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn totals(&self) -> Result<Totals, StoreError> {
        Ok(self.get("the totals", &keys::meta("totals"))?.unwrap_or_default())
    }

    /// Up to where the archive is known to be on disk; `None` where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn archive_end(&self) -> Result<Option<ArchiveEnd>, StoreError> {
        self.get("the archive's end", &keys::meta("archive"))
    }

    /// Up to where a file was replayed for a purpose, in bytes; 0 where it was not.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn replayed(&self, purpose: &str, file: &str) -> Result<u64, StoreError> {
        Ok(self.get("the state of a replay", &keys::replayed(purpose, file))?.unwrap_or(0))
    }

    /// Whether the store is being made anew and lacks what is still to come.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn is_rebuilding(&self) -> Result<bool, StoreError> {
        Ok(self.get("the state of the store", &keys::meta("rebuilding"))?.unwrap_or(false))
    }

    /// The last run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_run(&self) -> Result<Option<Run>, StoreError> {
        self.get("the last run", &keys::meta("run"))
    }

    /// The last runs of the crawl, the newest first, `limit` at most. Those that read an
    /// archive are left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs(&self, limit: usize) -> Result<Vec<Run>, StoreError> {
        let runs = self.records.scan_prefix([keys::RUN]).values().rev();
        let read = |value: sled::Result<sled::IVec>| -> Result<Run, StoreError> {
            decode("a run", &value.map_err(StoreError::sled("reading runs"))?)
        };
        let is_crawl = |run: &Result<Run, StoreError>| run.as_ref().map_or(true, |run| !run.replayed);
        runs.map(read).filter(is_crawl).take(limit).collect()
    }

    /// What happened at each host in a run, by host name.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn counts(&self, run: u32) -> Result<Vec<(String, Counts)>, StoreError> {
        let prefix = keys::counts_of(run);
        let pairs = self.records.scan_prefix(&prefix);
        pairs
            .map(|pair| {
                let (key, value) = pair.map_err(StoreError::sled("reading counts"))?;
                Ok((text(&key[prefix.len()..])?, decode("a host's counts", &value)?))
            })
            .collect()
    }

    /// The URLs that wait for this, the next that is due first, `limit` at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn waiting(&self, wait: Wait, limit: usize) -> Result<Vec<UrlRecord>, StoreError> {
        let mut records = Vec::new();
        for key in self.records.scan_prefix(keys::waiting_for(wait)).keys().take(limit) {
            let key = key.map_err(StoreError::sled("reading the frontier"))?;
            let Some(record) = keys::last_url(&key).map(|url| self.url(url)).transpose()?.flatten() else {
                continue;
            };
            if matches!(record.state, UrlState::Waiting { .. }) {
                records.push(record);
            }
        }
        Ok(records)
    }
}

fn text(bytes: &[u8]) -> Result<String, StoreError> {
    String::from_utf8(bytes.to_vec())
        .map_err(|error| StoreError::Damaged { what: "a text", reason: error.to_string() })
}
