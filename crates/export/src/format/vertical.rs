//! Writes vertical text for Sketch Engine and NoSketch Engine
//! (<https://www.sketchengine.eu/documentation/preparing-corpus-text/>): one token per line. Documents,
//! paragraphs and sentences are marked by tags.
//!
//! `<doc>` has the metadata of the document as attributes, and `<p>` has the kind of the line. `<s>` is a
//! sentence. `<g/>` between two tokens means that no white space separates them. `tokens.rs` defines
//! sentences and tokens. `<`, `>` and `&` are written as XML entities, and so is `"` in attributes. `|`
//! separates several authors.
//!
//! Limitation: words are neither tagged nor lemmatised. The files were not tested with Manatee, but their
//! escaping follows XML and published vertical files. A host name can be longer than a tool allows.

use super::kind_name;
use crate::Record;
use crate::record::Cell;
use crate::tokens::sentences;

/// The record fields that become attributes of `<doc>`.
pub const ATTRIBUTES: [&str; 10] =
    ["id", "url", "host", "language", "title", "authors", "section", "published", "fetched", "cluster"];

/// Appends a record as `<doc>` with its paragraphs to `out`.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<doc");
    for name in ATTRIBUTES {
        attribute(name, &value(record, name), out);
    }
    attribute("words", &record.words().to_string(), out);
    out.extend_from_slice(b">\n");
    for (kind, line) in record.lines() {
        paragraph(kind, line, out);
    }
    out.extend_from_slice(b"</doc>\n");
}

fn value(record: &Record, name: &str) -> String {
    if name == "fetched" {
        return format!("{:.0}", record.document().fetched);
    }
    match record.cell(name) {
        Some(Cell::Text(text)) => text.unwrap_or_default().to_owned(),
        Some(Cell::Texts(texts)) => {
            texts.iter().map(|text| text.replace('|', "/")).collect::<Vec<_>>().join("|")
        }
        _ => String::new(),
    }
}

/// Appends ` name="value"`. Each run of white space in the value becomes one space.
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

fn paragraph(kind: char, line: &str, out: &mut Vec<u8>) {
    let mut glue = None;
    for sentence in sentences(line) {
        match glue {
            None => out.extend_from_slice(format!("<p kind=\"{}\">\n", kind_name(kind)).as_bytes()),
            Some(true) => out.extend_from_slice(b"<g/>\n"),
            Some(false) => {}
        }
        out.extend_from_slice(b"<s>\n");
        for (at, token) in sentence.tokens.iter().enumerate() {
            if at > 0 && glue == Some(true) {
                out.extend_from_slice(b"<g/>\n");
            }
            self::token(token.text, out);
            glue = Some(token.is_glued);
        }
        out.extend_from_slice(b"</s>\n");
    }
    if glue.is_some() {
        out.extend_from_slice(b"</p>\n");
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordContext;
    use crate::record::tests::documents;
    use crate::tokens::is_blank;

    fn rendered(documents: &[gleaner_corpus::Document]) -> String {
        let mut out = Vec::new();
        documents
            .iter()
            .for_each(|document| render(&Record::new(document, &RecordContext::default()), &mut out));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn three_documents_as_vertical_text() {
        assert_eq!(rendered(&documents()), include_str!("snapshots/documents.vert"));
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        /// The text can be restored from the tokens, `<g/>` and paragraphs, except for the kind of white
        /// space.
        #[test]
        fn the_text_comes_back(text in "[\\PC<>&\"\t\n\0 aB.。]{0,120}") {
            let mut document = documents().remove(0);
            document.text = text.clone();
            let vertical = rendered(&[document]);
            let mut back = String::new();
            let mut glue = true;
            for line in vertical.lines().skip(1) {
                match line {
                    "<g/>" => glue = true,
                    "<s>" | "</s>" => {}
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
