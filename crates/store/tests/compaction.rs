//! Tests the merging of files in object storage.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use gleaner_archive::files::ArchiveOptions;
use gleaner_corpus::{Document, DocumentId};
use gleaner_export::document_file::{DocumentFile, END, StoredDocument, footer_length};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::{
    Compacted, DOCUMENTS_FOLDER, DuplicateLevels, Extent, PackedDocument, QueuePosition, Store, StoreError,
    Writer, visit as visit_store,
};
use jiff::{SignedDuration, Timestamp};

use crate::common::{Place, faults, settle};

const DOCUMENTS: u8 = 20;

fn url(number: u8) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://site-{}.example/{number}", number % 7)).unwrap()
}

fn id(number: u8) -> DocumentId {
    DocumentId(*url(number).key().as_bytes())
}

/// Stores the text of a page that was fetched at this hour, and flushes it.
fn visit(writer: &mut Writer, number: u8, hour: i64, text: &str) {
    let (url, mut change) = (url(number), writer.begin());
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    let fetched = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour);
    let document = Document {
        title: Some(format!("Chợ {number}")),
        authors: vec!["An".into(), "Bình".into()],
        confidence: Some(number),
        ..Document::with_text(id(number), url.as_str(), url.host(), text.into(), fetched)
    };
    writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
    let outcome = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, outcome, None).unwrap();
    writer.commit(change).unwrap();
    settle(writer);
    writer.flush().unwrap();
}

/// Fills a corpus. Each document is in a separate file. Some documents have earlier revisions, and some are
/// replaced.
fn fill(writer: &mut Writer) {
    for number in 0..DOCUMENTS {
        visit(writer, number, 0, &format!("text {number}"));
    }
    for (number, hour) in [(3, 1), (3, 2), (9, 1)] {
        visit(writer, number, hour, &format!("text {number}, changed {hour}"));
    }
    // The same fetch with another text is another extraction, which replaces the document.
    visit(writer, 5, 0, "text 5, extracted again");
}

/// Returns the texts of all documents with their earlier revisions.
fn texts(store: &Store) -> BTreeMap<DocumentId, Vec<Document>> {
    let documents = store.documents().map(Result::unwrap);
    let with_revisions = |document: Document| {
        let mut texts = store.revisions(document.id).unwrap();
        assert_eq!(store.document(document.id).unwrap().as_ref(), Some(&document));
        let id = document.id;
        texts.push(document);
        (id, texts)
    };
    documents.map(with_revisions).collect()
}

fn objects(place: &Place, folder: &str) -> Vec<String> {
    place.objects().list(folder).unwrap().into_iter().map(|object| object.name).collect()
}

/// Reads the documents of all Parquet files without the database, like another program.
fn open_documents(place: &Place) -> Vec<StoredDocument> {
    let mut documents = Vec::new();
    for name in objects(place, DOCUMENTS_FOLDER) {
        let content = place.objects().get(&name).unwrap();
        let end = content.len() - END as usize;
        let length = footer_length(&content[end..]).unwrap() as usize;
        let file = DocumentFile::from_footer(&content[end - length..end]).unwrap();
        for group in 0..file.groups() {
            let range = file.range(group);
            documents.extend(
                file.read(group, content[range.start as usize..range.end as usize].to_vec()).unwrap(),
            );
        }
    }
    documents
}

fn places() -> Vec<Place> {
    [Place::database(), Place::database_with_s3()].into_iter().flatten().collect()
}

#[test]
fn documents_and_revisions_are_merged_and_read_as_before() {
    for place in places() {
        let mut writer = place.open();
        fill(&mut writer);
        let (store, before) = (writer.store(), texts(&writer.store()));
        assert_eq!(before.len(), usize::from(DOCUMENTS));
        let compacted = store.compact(Extent::All).unwrap();
        assert_eq!(compacted, Compacted { documents: 1, archive: 0, replaced: 24 });
        assert_eq!(texts(&store), before);
        assert_eq!(faults(&store), [""; 0]);
        assert_eq!(objects(&place, "spool"), [""; 0]);
        assert_eq!(objects(&place, "revisions").len(), 1);
        let open: BTreeMap<DocumentId, (u32, Document)> = open_documents(&place)
            .into_iter()
            .map(|stored| (stored.document.id, (stored.revision, stored.document)))
            .collect();
        for (id, texts) in &before {
            assert_eq!(open[id], (texts.len() as u32, texts.last().unwrap().clone()));
        }
        assert_eq!(open_documents(&place).len(), before.len(), "outdated documents are left out");
        // The store returns a later text of a document instead of the merged text.
        visit(&mut writer, 3, 3, "text 3, changed 3");
        assert_eq!(store.document(id(3)).unwrap().unwrap().text, "text 3, changed 3");
        assert_eq!(store.revisions(id(3)).unwrap().len(), 3);
        let before = texts(&store);
        drop(store);
        let writer = place.again(writer);
        assert_eq!(texts(&writer.store()), before);
        let _ = writer.store().compact(Extent::All).unwrap();
        assert_eq!(texts(&writer.store()), before);
        assert_eq!(open_documents(&place).len(), before.len());
        let later = Timestamp::now() + SignedDuration::from_hours(1);
        assert_eq!(writer.store().leftovers(later).unwrap(), []);
        assert_eq!(writer.store().compact(Extent::All).unwrap(), Compacted::default());
    }
}

