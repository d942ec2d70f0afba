//! JSON Lines: one JSON object a line, UTF-8, `\n` at the end of each.
//!
//! Fields stand in the order of [`crate::record::FIELDS`]; what a document lacks is `null`.
//! Times are RFC 3339 with as many decimals as the corpus keeps, up to nanoseconds.

use crate::Record;

/// One record as a line.
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
