//! Writes CSV (RFC 4180) in UTF-8: a header line with field names, then one record per document. Records end
//! in CRLF.
//!
//! A value with a comma, a quotation mark or a line break is quoted. A missing value is an empty field, and
//! an empty text is `""`. `|` separates the values of a list, and a `|` in such a value becomes `/`. Times
//! follow RFC 3339.
//!
//! Spreadsheet programs run a value that begins with `=`, `+`, `-` or `@` as a formula, which could send other
//! values to a server. [`CsvVariant::Guarded`] prevents this. Excel reads UTF-8 only from a file that begins with a
//! byte order mark, which [`CsvVariant::Excel`] writes.
//!
//! Limitation: by default, Python's `csv` reads at most 131,072 characters per value. Raise
//! `csv.field_size_limit` for longer values.

use std::io::Write;

use crate::Record;
use crate::record::{Cell, Fields};

const SEPARATOR: &str = "|";

/// How CSV is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CsvVariant {
    /// As programs expect it. All texts stay as they are.
    Plain,
    /// A text that a spreadsheet program would run as a formula begins with a single quote, as OWASP advises
    /// (<https://owasp.org/www-community/attacks/CSV_Injection>).
    Guarded,
    /// As [`Self::Guarded`], and each file begins with a byte order mark.
    Excel,
}

/// The characters with which a formula begins in spreadsheet programs, in some only after white space or in
/// full width.
const FORMULA_STARTS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Appends the header line with the field names to `out`.
pub fn head(fields: &Fields, variant: CsvVariant, out: &mut Vec<u8>) {
    if variant == CsvVariant::Excel {
        out.extend_from_slice("\u{feff}".as_bytes());
    }
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    out.extend_from_slice(names.join(",").as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Appends the selected fields of a record to `out`.
pub fn render(record: &Record, fields: &Fields, variant: CsvVariant, out: &mut Vec<u8>) {
    for (at, field) in fields.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        value(field.value(record), variant, out);
    }
    out.extend_from_slice(b"\r\n");
}

fn value(cell: Cell, variant: CsvVariant, out: &mut Vec<u8>) {
    let written = match cell {
        Cell::Text(Some(value)) => {
            text(value, variant, out);
            Ok(())
        }
        Cell::Texts([]) => Ok(()),
        Cell::Texts(values) => {
            let values: Vec<String> = values.iter().map(|value| value.replace('|', "/")).collect();
            text(&values.join(SEPARATOR), variant, out);
            Ok(())
        }
        Cell::Time(Some(time)) => write!(out, "{time}"),
        Cell::Long(Some(number)) => write!(out, "{number}"),
        Cell::Int(Some(number)) => write!(out, "{number}"),
        Cell::Number(Some(number)) => write!(out, "{number}"),
        Cell::Flag(Some(flag)) => write!(out, "{flag}"),
        Cell::Text(None)
        | Cell::Time(None)
        | Cell::Long(None)
        | Cell::Int(None)
        | Cell::Number(None)
        | Cell::Flag(None) => Ok(()),
    };
    written.expect("memory takes all");
}

/// Appends a record to `out`. A value that is `None` is empty.
pub fn row(values: impl IntoIterator<Item = Option<String>>, variant: CsvVariant, out: &mut Vec<u8>) {
    for (at, value) in values.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        if let Some(value) = value {
            text(&value, variant, out);
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// Appends a text as one value to `out`.
fn text(text: &str, variant: CsvVariant, out: &mut Vec<u8>) {
    if variant != CsvVariant::Plain && text.starts_with(FORMULA_STARTS) {
        return self::text(&format!("'{text}"), CsvVariant::Plain, out);
    }
    let is_quoted = text.is_empty() || text.bytes().any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'));
    if !is_quoted {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::{context, documents, snapshot_fields};

    #[test]
    fn three_documents_as_records() {
        let mut out = Vec::new();
        let fields = snapshot_fields();
        head(&fields, CsvVariant::Plain, &mut out);
        for document in documents() {
            render(&Record::new(&document, &context(&document)), &fields, CsvVariant::Plain, &mut out);
        }
        // The snapshot file has LF line ends, because tools such as git could change CRLF.
        let lines = String::from_utf8(out).unwrap().replace("\r\n", "\n");
        assert_eq!(lines, include_str!("snapshots/documents.csv"));
    }

    #[test]
    fn values_are_quoted_where_they_must_be() {
        let texts = ["a|b".to_owned(), "c, d".to_owned()];
        let cases = [
            (Cell::Text(Some("a b")), "a b"),
            (Cell::Text(Some("")), "\"\""),
            (Cell::Text(None), ""),
            (Cell::Text(Some("a, \"b\"\r\n")), "\"a, \"\"b\"\"\r\n\""),
            (Cell::Texts(&texts), "\"a/b|c, d\""),
            (Cell::Texts(&texts[..1]), "a/b"),
            (Cell::Texts(&[]), ""),
            (Cell::Flag(Some(true)), "true"),
            (Cell::Number(Some(0.5)), "0.5"),
            (Cell::Int(None), ""),
        ];
        for (cell, expected) in cases {
            let mut out = Vec::new();
            value(cell, CsvVariant::Plain, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{cell:?}");
        }
    }

    #[test]
    fn a_file_for_excel_begins_with_a_byte_order_mark() {
        let mut out = Vec::new();
        head(&"id,title".parse().unwrap(), CsvVariant::Excel, &mut out);
        assert_eq!(out, "\u{feff}id,title\r\n".as_bytes());
    }

    #[test]
    fn guarded_texts_are_no_formulas() {
        let texts = ["=1+1".to_owned(), "b".to_owned()];
        let cases = [
            (Cell::Text(Some("=cmd|'/c calc'!A0")), "'=cmd|'/c calc'!A0", "=cmd|'/c calc'!A0"),
            (Cell::Text(Some("+84 24")), "'+84 24", "+84 24"),
            (Cell::Text(Some("-5, and less")), "\"'-5, and less\"", "\"-5, and less\""),
            (Cell::Text(Some("@SUM(A1)")), "'@SUM(A1)", "@SUM(A1)"),
            (Cell::Text(Some("\t=1")), "'\t=1", "\t=1"),
            (Cell::Text(Some("\r=1")), "\"'\r=1\"", "\"\r=1\""),
            (Cell::Text(Some("\"=1\"")), "\"\"\"=1\"\"\"", "\"\"\"=1\"\"\""),
            (Cell::Text(Some("Mưa = lũ")), "Mưa = lũ", "Mưa = lũ"),
            (Cell::Texts(&texts), "'=1+1|b", "=1+1|b"),
            (Cell::Long(Some(-5)), "-5", "-5"),
        ];
        for (cell, guarded, unchanged) in cases {
            for (variant, expected) in
                [(CsvVariant::Guarded, guarded), (CsvVariant::Excel, guarded), (CsvVariant::Plain, unchanged)]
            {
                let mut out = Vec::new();
                value(cell, variant, &mut out);
                assert_eq!(String::from_utf8(out).unwrap(), expected, "{cell:?} {variant:?}");
            }
        }
    }
}