#[test]
fn a_process_merges_its_own_files() {
    let Some(place) = Place::database() else { return };
    let mut writer = place.open();
    visit(&mut writer, 0, 0, "text 0");
    let mut writer = place.again(writer);
    visit(&mut writer, 1, 0, "text 1");
    let store = writer.store();
    assert_eq!(store.compact(Extent::OwnFull).unwrap(), Compacted::default());
    assert_eq!(store.compact(Extent::Own).unwrap(), Compacted { documents: 1, archive: 0, replaced: 1 });
    assert_eq!((objects(&place, "spool").len(), open_documents(&place).len()), (1, 1));
    assert_eq!(store.compact(Extent::All).unwrap(), Compacted { documents: 1, archive: 0, replaced: 2 });
    assert_eq!((objects(&place, "spool").len(), open_documents(&place).len()), (0, 2));
    assert_eq!(texts(&store).len(), 2);
}

#[test]
fn a_worker_merges_its_later_files_after_another_process_merged_the_earlier_ones() {
    let Some(place) = Place::database() else { return };
    let mut writer = place.open();
    visit(&mut writer, 0, 0, "text 0");
    let mut writer = place.again(writer);
    visit(&mut writer, 1, 0, "text 1");
    let other = visit_store(place.path(), place.server().1, place.objects(), Duration::from_secs(5)).unwrap();
    assert_eq!(other.compact(Extent::All).unwrap(), Compacted { documents: 1, archive: 0, replaced: 2 });
    visit(&mut writer, 2, 0, "text 2");
    let compacted = writer.store().compact(Extent::OwnDocuments).unwrap();
    assert_eq!(compacted, Compacted { documents: 1, archive: 0, replaced: 1 });
    assert_eq!((objects(&place, "spool").len(), open_documents(&place).len()), (0, 3));
    assert_eq!(texts(&writer.store()).len(), 3);
}

#[test]
fn a_reader_finds_documents_that_are_merged_meanwhile() {
    let Some(place) = Place::database() else { return };
    let mut writer = place.open();
    fill(&mut writer);
    let store = writer.store();
    let mut documents = store.documents();
    let mut read = vec![documents.next().unwrap().unwrap()];
    store.compact(Extent::All).unwrap();
    read.extend(documents.map(Result::unwrap));
    assert_eq!(read, store.documents().map(Result::unwrap).collect::<Vec<_>>());
}

