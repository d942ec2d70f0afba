//! Writes vertical text for Sketch Engine and NoSketch Engine
//! (<https://www.sketchengine.eu/documentation/preparing-corpus-text/>): one token per line. Documents,
//! paragraphs and sentences are marked by tags.
//!
//! `<doc>` has the metadata of the document as attributes, and `<p>` has the kind of the line. `<s>` is a
//! sentence. `<g/>` between two tokens means that no white space separates them. `tokens.rs` defines
//! sentences and tokens. `<`, `>` and `&` are written as XML entities, and so is `"` in attributes. `|`
//! separates several authors.
//!
//! A line has the word. With an external [tagger](crate::tagger), it has the word, its tag and its lemma, or `-` instead
//! of what the tagger does not give.
//!
//! Limitation: without a tagger, words are neither tagged nor lemmatised. The files were not tested with Manatee, but their
//! escaping follows XML and published vertical files. A host name can be longer than a tool allows.

use super::kind_name;
use crate::Record;
use crate::record::Cell;
use crate::tokens::{Sentence, Token};

/// The record fields that become attributes of `<doc>`.
pub const ATTRIBUTES: [&str; 10] =
    ["id", "url", "host", "language", "title", "authors", "section", "published", "fetched", "cluster"];

/// The further attributes of `<doc>`: year and month of the publication, empty if it is not known, and the number of
/// words.
pub const COMPUTED: [&str; 3] = ["year", "month", "words"];

/// Appends a record as `<doc>` with its paragraphs to `out`.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<doc");
    for name in ATTRIBUTES {
        attribute(name, &value(record, name), out);
    }
    let month = month(record.document().published.as_deref().unwrap_or_default());
    for (name, value) in
        COMPUTED.into_iter().zip([month.get(..4).unwrap_or_default(), month, &record.words().to_string()])
    {
        attribute(name, value, out);
    }
    out.extend_from_slice(b">\n");
    for (kind, sentences) in record.sentences() {
        paragraph(kind, &sentences, out);
    }
    out.extend_from_slice(b"</doc>\n");
}

/// Returns the month of a publication date, such as `2026-11`. Returns an empty text if the date has another form.
fn month(published: &str) -> &str {
    let form = |(at, byte): (usize, u8)| if at == 4 { byte == b'-' } else { byte.is_ascii_digit() };
    published.get(..7).filter(|month| month.bytes().enumerate().all(form)).unwrap_or_default()
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

fn paragraph(kind: char, sentences: &[Sentence<'_>], out: &mut Vec<u8>) {
    let mut glue = None;
    for sentence in sentences {
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
            self::token(token, out);
            glue = Some(token.is_glued);
        }
        out.extend_from_slice(b"</s>\n");
    }
    if glue.is_some() {
        out.extend_from_slice(b"</p>\n");
    }
}

fn token(token: &Token<'_>, out: &mut Vec<u8>) {
    column(token.text, out);
    if let Some(tagged) = token.tagged {
        for value in [&tagged.tag, &tagged.lemma] {
            out.push(b'\t');
            column(if value.is_empty() { "-" } else { value.as_str() }, out);
        }
    }
    out.push(b'\n');
}

fn column(text: &str, out: &mut Vec<u8>) {
    if text.bytes().any(|byte| matches!(byte, b'<' | b'>' | b'&')) {
        out.extend_from_slice(
            text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").as_bytes(),
        );
    } else {
        out.extend_from_slice(text.as_bytes());
    }
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
