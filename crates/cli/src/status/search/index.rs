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
const VERSION: &str = "gleaner search 2\n";

const VERSION_FILE: &str = "gleaner.version";

const MAX_WORDS: usize = 100_000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) id: Field,
    /// The host and its parent domains, for queries.
    pub(crate) host: Field,
    /// The host alone, for facets.
    pub(crate) site: Field,
    pub(crate) language: Field,
    pub(crate) month: Field,
    /// The day of publication or, if unknown, the day of fetching, in days since 1970.
    pub(crate) day: Field,
    /// The time of fetching, in seconds since 1970.
    pub(crate) fetched: Field,
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
        fingerprint: builder.add_u64_field("seal", FAST),
        words: builder.add_text_field("words", TextOptions::default().set_indexing_options(indexing)),
    };
    (builder.build(), fields)
}

pub(crate) fn open(folder: &Path) -> Result<(Index, Fields), TantivyError> {
    let (schema, fields) = schema();
    let is_current = fs::read_to_string(folder.join(VERSION_FILE)).is_ok_and(|text| text == VERSION);
    if is_current {
        match Index::open_in_dir(folder) {
            Ok(index) if index.schema() == schema => return Ok((index, fields)),
            Ok(_) => {}
            Err(error) => warn!(%error, "the search index cannot be opened; it will be rebuilt"),
        }
    }
    create(folder, schema).map(|index| (index, fields))
}

pub(crate) fn create_empty(folder: &Path) -> Result<(Index, Fields), TantivyError> {
    let (schema, fields) = schema();
    create(folder, schema).map(|index| (index, fields))
}

fn create(folder: &Path, schema: Schema) -> Result<Index, TantivyError> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let index = Index::create_in_dir(folder, schema)?;
    fs::write(folder.join(VERSION_FILE), VERSION)?;
    Ok(index)
}

pub(crate) fn fingerprint(document: &Document) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(document.content_hash.to_string().as_bytes());
    hasher.update(document.title.as_deref().unwrap_or_default().as_bytes());
    hasher.update(document.published.as_deref().unwrap_or_default().as_bytes());
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
    let at = Timestamp::from_second(day.saturating_mul(86_400)).unwrap_or_default();
    let date = at.to_zoned(jiff::tz::TimeZone::UTC).date();
    i64::from(date.year()) * 12 + i64::from(date.month()) - 1
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
    let mut tokens = Vec::new();
    let mut position = 0;
    for text in [document.title.as_deref().unwrap_or_default(), document.text.as_str()] {
        add(&mut tokens, text, &mut position);
        // This gap between positions prevents phrase matches that span title and text.
        position += 10;
    }
    entry.add_pre_tokenized_text(fields.words, PreTokenizedString { text: String::new(), tokens });
    entry
}

fn add(tokens: &mut Vec<Token>, text: &str, position: &mut usize) {
    for range in words(text).take(MAX_WORDS) {
        let key = key(&text[range]);
        let without_diacritics = without_diacritics(&key);
        let token =
            |text| Token { offset_from: 0, offset_to: 0, position: *position, text, position_length: 1 };
        if without_diacritics != key {
            tokens.push(token(without_diacritics));
        }
        tokens.push(token(key));
        *position += 1;
    }
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
