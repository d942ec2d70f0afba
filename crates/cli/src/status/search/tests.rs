//! Tests the index with a real store.

use std::fs;
use std::sync::atomic::Ordering;

use gleaner_frontier::CanonicalUrl;
use gleaner_store::StoreOptions;

use super::*;
use crate::status::tests::{Fixture, document, store};

#[test]
fn an_update_does_what_has_changed_only() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer =
        gleaner_store::open(folder.path(), &StoreOptions { cache: 1 << 20, create: true }).unwrap();
    let search = SearchIndex::in_folder(folder.path());
    let of = writer.store();
    for number in 0..7 {
        let url = format!("https://bao.example/{number}");
        store(&mut writer, document(&url, "Mưa", &format!("Mưa số {number} rất to"), "2026-11-01"));
    }
    assert_eq!(search.update(&of).unwrap(), UpdateResult { put: 7, removed: 0 });
    assert_eq!(search.update(&of).unwrap(), UpdateResult::default());
    store(&mut writer, document("https://bao.example/3", "Nắng", "Nắng to", "2026-11-01"));
    store(&mut writer, document("https://bao.example/8", "Gió", "Gió to", "2026-11-01"));
    let gone = CanonicalUrl::parse("https://bao.example/5").unwrap().key();
    let mut change = writer.begin();
    change.withdraw(gone, &mut writer).unwrap();
    writer.commit(change).unwrap();
    assert_eq!(search.update(&of).unwrap(), UpdateResult { put: 2, removed: 1 });
    let count = |words: &str| search.find(&words.parse().unwrap(), 0, 3).unwrap();
    assert_eq!(
        (count("").count, count("").documents.len(), count("nang").count, count("mua").count),
        (7, 3, 1, 5)
    );
}

#[test]
fn an_index_that_is_damaged_or_of_another_version_is_made_anew() {
    let fixture = Fixture::new();
    let path = fixture.folder.path().join("search");
    let check = |what: &str| {
        let search = SearchIndex::in_folder(fixture.folder.path());
        assert_eq!(search.update(&fixture.store).unwrap().put, 3, "{what}");
        assert_eq!(search.find(&SearchQuery::default(), 0, 9).unwrap().count, 3, "{what}");
    };
    fs::write(path.join("gleaner.version"), "gleaner search 0\n").unwrap();
    check("another version");
    fs::write(path.join("meta.json"), "{").unwrap();
    check("no index");
    for entry in fs::read_dir(&path).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_some_and(|ending| ending == "idx" || ending == "term" || ending == "fast") {
            fs::write(file, "damaged").unwrap();
        }
    }
    check("damaged files");
}

#[test]
fn a_stop_ends_an_update() {
    let fixture = Fixture::new();
    let search = SearchIndex::in_folder(fixture.folder.path());
    search.stop.store(true, Ordering::Relaxed);
    assert_eq!(search.update(&fixture.store).unwrap(), UpdateResult::default());
    assert_eq!(search.find(&SearchQuery::default(), 0, 9).unwrap().count, 3);
}
