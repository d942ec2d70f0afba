//! Runs small programs of the shell as external taggers.
//!
//! These tests are in a process of their own. Otherwise, a program that starts would hold for a moment the locks that
//! other tests have just released.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "tests may panic")]

use gleaner_corpus::{Document, DocumentId};
use gleaner_export::tagger::{TaggedLines, TaggedToken};
use gleaner_export::{ExportError, RecordContext, Tagger};

fn documents() -> Vec<Document> {
    let document = |number: u8, text: &str| {
        let fetched = "2026-11-20T02:30:00Z".parse().unwrap();
        Document::with_text(DocumentId([number; 16]), "http://a.example/", "a.example", text.into(), fetched)
    };
    vec![
        document(1, "Sáng nay, chợ quê họp sớm. Mưa.\n\n \nBà con về."),
        document(2, "It's 3.5 km."),
        document(3, "Ngày mai."),
    ]
}

/// Tags the documents with a command. All but the second are tagged.
fn tagged(command: &str) -> Result<Vec<(Document, RecordContext)>, String> {
    let mut tagger = Tagger::start(command).map_err(|error| error.to_string())?;
    let mut done = Vec::new();
    let mut run = || -> Result<(), ExportError> {
        for (number, document) in documents().into_iter().enumerate() {
            tagger.push(document, RecordContext::default(), number != 1)?;
            done.extend(tagger.ready()?);
        }
        while let Some(next) = tagger.last()? {
            done.push(next);
        }
        Ok(())
    };
    run().map_err(|error| error.to_string()).map(|()| done)
}

fn words(lines: &TaggedLines) -> Vec<String> {
    let token = |token: &TaggedToken| format!("{}{}", token.word, if token.is_glued { "+" } else { "" });
    let sentence = |sentence: &Vec<TaggedToken>| sentence.iter().map(token).collect::<Vec<_>>().join(" ");
    lines.iter().flatten().map(sentence).collect()
}

#[test]
fn each_sentence_gets_the_tokens_of_the_command() {
    let done = tagged(r"sed -e 's/[.,:]/ &/g' -e 's/  */\n/g' -e 's/$/\n/'").unwrap();
    assert_eq!(done.len(), 3);
    let lines = done[0].1.tagged.as_ref().unwrap();
    assert_eq!(lines.iter().map(Vec::len).collect::<Vec<_>>(), [2, 0, 0, 1]);
    assert_eq!(words(lines), ["Sáng nay+ , chợ quê họp sớm+ .", "Mưa+ .", "Bà con về+ ."]);
    assert_eq!(
        (&done[1].1.tagged, done[2].1.tagged.as_ref().map(words)),
        (&None, Some(vec!["Ngày mai+ .".into()]))
    );
}

#[test]
fn a_command_that_fails_is_named_with_the_reason() {
    for (command, part) in [
        ("exit 3", "`exit 3` ended after the tokens of 0 sentences (exit status: 3)"),
        ("cat >/dev/null; printf 'Sáng\\n\\n'", "ended after the tokens of 1 sentences"),
        ("sed 's/$/\\n/'; printf 'Sáng\\n\\n'", "for more than the 4 sentences"),
        ("sed 's/$/\\n/; 1d'", "wrote \"Mưa.\" for the sentence \"Sáng nay, chợ quê họp sớm.\""),
        ("sed 's/.*//'", "wrote \"\" for the sentence"),
        ("cat >/dev/null; printf '\\377\\n'", "is not UTF-8"),
        ("cat >/dev/null; printf 'a\\tb\\tc\\td\\n'", "is neither a word nor"),
        ("cat >/dev/null; yes | tr -d '\\n'", "a line has more than"),
    ] {
        let error = tagged(command).unwrap_err();
        assert!(error.contains(part), "{command}: {error}");
    }
}

#[test]
fn a_command_that_is_stopped_early_reads_its_input_to_the_end() {
    let mut tagger = Tagger::start("cat >/dev/null").unwrap();
    tagger.push(documents().remove(0), RecordContext::default(), true).unwrap();
    assert!(tagger.ready().unwrap().is_none());
    tagger.stop();
}
