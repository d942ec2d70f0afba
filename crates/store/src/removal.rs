//! Removes documents for good, and remembers what was removed.
//!
//! A removal is a record ([`Removal`]) with a record for each removed URL ([`RemovedUrl`]) and each removed text.
//! They are written first, so a removal that was interrupted is continued, and what was removed does not come back
//! from a crawl or a replay. Then these steps follow. Each can be repeated:
//!
//! 1. [`RemovalStep::Documents`]: documents, revisions, raw pages and records of URLs (`documents.rs`).
//! 2. [`RemovalStep::Archive`]: the records of these URLs in the WARC files (`archive.rs`).
//! 3. [`RemovalStep::Files`]: copies of removed data in the files of the store. The store is copied to new files,
//!    because neither sled nor a file of texts overwrites removed data at once. In object storage, files with
//!    removed documents are merged again.
//!
//! The records of URLs are removed too, so a URL is new to the corpus if the removal is taken back.
//!
//! A host's removal concerns what the host published. A text that other hosts also published stays under their URL. A
//! document's removal concerns the text, so all its URLs are removed, and the text is refused under any URL.

mod archive;
mod documents;
mod plan;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use gleaner_corpus::{ContentHash, Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, Outcome, RemovedUrls, UrlKey};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::records::{decode, document_id};
use crate::{Store, StoreError, Writer, keys};

pub use archive::RewrittenArchive;
pub(crate) use archive::finish_rewrite;
pub use plan::RemovalPlan;

/// Maximum number of redirects and duplicates that lead from a URL to its document.
const MAX_STEPS: usize = 10;

/// What a removal concerns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RemovalTarget {
    /// Documents, by their URLs.
    Urls,
    /// Hosts with their subdomains.
    Hosts(Vec<String>),
    /// The documents that met this condition at the time of the removal.
    Condition(String),
}

/// The next step of a removal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum RemovalStep {
    /// Remove documents and URLs from the store.
    Documents,
    /// Remove records from the archive.
    Archive,
    /// Remove copies of removed data from the files of the store.
    Files,
    /// Nothing is left to do.
    Done,
}

/// A removal that the user requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removal {
    /// The removal's number. The first removal is 1.
    pub number: u32,
    /// When its documents were removed. Until then, when it was requested.
    pub at: Timestamp,
    /// The reason that the user gave. May be empty.
    pub reason: String,
    /// What is removed.
    pub target: RemovalTarget,
    /// Whether the records in the archive stay.
    pub keeps_archive: bool,
    /// Number of removed documents.
    pub documents: u64,
    /// Number of words in them.
    pub words: u64,
    /// The next step.
    pub step: RemovalStep,
}

/// A URL that a removal removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemovedUrl {
    /// The number of the removal.
    pub removal: u32,
    /// The URL. `None` if the user wanted only its hash to be kept.
    pub url: Option<String>,
    /// Whether the URL had a document, whose id exports contain.
    pub is_document: bool,
}

impl RemovalTarget {
    /// Returns the hosts, or an empty list for a removal of documents.
    #[must_use]
    pub fn hosts(&self) -> &[String] {
        match self {
            Self::Hosts(hosts) => hosts,
            Self::Urls | Self::Condition(_) => &[],
        }
    }
}

