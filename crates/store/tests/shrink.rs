//! Tests the copy of a store to new files, and kills during it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::{
    DuplicateLevels, PackedDocument, QueuePosition, Replacement, StoreOptions, Writer, open, shrink,
};
use jiff::Timestamp;
use tempfile::TempDir;

use crate::common::faults;

const CACHE: u64 = 1 << 20;
const OPTIONS: StoreOptions = StoreOptions { cache: CACHE, create: true };

/// Number of documents, whose texts change several times.
const DOCUMENTS: usize = 40;

fn url(page: usize) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://news.example/{page}")).unwrap()
}

/// Returns 3 KB that hardly compress.
fn text(page: usize, revision: usize) -> String {
    let mut state = (page * 100 + revision) as u64 + 1;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x}", state >> 32)
    };
    (0..400).map(|_| word()).collect::<Vec<_>>().join(" ")
}

fn opened(folder: &Path) -> Writer {
    let mut writer = open(folder, &OPTIONS).unwrap();
    let levels = DuplicateLevels { memory: 1 << 16, ..DuplicateLevels::default() };
    writer.detect_duplicates(&levels).unwrap();
    writer
}

fn place(writer: &mut Writer, page: usize, revision: usize) {
    let (url, mut change) = (url(page), writer.begin());
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
    let id = DocumentId(*url.key().as_bytes());
    let text = text(page, revision);
    let document = Document::with_text(id, url.as_str(), url.host(), text, Timestamp::UNIX_EPOCH);
    let outcome = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, outcome, None).unwrap();
    writer.commit(change).unwrap();
    writer.flush().unwrap();
}

/// Fills a store of which a small part is used.
fn wasteful() -> TempDir {
    let folder = TempDir::new().unwrap();
    let mut writer = opened(folder.path());
    for revision in 0..10 {
        for page in 0..DOCUMENTS {
            place(&mut writer, page, revision);
            let mut change = writer.begin();
            if revision < 9 {
                change.withdraw(url(page).key(), &mut writer).unwrap();
            }
            writer.commit(change).unwrap();
        }
    }
    writer.flush().unwrap();
    folder
}

fn check(folder: &Path) {
    let store = open(folder, &OPTIONS).unwrap().store();
    let mut texts: Vec<String> = store.documents().map(|document| document.unwrap().text).collect();
    let mut expected: Vec<String> = (0..DOCUMENTS).map(|page| text(page, 9)).collect();
    texts.sort();
    expected.sort();
    assert!(texts == expected);
    assert_eq!(faults(&store), [""; 0]);
}

fn index_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("sled/near")).into_iter().flatten();
    entries.map(|entry| PathBuf::from(entry.unwrap().file_name())).collect()
}

#[test]
fn a_store_with_much_unused_space_is_copied_once() {
    let folder = wasteful();
    let index = index_files(folder.path());
    assert_eq!(index.len(), 1);
    let shrunk = shrink(folder.path(), CACHE, 0, &|_| ()).unwrap().unwrap();
    assert!(shrunk.after < shrunk.before / 2, "{shrunk:?}");
    check(folder.path());
    assert_eq!(index_files(folder.path()), index, "the copy uses the same index");
    assert_eq!(shrink(folder.path(), CACHE, 0, &|_| ()).unwrap(), None);
    assert!(!folder.path().join("copy").exists() && !folder.path().join("rebuild").exists());
    let mut writer = opened(folder.path());
    place(&mut writer, DOCUMENTS, 9);
    assert_eq!(index_files(folder.path()).len(), 1);
    assert_eq!(faults(&writer.store()), [""; 0]);
}

#[test]
fn a_copy_that_was_killed_starts_over() {
    let folder = wasteful();
    fs::create_dir_all(folder.path().join("copy/sled")).unwrap();
    fs::write(folder.path().join("copy/sled/db"), "incomplete").unwrap();
    check(folder.path());
    assert!(!folder.path().join("copy").exists(), "it may have removed texts");
    assert!(shrink(folder.path(), CACHE, 0, &|_| ()).unwrap().is_some());
    check(folder.path());
}

