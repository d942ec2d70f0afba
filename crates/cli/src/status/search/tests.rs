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
fn damage_that_only_a_search_notices_is_repaired_by_the_next_update() {
    let fixture = Fixture::new();
    let path = fixture.folder.path().join("search");
    for entry in fs::read_dir(&path).unwrap() {
        let file = entry.unwrap().path();
        // An update does not read the stored ids.
        if file.extension().is_some_and(|ending| ending == "store") {
            let mut bytes = fs::read(&file).unwrap();
            bytes[..20].fill(0xff);
            fs::write(&file, bytes).unwrap();
        }
    }
    let search = SearchIndex::in_folder(fixture.folder.path());
    search.update(&fixture.store).unwrap();
    let query: SearchQuery = "\"hoa binh\"".parse().unwrap();
    assert!(search.find(&query, 0, 9).is_err());
    assert_eq!(search.update(&fixture.store).unwrap().put, 3);
    assert_eq!(search.find(&query, 0, 9).unwrap().count, 1);
}

#[test]
fn an_update_waits_for_that_of_another_process() {
    let fixture = Fixture::new();
    let lock = lock::UpdateLock::take(fixture.folder.path(), || false, || {}).unwrap();
    let search = SearchIndex::in_folder(fixture.folder.path());
    let waited = std::cell::Cell::new(false);
    let on_step = |step| {
        assert_eq!(step, UpdateStep::Waiting);
        waited.set(true);
        search.stop.store(true, Ordering::Relaxed);
    };
    assert_eq!(search.update_with(&fixture.store, &on_step).unwrap(), UpdateResult::default());
    assert!(waited.get());
    drop(lock);
    search.stop.store(false, Ordering::Relaxed);
    assert_eq!(search.update(&fixture.store).unwrap(), UpdateResult::default());
}

#[test]
fn an_index_in_memory_gives_the_results_of_one_in_a_folder() {
    let fixture = Fixture::new();
    let search = SearchIndex::in_memory();
    assert_eq!(search.find(&SearchQuery::default(), 0, 9).unwrap().count, 0);
    assert_eq!(search.update(&fixture.store).unwrap().put, 3);
    assert_eq!(search.find(&"hoa -binh".parse().unwrap(), 0, 9).unwrap().count, 1);
}

#[test]
fn a_prefix_of_too_many_words_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer =
        gleaner_store::open(folder.path(), &StoreOptions { cache: 1 << 20, create: true }).unwrap();
    let text: String = (0..5_001).map(|number| format!("za{number} ")).collect();
    store(&mut writer, document("https://bao.example/1", "Từ", &text, "2026-11-01"));
    let search = SearchIndex::in_folder(folder.path());
    search.update(&writer.store()).unwrap();
    let find = |query: &str| search.find(&query.parse().unwrap(), 0, 3);
    assert!(matches!(find("za*"), Err(SearchError::Query(_))));
    assert!(matches!(find("\"tu za*\""), Err(SearchError::Query(_))));
    assert_eq!(find("za5* za4999").unwrap().documents[0].hits(), 113);
}

#[test]
fn a_page_of_lines_continues_the_one_before() {
    let fixture = Fixture::new();
    let search = SearchIndex::in_folder(fixture.folder.path());
    let query: SearchQuery = "hoa".parse().unwrap();
    let lines = |order, skip, limit| {
        let options = LineOptions { order, width: 20, skip, limit, max_sorted: 9 };
        search.concordance(&query, &options, &mut |id| fixture.store.document(id)).unwrap().lines
    };
    for order in LineOrder::ALL {
        let all = lines(order, 0, 9);
        assert_eq!(all.len(), 3, "{order:?}");
        for skip in 0..4 {
            for limit in 0..4 {
                let expected: Vec<Line> = all.iter().skip(skip).take(limit).cloned().collect();
                assert_eq!(lines(order, skip, limit), expected, "{order:?} {skip} {limit}");
            }
        }
    }
}

#[test]
fn a_document_that_has_changed_since_the_update_gives_no_lines() {
    let fixture = Fixture::new();
    let search = SearchIndex::in_folder(fixture.folder.path());
    let options = LineOptions { order: LineOrder::Time, width: 20, skip: 0, limit: 9, max_sorted: 9 };
    let mut changed = |id| {
        let document = fixture.store.document(id)?;
        Ok(document.map(|document| Document { title: Some("Other".into()), ..document }))
    };
    let found = search.concordance(&"hoa".parse().unwrap(), &options, &mut changed).unwrap();
    assert_eq!((found.hits, found.lines.len()), (3, 0));
}

#[test]
fn a_stop_ends_an_update() {
    let fixture = Fixture::new();
    let search = SearchIndex::in_folder(fixture.folder.path());
    search.stop.store(true, Ordering::Relaxed);
    assert_eq!(search.update(&fixture.store).unwrap(), UpdateResult::default());
    assert_eq!(search.find(&SearchQuery::default(), 0, 9).unwrap().count, 3);
}
