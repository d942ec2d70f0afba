//! Tests the file with the index of near-duplicates. After kills and damage, every document is still found.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, UrlKey};
use gleaner_store::{
    DuplicateLevels, PackedDocument, QueuePosition, Replacement, StoreOptions, Writer, open,
};
use jiff::Timestamp;
use tempfile::TempDir;

use crate::common::faults;

const OPTIONS: StoreOptions = StoreOptions { cache: 1 << 20, create: true };

/// An index of this size has a file when at least seven documents are stored.
const SMALL: usize = 1 << 16;

/// Returns 90 words of a document. `edited` copies differ in one word.
fn text(document: usize, edited: usize) -> String {
    let letters = |number: usize| number.to_string().bytes().map(|digit| char::from(digit + 49)).collect();
    let word = |at: usize| -> String {
        let word: String = letters(at * at % 211 + 1_000 * document);
        if at == 40 && edited > 0 { format!("edited{}", letters(edited)) } else { word }
    };
    (0..90).map(word).collect::<Vec<String>>().join(" ")
}

fn url(page: usize) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://news.example/{page}")).unwrap()
}

fn opened(folder: &Path, memory: usize) -> Writer {
    let mut writer = open(folder, &OPTIONS).unwrap();
    detect(&mut writer, memory);
    writer
}

fn detect(writer: &mut Writer, memory: usize) {
    writer.detect_duplicates(&DuplicateLevels { memory, ..DuplicateLevels::default() }).unwrap();
}

fn place(writer: &mut Writer, page: usize, text: String) -> Outcome {
    let (url, mut change) = (url(page), writer.begin());
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
    let id = DocumentId(*url.key().as_bytes());
    let document = Document::with_text(id, url.as_str(), url.host(), text, Timestamp::UNIX_EPOCH);
    let outcome = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, outcome.clone(), None).unwrap();
    writer.commit(change).unwrap();
    outcome
}

/// Stores the documents `from` to `to`, which are all different, with a flush after each.
fn fill(writer: &mut Writer, from: usize, to: usize) {
    for document in from..to {
        assert_eq!(place(writer, document, text(document, 0)), Outcome::Stored);
        writer.flush().unwrap();
    }
}

fn original(outcome: Outcome) -> Option<UrlKey> {
    match outcome {
        Outcome::NearDuplicate { of, .. } => Some(of),
        _ => None,
    }
}

/// Checks that an edited copy of each document is found.
fn check_all_found(writer: &mut Writer, documents: usize) {
    for document in 0..documents {
        let outcome = place(writer, 10_000 + document, text(document, 1));
        assert_eq!(original(outcome), Some(url(document).key()), "{document} of {documents}");
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("sled/near")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Copies a data folder as it is on disk, which is how a kill at this moment would leave it.
fn killed(folder: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    copy_into(folder, copy.path());
    copy
}

fn copy_into(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let (entry, to) = (entry.as_ref().unwrap().path(), to.join(entry.as_ref().unwrap().file_name()));
        if entry.is_dir() {
            fs::create_dir(&to).unwrap();
            copy_into(&entry, &to);
        } else if entry.is_file() {
            fs::copy(&entry, &to).unwrap();
        }
    }
}

#[test]
fn after_a_kill_at_any_moment_every_document_is_found() {
    let folder = TempDir::new().unwrap();
    let mut writer = opened(folder.path(), SMALL);
    let mut names = BTreeSet::new();
    for documents in 1..=30 {
        fill(&mut writer, documents - 1, documents);
        names.extend(files(folder.path()));
        assert!(files(folder.path()).len() <= 1, "{:?}", files(folder.path()));
        let left = killed(folder.path());
        let mut after = opened(left.path(), SMALL);
        assert_eq!(faults(&after.store()), [""; 0]);
        check_all_found(&mut after, documents);
    }
    assert_eq!(names.len(), 4, "a file for seven documents each");
    drop(writer);
    check_all_found(&mut opened(folder.path(), SMALL), 30);
}

#[test]
fn a_change_that_a_kill_undoes_leaves_a_usable_index() {
    let folder = TempDir::new().unwrap();
    let mut writer = opened(folder.path(), SMALL);
    fill(&mut writer, 0, 10);
    place(&mut writer, 10, text(10, 0));
    let after = killed(folder.path());
    let mut after = opened(after.path(), SMALL);
    fill(&mut after, 11, 13);
    check_all_found(&mut after, 10);
    assert_eq!(place(&mut after, 10, text(10, 0)), Outcome::Stored);
}

#[test]
fn a_file_that_is_not_recorded_yet_or_was_replaced_is_removed() {
    let folder = TempDir::new().unwrap();
    fill(&mut opened(folder.path(), SMALL), 0, 10);
    let file = files(folder.path()).remove(0);
    fs::copy(&file, file.with_file_name("other.index")).unwrap();
    check_all_found(&mut opened(folder.path(), SMALL), 10);
    assert!(!file.with_file_name("other.index").exists());
}

#[test]
fn a_damaged_file_is_reported_and_built_again() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("missing", |file| fs::remove_file(file).unwrap()),
        ("empty", |file| fs::write(file, "").unwrap()),
        ("shorter", |file| {
            let bytes = fs::read(file).unwrap();
            fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
        }),
        ("other format", |file| {
            let mut bytes = fs::read(file).unwrap();
            bytes[7] += 1;
            fs::write(file, bytes).unwrap();
        }),
        ("zeros", |file| {
            let mut bytes = fs::read(file).unwrap();
            bytes[64..].fill(0);
            fs::write(file, bytes).unwrap();
        }),
    ];
    for (what, damage) in damages {
        let folder = TempDir::new().unwrap();
        fill(&mut opened(folder.path(), SMALL), 0, 12);
        let before = files(folder.path());
        damage(&before[0]);
        let reported = faults(&open(folder.path(), &OPTIONS).unwrap().store());
        assert_eq!(reported.len(), 1, "{what}: {reported:?}");
        assert!(reported[0].contains("the index of near-duplicates is damaged: "), "{what}: {reported:?}");
        let mut writer = opened(folder.path(), SMALL);
        check_all_found(&mut writer, 12);
        assert_ne!(files(folder.path()), before, "{what}");
        assert_eq!(faults(&writer.store()), [""; 0], "{what}");
    }
}

