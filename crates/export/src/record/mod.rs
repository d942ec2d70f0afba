//! Defines an exported document: its fields, their order and their types.
//!
//! [`FIELDS`] are the fields that [`document_fields`](gleaner_corpus::document_fields) declares, with their values.

mod fields;

use std::cell::OnceCell;

use gleaner_archive::Exchange;
use gleaner_corpus::{Document, DocumentId, Quality};
use jiff::Timestamp;

use crate::tagger::TaggedLines;
use crate::tokens::{Sentence, TokenCounts, counts, sentences};

pub use fields::{Cell, FIELDS, Field, FieldType, Fields};

/// One exported document.
#[derive(Debug, Clone, PartialEq)]
pub struct Record<'a> {
    document: &'a Document,
    context: &'a RecordContext,
    id: String,
    content_hash: String,
    cluster: String,
    gone: Option<String>,
    quality: Quality,
    counts: OnceCell<TokenCounts>,
}

/// Data about a document that the document itself does not contain.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordContext {
    /// All URLs with this text. The document's own URL is first.
    pub urls: Vec<String>,
    /// The representative of the document's cluster. `None` if the document is itself the representative.
    pub representative: Option<DocumentId>,
    /// Estimated similarity to the representative, from 0 to 1. `None` if the document is itself the
    /// representative.
    pub similarity: Option<f64>,
    /// Number of documents in the cluster, without the representative.
    pub near_duplicates: u64,
    /// Ids of similar documents that are not near-duplicates, most similar first.
    pub related: Vec<String>,
    /// Hashes of the paragraphs that were removed from the text, in order.
    pub removed: Vec<String>,
    /// The archive file with the page, and the offset of its record in bytes. `None` if not archived.
    pub archived: Option<(String, u64)>,
    /// Number of earlier revisions of the text.
    pub earlier: u32,
    /// The tokens of an external tagger. `None` without one.
    pub tagged: Option<TaggedLines>,
    /// When the page was found to be gone. `None` if it existed at the last request.
    pub gone: Option<Timestamp>,
    /// The archived response and request, for formats that [have pages](crate::FormatKind::has_pages).
    pub page: Option<Exchange>,
}

impl<'a> Record<'a> {
    /// Returns the record of a document with its context. Computes the measured values of the text
    /// ([`Quality`]).
    #[must_use]
    pub fn new(document: &'a Document, context: &'a RecordContext) -> Self {
        Self {
            document,
            context,
            id: document.id.to_string(),
            content_hash: document.content_hash.to_string(),
            cluster: context.representative.unwrap_or(document.id).to_string(),
            gone: context.gone.map(|gone| gone.to_string()),
            quality: Quality::new(&document.text, &document.language),
            counts: OnceCell::new(),
        }
    }

    /// Returns the document's id as 32 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the document.
    #[must_use]
    pub const fn document(&self) -> &'a Document {
        self.document
    }

    /// Returns the document's headline, or an empty text if the page has none.
    #[must_use]
    pub fn title(&self) -> &str {
        self.document.title.as_deref().unwrap_or_default()
    }

    /// Returns the number of words in the text.
    #[must_use]
    pub const fn words(&self) -> u64 {
        self.quality.words
    }

    /// Returns the text, with one paragraph per line.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.document.text
    }

    /// Returns the archived response and request of the page, if the context has them.
    #[must_use]
    pub const fn page(&self) -> Option<&Exchange> {
        self.context.page.as_ref()
    }

    /// Returns the archive file with the page, and the offset of its record in bytes.
    pub(crate) const fn archived(&self) -> Option<&(String, u64)> {
        self.context.archived.as_ref()
    }

    /// Returns each line of the text with the letter of its kind, or with `p` if the document does not record
    /// the kind.
    pub fn lines(&self) -> impl Iterator<Item = (char, &'a str)> + use<'a> {
        let kinds = self.document.kinds.chars().chain(std::iter::repeat('p'));
        kinds.zip(self.document.text.lines())
    }

    /// Returns the sentences of each line of the text, with the kind of the line: those of the external tagger, or those
    /// of `tokens.rs`.
    pub(crate) fn sentences(&self) -> impl Iterator<Item = (char, Vec<Sentence<'a>>)> + use<'a> {
        let tagged = self.context.tagged.as_ref();
        self.lines().enumerate().map(move |(at, (kind, line))| match tagged {
            Some(lines) => {
                (kind, lines.get(at).into_iter().flatten().filter_map(|it| Sentence::tagged(it)).collect())
            }
            None => (kind, sentences(line).collect()),
        })
    }

    fn counts(&self) -> TokenCounts {
        *self.counts.get_or_init(|| counts(self.text()))
    }

    /// Returns the number in the field with this name, for conditions. Returns `None` if the record has no
    /// such number.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<f64> {
        match self.cell(name)? {
            Cell::Long(count) => count.map(|count| count as f64),
            Cell::Number(number) => number,
            _ => None,
        }
    }

    /// Returns the value of the field with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn cell(&self, name: &str) -> Option<Cell<'_>> {
        FIELDS.iter().find(|field| field.name == name).map(|field| field.value(self))
    }
}

#[cfg(test)]
pub(crate) mod tests;
