//! Writes CoNLL-U (<https://universaldependencies.org/format.html>): one token per line in ten columns, and
//! an empty line after each sentence.
//!
//! The columns ID, FORM and MISC are filled. MISC has `SpaceAfter=No` if no white space follows the token. With an
//! external [tagger](crate::tagger), so are LEMMA and XPOS, and UPOS if all tags of the sentence are those of Universal
//! Dependencies. FORM is the word as in the sentence, with its spaces. `tokens.rs` defines sentences and tokens. Comments name the
//! document, the paragraph and the sentence. `# kind` is the kind of the paragraph. `# text` is built from
//! the tokens, so it contains only single spaces.
//!
//! Limitation: a document without tokens is omitted, because the format consists of sentences.

use std::io::Write;

use super::kind_name;
use crate::Record;
use crate::tokens::{Sentence, Token};

/// The unfilled columns FEATS to DEPS.
const EMPTY: &str = "_\t_\t_\t_";

/// The tags of Universal Dependencies (<https://universaldependencies.org/u/pos/>).
const UNIVERSAL_TAGS: [&str; 17] = [
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT",
    "SCONJ", "SYM", "VERB", "X",
];

/// Appends the sentences of a record to `out`.
pub fn render(record: &Record, out: &mut Vec<u8>) {
    let (mut paragraph, mut number) = (0, 0);
    for (kind, sentences) in record.sentences() {
        let mut is_new = true;
        for sentence in sentences {
            if number == 0 {
                document(record, out);
            }
            if is_new {
                paragraph += 1;
                comment("newpar id", &format!("{}-p{paragraph}", record.id()), out);
                comment("kind", kind_name(kind), out);
            }
            is_new = false;
            number += 1;
            comment("sent_id", &format!("{}-s{number}", record.id()), out);
            self::sentence(&sentence, out);
        }
    }
}

fn document(record: &Record, out: &mut Vec<u8>) {
    let document = record.document();
    comment("newdoc id", record.id(), out);
    comment("url", &document.url, out);
    comment("language", &document.language, out);
    for (name, value) in [("title", &document.title), ("published", &document.published)] {
        if let Some(value) = value.as_deref().filter(|value| !value.trim().is_empty()) {
            comment(name, value, out);
        }
    }
}

/// Appends a comment line. Each run of white space and control characters becomes one space.
fn comment(name: &str, value: &str, out: &mut Vec<u8>) {
    let parts = value.split(|c: char| c.is_whitespace() || c.is_control()).filter(|part| !part.is_empty());
    let value = parts.collect::<Vec<_>>().join(" ");
    writeln!(out, "# {name} = {value}").expect("memory takes all");
}

fn sentence(sentence: &Sentence, out: &mut Vec<u8>) {
    let mut text = String::new();
    for (at, token) in sentence.tokens.iter().enumerate() {
        text += form(token);
        if !token.is_glued && at + 1 < sentence.tokens.len() {
            text.push(' ');
        }
    }
    comment("text", &text, out);
    let has_universal_tag =
        |token: &Token| token.tagged.is_some_and(|tagged| UNIVERSAL_TAGS.contains(&tagged.tag.as_str()));
    let is_universal = sentence.tokens.iter().all(has_universal_tag);
    for (number, token) in (1..).zip(&sentence.tokens) {
        let space = if token.is_glued { "SpaceAfter=No" } else { "_" };
        let (xpos, lemma) =
            token.tagged.map_or(("", ""), |tagged| (tagged.tag.as_str(), tagged.lemma.as_str()));
        let upos = if is_universal { xpos } else { "" };
        let [lemma, upos, xpos] = [lemma, upos, xpos].map(|value| if value.is_empty() { "_" } else { value });
        writeln!(out, "{number}\t{}\t{lemma}\t{upos}\t{xpos}\t{EMPTY}\t{space}", form(token))
            .expect("memory takes all");
    }
    out.push(b'\n');
}

fn form<'a>(token: &Token<'a>) -> &'a str {
    let surface = token.tagged.map(|tagged| tagged.surface.as_str());
    surface.filter(|surface| !surface.is_empty()).unwrap_or(token.text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordContext;
    use crate::record::tests::documents;
    use crate::tagger::TaggedToken;

    #[test]
    fn words_of_a_tagger_keep_their_spaces() {
        let token = |word: &str, surface: &str, tag: &str| TaggedToken {
            word: word.into(),
            surface: surface.into(),
            tag: tag.into(),
            ..TaggedToken::default()
        };
        let mut document = documents().remove(0);
        document.text = "Ở Hà Nội\nMưa".into();
        let tagged = vec![
            vec![vec![token("Ở", "Ở", "E"), token("Hà_Nội", "Hà Nội", "X")]],
            vec![vec![token("Mưa", "", "NOUN")]],
        ];
        let mut out = Vec::new();
        let context = RecordContext { tagged: Some(tagged), ..RecordContext::default() };
        render(&Record::new(&document, &context), &mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("# text = Ở Hà Nội\n"), "{text}");
        assert!(text.contains("2\tHà Nội\t_\t_\tX\t_\t_\t_\t_\t_\n"), "{text}");
        assert!(text.contains("1\tMưa\t_\tNOUN\tNOUN\t_"), "{text}");
    }

    #[test]
    fn three_documents_as_sentences() {
        let mut out = Vec::new();
        for document in documents() {
            render(&Record::new(&document, &RecordContext::default()), &mut out);
        }
        assert_eq!(String::from_utf8(out).unwrap(), include_str!("snapshots/documents.conllu"));
    }
}
