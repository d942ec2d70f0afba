//! An exported document: its fields, their order and their types.
//!
//! [`FIELDS`] defines the names, order and types. The Parquet columns are derived from it, and tests
//! compare JSON and docs/corpus.md with it.

use gleaner_corpus::{Document, DocumentId, Quality};
use jiff::Timestamp;
use serde::Serialize;

/// One exported document. In JSON, it is an object with these fields in this order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Record<'a> {
    id: String,
    url: &'a str,
    host: &'a str,
    title: Option<&'a str>,
    language: &'a str,
    language_probability: Option<f64>,
    published: Option<&'a str>,
    modified: Option<&'a str>,
    authors: &'a [String],
    section: Option<&'a str>,
    canonical: Option<&'a str>,
    fetched: Timestamp,
    revision: u64,
    gone: Option<String>,
    words: u64,
    sentence_length: f64,
    stop_word_share: Option<f64>,
    repeated_line_share: f64,
    symbol_share: f64,
    method: &'a str,
    template_version: Option<u32>,
    confidence: Option<f64>,
    content_hash: String,
    urls: &'a [String],
    cluster: String,
    similarity: Option<f64>,
    near_duplicates: u64,
    related: &'a [String],
    removed: &'a [String],
    archive_file: Option<&'a str>,
    archive_offset: Option<u64>,
    kinds: &'a str,
    text: &'a str,
}

/// Data about a document that is stored separately from it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Beside {
    /// All URLs with this text, the document's own URL first.
    pub urls: Vec<String>,
    /// The representative of the document's cluster, if that is another document.
    pub head: Option<DocumentId>,
    /// Estimated similarity to the representative, 0 to 1; `None` for a representative.
    pub similarity: Option<f64>,
    /// Number of members of the cluster besides the representative.
    pub near_duplicates: u64,
    /// Ids of similar documents that are not near-duplicates, most similar first.
    pub related: Vec<String>,
    /// Hashes of the paragraphs removed from the text, in order.
    pub removed: Vec<String>,
    /// The archive file with the page, and the byte offset of the record; `None` if the archive does not
    /// contain it.
    pub archived: Option<(String, u64)>,
    /// Number of earlier revisions of the text.
    pub earlier: u32,
    /// When the page was found to be gone; `None` if the last request found it.
    pub gone: Option<Timestamp>,
}

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Unicode text.
    Text,
    /// Unicode text, or null.
    OptionalText,
    /// A list of texts, which may be empty.
    Texts,
    /// An instant; microseconds since 1970 in Parquet.
    Time,
    /// A count, 64 bits.
    Count,
    /// A count, 64 bits, or null.
    OptionalCount,
    /// A count, 32 bits, or null.
    OptionalSmallCount,
    /// A floating-point number, 64 bits.
    Number,
    /// A floating-point number, 64 bits, or null.
    OptionalNumber,
}

/// All fields with their types, in order.
pub const FIELDS: [(&str, Kind); 33] = [
    ("id", Kind::Text),
    ("url", Kind::Text),
    ("host", Kind::Text),
    ("title", Kind::OptionalText),
    ("language", Kind::Text),
    ("language_probability", Kind::OptionalNumber),
    ("published", Kind::OptionalText),
    ("modified", Kind::OptionalText),
    ("authors", Kind::Texts),
    ("section", Kind::OptionalText),
    ("canonical", Kind::OptionalText),
    ("fetched", Kind::Time),
    ("revision", Kind::Count),
    ("gone", Kind::OptionalText),
    ("words", Kind::Count),
    ("sentence_length", Kind::Number),
    ("stop_word_share", Kind::OptionalNumber),
    ("repeated_line_share", Kind::Number),
    ("symbol_share", Kind::Number),
    ("method", Kind::Text),
    ("template_version", Kind::OptionalSmallCount),
    ("confidence", Kind::OptionalNumber),
    ("content_hash", Kind::Text),
    ("urls", Kind::Texts),
    ("cluster", Kind::Text),
    ("similarity", Kind::OptionalNumber),
    ("near_duplicates", Kind::Count),
    ("related", Kind::Texts),
    ("removed", Kind::Texts),
    ("archive_file", Kind::OptionalText),
    ("archive_offset", Kind::OptionalCount),
    ("kinds", Kind::Text),
    ("text", Kind::Text),
];

