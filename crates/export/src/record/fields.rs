//! Defines the fields of a record: names, order, types and values.

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
    pub kind: FieldType,
    value: for<'r> fn(&'r Record<'_>) -> Cell<'r>,
}

impl Field {
    /// Returns the value of this field of a record.
    #[must_use]
    pub fn value<'r>(&self, record: &'r Record<'_>) -> Cell<'r> {
        (self.value)(record)
    }
}

/// All fields, in the default order of the output.
pub static FIELDS: [Field; 48] = [
    field("id", FieldType::Text, |r| text(&r.id)),
    field("url", FieldType::Text, |r| text(&r.document.url)),
    field("host", FieldType::Text, |r| text(&r.document.host)),
    field("title", FieldType::OptionalText, |r| maybe(&r.document.title)),
    field("language", FieldType::Text, |r| text(&r.document.language)),
    field("language_probability", FieldType::OptionalNumber, |r| share(r.document.language_probability)),
    field("published", FieldType::OptionalText, |r| maybe(&r.document.published)),
    field("published_utc", FieldType::OptionalTime, |r| Cell::Time(r.document.published_utc)),
    field("modified", FieldType::OptionalText, |r| maybe(&r.document.modified)),
    field("authors", FieldType::Texts, |r| Cell::Texts(&r.document.authors)),
    field("credits", FieldType::Texts, |r| Cell::Texts(&r.document.credits)),
    field("section", FieldType::OptionalText, |r| maybe(&r.document.section)),
    field("keywords", FieldType::Texts, |r| Cell::Texts(&r.document.keywords)),
    field("description", FieldType::OptionalText, |r| maybe(&r.document.description)),
    field("site_name", FieldType::OptionalText, |r| maybe(&r.document.site_name)),
    field("image", FieldType::OptionalText, |r| maybe(&r.document.image)),
    field("article_type", FieldType::OptionalText, |r| maybe(&r.document.article_type)),
    field("paywalled", FieldType::OptionalFlag, |r| Cell::Flag(r.document.paywalled)),
    field("complete", FieldType::OptionalFlag, |r| Cell::Flag(r.document.complete)),
    field("canonical", FieldType::OptionalText, |r| maybe(&r.document.canonical)),
    field("fetched", FieldType::Time, |r| Cell::Time(Some(r.document.fetched))),
    field("revision", FieldType::Count, |r| count(u64::from(r.context.earlier) + 1)),
    field("gone", FieldType::OptionalText, |r| maybe(&r.gone)),
    field("words", FieldType::Count, |r| count(r.quality.words)),
    field("sentences", FieldType::Count, |r| count(r.counts().sentences)),
    field("tokens", FieldType::Count, |r| count(r.counts().tokens)),
    field("sentence_length", FieldType::Number, |r| Cell::Number(Some(r.quality.sentence_length))),
    field("stop_word_share", FieldType::OptionalNumber, |r| Cell::Number(r.quality.stop_word_share)),
    field("repeated_line_share", FieldType::Number, |r| Cell::Number(Some(r.quality.repeated_line_share))),
    field("symbol_share", FieldType::Number, |r| Cell::Number(Some(r.quality.symbol_share))),
    field("method", FieldType::Text, |r| text(&r.document.method)),
    field("template_version", FieldType::OptionalSmallCount, |r| small(r.document.template_version)),
    field("confidence", FieldType::OptionalNumber, |r| share(r.document.confidence)),
    field("content_hash", FieldType::Text, |r| text(&r.content_hash)),
    field("urls", FieldType::Texts, |r| Cell::Texts(&r.context.urls)),
    field("cluster", FieldType::Text, |r| text(&r.cluster)),
    field("similarity", FieldType::OptionalNumber, |r| Cell::Number(r.context.similarity)),
    field("near_duplicates", FieldType::Count, |r| count(r.context.near_duplicates)),
    field("related", FieldType::Texts, |r| Cell::Texts(&r.context.related)),
    field("removed", FieldType::Texts, |r| Cell::Texts(&r.context.removed)),
    field("archive_file", FieldType::OptionalText, |r| {
        Cell::Text(r.context.archived.as_ref().map(|(file, _)| file.as_str()))
    }),
    field("archive_offset", FieldType::OptionalCount, |r| offset(r.context)),
    field("comments", FieldType::Texts, |r| Cell::Texts(&r.document.extras.comments)),
    field("captions", FieldType::Texts, |r| Cell::Texts(&r.document.extras.captions)),
    field("links", FieldType::Texts, |r| Cell::Texts(&r.document.extras.links)),
    field("link_texts", FieldType::Texts, |r| Cell::Texts(&r.document.extras.link_texts)),
    field("kinds", FieldType::Text, |r| text(&r.document.kinds)),
    field("text", FieldType::Text, |r| text(&r.document.text)),
];

const fn field(name: &'static str, kind: FieldType, value: for<'r> fn(&'r Record<'_>) -> Cell<'r>) -> Field {
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
pub enum FieldType {
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

impl FieldType {
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
    /// Value of [`FieldType::Text`] and [`FieldType::OptionalText`].
    Text(Option<&'a str>),
    /// Value of [`FieldType::Texts`].
    Texts(&'a [String]),
    /// Value of [`FieldType::Time`] and [`FieldType::OptionalTime`].
    Time(Option<Timestamp>),
    /// Value of [`FieldType::Count`].
    Long(i64),
    /// Value of [`FieldType::OptionalFlag`].
    Flag(Option<bool>),
    /// Value of [`FieldType::OptionalCount`].
    OptionalLong(Option<i64>),
    /// Value of [`FieldType::OptionalSmallCount`].
    Int(Option<i32>),
    /// Value of [`FieldType::Number`] and [`FieldType::OptionalNumber`].
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
        serializer.collect_map(self.iter().map(|field| (field.name, field.value(record))))
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
