//! Documents out of the store, for other programs.

use std::io::{self, Write};

use jiff::Timestamp;
use serde::Serialize;

use crate::{Document, words};

/// Which documents are exported; an empty field lets everything through.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Hosts, each also standing for its subdomains.
    pub hosts: Vec<String>,
    /// BCP 47 primary tags.
    pub languages: Vec<String>,
    /// Fetched at this time or later.
    pub since: Option<Timestamp>,
    /// Fetched before this time.
    pub until: Option<Timestamp>,
    /// At least as sure, in hundredths: what is less sure is held back
    /// ([`Filter::holds_back`]). Documents that do not tell are not.
    pub confidence: u8,
}

impl Filter {
    /// Whether a document passes.
    #[must_use]
    pub fn lets_through(&self, document: &Document) -> bool {
        let host = |wanted: &String| {
            document
                .host
                .strip_suffix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        (self.hosts.is_empty() || self.hosts.iter().any(host))
            && (self.languages.is_empty() || self.languages.contains(&document.language))
            && self.since.is_none_or(|since| document.fetched >= since)
            && self.until.is_none_or(|until| document.fetched < until)
    }

    /// Whether a document is asked for, but too unsure.
    #[must_use]
    pub fn holds_back(&self, document: &Document) -> bool {
        document.confidence.is_some_and(|sure| sure < self.confidence)
    }
}

/// One exported object; the order of fields is the order in the file.
#[derive(Serialize)]
struct Record<'a> {
    id: String,
    url: &'a str,
    host: &'a str,
    title: Option<&'a str>,
    language: &'a str,
    published: Option<&'a str>,
    modified: Option<&'a str>,
    authors: &'a [String],
    section: Option<&'a str>,
    canonical: Option<&'a str>,
    fetched: Timestamp,
    words: u64,
    method: &'a str,
    template_version: Option<u32>,
    confidence: Option<f32>,
    content_hash: String,
    urls: &'a [String],
    kinds: &'a str,
    text: &'a str,
}

/// Writes documents as JSON Lines: one JSON object a line, UTF-8.
#[derive(Debug)]
pub struct JsonLines<W> {
    out: W,
    written: u64,
}

impl<W: Write> JsonLines<W> {
    /// A writer on `out`, which should be buffered.
    pub const fn new(out: W) -> Self {
        Self { out, written: 0 }
    }

    /// Writes one document; `urls` are all URLs that carried its text, its own first.
    ///
    /// # Errors
    /// Those of the underlying writer.
    pub fn write(&mut self, document: &Document, urls: &[String]) -> io::Result<()> {
        let record = Record {
            id: document.id.to_string(),
            url: &document.url,
            host: &document.host,
            title: document.title.as_deref(),
            language: &document.language,
            published: document.published.as_deref(),
            modified: document.modified.as_deref(),
            authors: &document.authors,
            section: document.section.as_deref(),
            canonical: document.canonical.as_deref(),
            fetched: document.fetched,
            words: words(&document.text),
            method: &document.method,
            template_version: document.template_version,
            confidence: document.confidence.map(|hundredths| f32::from(hundredths) / 100.0),
            content_hash: document.content_hash.to_string(),
            urls,
            kinds: &document.kinds,
            text: &document.text,
        };
        serde_json::to_writer(&mut self.out, &record)?;
        self.out.write_all(b"\n")?;
        self.written += 1;
        Ok(())
    }

    /// Flushes and tells how many documents were written.
    ///
    /// # Errors
    /// Those of the underlying writer.
    pub fn finish(mut self) -> io::Result<u64> {
        self.out.flush()?;
        Ok(self.written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ContentHash, DocumentId};

    fn document() -> Document {
        Document {
            id: DocumentId([1; 16]),
            url: "https://www.baolang.example/cho-que".into(),
            host: "www.baolang.example".into(),
            title: Some("Chợ quê".into()),
            text: "Một.\nHai \"ba\".".into(),
            kinds: "pq".into(),
            language: "vi".into(),
            fetched: "2026-11-20T02:30:00Z".parse().unwrap(),
            published: None,
            modified: None,
            authors: vec!["An".into()],
            section: Some("Kinh tế".into()),
            canonical: None,
            content_hash: ContentHash::of("Một.\nHai \"ba\"."),
            method: "block-model".into(),
            template_version: None,
            confidence: Some(87),
        }
    }

    #[test]
    fn a_document_is_one_line_of_json() {
        let mut out = Vec::new();
        let mut lines = JsonLines::new(&mut out);
        lines.write(&document(), &[document().url]).unwrap();
        assert_eq!(lines.finish().unwrap(), 1);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.matches('\n').count(), 1);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["text"], "Một.\nHai \"ba\".");
        assert_eq!(value["words"], 3);
        assert_eq!(value["section"], "Kinh tế");
        assert_eq!(value["kinds"], "pq");
        assert_eq!(value["confidence"], 0.87_f32);
        assert_eq!(value["fetched"], "2026-11-20T02:30:00Z");
    }

    #[test]
    fn what_is_less_sure_is_held_back() {
        for (least, held) in [(0, false), (87, false), (88, true)] {
            let filter = Filter { confidence: least, ..Filter::default() };
            assert_eq!(filter.holds_back(&document()), held, "{least}");
        }
        let silent = Document { confidence: None, ..document() };
        assert!(!Filter { confidence: 100, ..Filter::default() }.holds_back(&silent));
    }

    #[test]
    fn filters_narrow_by_host_language_and_date() {
        let at = |text: &str| Some(text.parse().unwrap());
        let cases = [
            (Filter::default(), true),
            (Filter { hosts: vec!["baolang.example".into()], ..Filter::default() }, true),
            (Filter { hosts: vec!["lang.example".into()], ..Filter::default() }, false),
            (Filter { languages: vec!["en".into()], ..Filter::default() }, false),
            (Filter { since: at("2026-11-20T02:30:00Z"), ..Filter::default() }, true),
            (Filter { since: at("2026-11-20T02:30:01Z"), ..Filter::default() }, false),
            (Filter { until: at("2026-11-20T02:30:00Z"), ..Filter::default() }, false),
        ];
        for (filter, passes) in cases {
            assert_eq!(filter.lets_through(&document()), passes, "{filter:?}");
        }
    }
}