/// The value of one field of one record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Value of [`Kind::Text`] and [`Kind::OptionalText`].
    Text(Option<&'a str>),
    /// Value of [`Kind::Texts`].
    Texts(&'a [String]),
    /// Value of [`Kind::Time`] and [`Kind::Count`].
    Long(i64),
    /// Value of [`Kind::OptionalCount`].
    OptionalLong(Option<i64>),
    /// Value of [`Kind::OptionalSmallCount`].
    Int(Option<i32>),
    /// Value of [`Kind::Number`] and [`Kind::OptionalNumber`].
    Number(Option<f64>),
}

impl<'a> Record<'a> {
    /// Returns the record of a document and its additional data. Computes the quality figures.
    #[must_use]
    pub fn new(document: &'a Document, beside: &'a Beside) -> Self {
        let share = |hundredths: Option<u8>| hundredths.map(|it| f64::from(it) / 100.0);
        let quality = Quality::new(&document.text, &document.language);
        Self {
            id: document.id.to_string(),
            url: &document.url,
            host: &document.host,
            title: document.title.as_deref(),
            language: &document.language,
            language_probability: share(document.language_probability),
            published: document.published.as_deref(),
            modified: document.modified.as_deref(),
            authors: &document.authors,
            section: document.section.as_deref(),
            canonical: document.canonical.as_deref(),
            fetched: document.fetched,
            revision: u64::from(beside.earlier) + 1,
            gone: beside.gone.map(|gone| gone.to_string()),
            words: quality.words,
            sentence_length: quality.sentence_length,
            stop_word_share: quality.stop_word_share,
            repeated_line_share: quality.repeated_line_share,
            symbol_share: quality.symbol_share,
            method: &document.method,
            template_version: document.template_version,
            confidence: share(document.confidence),
            content_hash: document.content_hash.to_string(),
            urls: &beside.urls,
            cluster: beside.head.unwrap_or(document.id).to_string(),
            similarity: beside.similarity,
            near_duplicates: beside.near_duplicates,
            related: &beside.related,
            removed: &beside.removed,
            archive_file: beside.archived.as_ref().map(|(file, _)| file.as_str()),
            archive_offset: beside.archived.as_ref().map(|(_, offset)| *offset),
            kinds: &document.kinds,
            text: &document.text,
        }
    }

    /// Returns the values in the order of [`FIELDS`].
    #[must_use]
    pub fn cells(&self) -> [Cell<'_>; FIELDS.len()] {
        let text = |text| Cell::Text(Some(text));
        [
            text(&self.id),
            text(self.url),
            text(self.host),
            Cell::Text(self.title),
            text(self.language),
            Cell::Number(self.language_probability),
            Cell::Text(self.published),
            Cell::Text(self.modified),
            Cell::Texts(self.authors),
            Cell::Text(self.section),
            Cell::Text(self.canonical),
            Cell::Long(self.fetched.as_microsecond()),
            Cell::Long(i64::try_from(self.revision).unwrap_or(i64::MAX)),
            Cell::Text(self.gone.as_deref()),
            Cell::Long(i64::try_from(self.words).unwrap_or(i64::MAX)),
            Cell::Number(Some(self.sentence_length)),
            Cell::Number(self.stop_word_share),
            Cell::Number(Some(self.repeated_line_share)),
            Cell::Number(Some(self.symbol_share)),
            text(self.method),
            Cell::Int(self.template_version.map(|version| i32::try_from(version).unwrap_or(i32::MAX))),
            Cell::Number(self.confidence),
            text(&self.content_hash),
            Cell::Texts(self.urls),
            text(&self.cluster),
            Cell::Number(self.similarity),
            Cell::Long(i64::try_from(self.near_duplicates).unwrap_or(i64::MAX)),
            Cell::Texts(self.related),
            Cell::Texts(self.removed),
            Cell::Text(self.archive_file),
            Cell::OptionalLong(self.archive_offset.and_then(|offset| i64::try_from(offset).ok())),
            text(self.kinds),
            text(self.text),
        ]
    }

    /// Returns the document's id, 32 hexadecimal digits.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the document's host.
    #[must_use]
    pub const fn host(&self) -> &str {
        self.host
    }

    /// Returns the document's language, a BCP 47 primary tag.
    #[must_use]
    pub const fn language(&self) -> &str {
        self.language
    }

    /// Returns the document's headline; empty if the page declares none.
    #[must_use]
    pub fn title(&self) -> &str {
        self.title.unwrap_or_default()
    }

    /// Returns when the page was fetched.
    #[must_use]
    pub const fn fetched(&self) -> Timestamp {
        self.fetched
    }

    /// Returns the number of words.
    #[must_use]
    pub const fn words(&self) -> u64 {
        self.words
    }

    /// Returns the text, one paragraph per line.
    #[must_use]
    pub const fn text(&self) -> &str {
        self.text
    }

    /// Returns the kinds of the lines, one letter per line.
    #[must_use]
    pub const fn kinds(&self) -> &str {
        self.kinds
    }

    /// Returns the figure with this name, for conditions; `None` if the document lacks it.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<f64> {
        match self.cell(name)? {
            Cell::Long(count) => Some(count as f64),
            Cell::Number(number) => number,
            _ => None,
        }
    }

    /// Returns the value of the field with this name; `None` for an unknown name.
    #[must_use]
    pub fn cell(&self, name: &str) -> Option<Cell<'_>> {
        let at = FIELDS.iter().position(|(field, _)| *field == name)?;
        Some(self.cells()[at])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use gleaner_corpus::ContentHash;

    use super::*;

    /// Returns three documents with the difficult cases of a text format.
    pub(crate) fn documents() -> Vec<Document> {
        let first = Document {
            id: DocumentId([1; 16]),
            url: "https://www.baolang.example/cho-que?a=1&b=2".into(),
            host: "www.baolang.example".into(),
            title: Some("Chợ \"quê\" <họp> sớm & tan sớm".into()),
            text: "Sáng nay, chợ quê họp sớm.\nBà con nói: \"Rau < cá & thịt\"…\nMưa".into(),
            kinds: "pqh".into(),
            language: "vi".into(),
            fetched: "2026-11-20T02:30:00.123456789Z".parse().unwrap(),
            published: Some("2026-11-20T09:00:00+07:00".into()),
            modified: None,
            authors: vec!["An".into(), "Bình|Chi".into()],
            section: Some("Kinh tế".into()),
            canonical: None,
            content_hash: ContentHash::from_text("1"),
            method: "block-model".into(),
            template_version: None,
            confidence: Some(87),
            language_probability: Some(99),
        };
        let second = Document {
            id: DocumentId([2; 16]),
            url: "http://villagepost.example/a".into(),
            host: "villagepost.example:8080".into(),
            title: Some(String::new()),
            text: "It's 3.5 km.\n\nIt's 3.5 km.".into(),
            kinds: String::new(),
            language: "en".into(),
            published: None,
            authors: Vec::new(),
            section: None,
            canonical: Some("http://villagepost.example/a".into()),
            content_hash: ContentHash::from_text("2"),
            method: "template".into(),
            template_version: Some(2),
            confidence: None,
            language_probability: None,
            ..first.clone()
        };
        let third = Document {
            id: DocumentId([3; 16]),
            title: None,
            text: String::new(),
            language: "und".into(),
            content_hash: ContentHash::from_text("3"),
            confidence: Some(10),
            ..second.clone()
        };
        vec![first, second, third]
    }

    pub(crate) fn beside(document: &Document) -> Beside {
        let urls = vec![document.url.clone(), format!("{}#2", document.url)];
        let head = Some(DocumentId([9; 16]));
        let archived = Some(("gleaner-20261120023000-00001.warc.gz".to_owned(), 1234));
        Beside { urls, head, similarity: Some(0.75), near_duplicates: 2, archived, ..Beside::default() }
    }

    #[test]
    fn json_has_the_fields_in_their_order() {
        for document in documents() {
            let beside = beside(&document);
            let json = serde_json::to_string(&Record::new(&document, &beside)).unwrap();
            let mut at = 0;
            for (field, _) in FIELDS {
                let key = format!("\"{field}\":");
                at += json[at..].find(&key).unwrap_or_else(|| panic!("{json} lacks {field}"));
            }
            let object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&json).unwrap();
            assert_eq!(object.len(), FIELDS.len());
        }
    }

    #[test]
    fn the_documentation_has_the_fields_in_their_order() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/corpus.md");
        let text = std::fs::read_to_string(path).unwrap();
        let fields = text.split("\n## ").nth(1).unwrap();
        let rows = fields.lines().filter(|line| line.starts_with("| `"));
        let row = |line: &str| -> Vec<String> {
            line.split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect()
        };
        let rows: Vec<_> = rows.map(row).collect();
        let documented: Vec<_> = rows.iter().map(|row| (row[1].as_str(), row[3].as_str())).collect();
        assert_eq!(documented, FIELDS.map(|(name, kind)| (name, kind.label())));
    }

    #[test]
    fn cells_are_of_the_type_that_the_list_says() {
        for document in documents() {
            let beside = beside(&document);
            let record = Record::new(&document, &beside);
            for ((field, kind), cell) in FIELDS.iter().zip(record.cells()) {
                let fits = match (kind, cell) {
                    (Kind::Text, Cell::Text(text)) => text.is_some(),
                    (Kind::Number, Cell::Number(number)) => number.is_some(),
                    (Kind::OptionalText, Cell::Text(_))
                    | (Kind::OptionalNumber, Cell::Number(_))
                    | (Kind::Texts, Cell::Texts(_))
                    | (Kind::Time | Kind::Count, Cell::Long(_))
                    | (Kind::OptionalCount, Cell::OptionalLong(_))
                    | (Kind::OptionalSmallCount, Cell::Int(_)) => true,
                    _ => false,
                };
                assert!(fits, "{field}: {cell:?}");
            }
        }
    }

    #[test]
    fn every_figure_of_a_condition_is_a_field_with_the_same_value() {
        for document in documents() {
            let beside = Beside::default();
            let record = Record::new(&document, &beside);
            for (figure, _) in gleaner_corpus::condition::FIGURES {
                assert!(FIELDS.iter().any(|(field, _)| *field == figure), "{figure}");
                if !["similarity", "near_duplicates"].contains(&figure) {
                    assert_eq!(record.figure(figure), document.figure(figure), "{figure}");
                }
            }
        }
    }

    #[test]
    fn figures_are_found_by_name() {
        let document = &documents()[0];
        let beside = beside(document);
        let record = Record::new(document, &beside);
        assert_eq!(record.figure("words"), Some(13.0));
        assert_eq!((record.figure("similarity"), record.figure("near_duplicates")), (Some(0.75), Some(2.0)));
        assert_eq!(record.figure("confidence"), Some(0.87));
        assert_eq!(record.figure("url"), None);
    }
}
