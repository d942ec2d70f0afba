//! Defines the fields of a record: their types in the formats, and their values.

use std::str::FromStr;

use gleaner_corpus::{ContentHash, DocumentId, Preference, Share, document_fields};
use jiff::Timestamp;
use serde::{Serialize, Serializer};

use super::Record;

/// A field of a record.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// The field's name in all formats.
    pub name: &'static str,
    /// The field's type.
    pub kind: FieldType,
    /// What the value means.
    pub meaning: &'static [&'static str],
    /// Where the value comes from, and who has the field: see [`document_fields`].
    from: &'static str,
    scope: &'static str,
    value: for<'r> fn(&'r Record<'_>) -> Cell<'r>,
}

impl Field {
    /// Returns the value of this field of a record.
    #[must_use]
    pub fn value<'r>(&self, record: &'r Record<'_>) -> Cell<'r> {
        (self.value)(record)
    }

    /// Whether the value can change while the text stays.
    #[must_use]
    pub fn changes(&self) -> bool {
        self.from == "corpus"
    }

    /// Whether the documents of the library have the field.
    #[must_use]
    pub fn is_in_library(&self) -> bool {
        self.scope == "library"
    }
}

macro_rules! fields {
    ($($(#[doc = $meaning:literal])* $name:ident: $type:ty, $from:ident, $scope:ident, $position:tt;)*) => {
        &[$(Field {
            name: stringify!($name),
            kind: <$type as FieldValue>::KIND,
            meaning: &[$($meaning),*],
            from: stringify!($from),
            scope: stringify!($scope),
            value: |record| value!($name, $from, record),
        }),*]
    };
}

/// Gives the value of a field: the rule for its name, else the part of the document with this name.
#[rustfmt::skip]
macro_rules! value {
    (id, $from:ident, $record:ident) => { $record.id.cell() };
    (content_hash, $from:ident, $record:ident) => { $record.content_hash.cell() };
    (revision, $from:ident, $record:ident) => { count(u64::from($record.context.earlier) + 1) };
    (gone, $from:ident, $record:ident) => { $record.gone.cell() };
    (sentences, $from:ident, $record:ident) => { count($record.counts().sentences) };
    (tokens, $from:ident, $record:ident) => { count($record.counts().tokens) };
    (cluster, $from:ident, $record:ident) => { $record.cluster.cell() };
    (archive_file, $from:ident, $record:ident) => { Cell::Text($record.context.archived.as_ref().map(|it| it.0.as_str())) };
    (archive_offset, $from:ident, $record:ident) => { Cell::Long($record.context.archived.as_ref().and_then(|it| i64::try_from(it.1).ok())) };
    ($name:ident, text, $record:ident) => { $record.quality.$name.cell() };
    ($name:ident, corpus, $record:ident) => { $record.context.$name.cell() };
    ($name:ident, extra, $record:ident) => { $record.document.extras.$name.cell() };
    ($name:ident, usage, $record:ident) => { $record.document.usage.$name.cell() };
    ($name:ident, $from:ident, $record:ident) => { $record.document.$name.cell() };
}

/// All fields, in the default order of the output.
pub static FIELDS: &[Field] = document_fields!(all fields);

/// A Rust type of the values of a field.
trait FieldValue {
    const KIND: FieldType;
}

/// Converts a value for the formats.
trait ToCell {
    fn cell(&self) -> Cell<'_>;
}

#[rustfmt::skip]
macro_rules! field_values {
    ($($type:ty: $kind:ident $(, |$value:ident| $cell:expr)?;)*) => {$(
        impl FieldValue for $type { const KIND: FieldType = FieldType::$kind; }
        $(impl ToCell for $type { fn cell(&self) -> Cell<'_> { let $value = self; $cell } })?
    )*};
}

fn count(number: u64) -> Cell<'static> {
    Cell::Long(Some(i64::try_from(number).unwrap_or(i64::MAX)))
}

field_values! {
    DocumentId: Text;
    ContentHash: Text;
    String: Text, |text| Cell::Text(Some(text));
    Preference: Text, |preference| Cell::Text(Some(preference.name()));
    Option<String>: OptionalText, |text| Cell::Text(text.as_deref());
    Vec<String>: Texts, |texts| Cell::Texts(texts);
    Timestamp: Time, |time| Cell::Time(Some(*time));
    Option<Timestamp>: OptionalTime, |time| Cell::Time(*time);
    Option<bool>: OptionalFlag, |flag| Cell::Flag(*flag);
    u64: Count, |number| count(*number);
    Option<u64>: OptionalCount;
    Option<u32>: OptionalSmallCount, |count| Cell::Int(count.map(|it| i32::try_from(it).unwrap_or(i32::MAX)));
    f64: Number, |number| Cell::Number(Some(*number));
    Option<f64>: OptionalNumber, |number| Cell::Number(*number);
    Option<Share>: OptionalNumber, |share| Cell::Number(share.map(|it| f64::from(it) / 100.0));
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
    /// Value of [`FieldType::Count`] and [`FieldType::OptionalCount`].
    Long(Option<i64>),
    /// Value of [`FieldType::OptionalFlag`].
    Flag(Option<bool>),
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
