//! Prints the documents of the corpus in a folder. Without a folder, creates a corpus of three documents first.
//!
//! `cargo run -p gleaner-store --example iterate_documents -- [FOLDER]`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::{Path, PathBuf};

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{DuplicateLevels, PackedDocument, StoreOptions, open};
use jiff::Timestamp;

const CACHE: u64 = 64 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let own = tempfile::tempdir()?;
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    if folder.is_none() {
        write(own.path())?;
    }
    let folder = folder.as_deref().unwrap_or(own.path());
    // No other process can open the folder until the writer is dropped.
    let writer = open(folder, &StoreOptions { cache: CACHE, create: false })?;
    let store = writer.store();
    for document in store.documents() {
        let document = document?;
        println!("{}: {} bytes, at {:?}", document.id, document.text.len(), store.urls_of(&document)?);
    }
    Ok(())
}

fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut writer = open(folder, &StoreOptions { cache: CACHE, create: true })?;
    writer.detect_duplicates(&DuplicateLevels::default())?;
    let mut change = writer.begin();
    // The third text equals the first, so the third URL becomes an alias of the first document.
    for (path, text) in [("a", "The rain ended."), ("b", "The river rose."), ("c", "The rain ended.")] {
        let url = CanonicalUrl::parse(&format!("https://paper.example/{path}.html"))?;
        let id = DocumentId(*url.key().as_bytes());
        let document = Document::with_text(id, url.as_str(), url.host(), text.into(), Timestamp::now());
        change.place(url.key(), PackedDocument::from_document(document), &mut writer)?;
    }
    writer.commit(change)?;
    writer.flush()?;
    Ok(())
}
