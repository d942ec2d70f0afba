//! Compresses documents and raw pages for the store, on any thread.
//!
//! Only the writer writes to the store, one change after another, and compression takes most of the time of a
//! write. Therefore the thread that has the page compresses it beforehand. Each thread keeps its compressor,
//! which takes a few MiB, until the thread ends.

use std::cell::RefCell;

use gleaner_corpus::dedup::SignedText;
use gleaner_corpus::{ContentHash, Document, DocumentId, words};
use jiff::Timestamp;
use zstd::bulk::Compressor;

use crate::StoreError;
use crate::records::{PackedInfo, RawPage, decode, encode};

/// Compression level for texts. Above this level, compression takes much longer and saves little space.
const TEXT_LEVEL: i32 = 3;
/// Compression level for raw pages, which are kept until training. It takes half the time of level 3, and
/// compressed pages are a tenth larger.
const PAGE_LEVEL: i32 = 1;

/// A compressed document, ready to be stored.
#[derive(Debug)]
pub struct PackedDocument {
    pub(crate) id: DocumentId,
    pub(crate) url: String,
    pub(crate) language: String,
    pub(crate) content_hash: ContentHash,
    pub(crate) words: u64,
    pub(crate) fetched: Timestamp,
    pub(crate) bytes: Vec<u8>,
    /// The signature and keys for finding near-duplicates. `None` if the text is too short or already has a
    /// stored signature.
    pub(crate) signed: Option<SignedText>,
}

impl PackedDocument {
    /// Computes the signature of a document's text, and compresses the text.
    #[must_use]
    pub fn from_document(document: Document) -> Self {
        let signed = SignedText::from_text(&document.text);
        Self { signed, ..Self::unsigned(document) }
    }

    /// Compresses a text that already has a stored signature.
    pub(crate) fn unsigned(document: Document) -> Self {
        let words = words(&document.text);
        let text = compressed(document.text.as_bytes(), TEXT_LEVEL);
        let (id, content_hash, fetched) = (document.id, document.content_hash, document.fetched);
        let (url, language) = (document.url.clone(), document.language.clone());
        let bytes = encode(&PackedInfo { document: Document { text: String::new(), ..document }, text });
        Self { id, url, language, content_hash, words, fetched, bytes, signed: None }
    }

    /// Returns the id of the document.
    #[must_use]
    pub const fn id(&self) -> DocumentId {
        self.id
    }

    /// Returns the stored size in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the number of words in the document's text.
    #[must_use]
    pub const fn words(&self) -> u64 {
        self.words
    }

    /// Returns the hash of the document's text.
    #[must_use]
    pub const fn content_hash(&self) -> ContentHash {
        self.content_hash
    }
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Document, StoreError> {
    let packed: PackedInfo = decode("a document", bytes)?;
    let damaged = |reason: String| StoreError::Damaged { what: "a document's text", reason };
    let text = zstd::stream::decode_all(&*packed.text).map_err(|error| damaged(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| damaged(error.to_string()))?;
    Ok(Document { text, ..packed.document })
}

/// Like [`unpack`], but an error concerns only the record with this key.
pub(crate) fn unpack_at(key: &[u8], bytes: &[u8]) -> Result<Document, StoreError> {
    let wrong = |error| match error {
        StoreError::Damaged { reason, .. } => {
            StoreError::unreadable(key, StoreError::UnreadableEntry { reason })
        }
        error => error,
    };
    unpack(bytes).map_err(wrong)
}

/// A compressed raw page, ready to be stored.
#[derive(Debug)]
pub struct PackedPage(pub(crate) Vec<u8>);

impl PackedPage {
    /// Compresses a page.
    #[must_use]
    pub fn from_page(page: &RawPage) -> Self {
        Self(compressed(&encode(page), PAGE_LEVEL))
    }
}

pub(crate) fn unpack_page(bytes: &[u8]) -> Result<RawPage, StoreError> {
    let damaged =
        |error: std::io::Error| StoreError::Damaged { what: "a raw page", reason: error.to_string() };
    decode("a raw page", &zstd::stream::decode_all(bytes).map_err(damaged)?)
}

thread_local! {
    static COMPRESSOR: RefCell<Compressor<'static>> = RefCell::default();
}

fn compressed(bytes: &[u8], level: i32) -> Vec<u8> {
    COMPRESSOR.with_borrow_mut(|compressor| {
        compressor.set_compression_level(level).expect("the level is valid");
        compressor.compress(bytes).expect("the buffer has the size of zstd's bound")
    })
}

#[cfg(test)]
mod tests {
    use gleaner_corpus::{ContentHash, Extras};
    use serde::Serialize;
    use serde_json::json;

    use super::*;

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
            content_hash: ContentHash::from_text("Mưa."),
            method: "fast-content-extractor".into(),
            template_version: Some(3),
        };
        let text = zstd::bulk::compress("Mưa.".as_bytes(), TEXT_LEVEL).unwrap();
        let document = unpack(&encode(&(first, serde_bytes::ByteBuf::from(text)))).unwrap();
        assert_eq!((document.text.as_str(), document.template_version), ("Mưa.", Some(3)));
        assert_eq!(document.authors, ["An"]);
        assert_eq!(document.credits, [""; 0]);
        assert_eq!((document.kinds.as_str(), document.section, document.confidence), ("", None, None));
        assert_eq!((document.language_probability, document.extras), (None, Extras::default()));
    }

