//! JSON Lines: one JSON object per line, UTF-8, each ending in `\n`.
//!
//! Fields are in the order of [`crate::record::FIELDS`]; missing values are `null`. Times are RFC 3339
//! with the decimals stored in the corpus, up to nanoseconds.

use crate::Record;

/// Appends one record as a line.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    serde_json::to_writer(&mut *out, record).expect("a record has text keys, and memory takes all");
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{beside, documents};

    #[test]
    fn three_documents_are_three_lines() {
        let mut out = Vec::new();
        for document in documents() {
            render(&Record::new(&document, &beside(&document)), &mut out);
        }
        assert_eq!(String::from_utf8(out).unwrap(), include_str!("snapshots/documents.jsonl"));
    }
}
