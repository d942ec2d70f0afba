//! Reads the positions of records from archive indexes.
//!
//! Supports CDX and CDXJ (`key timestamp {json}`) files of pywb, OpenWayback and Common Crawl. The first line
//! of a CDX file, such as ` CDX N b a m s k r M S V g`, names the columns. Without such a line, the usual
//! order of 9 or 11 columns is assumed. Only the file name and the offset of each line are used. All other
//! data are read from the record itself.
//!
//! Limitation: JSON values are found by text search, which misses file names with escaped quotation marks.

use crate::Place;

/// A reader of the lines of one index file.
#[derive(Debug, Clone, Default)]
pub struct Columns {
    /// The indexes of the columns for offset and file name. `None` before a line has named the columns.
    named: Option<(usize, usize)>,
}

/// The content of a line of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The position of a record.
    Record(Place),
    /// The line names columns, is a comment, or is empty.
    Nothing,
    /// The line cannot be read.
    Unreadable,
}

impl Columns {
    /// Interprets the next line. Remembers the columns if the line names them.
    pub fn read(&mut self, line: &str) -> Line {
        let text = line.trim();
        if text.is_empty() || text.starts_with('!') {
            return Line::Nothing;
        }
        if let Some(columns) = text.strip_prefix("CDX ") {
            let at = |letter: &str| columns.split_whitespace().position(|column| column == letter);
            self.named = at("V").zip(at("g"));
            return Line::Nothing;
        }
        match place_in_json(text).or_else(|| self.place_in_columns(text)) {
            Some(place) => Line::Record(place),
            None => Line::Unreadable,
        }
    }

    fn place_in_columns(&self, text: &str) -> Option<Place> {
        let fields: Vec<&str> = text.split_whitespace().collect();
        let usual = || match fields.len() {
            9 => Some((7, 8)),
            11 => Some((9, 10)),
            _ => None,
        };
        let (offset, file) = self.named.or_else(usual)?;
        Some(Place { file: (*fields.get(file)?).to_owned(), offset: fields.get(offset)?.parse().ok()? })
    }
}

fn place_in_json(text: &str) -> Option<Place> {
    let json = &text[text.find('{')?..];
    Some(Place { file: value(json, "filename")?.to_owned(), offset: value(json, "offset")?.parse().ok()? })
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
        let place = || Line::Record(Place { file: "a.warc.gz".into(), offset: 420 });
        let cases = [
            (" CDX N b a m s k r M S V g", Line::Nothing),
            ("a,example)/ 20261121020000 http://a.example/ text/html 200 X - - 99 420 a.warc.gz", place()),
            (" CDX a b m s k r V g", Line::Nothing),
            ("http://a.example/ 20261121020000 text/html 200 X - 420 a.warc.gz", place()),
            (
                r#"a,example)/ 2026 {"url": "http://a.example/", "offset": "420", "filename": "a.warc.gz"}"#,
                place(),
            ),
            (r#"a,example)/ 2026 {"filename":"a.warc.gz","offset":420}"#, place()),
            ("", Line::Nothing),
            ("!meta 0 {}", Line::Nothing),
            ("rain", Line::Unreadable),
            ("{\"filename\": \"a\"}", Line::Unreadable),
        ];
        let mut columns = Columns::default();
        for (line, expected) in cases {
            assert_eq!(columns.read(line), expected, "{line}");
        }
        let nine = "a,example)/ 2026 http://a.example/ text/html 200 X - 420 a.warc.gz";
        assert_eq!(Columns::default().read(nine), place());
    }
}