/// The kill comes when the copy is complete, but not in the place of the store, or while the old files are removed.
#[test]
fn a_complete_copy_replaces_only_the_store_in_use() {
    for (is_moved, is_partly_removed) in [(false, false), (true, false), (true, true)] {
        let folder = wasteful();
        let at = |name: &str| folder.path().join(name);
        let copied = open(folder.path(), &OPTIONS).unwrap().copy_to(&at("rebuild"), &OPTIONS).unwrap();
        assert_eq!(copied, 0);
        fs::write(at("rebuild/complete"), "without current\n").unwrap();
        fs::create_dir(at("sled.old-1")).unwrap();
        if is_moved {
            fs::remove_file(at("flushed")).unwrap();
            fs::rename(at("sled"), at("rebuild/replaced")).unwrap();
        }
        if is_partly_removed {
            fs::rename(at("rebuild/sled"), at("sled")).unwrap();
            fs::rename(at("rebuild/flushed"), at("flushed")).unwrap();
            fs::remove_file(at("rebuild/replaced/db")).unwrap();
        }
        check(folder.path());
        assert!(at("sled.old-1").exists() && !at("sled.old-2").exists() && !at("rebuild").exists());
    }
}

#[test]
fn a_store_is_not_copied_over_a_rebuild_or_without_room_or_with_an_unreadable_text() {
    let folder = wasteful();
    assert_eq!(shrink(folder.path(), CACHE, u64::MAX, &|_| ()).unwrap(), None, "no room");
    let (replacement, _) = Replacement::begin(folder.path(), CACHE).unwrap();
    replacement.open(CACHE).unwrap().flush().unwrap();
    drop(replacement);
    assert_eq!(shrink(folder.path(), CACHE, 0, &|_| ()).unwrap(), None, "an interrupted rebuild");
    fs::remove_dir_all(folder.path().join("rebuild")).unwrap();
    check(folder.path());
    let texts = folder.path().join("sled/texts/00000001.texts");
    let mut bytes = fs::read(&texts).unwrap();
    let last = bytes.len() - 5;
    bytes[last] ^= 1;
    fs::write(&texts, bytes).unwrap();
    assert_eq!(shrink(folder.path(), CACHE, 0, &|_| ()).unwrap(), None, "an unreadable text");
    assert!(!folder.path().join("copy").exists());
    assert_eq!(faults(&open(folder.path(), &OPTIONS).unwrap().store()).len(), 1);
}

#[test]
fn a_linked_store_is_not_replaced() {
    let folder = wasteful();
    let at = |name: &str| folder.path().join(name);
    fs::rename(at("sled"), at("elsewhere")).unwrap();
    std::os::unix::fs::symlink("elsewhere", at("sled")).unwrap();
    assert_eq!(shrink(folder.path(), CACHE, 0, &|_| ()).unwrap(), None);
    assert!(at("sled").is_symlink());
    check(folder.path());
}

#[test]
fn a_copy_has_the_permissions_of_the_store() {
    let folder = wasteful();
    let at = |name: &str| folder.path().join(name);
    let set = |name: &str, mode: u32| {
        fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
    };
    set("sled", 0o2775);
    set("sled/db", 0o664);
    assert!(shrink(folder.path(), CACHE, 0, &|_| ()).unwrap().is_some());
    let mode = |name: &str| fs::metadata(at(name)).unwrap().permissions().mode() & 0o7777;
    assert_eq!([mode("sled"), mode("sled/texts"), mode("sled/db")], [0o2775, 0o2775, 0o664]);
}

#[test]
fn an_empty_folder_that_a_kill_left_is_removed() {
    let folder = wasteful();
    fs::create_dir(folder.path().join("rebuild")).unwrap();
    check(folder.path());
    assert!(!folder.path().join("rebuild").exists());
}

#[test]
fn a_small_store_is_not_copied() {
    let folder = TempDir::new().unwrap();
    place(&mut opened(folder.path()), 0, 0);
    assert_eq!(shrink(folder.path(), CACHE, 0, &|_| ()).unwrap(), None);
}
