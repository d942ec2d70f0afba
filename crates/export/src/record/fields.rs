//! The fields of a record: names, order, types and values.

use std::str::FromStr;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::{Record, RecordContext};

/// A field of a record.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The field's name in all formats.
    pub name: &'static str,
    /// The field's type.
    pub kind: Kind,
    value: for<'r> fn(&'r Record<'_>) -> Cell<'r>,
}

impl Field {
    /// Returns the value of this field of a record.
    #[must_use]
    pub fn of<'r>(&self, record: &'r Record<'_>) -> Cell<'r> {
        (self.value)(record)
    }
}

/// All fields, in the default order of the output.
pub static FIELDS: [Field; 47] = [
    field("id", Kind::Text, |r| text(&r.id)),
    field("url", Kind::Text, |r| text(&r.document.url)),
    field("host", Kind::Text, |r| text(&r.document.host)),
    field("title", Kind::OptionalText, |r| maybe(&r.document.title)),
    field("language", Kind::Text, |r| text(&r.document.language)),
    field("language_probability", Kind::OptionalNumber, |r| share(r.document.language_probability)),
    field("published", Kind::OptionalText, |r| maybe(&r.document.published)),
    field("published_utc", Kind::OptionalTime, |r| Cell::Time(r.document.published_utc)),
    field("modified", Kind::OptionalText, |r| maybe(&r.document.modified)),
    field("authors", Kind::Texts, |r| Cell::Texts(&r.document.authors)),
    field("section", Kind::OptionalText, |r| maybe(&r.document.section)),
    field("keywords", Kind::Texts, |r| Cell::Texts(&r.document.keywords)),
    field("description", Kind::OptionalText, |r| maybe(&r.document.description)),
    field("site_name", Kind::OptionalText, |r| maybe(&r.document.site_name)),
    field("image", Kind::OptionalText, |r| maybe(&r.document.image)),
    field("article_type", Kind::OptionalText, |r| maybe(&r.document.article_type)),
    field("paywalled", Kind::OptionalFlag, |r| Cell::Flag(r.document.paywalled)),
    field("complete", Kind::OptionalFlag, |r| Cell::Flag(r.document.complete)),
    field("canonical", Kind::OptionalText, |r| maybe(&r.document.canonical)),
    field("fetched", Kind::Time, |r| Cell::Time(Some(r.document.fetched))),
    field("revision", Kind::Count, |r| count(u64::from(r.context.earlier) + 1)),
    field("gone", Kind::OptionalText, |r| maybe(&r.gone)),
    field("words", Kind::Count, |r| count(r.quality.words)),
    field("sentences", Kind::Count, |r| count(r.counts().sentences)),
    field("tokens", Kind::Count, |r| count(r.counts().tokens)),
    field("sentence_length", Kind::Number, |r| Cell::Number(Some(r.quality.sentence_length))),
    field("stop_word_share", Kind::OptionalNumber, |r| Cell::Number(r.quality.stop_word_share)),
    field("repeated_line_share", Kind::Number, |r| Cell::Number(Some(r.quality.repeated_line_share))),
    field("symbol_share", Kind::Number, |r| Cell::Number(Some(r.quality.symbol_share))),
    field("method", Kind::Text, |r| text(&r.document.method)),
    field("template_version", Kind::OptionalSmallCount, |r| small(r.document.template_version)),
    field("confidence", Kind::OptionalNumber, |r| share(r.document.confidence)),
    field("content_hash", Kind::Text, |r| text(&r.content_hash)),
    field("urls", Kind::Texts, |r| Cell::Texts(&r.context.urls)),
    field("cluster", Kind::Text, |r| text(&r.cluster)),
    field("similarity", Kind::OptionalNumber, |r| Cell::Number(r.context.similarity)),
    field("near_duplicates", Kind::Count, |r| count(r.context.near_duplicates)),
    field("related", Kind::Texts, |r| Cell::Texts(&r.context.related)),
    field("removed", Kind::Texts, |r| Cell::Texts(&r.context.removed)),
    field("archive_file", Kind::OptionalText, |r| {
        Cell::Text(r.context.archived.as_ref().map(|(file, _)| file.as_str()))
    }),
    field("archive_offset", Kind::OptionalCount, |r| offset(r.context)),
    field("comments", Kind::Texts, |r| Cell::Texts(&r.document.extras.comments)),
    field("captions", Kind::Texts, |r| Cell::Texts(&r.document.extras.captions)),
    field("links", Kind::Texts, |r| Cell::Texts(&r.document.extras.links)),
    field("link_texts", Kind::Texts, |r| Cell::Texts(&r.document.extras.link_texts)),
    field("kinds", Kind::Text, |r| text(&r.document.kinds)),
    field("text", Kind::Text, |r| text(&r.document.text)),
];