impl Store {
    /// Returns all removals, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn removals(&self) -> Result<Vec<Removal>, StoreError> {
        self.scan(keys::removals()).map(|pair| decode("a removal", &pair?.1)).collect()
    }

    /// Returns the removals that were interrupted, oldest first.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn unfinished_removals(&self) -> Result<Vec<Removal>, StoreError> {
        Ok(self.removals()?.into_iter().filter(|removal| removal.step != RemovalStep::Done).collect())
    }

    /// Says that removals were interrupted, so that some removed data may still be there. Returns `None` if none was.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn interrupted_removals(&self) -> Result<Option<String>, StoreError> {
        let unfinished = self.unfinished_removals()?.len();
        Ok((unfinished > 0)
            .then(|| format!("interrupted removals: {unfinished}; `gleaner remove --yes` finishes them")))
    }

    /// Returns the URLs of all removals. Those of a removed host are included only if they had a document.
    pub fn all_removed_urls(&self) -> impl Iterator<Item = Result<(UrlKey, RemovedUrl), StoreError>> + use<> {
        self.scan(keys::removed_urls()).map(|pair| {
            let (key, value) = pair?;
            let reason = || "a key without its URL".to_owned();
            let no_url = || StoreError::Damaged { what: "a removed URL", reason: reason() };
            Ok((keys::last_url(&key).ok_or_else(no_url)?, decode("a removed URL", &value)?))
        })
    }

    /// Returns the URLs and hosts that must not be requested, because they were removed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn removed(&self) -> Result<RemovedUrls, StoreError> {
        let mut removed = self.removed_hosts()?;
        for key in self.keys(keys::removed_urls()) {
            keys::last_url(&key?).into_iter().for_each(|url| removed.add_url(url));
        }
        Ok(removed)
    }

    /// Returns only the removed hosts.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn removed_hosts(&self) -> Result<RemovedUrls, StoreError> {
        let mut removed = RemovedUrls::default();
        for removal in self.removals()? {
            removal.target.hosts().iter().for_each(|host| removed.add_host(host));
        }
        Ok(removed)
    }

    /// Returns the URLs and hosts whose records are to be removed from the archive.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn removed_from_archive(&self) -> Result<RemovedUrls, StoreError> {
        let removals = self.removals()?.into_iter();
        let removals =
            removals.filter(|removal| removal.step <= RemovalStep::Archive && !removal.keeps_archive);
        let removals: BTreeMap<u32, Removal> = removals.map(|removal| (removal.number, removal)).collect();
        let mut removed = RemovedUrls::default();
        for url in self.all_removed_urls() {
            let (url, of) = url?;
            if removals.contains_key(&of.removal) {
                removed.add_url(url);
            }
        }
        removals.values().flat_map(|removal| removal.target.hosts()).for_each(|host| removed.add_host(host));
        Ok(removed)
    }

    /// Whether a text was removed, so that its document cannot be stored again.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn is_removed_text(&self, hash: &ContentHash) -> Result<bool, StoreError> {
        self.engine.has(&keys::removed_text(hash))
    }

    /// Returns the removed texts.
    pub(crate) fn removed_texts(&self) -> Result<HashSet<ContentHash>, StoreError> {
        let prefix = keys::removed_texts();
        let length = prefix.len();
        let hash = |key: Vec<u8>| Some(ContentHash::from_bytes(key.get(length..)?.try_into().ok()?));
        self.keys(prefix).filter_map(|key| key.map(hash).transpose()).collect()
    }

    /// Returns the removal that removed a URL, or `None` if the URL is not removed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn removal_of(&self, url: &CanonicalUrl) -> Result<Option<Removal>, StoreError> {
        let own: Option<RemovedUrl> = self.get("a removed URL", &keys::removed_url(url.key()))?;
        match own {
            Some(own) => self.get("a removal", &keys::removal(own.removal)),
            None => self.removal_of_host(url.host()),
        }
    }

    /// Returns the removal that removed a host, or `None` if the host is not removed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn removal_of_host(&self, host: &str) -> Result<Option<Removal>, StoreError> {
        let is_of_host = |removal: &Removal| {
            let mut removed = RemovedUrls::default();
            removal.target.hosts().iter().for_each(|host| removed.add_host(host));
            removed.contains_host(host)
        };
        Ok(self.removals()?.into_iter().rev().find(is_of_host))
    }

    /// Returns the ids of the documents that were removed at `since` or later and before `until`, in ascending order.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn removed_documents(
        &self,
        since: Option<Timestamp>,
        until: Option<Timestamp>,
    ) -> Result<Vec<DocumentId>, StoreError> {
        let is_within =
            |at: Timestamp| since.is_none_or(|since| at >= since) && until.is_none_or(|until| at < until);
        let removals = self.removals()?.into_iter().filter(|removal| is_within(removal.at));
        let numbers: BTreeSet<u32> = removals.map(|removal| removal.number).collect();
        let mut ids = Vec::new();
        for removed in self.all_removed_urls() {
            let (url, removed) = removed?;
            if removed.is_document && numbers.contains(&removed.removal) {
                ids.push(document_id(url));
            }
        }
        Ok(ids)
    }

    /// Returns the document with the text of a URL. Follows redirects, and the URL may be an alias.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn document_at(&self, url: &CanonicalUrl) -> Result<Option<Document>, StoreError> {
        let mut key = url.key();
        for _ in 0..MAX_STEPS {
            if let Some(document) = self.document(document_id(key))? {
                return Ok(Some(document));
            }
            let Some(record) = self.url(key)? else { return Ok(None) };
            let target = match record.last {
                Some(Outcome::Redirected { to }) => CanonicalUrl::parse(&to).ok().map(|url| url.key()),
                _ => None,
            };
            let Some(next) = record.duplicate_of.or(target) else { return Ok(None) };
            key = next;
        }
        Ok(None)
    }
}