#[test]
fn two_processes_do_not_merge_the_same_files() {
    let Some(place) = Place::database() else { return };
    let mut writer = place.open();
    fill(&mut writer);
    let before = texts(&writer.store());
    let merged: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let store =
                    visit_store(place.path(), place.server().1, place.objects(), Duration::from_secs(5))
                        .unwrap();
                scope.spawn(move || match store.compact(Extent::All) {
                    Ok(compacted) => compacted.documents,
                    // Another process has removed the merged files.
                    Err(StoreError::Objects(error)) if error.is_missing() => 0,
                    Err(error) => panic!("{error}"),
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(merged, 1);
    assert_eq!(texts(&writer.store()), before);
    assert_eq!(open_documents(&place).len(), before.len());
}

/// The process ends after it has written the new object, or after it has recorded it.
#[test]
fn a_compaction_that_is_interrupted_loses_nothing() {
    for place in places() {
        let mut writer = place.open();
        fill(&mut writer);
        let (store, before) = (writer.store(), texts(&writer.store()));
        let (server, address) = place.server();
        let refuse = "ALTER TABLE files ADD CONSTRAINT refused CHECK (name NOT LIKE 'documents/%')";
        let _ = server.query(address, refuse);
        assert!(store.compact(Extent::All).is_err());
        assert_eq!(texts(&store), before);
        assert_eq!(faults(&store), [""; 0]);
        let later = Timestamp::now() + SignedDuration::from_hours(1);
        let unused = store.leftovers(later).unwrap();
        assert_eq!(unused.len(), 2, "the new files of documents and of revisions: {unused:?}");
        let _ = server.query(address, "ALTER TABLE files DROP CONSTRAINT refused");

        let spooled = objects(&place, "spool");
        let kept: Vec<(String, Vec<u8>)> =
            spooled.into_iter().map(|name| (name.clone(), place.objects().get(&name).unwrap())).collect();
        store.compact(Extent::All).unwrap();
        for (name, content) in &kept {
            place.objects().put(name, content.clone()).unwrap();
        }
        assert_eq!(texts(&store), before);
        let unused = store.leftovers(later).unwrap();
        assert_eq!(unused.len(), 2 + kept.len());
        store.remove_leftovers(&unused).unwrap();
        assert_eq!(texts(&store), before);
        assert_eq!(faults(&store), [""; 0]);
    }
}

#[test]
fn a_damaged_file_is_not_merged() {
    let Some(place) = Place::database() else { return };
    let mut writer = place.open();
    fill(&mut writer);
    let damaged = objects(&place, "spool").remove(0);
    place.objects().put(&damaged, vec![0; 40]).unwrap();
    let store = writer.store();
    assert_eq!(store.compact(Extent::All).unwrap().replaced, 23);
    assert_eq!(objects(&place, "spool"), [damaged.as_str()]);
    assert_eq!(faults(&store).len(), 1, "{:?}", faults(&store));
    assert_eq!(store.documents().filter(Result::is_ok).count(), usize::from(DOCUMENTS) - 1);
}

/// Writes a file of the archive per flush, and returns the position of each record.
fn write_archive(writer: &mut Writer, flushes: u8, bytes: usize) -> Vec<(u32, u64)> {
    let options = ArchiveOptions { rotate: 1 << 20, level: 1, info: Vec::new(), of_changes: Vec::new() };
    writer.open_archive(Path::new("unused"), options).unwrap();
    let write = |number| {
        let at = writer.archive(&vec![number; bytes], 1, Timestamp::UNIX_EPOCH).unwrap().unwrap();
        writer.flush().unwrap();
        at
    };
    (0..flushes).map(write).collect()
}

#[test]
fn files_of_the_archive_are_joined_and_positions_stay() {
    for place in places() {
        let mut writer = place.open();
        let positions = write_archive(&mut writer, 6, 3_000);
        let store = writer.store();
        assert_eq!(objects(&place, "archive").len(), 6);
        let compacted = store.compact(Extent::All).unwrap();
        assert_eq!(compacted, Compacted { documents: 0, archive: 1, replaced: 6 });
        let names = objects(&place, "archive");
        let [name] = names.as_slice() else { panic!("{names:?}") };
        let whole = place.objects().get(name).unwrap();
        for (number, (file, offset)) in (0..).zip(positions) {
            let record = vec![number; 3_000];
            let content = store.archive_content(file).unwrap();
            assert_eq!(content[offset as usize..], record);
            let begin = (store.archive_file(file).unwrap().unwrap().offset + offset) as usize;
            assert_eq!(whole[begin..begin + record.len()], record);
        }
        assert_eq!(store.compact(Extent::All).unwrap(), Compacted::default());
    }
}

/// Writes 1.4 GB to each storage. Runs only if the variable `GLEANER_LOAD` is set.
#[test]
fn a_worker_merges_files_of_the_archive_at_the_real_size() {
    if std::env::var_os("GLEANER_LOAD").is_none() {
        return;
    }
    for place in places() {
        let mut writer = place.open();
        let positions = write_archive(&mut writer, 44, 32 << 20);
        let store = writer.store();
        let _ = store.compact(Extent::Own).unwrap();
        let mut sizes: Vec<u64> =
            place.objects().list("archive").unwrap().iter().map(|object| object.size >> 20).collect();
        sizes.sort_unstable();
        println!("files of the archive, in MiB: {sizes:?}");
        assert!(sizes.iter().skip(1).all(|size| (512..=1024).contains(size)), "{sizes:?}");
        assert_eq!(sizes.iter().sum::<u64>(), 44 * 32);
        for (number, (file, offset)) in (0..).zip(positions) {
            let record = &store.archive_content(file).unwrap()[offset as usize..];
            assert!(record.len() == 32 << 20 && record.iter().all(|byte| *byte == number), "{number}");
        }
    }
}
