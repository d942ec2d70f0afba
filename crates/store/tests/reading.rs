//! Tests reading a folder that another handle has open for writing. A second handle of the same process reads
//! like another process, because the lock does not distinguish the two.

use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::{
    DuplicateLevels, HostId, PackedDocument, QueuePosition, Store, StoreError, StoreOptions, WaitReason,
    Writer, open, read,
};
use jiff::Timestamp;
use tempfile::TempDir;

const CACHE: u64 = 16 << 20;

/// Number of pages, which do not fit into one response.
const PAGES: usize = 2500;

fn url(number: usize) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://news.example/{number}")).unwrap()
}

fn create(folder: &Path) -> Writer {
    open(folder, &StoreOptions { cache: CACHE, create: true }).unwrap()
}

fn add(writer: &mut Writer, numbers: std::ops::Range<usize>) {
    let mut change = writer.begin();
    writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
    for number in numbers {
        let (url, turn) = (url(number), QueuePosition { rank: 3, fresh: None });
        let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
        change.discover(None, &found, 0, 0, turn).unwrap();
        if number % 100 > 0 {
            continue;
        }
        let id = DocumentId(*url.key().as_bytes());
        let text = format!("{number} {}", "long ".repeat(400));
        let document = Document::with_text(id, url.as_str(), url.host(), text, Timestamp::UNIX_EPOCH);
        change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    }
    writer.commit(change).unwrap();
}

fn all(store: &Store) -> (Vec<Document>, Vec<String>, u64, Option<u64>) {
    assert_eq!(store.waiting(WaitReason::Retry, 1).unwrap().len(), 0);
    let documents = store.documents().map(Result::unwrap).collect();
    let hosts = store.hosts().map(|host| host.unwrap().name).collect();
    (
        documents,
        hosts,
        store.count_ready(HostId(0), usize::MAX).unwrap(),
        store.next_due(WaitReason::Retry).unwrap(),
    )
}

#[test]
fn another_process_reads_what_is_committed() {
    let folder = TempDir::new().unwrap();
    let mut writer = create(folder.path());
    add(&mut writer, 0..1);
    let reader = read(folder.path(), CACHE).unwrap();
    assert_eq!(all(&reader).0.len(), 1);
    add(&mut writer, 1..PAGES);
    assert_eq!(all(&reader), all(&writer.store()));
    let (documents, _, ready, _) = all(&reader);
    assert_eq!((documents.len(), ready), (PAGES / 100, PAGES as u64));
    let key = url(7).key();
    assert_eq!(reader.url(key).unwrap(), writer.store().url(key).unwrap());
    assert_eq!(reader.url(url(PAGES).key()).unwrap(), None);
    assert!(reader.writer().unwrap().is_none());
}

#[test]
fn a_reader_continues_when_the_writer_ends() {
    let folder = TempDir::new().unwrap();
    let mut writer = create(folder.path());
    add(&mut writer, 0..PAGES);
    let expected = all(&writer.store());
    let reader = read(folder.path(), CACHE).unwrap();
    let mut documents = reader.documents();
    let first = documents.next().unwrap().unwrap();
    writer.flush().unwrap();
    drop(writer);
    let rest: Vec<Document> = documents.map(Result::unwrap).collect();
    assert_eq!((first, rest.as_slice()), (expected.0[0].clone(), &expected.0[1..]));
    assert_eq!(all(&reader), expected);
    // The first reader has opened the folder itself, so the second reader reads through it.
    let second = read(folder.path(), CACHE).unwrap();
    assert_eq!(all(&second), expected);
    drop(reader);
    assert_eq!(all(&second), expected);
}

#[test]
fn the_path_of_a_folder_may_be_long() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path().join("a".repeat(120)).join("b".repeat(120));
    let mut writer = create(&folder);
    add(&mut writer, 0..101);
    assert_eq!(all(&read(&folder, CACHE).unwrap()).0.len(), 2);
}

#[test]
fn sockets_of_the_past_are_replaced_and_removed() {
    let folder = TempDir::new().unwrap();
    let socket = folder.path().join("read.socket");
    drop(UnixListener::bind(&socket).unwrap());
    let writer = create(folder.path());
    read(folder.path(), CACHE).unwrap();
    drop(writer);
    assert!(!socket.exists());
    create(folder.path());
}

#[test]
fn who_cannot_be_read_from_is_named() {
    let folder = TempDir::new().unwrap();
    let writer = create(folder.path());
    fs::remove_file(folder.path().join("read.socket")).unwrap();
    let error = read(folder.path(), CACHE).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    assert!(error.to_string().contains(&format!("(process {})", std::process::id())), "{error}");
    drop(writer);
    assert!(matches!(read(Path::new("nowhere"), CACHE), Err(StoreError::Nothing { .. })));
}