#[test]
fn damage_is_noticed_while_documents_are_stored() {
    let folder = TempDir::new().unwrap();
    let mut writer = opened(folder.path(), SMALL);
    fill(&mut writer, 0, 12);
    let before = files(folder.path());
    fs::write(&before[0], vec![7; fs::metadata(&before[0]).unwrap().len() as usize]).unwrap();
    check_all_found(&mut writer, 12);
    assert_ne!(files(folder.path()), before);
}

#[test]
fn a_repair_removes_a_damaged_file() {
    let folder = TempDir::new().unwrap();
    fill(&mut opened(folder.path(), SMALL), 0, 12);
    let mut writer = open(folder.path(), &OPTIONS).unwrap();
    assert!(!writer.remove_damaged_index().unwrap());
    fs::write(&files(folder.path())[0], "").unwrap();
    assert!(writer.remove_damaged_index().unwrap());
    assert_eq!(files(folder.path()), [""; 0].map(PathBuf::from));
    assert_eq!(faults(&writer.store()), [""; 0]);
    detect(&mut writer, SMALL);
    check_all_found(&mut writer, 12);
}

#[test]
fn a_file_has_the_size_that_its_documents_need_and_the_settings_allow() {
    let folder = TempDir::new().unwrap();
    fill(&mut opened(folder.path(), SMALL), 0, 12);
    let length = || fs::metadata(&files(folder.path())[0]).unwrap().len() - 64;
    assert_eq!(length(), 4096);
    drop(opened(folder.path(), 2048));
    assert_eq!(length(), 2048, "a smaller index");
    check_all_found(&mut opened(folder.path(), SMALL), 12);
    assert_eq!(length(), 4096, "a larger index");
    fill(&mut opened(folder.path(), SMALL), 12, 60);
    assert_eq!(length(), 32_768);
    check_all_found(&mut opened(folder.path(), SMALL), 60);
}

#[test]
fn signatures_are_found_that_were_written_without_the_index() {
    let folder = TempDir::new().unwrap();
    let mut writer = opened(folder.path(), SMALL);
    fill(&mut writer, 0, 12);
    // The member of a cluster becomes its representative.
    let member = place(&mut writer, 100, format!("{} {}", text(3, 1), text(100, 0)[..200].to_owned()));
    assert_eq!(original(member), Some(url(3).key()));
    writer.flush().unwrap();
    drop(writer);
    let mut writer = open(folder.path(), &OPTIONS).unwrap();
    let mut change = writer.begin();
    change.withdraw(url(3).key(), &mut writer).unwrap();
    writer.commit(change).unwrap();
    detect(&mut writer, SMALL);
    let copy = place(&mut writer, 200, format!("{} {}", text(3, 2), text(100, 0)[..200].to_owned()));
    assert_eq!(original(copy), Some(url(100).key()));
}

#[test]
fn a_new_text_of_an_old_document_is_found_after_a_kill() {
    let folder = TempDir::new().unwrap();
    let mut writer = opened(folder.path(), SMALL);
    fill(&mut writer, 0, 8);
    assert_eq!(place(&mut writer, 2, text(500, 0)), Outcome::Stored);
    writer.flush().unwrap();
    let after = killed(folder.path());
    let mut after = opened(after.path(), SMALL);
    assert_eq!(original(place(&mut after, 600, text(500, 1))), Some(url(2).key()));
}

#[test]
fn a_copy_of_the_store_has_no_file_with_keys_of_removed_documents() {
    let folder = TempDir::new().unwrap();
    fill(&mut opened(folder.path(), SMALL), 0, 12);
    let (replacement, _) = Replacement::begin(folder.path(), OPTIONS.cache).unwrap();
    let writer = replacement.old().unwrap().writer().unwrap().unwrap();
    assert_eq!(replacement.copy_after(writer, OPTIONS.cache).unwrap(), 0);
    replacement.finish_without_old().unwrap();
    assert_eq!(files(folder.path()), [""; 0].map(PathBuf::from));
    let mut writer = opened(folder.path(), SMALL);
    check_all_found(&mut writer, 12);
    assert_eq!(faults(&writer.store()), [""; 0]);
}
