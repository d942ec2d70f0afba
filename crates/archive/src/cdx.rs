//! Reads the positions of records from archive indexes.
//!
//! Supports CDX and CDXJ (`key timestamp {json}`) files of pywb, OpenWayback and Common Crawl. The first line
//! of a CDX file, such as ` CDX N b a m s k r M S V g`, names the columns. Without such a line, the usual
//! order of 9 or 11 columns is assumed. Only the file name and the offset of each line are used. All other
//! data are read from the record itself.
//!
//! Limitation: JSON values are found by text search, which misses file names with escaped quotation marks.

use crate::RecordPosition;

/// A reader of the lines of one index file.
#[derive(Debug, Clone, Default)]
pub struct CdxReader {
    /// The indexes of the columns for offset and file name. `None` if no line has named the columns yet.
    named: Option<(usize, usize)>,
}

/// The content of a line of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CdxLine {
    /// The position of a record.
    Record(RecordPosition),
    /// The line names columns, is a comment, or is empty.
    Nothing,
    /// The line cannot be read.
    Unreadable,
}

impl CdxReader {
    /// Parses the next line. If the line names the columns, the reader remembers them.
    pub fn read(&mut self, line: &str) -> CdxLine {
        let text = line.trim();
        if text.is_empty() || text.starts_with('!') {
            return CdxLine::Nothing;
        }
        if let Some(columns) = text.strip_prefix("CDX ") {
            let at = |letter: &str| columns.split_whitespace().position(|column| column == letter);
            self.named = at("V").zip(at("g"));
            return CdxLine::Nothing;
        }
        match place_in_json(text).or_else(|| self.place_in_columns(text)) {
            Some(place) => CdxLine::Record(place),
            None => CdxLine::Unreadable,
        }
    }

    fn place_in_columns(&self, text: &str) -> Option<RecordPosition> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let usual = || match fields.len() {
            9 => Some((7, 8)),
            11 => Some((9, 10)),
            _ => None,
        };
        let (offset, file) = self.named.or_else(usual)?;
        Some(RecordPosition {
            file: (*fields.get(file)?).to_owned(),
            offset: fields.get(offset)?.parse().ok()?,
        })
    }
}

fn place_in_json(text: &str) -> Option<RecordPosition> {
    let json = &text[text.find('{')?..];
    Some(RecordPosition {
        file: value(json, "filename")?.to_owned(),
        offset: value(json, "offset")?.parse().ok()?,
    })
}

fn value<'a>(json: &'a str, key: &str) -> Option<&'a str> {
    let at = json.find(&format!("\"{key}\""))? + key.len() + 2;
    let rest = json[at..].trim_start().strip_prefix(':')?.trim_start();
    match rest.strip_prefix('"') {
        Some(text) => text.split('"').next(),
        None => rest.split([',', '}', ' ']).next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_index_is_read() {
        let place = || CdxLine::Record(RecordPosition { file: "a.warc.gz".into(), offset: 420 });
        let cases = [
            (" CDX N b a m s k r M S V g", CdxLine::Nothing),
            ("a,example)/ 20261121020000 http://a.example/ text/html 200 X - - 99 420 a.warc.gz", place()),
            (" CDX a b m s k r V g", CdxLine::Nothing),
            ("http://a.example/ 20261121020000 text/html 200 X - 420 a.warc.gz", place()),
            (
                r#"a,example)/ 2026 {"url": "http://a.example/", "offset": "420", "filename": "a.warc.gz"}"#,
                place(),
            ),
            (r#"a,example)/ 2026 {"filename":"a.warc.gz","offset":420}"#, place()),
            ("", CdxLine::Nothing),
            ("!meta 0 {}", CdxLine::Nothing),
            ("rain", CdxLine::Unreadable),
            ("{\"filename\": \"a\"}", CdxLine::Unreadable),
        ];
        let mut columns = CdxReader::default();
        for (line, expected) in cases {
            assert_eq!(columns.read(line), expected, "{line}");
        }
        let nine = "a,example)/ 2026 http://a.example/ text/html 200 X - 420 a.warc.gz";
        assert_eq!(CdxReader::default().read(nine), place());
    }
}
