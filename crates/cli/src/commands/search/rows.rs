//! Writes the results of a search for programs: as JSON Lines or CSV, with the same names of the fields.

use gleaner_corpus::Document;
use gleaner_export::CsvVariant;
use gleaner_export::format::csv;
use serde_json::{Map, Value, json};

use crate::status::{Frequency, Line, WordList};

/// Rows with named fields. All rows have the same fields.
pub(super) struct Rows {
    names: &'static [&'static str],
    rows: Vec<Vec<Value>>,
}

impl Rows {
    pub(super) fn lines(lines: &[Line]) -> Self {
        let names = &["day", "host", "language", "title", "in_title", "left", "hit", "right", "url", "id"];
        let row = |line: &Line| {
            let values = json!([
                line.day,
                line.host,
                line.language,
                line.title,
                line.in_title,
                line.left,
                line.hit,
                line.right,
                line.url,
                line.id.to_string()
            ]);
            values_of(values)
        };
        Self { names, rows: lines.iter().map(row).collect() }
    }

    pub(super) fn frequencies(counts: &[Frequency]) -> Self {
        let names = &["group", "hits", "per_million", "documents_with_hits", "documents", "words"];
        let row = |count: &Frequency| {
            let per_million = rounded(count.per_million());
            values_of(json!([
                count.group,
                count.hits,
                per_million,
                count.found,
                count.documents,
                count.words
            ]))
        };
        Self { names, rows: counts.iter().map(row).collect() }
    }

    pub(super) fn words(list: &WordList) -> Self {
        let names = &["word", "count", "per_million", "documents"];
        let rows = list.words.iter().map(|word| {
            values_of(json!([word.word, word.count, rounded(list.per_million(word)), word.documents]))
        });
        Self { names, rows: rows.collect() }
    }

    /// Returns rows for documents, each with its number of hits.
    pub(super) fn documents(documents: &[(Document, usize)]) -> Self {
        let names = &["published", "host", "language", "title", "hits", "url", "id"];
        let row = |(document, hits): &(Document, usize)| {
            let title = document.title.as_deref().unwrap_or_default();
            values_of(json!([
                document.published,
                document.host,
                document.language,
                title,
                hits,
                document.url,
                document.id.to_string()
            ]))
        };
        Self { names, rows: documents.iter().map(row).collect() }
    }

    pub(super) const fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn json_lines(&self) -> String {
        let mut out = String::new();
        for row in &self.rows {
            let object: Map<String, Value> =
                self.names.iter().map(ToString::to_string).zip(row.iter().cloned()).collect();
            out += &Value::Object(object).to_string();
            out.push('\n');
        }
        out
    }

    pub(super) fn csv(&self, is_guarded: bool) -> String {
        let variant = if is_guarded { CsvVariant::Guarded } else { CsvVariant::Plain };
        let mut out = self.names.join(",").into_bytes();
        out.extend_from_slice(b"\r\n");
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Null => None,
            value => Some(value.to_string()),
        };
        for row in &self.rows {
            csv::row(row.iter().map(text), variant, &mut out);
        }
        String::from_utf8(out).expect("all values are text")
    }
}

fn values_of(values: Value) -> Vec<Value> {
    match values {
        Value::Array(values) => values,
        value => vec![value],
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}
