//! Vertical text: a token a line, structures as tags, for Sketch Engine and NoSketch
//! Engine (<https://www.sketchengine.eu/documentation/preparing-corpus-text/>).
//!
//! `<doc>` has the document's facts as attributes, `<p>` the kind of the line; `<g/>`
//! stands between two tokens that no white space parts. Tokens are the segments between
//! the word boundaries of Unicode (UAX #29): "It's" and "3.5" are one, a Vietnamese word
//! is as many as it has syllables, each mark is one. `<`, `>` and `&` are written as XML
//! entities in tokens, and `"` too in attributes; several authors are parted by `|`.
//!
//! Limitation: there is no `<s>`: sentences are told by a rule that was measured
//! against nothing. Words are neither tagged nor lemmatised. No Manatee compiled these
//! files here: escaping follows XML and what is known of published verticals. A host's
//! name longer than a tool's limit is written as it is.

use unicode_segmentation::UnicodeSegmentation;

use crate::Record;
use crate::record::Cell;

/// Attributes of `<doc>`: the fields of the record that are facts of the document.
pub const ATTRIBUTES: [&str; 10] =
    ["id", "url", "host", "language", "title", "authors", "section", "published", "fetched", "cluster"];

/// One record as `<doc>` with its paragraphs.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<doc");
    for name in ATTRIBUTES {
        attribute(name, &value(record, name), out);
    }
    attribute("words", &record.words().to_string(), out);
    out.extend_from_slice(b">\n");
    let mut kinds = record.kinds().chars();
    for line in record.text().lines() {
        let kind = kinds.next();
        paragraph(line, kind, out);
    }
    out.extend_from_slice(b"</doc>\n");
}

fn value(record: &Record, name: &str) -> String {
    if name == "fetched" {
        return format!("{:.0}", record.fetched());
    }
    match record.cell(name) {
        Some(Cell::Text(text)) => text.unwrap_or_default().to_owned(),
        Some(Cell::Texts(texts)) => {
            texts.iter().map(|text| text.replace('|', "/")).collect::<Vec<_>>().join("|")
        }
        _ => String::new(),
    }
}

/// ` name="value"`, white space as single spaces.
fn attribute(name: &str, value: &str, out: &mut Vec<u8>) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    let parts = value.split(|c: char| c.is_whitespace() || c.is_control()).filter(|part| !part.is_empty());
    for (at, part) in parts.enumerate() {
        if at > 0 {
            out.push(b' ');
        }
        escape(part, out);
    }
    out.push(b'"');
}

fn escape(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'&' => out.extend_from_slice(b"&amp;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            byte => out.push(byte),
        }
    }
}

/// What a letter of [`Record::kinds`] stands for.
const fn kind_name(kind: Option<char>) -> &'static str {
    match kind {
        Some('h') => "heading",
        Some('i') => "item",
        Some('q') => "quotation",
        Some('c') => "cell",
        Some('f') => "caption",
        Some('x') => "preformatted",
        _ => "paragraph",
    }
}

/// A line that has tokens, in `<p>`.
fn paragraph(line: &str, kind: Option<char>, out: &mut Vec<u8>) {
    let (mut any, mut glued) = (false, false);
    for token in line.split_word_bounds() {
        if token.chars().all(is_blank) {
            glued = false;
            continue;
        }
        if !any {
            out.extend_from_slice(format!("<p kind=\"{}\">\n", kind_name(kind)).as_bytes());
        } else if glued {
            out.extend_from_slice(b"<g/>\n");
        }
        self::token(token, out);
        (any, glued) = (true, true);
    }
    if any {
        out.extend_from_slice(b"</p>\n");
    }
}

/// A token a line; quotes stand for themselves there.
fn token(token: &str, out: &mut Vec<u8>) {
    if token.bytes().any(|byte| matches!(byte, b'<' | b'>' | b'&')) {
        out.extend_from_slice(
            token.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").as_bytes(),
        );
    } else {
        out.extend_from_slice(token.as_bytes());
    }
    out.push(b'\n');
}

/// White space, control characters, and what takes no room at all.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Beside;
    use crate::record::tests::documents;

    fn rendered(documents: &[gleaner_corpus::Document]) -> String {
        let mut out = Vec::new();
        documents.iter().for_each(|document| render(&Record::new(document, &Beside::default()), &mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn three_documents_as_vertical_text() {
        assert_eq!(rendered(&documents()), include_str!("snapshots/documents.vert"));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// Tokens, glue and paragraphs give the text back, white space aside.
        #[test]
        fn the_text_comes_back(text in "[\\PC<>&\"\t\n\0 a.]{0,120}") {
            let mut document = documents().remove(0);
            document.text = text.clone();
            let vertical = rendered(&[document]);
            let mut back = String::new();
            let mut glue = true;
            for line in vertical.lines().skip(1) {
                match line {
                    "<g/>" => glue = true,
                    tag if tag.starts_with('<') => { back.push('\n'); glue = true; }
                    token => {
                        if !glue { back.push(' '); }
                        back += &token.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
                        glue = false;
                    }
                }
            }
            let visible = |text: &str| -> Vec<String> {
                let lines = text.lines().map(|line| {
                    line.split(is_blank).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
                });
                lines.filter(|line| !line.is_empty()).collect()
            };
            proptest::prop_assert_eq!(visible(&back), visible(&text));
        }
    }
}