const fn field(name: &'static str, kind: Kind, value: for<'r> fn(&'r Record<'_>) -> Cell<'r>) -> Field {
    Field { name, kind, value }
}

const fn text(text: &str) -> Cell<'_> {
    Cell::Text(Some(text))
}

fn maybe(text: &Option<String>) -> Cell<'_> {
    Cell::Text(text.as_deref())
}

fn count(number: u64) -> Cell<'static> {
    Cell::Long(i64::try_from(number).unwrap_or(i64::MAX))
}

fn share(hundredths: Option<u8>) -> Cell<'static> {
    Cell::Number(hundredths.map(|it| f64::from(it) / 100.0))
}

fn small(number: Option<u32>) -> Cell<'static> {
    Cell::Int(number.map(|number| i32::try_from(number).unwrap_or(i32::MAX)))
}

fn offset(context: &RecordContext) -> Cell<'_> {
    Cell::OptionalLong(context.archived.as_ref().and_then(|(_, offset)| i64::try_from(*offset).ok()))
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
    /// An instant. Parquet stores it as microseconds since 1970.
    Time,
    /// An instant, or null.
    OptionalTime,
    /// True, false or null.
    OptionalFlag,
    /// A count (64 bits).
    Count,
    /// A count (64 bits), or null.
    OptionalCount,
    /// A count (32 bits), or null.
    OptionalSmallCount,
    /// A floating-point number (64 bits).
    Number,
    /// A floating-point number (64 bits), or null.
    OptionalNumber,
}

impl Kind {
    /// Returns the name of the type that users see.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::OptionalText => "string or null",
            Self::Texts => "list of strings",
            Self::Time => "timestamp (microseconds, UTC)",
            Self::OptionalTime => "timestamp (microseconds, UTC) or null",
            Self::OptionalFlag => "boolean or null",
            Self::Count => "int64",
            Self::OptionalCount => "int64 or null",
            Self::OptionalSmallCount => "int32 or null",
            Self::Number => "float64",
            Self::OptionalNumber => "float64 or null",
        }
    }
}

/// The value of one field of one record.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell<'a> {
    /// Value of [`Kind::Text`] and [`Kind::OptionalText`].
    Text(Option<&'a str>),
    /// Value of [`Kind::Texts`].
    Texts(&'a [String]),
    /// Value of [`Kind::Time`] and [`Kind::OptionalTime`].
    Time(Option<Timestamp>),
    /// Value of [`Kind::Count`].
    Long(i64),
    /// Value of [`Kind::OptionalFlag`].
    Flag(Option<bool>),
    /// Value of [`Kind::OptionalCount`].
    OptionalLong(Option<i64>),
    /// Value of [`Kind::OptionalSmallCount`].
    Int(Option<i32>),
    /// Value of [`Kind::Number`] and [`Kind::OptionalNumber`].
    Number(Option<f64>),
}

/// A choice of fields, in the order of the output.
///
/// ```
/// use gleaner_export::record::Fields;
/// let fields: Fields = "id, text".parse().unwrap();
/// assert_eq!(fields.iter().map(|field| field.name).collect::<Vec<_>>(), ["id", "text"]);
/// assert!("id,length".parse::<Fields>().unwrap_err().starts_with("there is no field \"length\""));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fields(Vec<usize>);

impl Fields {
    /// Returns the chosen fields.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'static Field> {
        self.0.iter().map(|at| &FIELDS[*at])
    }

    /// Serializes the chosen fields of a record as a map from name to value.
    ///
    /// # Errors
    /// Returns the errors of the serializer.
    pub fn serialize<S: Serializer>(&self, record: &Record, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|field| (field.name, field.of(record))))
    }
}

impl Default for Fields {
    fn default() -> Self {
        Self((0..FIELDS.len()).collect())
    }
}

impl FromStr for Fields {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut chosen = Vec::new();
        for name in text.split(',').map(str::trim) {
            let Some(at) = FIELDS.iter().position(|field| field.name == name) else {
                let names: Vec<_> = FIELDS.iter().map(|field| field.name).collect();
                return Err(format!("there is no field \"{name}\"; the fields are {}", names.join(", ")));
            };
            if chosen.contains(&at) {
                return Err(format!("the field \"{name}\" is named twice"));
            }
            chosen.push(at);
        }
        Ok(Self(chosen))
    }
}