    #[test]
    fn positions_of_stored_fields_do_not_change() {
        let [id, content_hash] = [json!(vec![7; 16]), json!(ContentHash::from_text("Rain."))];
        let record = json!([
            id,
            "https://a.example/1",
            "a.example",
            "Title",
            "Rain.",
            "en",
            "2026-11-28T00:00:00Z",
            "2026-11-20",
            ["Ann"],
            content_hash,
            "template",
            2,
            "p",
            "2026-11-21",
            "World",
            "https://a.example/2",
            87,
            99,
            "2026-11-20T00:00:00Z",
            "Description",
            ["rain"],
            "The Paper",
            "https://a.example/1.jpg",
            "news",
            true,
            false,
            [["Well said"], ["A river"], ["https://a.example/3"], ["river"]],
            ["Harbour Wire"]
        ]);
        let document: Document = decode("a document", &encode(&record)).unwrap();
        assert_eq!((document.confidence, document.language_probability), (Some(87), Some(99)));
        assert_eq!((document.paywalled, document.complete), (Some(true), Some(false)));
        assert_eq!((document.title.as_deref(), document.section.as_deref()), (Some("Title"), Some("World")));
        let stored: serde_json::Value = decode("a document", &encode(&document)).unwrap();
        assert_eq!(stored.as_array().unwrap()[..28], record.as_array().unwrap()[..]);
    }

    #[test]
    fn what_is_packed_comes_back() {
        assert_eq!(
            unpack(&PackedDocument::from_document(document_of_today()).bytes).unwrap(),
            document_of_today()
        );
    }

    fn document_of_today() -> Document {
        let (id, url) = (DocumentId([7; 16]), "https://a.example/1");
        Document {
            confidence: Some(87),
            language_probability: Some(99),
            published_utc: Some(Timestamp::UNIX_EPOCH),
            keywords: vec!["rain".into()],
            article_type: Some("news".into()),
            paywalled: Some(false),
            credits: vec!["Harbour Wire".into()],
            extras: Extras { comments: vec!["Well said".into()], ..Extras::default() },
            ..Document::with_text(id, url, "a.example", "Mưa.".into(), Timestamp::UNIX_EPOCH)
        }
    }

    #[test]
    fn a_page_comes_back_and_one_that_is_damaged_is_told() {
        let body = b"<p>rain</p>".repeat(1000);
        let page = RawPage {
            body,
            content_type: Some("text/html".into()),
            fetched: Timestamp::UNIX_EPOCH,
            ..RawPage::default()
        };
        let PackedPage(bytes) = PackedPage::from_page(&page);
        assert!(bytes.len() < 500, "{}", bytes.len());
        assert_eq!(unpack_page(&bytes).unwrap(), page);
        assert!(unpack_page(&bytes[..20]).is_err());
    }
}
