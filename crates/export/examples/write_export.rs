//! Writes two documents as JSON Lines and as Parquet, and prints how many documents each filter excluded.
//!
//! Run it with `cargo run -p gleaner-export --example write_export`.

#![expect(clippy::print_stdout, reason = "an example prints")]

use gleaner_corpus::{Document, DocumentId};
use gleaner_export::{Fields, FileExport, Filter, Format, RecordContext};
use jiff::Timestamp;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let texts = [("en", "The rain that fell all day ended."), ("vi", "Trời đã tạnh mưa.")];
    let documents = (0..).zip(texts).map(|(number, (language, text))| {
        let url = format!("https://paper.example/{number}.html");
        let bare = Document::with_text(
            DocumentId([number; 16]),
            &url,
            "paper.example",
            text.into(),
            Timestamp::UNIX_EPOCH,
        );
        Document { language: language.into(), kinds: "p".into(), ..bare }
    });
    let documents: Vec<Document> = documents.collect();

    let folder = tempfile::tempdir()?;
    for format in ["jsonl", "parquet"].into_iter().filter_map(Format::named) {
        let path = folder.path().join(format!("corpus{}", format.ending()));
        let filter = Filter { languages: vec!["vi".into()], ..Filter::default() };
        let mut file = FileExport::begin(&path, format, &Fields::default(), filter)?;
        for document in &documents {
            let context = RecordContext { urls: vec![document.url.clone()], ..RecordContext::default() };
            file.write(document, &context)?;
        }
        let tally = file.finish()?;
        println!("{}: {} documents, excluded {:?}", format.kind.name, tally.documents, tally.held_back);
        if !format.kind.is_binary() {
            print!("{}", std::fs::read_to_string(&path)?);
        }
    }
    Ok(())
}
