//! Stores each document once, together with all URLs that have its text.
//!
//! The first URL with a text identifies the document. Later URLs with the same text become aliases. If the
//! page of the first URL gets another text, the first alias identifies the document with the old text. A
//! similar text is stored as a separate document, which joins the other document's cluster (`clusters.rs`).
//!
//! If the detection of exact duplicates is off, the stored hash also depends on the document's id.
//!
//! If a new version of a document has a later fetch time than the stored version, it comes from a revisit of
//! the page (`history.rs`).

use gleaner_corpus::{ContentHash, Document, DocumentId, words};
use gleaner_frontier::{CanonicalUrl, Outcome, REMOVED, UrlKey};

use crate::clusters::{readable, url_of};
use crate::messages::Message;
use crate::near::Duplicates;
use crate::packed::unpack_at;
use crate::partitions::Partition;
use crate::records::{PackedInfo, decode, document_id};
use crate::{Change, PackedDocument, RemovedUrl, Store, StoreError, UrlRecord, Writer, keys};

/// Returns the hash to store for a document that must not be found by its text.
pub(crate) fn own_hash(content_hash: &ContentHash, id: DocumentId) -> ContentHash {
    ContentHash::from_text(&format!("{content_hash} of {id}"))
}

/// Returns the keys of the records that [`Change::place`] needs.
fn needed_keys(document: &PackedDocument) -> [Vec<u8>; 5] {
    let id = document.id;
    [
        keys::url(url_of(id)),
        keys::document(id),
        keys::content(&document.content_hash),
        keys::cluster_membership(id),
        keys::removed_text(&document.content_hash),
    ]
}

impl Store {
    /// Reads the records of these URLs, and those that [`Change::place`] needs for these documents, in one request.
    /// Changes use them until the next flush. Ignores URLs in partitions that this process does not hold, because
    /// other processes may change their records at any time. Does nothing for a store in a folder.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_ahead<'a>(
        &self,
        urls: impl IntoIterator<Item = &'a CanonicalUrl>,
        documents: impl IntoIterator<Item = &'a PackedDocument>,
    ) -> Result<(), StoreError> {
        let is_held = |url: &&CanonicalUrl| self.partitions.holds(self.partitions.of_url(url));
        let keys = urls.into_iter().filter(is_held).map(|url| keys::url(url.key()));
        self.engine.read_ahead(keys.chain(documents.into_iter().flat_map(needed_keys)).collect())
    }
}

impl Change {
    fn document(&self, id: DocumentId) -> Result<Option<Document>, StoreError> {
        let key = keys::document(id);
        self.get_bytes(&key)?.map(|bytes| unpack_at(&key, &bytes)).transpose()
    }

    /// Writes a document and the record of its text. Several workers may write the record of the same text at
    /// the same time. `same` is the document in that record. If there is no record, this worker creates it,
    /// unless another worker flushes first. If `same` is this document, this worker replaces the record.
    fn put_document(
        &mut self,
        content_hash: &ContentHash,
        document: PackedDocument,
        same: Option<DocumentId>,
    ) {
        self.put_bytes(keys::document(document.id), document.bytes);
        let key = keys::content(content_hash);
        match same {
            Some(_) => self.put(key, &document.id),
            None => self.claim(key, &document.id),
        }
    }

    pub(crate) fn partition_at(&self, url: UrlKey) -> Result<Partition, StoreError> {
        let unknown = || StoreError::Damaged { what: "a URL", reason: format!("{url} is not known") };
        self.partition_of_url(url)?.ok_or_else(unknown)
    }

    pub(crate) fn partition_of_document(&self, id: DocumentId) -> Result<Partition, StoreError> {
        self.partition_at(url_of(id))
    }