impl Writer {
    /// Records a removal durably. From here on, it is either finished or continued. A URL or text that an earlier
    /// removal names belongs to the new one.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn begin_removal(
        &mut self,
        plan: RemovalPlan,
        reason: String,
        at: Timestamp,
        keeps_archive: bool,
    ) -> Result<Removal, StoreError> {
        let last = self.store().removals()?.last().map_or(0, |last| last.number);
        let RemovalPlan { target, hides_urls, urls, texts, documents, words } = plan;
        let (number, step) = (last + 1, RemovalStep::Documents);
        let removal = Removal { number, at, reason, target, keeps_archive, documents, words, step };
        let mut change = self.begin();
        change.put(keys::removal(number), &removal);
        for (key, (url, is_document)) in urls {
            let url = (!hides_urls).then_some(url);
            let earlier: Option<RemovedUrl> = self.store().get("a removed URL", &keys::removed_url(key))?;
            let is_document = is_document || earlier.is_some_and(|earlier| earlier.is_document);
            change.put(keys::removed_url(key), &RemovedUrl { removal: number, url, is_document });
        }
        for hash in texts {
            change.put(keys::removed_text(&hash), &number);
        }
        self.commit(change)?;
        self.flush()?;
        Ok(removal)
    }

    /// Records durably that the steps before `step` are done.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn set_removal_step(&mut self, removal: &mut Removal, step: RemovalStep) -> Result<(), StoreError> {
        removal.step = step;
        let mut change = self.begin();
        change.put(keys::removal(removal.number), removal);
        self.commit(change)?;
        self.flush()
    }

    /// Forgets a removal, so that its URLs may be requested and its texts stored again. Returns `false` if there is
    /// no such removal.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn take_back_removal(&mut self, number: u32) -> Result<bool, StoreError> {
        let store = self.store();
        let mut change = self.begin();
        if store.get::<Removal>("a removal", &keys::removal(number))?.is_none() {
            return Ok(false);
        }
        change.remove(keys::removal(number));
        for removed in store.all_removed_urls() {
            let (url, removed) = removed?;
            if removed.removal == number {
                change.remove(keys::removed_url(url));
            }
        }
        for pair in store.scan(keys::removed_texts()) {
            let (key, value) = pair?;
            if decode::<u32>("a removed text", &value)? == number {
                change.remove(key);
            }
        }
        self.commit(change)?;
        self.flush()?;
        Ok(true)
    }

    /// Copies the removals of another store to this store, which must have none.
    ///
    /// # Errors
    /// A store cannot be read or written.
    pub(crate) fn copy_removals(&mut self, from: &Store) -> Result<(), StoreError> {
        let pairs = keys::all_removals().into_iter().flat_map(|prefix| from.scan(prefix));
        self.put_removals(pairs.collect::<Result<_, _>>()?)
    }

    pub(crate) fn put_removals(&mut self, records: BTreeMap<Vec<u8>, Vec<u8>>) -> Result<(), StoreError> {
        let mut change = self.begin();
        for (key, value) in records {
            change.put_bytes(key, value);
        }
        self.commit(change)
    }
}
