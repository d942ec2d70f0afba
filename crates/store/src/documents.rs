//! Documents: stored once, with every URL that carried their text.
//!
//! The first URL to carry a text names the document; others become aliases. When
//! a page is extracted anew and its text changes, the old text must not go with it
//! if other URLs carried it: the first of them then becomes its name.

use gleaner_corpus::{Document, DocumentId, words};
use gleaner_frontier::{Outcome, UrlKey};

use crate::packed::unpack;
use crate::records::document_of;
use crate::{Change, PackedDocument, StoreError, UrlRecord, keys};

/// What became of a document that was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// Its text is new; it is stored.
    Stored,
    /// Its text is stored under another URL.
    Duplicate {
        /// That URL.
        of: UrlKey,
    },
}

impl Change {
    fn document(&self, id: DocumentId) -> Result<Option<Document>, StoreError> {
        match self.get_bytes(&keys::document(id))? {
            Some(bytes) => unpack(&bytes).map(Some),
            None => Ok(None),
        }
    }

    fn put_document(&mut self, document: PackedDocument) {
        self.put(keys::content(&document.content_hash), &document.id);
        self.put_bytes(keys::document(document.id), document.bytes);
    }

    /// Stores a document under the URL `key`, whose previous text (if it had one)
    /// it replaces. The URL's record must be known and may change by this.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn place(&mut self, key: UrlKey, document: PackedDocument) -> Result<Placement, StoreError> {
        debug_assert_eq!(document.id, document_of(key), "a document is named by its URL");
        let head: Option<DocumentId> = self.get("a content hash", &keys::content(&document.content_hash))?;
        let twin_of = self.url(key)?.and_then(|record| record.twin_of);
        if head == Some(document.id) {
            self.put_document(document);
            return Ok(Placement::Stored);
        }
        if let (Some(twin), Some(head)) = (twin_of, head)
            && document_of(twin) == head
        {
            return Ok(Placement::Duplicate { of: twin });
        }
        self.withdraw(key)?;
        if let Some(head) = head {
            let of = UrlKey::from_bytes(head.0);
            self.put_bytes(keys::alias(head, key), document.url.into_bytes());
            self.set_twin(key, Some(of))?;
            self.total(|totals| totals.duplicates += 1)?;
            return Ok(Placement::Duplicate { of });
        }
        self.total(|totals| {
            let (documents, count) = totals.languages.entry(document.language.clone()).or_default();
            *documents += 1;
            *count += document.words;
        })?;
        self.put_document(document);
        Ok(Placement::Stored)
    }

    fn set_twin(&mut self, url: UrlKey, twin_of: Option<UrlKey>) -> Result<(), StoreError> {
        if let Some(record) = self.url(url)? {
            self.put(keys::url(url), &UrlRecord { twin_of, ..record });
        }
        Ok(())
    }

    fn remove_alias(&mut self, head: DocumentId, url: UrlKey) -> Result<(), StoreError> {
        self.remove(keys::alias(head, url));
        self.set_twin(url, None)?;
        self.total(|totals| totals.duplicates = totals.duplicates.saturating_sub(1))
    }

    /// Takes what a page carried out of the corpus, because it is extracted anew or
    /// carries a text no more. Another URL that carried the same text takes it over.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn withdraw(&mut self, url: UrlKey) -> Result<(), StoreError> {
        if let Some(twin) = self.url(url)?.and_then(|record| record.twin_of) {
            return self.remove_alias(document_of(twin), url);
        }
        let id = document_of(url);
        let Some(document) = self.document(id)? else { return Ok(()) };
        self.remove(keys::document(id));
        let aliases: Vec<UrlKey> =
            self.keys(&keys::aliases_of(id))?.iter().filter_map(|key| keys::last_url(key)).collect();
        let Some((heir, rest)) = aliases.split_first() else {
            self.remove(keys::content(&document.content_hash));
            return self.total(|totals| {
                if let Some((documents, count)) = totals.languages.get_mut(&document.language) {
                    *documents = documents.saturating_sub(1);
                    *count = count.saturating_sub(words(&document.text));
                }
            });
        };
        self.inherit(&document, *heir, rest)
    }

    /// Gives `document` the name of `heir`; `rest` become its aliases.
    fn inherit(&mut self, document: &Document, heir: UrlKey, rest: &[UrlKey]) -> Result<(), StoreError> {
        self.remove_alias(document.id, heir)?;
        for url in rest {
            let key = keys::alias(document.id, *url);
            let text = self.get_bytes(&key)?.unwrap_or_default();
            self.remove(key);
            self.put_bytes(keys::alias(document_of(heir), *url), text);
            self.set_twin(*url, Some(heir))?;
            self.reattribute(*url, Outcome::Duplicate { of: heir })?;
        }
        if let Some(record) = self.url(heir)? {
            let host = gleaner_frontier::CanonicalUrl::parse(&record.url).map(|url| url.host().to_owned());
            let host = host.unwrap_or_else(|_| document.host.clone());
            let document = Document { id: document_of(heir), url: record.url, host, ..document.clone() };
            self.put_document(PackedDocument::of(document));
        }
        self.reattribute(heir, Outcome::Stored)
    }

    fn reattribute(&mut self, url: UrlKey, outcome: Outcome) -> Result<(), StoreError> {
        if let Some(record) = self.url(url)? {
            self.note(url, &record, outcome);
        }
        Ok(())
    }
}