    /// Reads the records that [`place`](Self::place) needs for these documents, in one request.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn read_documents_ahead<'a>(
        &mut self,
        documents: impl IntoIterator<Item = &'a PackedDocument>,
    ) -> Result<(), StoreError> {
        self.read_ahead(documents.into_iter().flat_map(needed_keys).collect())
    }

    /// Stores a document under the URL `key`, and replaces the previous text of the URL. The URL must have a
    /// record. This call may change that record. Returns the outcome of the visit: stored, duplicate,
    /// near-duplicate, revised, unchanged, or excluded
    /// because the user removed the text.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn place(
        &mut self,
        key: UrlKey,
        mut document: PackedDocument,
        writer: &mut Writer,
    ) -> Result<Outcome, StoreError> {
        let duplicates = &mut writer.duplicates;
        debug_assert_eq!(document.id, document_id(key), "a document is named by its URL");
        self.read_documents_ahead([&document])?;
        if let Some(removal) = self.get("a removed text", &keys::removed_text(&document.content_hash))? {
            // The URL is removed too, so that a later extraction with other settings cannot bring the text back.
            let is_document = false;
            self.put(keys::removed_url(key), &RemovedUrl { removal, url: None, is_document });
            return Ok(Outcome::Excluded { rule: REMOVED.into() });
        }
        let before = match self.fetched_before(&document) {
            Err(StoreError::Lost { .. }) if !self.store.is_shared() => return self.restore(document),
            before => before?,
        };
        let (id, words, signed) = (document.id, document.words, document.signed.take());
        let hash = match duplicates.exact {
            true => document.content_hash,
            false => own_hash(&document.content_hash, id),
        };
        let same: Option<DocumentId> = self.get("a content hash", &keys::content(&hash))?;
        let mut number = None;
        if same == Some(id) {
            // The stored document is kept, because its fetch time is the time when the text was first seen.
            if before.is_some() {
                return Ok(Outcome::Unchanged);
            }
            self.put_document(&hash, document, same);
            if self.cluster_membership(id)?.is_some() {
                return self.outcome_of(id);
            }
        } else {
            let duplicate_of = self.url(key)?.and_then(|record| record.duplicate_of);
            if let (Some(original), Some(same)) = (duplicate_of, same)
                && document_id(original) == same
            {
                return Ok(Outcome::Duplicate { of: original });
            }
            number = self.take_out(key, duplicates)?;
            if let Some(before) = before.clone() {
                self.keep_revision(id, before)?;
            }
            if let Some(same) = same {
                return self.add_alias(same, key, document.url, document.bytes);
            }
            self.total(self.partition_at(key)?, |totals| {
                let (documents, count) = totals.languages.entry(document.language.clone()).or_default();
                *documents += 1;
                *count += words;
            })?;
            self.put_document(&hash, document, None);
        }
        let outcome = match signed {
            Some(signed) => self.join(id, words, &signed, number, duplicates)?,
            None => Outcome::Stored,
        };
        Ok(if before.is_some() { Outcome::Revised } else { outcome })
    }

    fn fetched_before(&self, document: &PackedDocument) -> Result<Option<Vec<u8>>, StoreError> {
        let key = keys::document(document.id);
        let Some(bytes) = self.get_bytes(&key)? else { return Ok(None) };
        let stored: PackedInfo =
            decode("a document", &bytes).map_err(|error| StoreError::unreadable(&key, error))?;
        let is_earlier = stored.document.fetched < document.fetched;
        Ok(is_earlier.then_some(bytes))
    }

    fn add_alias(
        &mut self,
        of: DocumentId,
        url: UrlKey,
        text: String,
        packed: Vec<u8>,
    ) -> Result<Outcome, StoreError> {
        let (here, there) = (self.partition_at(url)?, self.partition_of_document(of)?);
        if here == there {
            self.put_bytes(keys::alias(of, url), text.into_bytes());
        } else {
            self.send(here, there, &Message::Alias { of, url, packed });
        }
        self.set_duplicate_of(url, Some(url_of(of)))?;
        self.total(here, |totals| totals.duplicates += 1)?;
        Ok(Outcome::Duplicate { of: url_of(of) })
    }

    fn set_duplicate_of(&mut self, url: UrlKey, duplicate_of: Option<UrlKey>) -> Result<(), StoreError> {
        if let Some(record) = self.url(url)? {
            self.put_url(url, &UrlRecord { duplicate_of, ..record });
        }
        Ok(())
    }

    fn remove_alias(&mut self, of: DocumentId, url: UrlKey) -> Result<(), StoreError> {
        let (here, there) = (self.partition_at(url)?, self.partition_of_document(of)?);
        if there == here {
            self.remove(keys::alias(of, url));
        } else {
            self.send(here, there, &Message::NoAlias { of, url });
        }
        self.end_alias(url)
    }

    pub(crate) fn end_alias(&mut self, url: UrlKey) -> Result<(), StoreError> {
        self.set_duplicate_of(url, None)?;
        let here = self.partition_at(url)?;
        self.total(here, |totals| totals.duplicates = totals.duplicates.saturating_sub(1))
    }

    /// Removes a page's text from the corpus, because the page is extracted again or no longer has a text. If
    /// another URL has the same text, the document is stored under that URL.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn withdraw(&mut self, url: UrlKey, writer: &mut Writer) -> Result<(), StoreError> {
        self.take_out(url, &mut writer.duplicates).map(drop)
    }

    fn take_out(&mut self, url: UrlKey, duplicates: &mut Duplicates) -> Result<Option<u32>, StoreError> {
        if let Some(original) = self.url(url)?.and_then(|record| record.duplicate_of) {
            self.remove_alias(document_id(original), url)?;
            return Ok(None);
        }
        let id = document_id(url);
        // An unreadable text stays, because its hash and language are unknown.
        let Some(document) = readable(self.document(id))? else { return Ok(None) };
        self.remove(keys::document(id));
        self.remove(keys::content(&own_hash(&document.content_hash, id)));
        let aliases = self.aliases_here(&document)?;
        let Some((heir, rest)) = aliases.split_first() else {
            self.forget_content(&document)?;
            self.uncount(&document)?;
            return self.depart(id, duplicates);
        };
        self.inherit(&document, *heir, rest)?;
        Ok(None)
    }

    /// Returns the aliases of a document that are in its own partition. Sends the text to the partitions of
    /// the other aliases, which store it again.
    fn aliases_here(&mut self, document: &Document) -> Result<Vec<UrlKey>, StoreError> {
        let here = self.partition_of_document(document.id)?;
        let mut aliases = Vec::new();
        for key in self.keys(&keys::aliases_of(document.id))? {
            let Some(url) = keys::last_url(&key) else { continue };
            match self.partition_of_url(url)? {
                Some(there) if there != here => {
                    let packed = PackedDocument::unsigned(document.clone()).bytes;
                    self.send(here, there, &Message::Place { url, was: document.id, packed });
                    self.remove(key);
                }
                _ => aliases.push(url),
            }
        }
        Ok(aliases)
    }

    fn uncount(&mut self, document: &Document) -> Result<(), StoreError> {
        self.total(self.partition_of_document(document.id)?, |totals| {
            if let Some((documents, count)) = totals.languages.get_mut(&document.language) {
                *documents = documents.saturating_sub(1);
                *count = count.saturating_sub(words(&document.text));
            }
        })
    }

    /// Turns `ours` and its aliases into aliases of `theirs`, which another process stored first.
    pub(crate) fn merge_into(
        &mut self,
        theirs: DocumentId,
        ours: DocumentId,
        duplicates: &mut Duplicates,
    ) -> Result<(), StoreError> {
        let Some(document) = self.document(ours)? else { return Ok(()) };
        self.remove(keys::document(ours));
        self.uncount(&document)?;
        self.depart(ours, duplicates)?;
        // A URL of another partition may have stopped being an alias, so its own partition decides.
        let here = self.aliases_here(&document)?;
        for url in &here {
            self.remove(keys::alias(ours, *url));
        }
        for url in here.into_iter().chain([url_of(ours)]) {
            let Some(record) = self.url(url)? else { continue };
            if record.duplicate_of.is_some() {
                self.end_alias(url)?;
            }
            let copy = Document { id: document_id(url), url: record.url.clone(), ..document.clone() };
            let packed = PackedDocument::unsigned(copy).bytes;
            let outcome = self.add_alias(theirs, url, record.url, packed)?;
            self.reattribute(url, outcome)?;
        }
        Ok(())
    }

    fn forget_content(&mut self, document: &Document) -> Result<(), StoreError> {
        let key = keys::content(&document.content_hash);
        if self.get::<DocumentId>("a content hash", &key)? == Some(document.id) {
            self.remove(key);
        }
        Ok(())
    }

    fn inherit(&mut self, document: &Document, heir: UrlKey, rest: &[UrlKey]) -> Result<(), StoreError> {
        self.remove_alias(document.id, heir)?;
        for url in rest {
            let key = keys::alias(document.id, *url);
            let text = self.get_bytes(&key)?.unwrap_or_default();
            self.remove(key);
            self.put_bytes(keys::alias(document_id(heir), *url), text);
            self.set_duplicate_of(*url, Some(heir))?;
            self.reattribute(*url, Outcome::Duplicate { of: heir })?;
        }
        if let Some(record) = self.url(heir)? {
            let host = gleaner_frontier::CanonicalUrl::parse(&record.url).map(|url| url.host().to_owned());
            let host = host.unwrap_or_else(|_| document.host.clone());
            let document = Document { id: document_id(heir), url: record.url, host, ..document.clone() };
            let hash = document.content_hash;
            let same = self.get("a content hash", &keys::content(&hash))?;
            self.put_document(&hash, PackedDocument::unsigned(document), same);
        }
        self.rename_cluster_membership(document.id, document_id(heir))?;
        let outcome = self.outcome_of(document_id(heir))?;
        self.reattribute(heir, outcome)
    }

    /// Replaces the outcome of a URL whose text became new, a duplicate or a near-duplicate, because another
    /// document changed. Does not replace later outcomes, for example that the page is gone.
    pub(crate) fn reattribute(&mut self, url: UrlKey, outcome: Outcome) -> Result<(), StoreError> {
        let is_of_text = |last: &Outcome| {
            matches!(last, Outcome::Stored | Outcome::Duplicate { .. } | Outcome::NearDuplicate { .. })
        };
        if let Some(record) = self.url(url)?
            && record.last.as_ref().is_none_or(is_of_text)
        {
            self.note(url, &record, outcome);
        }
        Ok(())
    }
}
