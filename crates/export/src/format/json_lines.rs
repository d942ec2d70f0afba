//! Writes JSON Lines: one JSON object per line, in UTF-8. Each line ends in `\n`.
//!
//! Missing values are `null`. Times follow RFC 3339, with as many decimals as in the corpus, up to
//! nanoseconds.

use crate::Record;
use crate::record::Fields;

/// Appends the selected fields of a record to `out` as one line.
pub fn render(record: &Record, fields: &Fields, out: &mut Vec<u8>) {
    let mut line = serde_json::Serializer::new(&mut *out);
    fields.serialize(record, &mut line).expect("a record has text keys, and memory takes all");
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{context, documents, snapshot_fields};

    #[test]
    fn three_documents_are_three_lines() {
        let mut out = Vec::new();
        for document in documents() {
            render(&Record::new(&document, &context(&document)), &snapshot_fields(), &mut out);
        }
        assert_eq!(String::from_utf8(out).unwrap(), include_str!("snapshots/documents.jsonl"));
    }
}
