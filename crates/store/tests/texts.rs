//! Tests the files of texts beside sled.

use std::fs;
use std::path::PathBuf;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::{DuplicateLevels, PackedDocument, QueuePosition, StoreError, StoreOptions, Writer, open};
use jiff::Timestamp;

use crate::common::{Place, faults};

const DOCUMENTS: u32 = 20;

fn url(number: u32) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap()
}

fn id(number: u32) -> DocumentId {
    DocumentId(*url(number).key().as_bytes())
}

fn text(number: u32) -> String {
    (0..100).map(|word| format!("w{} ", number * 1_000 + word)).collect()
}

fn corpus(place: &Place) -> Writer {
    let mut writer = place.open();
    writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
    for number in 0..DOCUMENTS {
        let (url, mut change) = (url(number), writer.begin());
        let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
        change.discover(None, &found, 0, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
        let record = change.url(url.key()).unwrap().unwrap();
        let document =
            Document::with_text(id(number), url.as_str(), url.host(), text(number), Timestamp::UNIX_EPOCH);
        let packed = PackedDocument::from_document(document);
        let outcome = change.place(url.key(), packed, &mut writer).unwrap();
        change.end(url.key(), record, outcome, None).unwrap();
        writer.commit(change).unwrap();
    }
    writer.flush().unwrap();
    assert_eq!(faults(&writer.store()), [""; 0]);
    writer
}

fn file(place: &Place) -> PathBuf {
    place.path().join("sled/texts/00000001.texts")
}

/// Damages the record whose key begins with `key`.
fn damage(place: &Place, key: &[u8]) {
    let mut bytes = fs::read(file(place)).unwrap();
    let at = bytes.windows(key.len()).position(|found| found == key).unwrap();
    bytes[at + key.len() + 20] ^= 0x10;
    fs::write(file(place), bytes).unwrap();
}

#[test]
fn a_damaged_text_is_named_and_the_others_are_read() {
    let place = Place::folder();
    drop(corpus(&place));
    damage(&place, &[b"d".as_slice(), &id(7).0].concat());
    let writer = place.open();
    let told = faults(&writer.store());
    assert_eq!(told.len(), 1, "{told:#?}");
    assert!(told[0].starts_with("the text of http://a.example/7 cannot be read: "), "{told:?}");
    assert!(told[0].contains("00000001.texts: its checksum is wrong"), "{told:?}");
    let read: Vec<Result<Document, StoreError>> = writer.store().documents().collect();
    assert_eq!(read.iter().filter(|document| document.is_ok()).count(), DOCUMENTS as usize - 1);
    assert!(
        matches!(writer.store().document(id(7)), Err(StoreError::Lost { id: lost, .. }) if lost == id(7))
    );
    assert_eq!(writer.store().document(id(8)).unwrap().unwrap().text, text(8));
}

#[test]
fn a_damaged_signature_is_named_too() {
    let place = Place::folder();
    drop(corpus(&place));
    damage(&place, b"s\0\0\0\x04");
    let told = faults(&place.open().store());
    assert!(told[0].starts_with("the record 7300000004 cannot be read: "), "{told:#?}");
}

#[test]
fn texts_without_their_file_are_named() {
    let place = Place::folder();
    drop(corpus(&place));
    fs::remove_file(file(&place)).unwrap();
    let told = faults(&place.open().store());
    assert_eq!(told.iter().filter(|fault| fault.starts_with("the text of ")).count(), DOCUMENTS as usize);
}

#[test]
fn a_copy_has_its_own_texts() {
    let place = Place::folder();
    let writer = corpus(&place);
    let folder = place.path().join("copy");
    let options = StoreOptions { cache: 16 << 20, create: false };
    writer.copy_to(&folder, &options).unwrap();
    drop(writer);
    fs::remove_file(file(&place)).unwrap();
    let copy = open(&folder, &options).unwrap();
    assert_eq!(faults(&copy.store()), [""; 0]);
    assert_eq!(copy.store().document(id(8)).unwrap().unwrap().text, text(8));
}
