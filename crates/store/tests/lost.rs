//! Tests missing files of texts in a shared store. The other texts are still read, and the lost texts are
//! reported. Skipped if PostgreSQL is not installed.

use std::time::Duration;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::{DuplicateLevels, PackedDocument, QueuePosition, StoreError, Writer, visit};
use jiff::Timestamp;

use crate::common::{Place, faults, settle};

/// Number of documents. A scan reads them in several pages.
const DOCUMENTS: u32 = 60;

fn url(number: u32) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap()
}

fn id(number: u32) -> DocumentId {
    DocumentId(*url(number).key().as_bytes())
}

fn store(writer: &mut Writer, number: u32, text: String) {
    let (url, mut change) = (url(number), writer.begin());
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    let document = Document::with_text(id(number), url.as_str(), url.host(), text, Timestamp::UNIX_EPOCH);
    writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
    let outcome = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap_or(record);
    change.end(url.key(), record, outcome, None).unwrap();
    writer.commit(change).unwrap();
    settle(writer);
}

/// Creates a corpus with three files of texts: one with most documents, one with document 7, and one with
/// document 8.
fn corpus(place: &Place) -> Writer {
    let mut writer = place.open();
    (0..DOCUMENTS).filter(|number| ![7, 8].contains(number)).for_each(|number| {
        store(&mut writer, number, format!("text {number}"));
    });
    writer.flush().unwrap();
    for number in [7, 8] {
        store(&mut writer, number, format!("text {number}"));
        writer.flush().unwrap();
    }
    assert_eq!(faults(&writer.store()), [""; 0]);
    writer
}

fn files(place: &Place) -> Vec<String> {
    let mut names: Vec<String> =
        place.objects().list("spool").unwrap().into_iter().map(|file| file.name).collect();
    names.sort();
    assert_eq!(names.len(), 3, "{names:?}");
    names
}

#[test]
fn each_document_that_is_lost_is_named_and_the_others_are_read() {
    let Some(place) = Place::database() else { return };
    let writer = corpus(&place);
    let (reader, files) = (writer.store(), files(&place));
    place.objects().delete(&files[1]).unwrap();
    // The other file was truncated.
    place.objects().put(&files[2], vec![0; 3]).unwrap();

    let told = faults(&reader);
    assert_eq!(told.len(), 2, "{told:#?}");
    for (number, why) in [(7, "there is no such object"), (8, "it is shorter")] {
        let says = |fault: &&String| {
            fault.starts_with(&format!("the text of http://a.example/{number} cannot be read: "))
                && fault.contains(why)
        };
        assert_eq!(told.iter().filter(says).count(), 1, "{number}: {told:#?}");
    }

    let read: Vec<Result<Document, StoreError>> = reader.documents().collect();
    assert_eq!(read.len(), DOCUMENTS as usize);
    let lost: Vec<String> =
        read.into_iter().filter_map(|document| Some(document.err()?.to_string())).collect();
    assert_eq!(lost.len(), 2, "{lost:?}");
    let names = |error: &String| error.contains(&files[1]) && error.contains("`gleaner verify` names all");
    assert_eq!(lost.iter().filter(|error| names(error)).count(), 1, "{lost:?}");

    assert!(matches!(reader.document(id(7)), Err(StoreError::Lost { id: lost, .. }) if lost == id(7)));
    assert_eq!(reader.document(id(9)).unwrap().unwrap().text, "text 9");
}

#[test]
fn storage_that_is_not_this_corpuss_is_called_so() {
    let Some(place) = Place::database() else { return };
    let writer = corpus(&place);
    drop(writer);
    let (address, objects, files) = (place.server().1, place.objects(), files(&place));
    let reader = visit(place.path(), address, objects, Duration::from_secs(5)).unwrap();
    reader.check_storage().unwrap();
    place.objects().delete("corpus").unwrap();
    assert_eq!(faults(&reader), [""; 0], "nothing is lost");
    assert!(matches!(reader.check_storage(), Err(StoreError::NotItsStorage { .. })));
    place.objects().delete(&files[1]).unwrap();
    let wrong = reader.document(id(7)).unwrap_err().to_string();
    assert!(wrong.contains("is not the storage of this corpus") && wrong.contains(&files[1]), "{wrong}");
    let wrong = reader.documents().find_map(Result::err).unwrap();
    assert!(matches!(wrong, StoreError::NotItsStorage { .. }), "{wrong}");
    place.objects().put("corpus", b"another".to_vec()).unwrap();
    let wrong = reader.document(id(7)).unwrap_err();
    assert!(matches!(wrong, StoreError::OtherCorpus { .. }), "{wrong}");
}

#[test]
fn workers_that_were_killed_long_ago_are_forgotten() {
    let Some(place) = Place::database() else { return };
    let (server, address) = place.server();
    drop(place.open());
    for (name, days) in [("old", 8), ("younger", 6)] {
        let sql = format!(
            "INSERT INTO workers (session, name, version, seen) \
             VALUES ('{name}', '{name}', '0.1.0', now() - interval '{days} days')"
        );
        let _ = server.query(address, &sql);
    }
    let writer = place.worker("new", Duration::from_secs(30));
    let names = "SELECT name FROM workers ORDER BY name";
    assert_eq!(server.query(address, names), "new\nyounger");
    drop(writer);
    assert_eq!(server.query(address, names), "younger");
}
