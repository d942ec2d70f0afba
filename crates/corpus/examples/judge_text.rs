//! Determines the language and the quality of texts, and whether a corpus admits them.
//!
//! Run with `cargo run -p gleaner-corpus --example judge_text`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use gleaner_corpus::{Admission, ContentHash, Document, DocumentId, Quality, language};
use jiff::Timestamp;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let admission = Admission {
        languages: vec!["vi".into()],
        conditions: vec!["words>=10".parse()?],
        ..Admission::default()
    };
    let texts = [
        "Chợ quê họp sớm hơn thường lệ vì bà con muốn bán hết rau trước khi trời mưa.",
        "The market opened earlier than usual because growers wanted to sell their vegetables.",
        "Trời đã tạnh mưa.",
    ];
    for (number, text) in (0..).zip(texts) {
        let found = language(text, None);
        let quality = Quality::new(text, &found.tag);
        println!("{text}");
        println!("  language {}, probability {} %", found.tag, found.hundredths());
        println!("  {} words, stop words {:?}", quality.words, quality.stop_word_share);
        println!("  content hash {}", ContentHash::from_text(text));
        let bare = Document::with_text(
            DocumentId([number; 16]),
            "https://paper.example/",
            "paper.example",
            text.into(),
            Timestamp::UNIX_EPOCH,
        );
        match admission.admit(Document { language: found.tag, ..bare }) {
            Ok(document) => println!("  admitted as {}", document.id),
            Err(refusal) => println!("  refused: {refusal:?}"),
        }
    }
    Ok(())
}
