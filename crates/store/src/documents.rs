//! Documents: stored once, with every URL that carried their text.
//!
//! The first URL to carry a text names the document; others become aliases. When
//! a page is extracted anew and its text changes, the old text must not go with it
//! if other URLs carried it: the first of them then becomes its name.

use gleaner_corpus::{Document, DocumentId, words};
use gleaner_frontier::{Outcome, UrlKey};

use crate::records::{Packed, decode, document_of, encode};
use crate::{Change, StoreError, UrlRecord, keys};

/// Level of compression for texts: past it zstd gets slow before it gets smaller.
const LEVEL: i32 = 3;

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

pub(crate) fn pack(document: &Document) -> Vec<u8> {
    let text = zstd::bulk::compress(document.text.as_bytes(), LEVEL)
        .expect("compressing into memory has no way to fail");
    encode(&Packed { document: Document { text: String::new(), ..document.clone() }, text })
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Document, StoreError> {
    let packed: Packed = decode("a document", bytes)?;
    let damaged = |reason: String| StoreError::Damaged { what: "a document's text", reason };
    let text = zstd::stream::decode_all(&*packed.text).map_err(|error| damaged(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| damaged(error.to_string()))?;
    Ok(Document { text, ..packed.document })
}

impl Change {
    fn document(&self, id: DocumentId) -> Result<Option<Document>, StoreError> {
        match self.get_bytes(&keys::document(id))? {
            Some(bytes) => unpack(&bytes).map(Some),
            None => Ok(None),
        }
    }

    fn put_document(&mut self, document: &Document) {
        self.put_bytes(keys::document(document.id), pack(document));
        self.put(keys::content(&document.content_hash), &document.id);
    }

    /// Stores a document under the URL `key`, whose previous text (if it had one)
    /// it replaces. The URL's record must be known and may change by this.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn place(&mut self, key: UrlKey, document: &Document) -> Result<Placement, StoreError> {
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
            self.put_bytes(keys::alias(head, key), document.url.as_bytes().to_vec());
            self.set_twin(key, Some(of))?;
            self.total(|totals| totals.duplicates += 1)?;
            return Ok(Placement::Duplicate { of });
        }
        self.put_document(document);
        self.total(|totals| {
            let (documents, count) = totals.languages.entry(document.language.clone()).or_default();
            *documents += 1;
            *count += words(&document.text);
        })?;
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
            self.put_document(&Document { id: document_of(heir), url: record.url, host, ..document.clone() });
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

#[cfg(test)]
mod tests {
    use gleaner_corpus::ContentHash;
    use jiff::Timestamp;
    use serde::Serialize;

    use super::*;

    /// A document as the first stores have it.
    #[derive(Serialize)]
    struct First {
        id: DocumentId,
        url: String,
        host: String,
        title: Option<String>,
        text: String,
        language: String,
        fetched: Timestamp,
        published: Option<String>,
        authors: Vec<String>,
        content_hash: ContentHash,
        method: String,
        template_version: Option<u32>,
    }

    #[test]
    fn documents_of_the_first_stores_are_read() {
        let first = First {
            id: DocumentId([7; 16]),
            url: "https://a.example/1".into(),
            host: "a.example".into(),
            title: None,
            text: String::new(),
            language: "vi".into(),
            fetched: Timestamp::UNIX_EPOCH,
            published: Some("2026-11-20".into()),
            authors: vec!["An".into()],
            content_hash: ContentHash::of("Mưa."),
            method: "fast-content-extractor".into(),
            template_version: Some(3),
        };
        let text = zstd::bulk::compress("Mưa.".as_bytes(), LEVEL).unwrap();
        let document = unpack(&encode(&(first, serde_bytes::ByteBuf::from(text)))).unwrap();
        assert_eq!((document.text.as_str(), document.template_version), ("Mưa.", Some(3)));
        assert_eq!(document.authors, ["An"]);
        assert_eq!((document.kinds.as_str(), document.section, document.confidence), ("", None, None));
    }

    #[test]
    fn what_is_packed_comes_back() {
        assert_eq!(unpack(&pack(&document_of_today())).unwrap(), document_of_today());
    }

    fn document_of_today() -> Document {
        Document {
            id: DocumentId([7; 16]),
            url: "https://a.example/1".into(),
            host: "a.example".into(),
            title: None,
            text: "Mưa.".into(),
            language: "vi".into(),
            fetched: Timestamp::UNIX_EPOCH,
            published: None,
            authors: Vec::new(),
            content_hash: ContentHash::of("x"),
            method: "template".into(),
            template_version: None,
            kinds: "p".into(),
            modified: None,
            section: None,
            canonical: None,
            confidence: Some(87),
        }
    }
}
