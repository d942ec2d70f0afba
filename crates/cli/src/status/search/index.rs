//! Opens and fills the search index, a cache of the documents.
//!
//! The index is in the subfolder `search/` of the data folder. If it cannot be opened or has another version,
//! it is deleted and built again from the documents.

use std::fs;
use std::path::Path;

use gleaner_corpus::Document;
use jiff::Timestamp;
use jiff::civil::Date;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{Index, TantivyDocument, TantivyError};
use tracing::warn;

use super::words::{key, without_diacritics, words};

/// The version of the index's content and format.
const VERSION: &str = "gleaner search 3\n";

const VERSION_FILE: &str = "gleaner.version";

pub(super) const MAX_WORDS: usize = 100_000;

/// The distance between the positions of the last word of the title and the first word of the text. It prevents
/// phrases that span both.
pub(super) const GAP: usize = 10;

/// Longer names of sections are cut.
const MAX_SECTION_CHARS: usize = 100;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) id: Field,
    /// The host and its parent domains, for queries.
    pub(crate) host: Field,
    /// The host alone, for counts.
    pub(crate) site: Field,
    pub(crate) language: Field,
    pub(crate) month: Field,
    /// The day of publication or, if unknown, the day of fetching, in days since 1970.
    pub(crate) day: Field,
    /// The time of fetching, in seconds since 1970.
    pub(crate) fetched: Field,
    pub(crate) section: Field,
    /// Number of words of title and text.
    pub(crate) length: Field,
    pub(crate) fingerprint: Field,
    pub(crate) words: Field,
}

fn schema() -> (Schema, Fields) {
    let mut builder = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    let fields = Fields {
        id: builder.add_text_field("id", STRING | STORED),
        host: builder.add_text_field("host", STRING),
        site: builder.add_text_field("site", STRING | FAST),
        language: builder.add_text_field("language", STRING | FAST),
        month: builder.add_i64_field("month", FAST),
        day: builder.add_i64_field("day", INDEXED | FAST),
        fetched: builder.add_i64_field("fetched", FAST),
        section: builder.add_text_field("section", TextOptions::default().set_fast(None)),
        length: builder.add_u64_field("length", FAST),
        fingerprint: builder.add_u64_field("seal", FAST),
        words: builder.add_text_field("words", TextOptions::default().set_indexing_options(indexing)),
    };
    (builder.build(), fields)
}

/// Opens the index in a folder. Returns `None` if there is none, if it has another version, or if it is damaged.
pub(super) fn open(folder: &Path) -> Option<(Index, Fields)> {
    let (schema, fields) = schema();
    let is_current = fs::read_to_string(folder.join(VERSION_FILE)).is_ok_and(|text| text == VERSION);
    if !is_current {
        return None;
    }
    match Index::open_in_dir(folder) {
        Ok(index) => (index.schema() == schema).then_some((index, fields)),
        Err(error) => {
            warn!(%error, "the search index cannot be opened; its next update rebuilds it");
            None
        }
    }
}

/// Creates an empty index. Removes an earlier one.
pub(super) fn create(folder: &Path) -> Result<(Index, Fields), TantivyError> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let (schema, fields) = schema();
    let index = Index::create_in_dir(folder, schema)?;
    fs::write(folder.join(VERSION_FILE), VERSION)?;
    Ok((index, fields))
}

pub(super) fn in_memory() -> (Index, Fields) {
    let (schema, fields) = schema();
    (Index::create_in_ram(schema), fields)
}

pub(crate) fn fingerprint(document: &Document) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(document.content_hash.to_string().as_bytes());
    hasher.update(document.title.as_deref().unwrap_or_default().as_bytes());
    hasher.update(document.published.as_deref().unwrap_or_default().as_bytes());
    hasher.update(document.section.as_deref().unwrap_or_default().as_bytes());
    hasher.update(&document.fetched.as_second().to_le_bytes());
    let hash = hasher.finalize();
    u64::from_le_bytes(*hash.as_bytes().first_chunk().expect("a hash has 32 bytes"))
}

pub(crate) fn day(document: &Document) -> i64 {
    let published = document.published.as_deref().and_then(|text| text.get(..10)?.parse::<Date>().ok());
    published.map_or_else(|| document.fetched.as_second().div_euclid(86_400), number_of_day)
}

/// Returns the month of a day, in months since the year 0. `day` is in days since 1970.
fn month(day: i64) -> i64 {
    let date = date(day);
    i64::from(date.year()) * 12 + i64::from(date.month()) - 1
}

/// Returns the date of a day in days since 1970.
pub(super) fn date(day: i64) -> Date {
    let at = Timestamp::from_second(day.saturating_mul(86_400)).unwrap_or_default();
    at.to_zoned(jiff::tz::TimeZone::UTC).date()
}

pub(crate) fn first_day(month: i64) -> Option<Date> {
    let year = i16::try_from(month.div_euclid(12)).ok()?;
    Date::new(year, i8::try_from(month.rem_euclid(12) + 1).ok()?, 1).ok()
}

pub(crate) fn number_of_day(day: Date) -> i64 {
    let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).map_or(Timestamp::UNIX_EPOCH, |at| at.timestamp());
    midnight.as_second().div_euclid(86_400)
}

pub(crate) fn entry(fields: &Fields, document: &Document) -> TantivyDocument {
    let mut entry = TantivyDocument::default();
    entry.add_text(fields.id, document.id.to_string());
    let host = document.host.as_str();
    entry.add_text(fields.host, host);
    for (at, _) in host.match_indices('.') {
        entry.add_text(fields.host, &host[at + 1..]);
    }
    entry.add_text(fields.site, host);
    entry.add_text(fields.language, &document.language);
    let day = day(document);
    entry.add_i64(fields.day, day);
    entry.add_i64(fields.month, month(day));
    entry.add_i64(fields.fetched, document.fetched.as_second());
    entry.add_u64(fields.fingerprint, fingerprint(document));
    if let Some(section) = document.section.as_deref().map(str::trim).filter(|section| !section.is_empty()) {
        entry.add_text(fields.section, section.chars().take(MAX_SECTION_CHARS).collect::<String>());
    }
    let mut tokens = Vec::new();
    let title_words = add(&mut tokens, document.title.as_deref().unwrap_or_default(), 0);
    let text_words = add(&mut tokens, &document.text, title_words + GAP);
    entry.add_u64(fields.length, (title_words + text_words) as u64);
    entry.add_pre_tokenized_text(fields.words, PreTokenizedString { text: String::new(), tokens });
    entry
}

/// Adds the words of a text. The first one has the position `first`. Returns their number.
fn add(tokens: &mut Vec<Token>, text: &str, first: usize) -> usize {
    let mut count = 0;
    for range in words(text).take(MAX_WORDS) {
        let key = key(&text[range]);
        let without_diacritics = without_diacritics(&key);
        let token =
            |text| Token { offset_from: 0, offset_to: 0, position: first + count, text, position_length: 1 };
        if without_diacritics != key {
            tokens.push(token(without_diacritics));
        }
        tokens.push(token(key));
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_are_read_back() {
        for day in ["1970-01-31", "2026-11-01", "2024-02-29"] {
            let day: Date = day.parse().unwrap();
            assert_eq!(first_day(month(number_of_day(day))), Some(day.first_of_month()));
        }
        assert_eq!(first_day(i64::MAX), None);
    }
}
