//! Tests that each text is stored once with all its URLs, for any order of extractions.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{Document, DocumentId, words};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role};
use gleaner_store::{DuplicateLevels, PackedDocument, QueuePosition, Writer};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::{Place, on_each_engine, settle};

on_each_engine!(
    a_text_is_stored_once_with_all_its_urls,
    the_same_text_is_stored_twice_where_it_is_not_looked_for,
    an_heir_takes_over_when_the_first_text_changes,
    a_text_survives_a_reopening,
    files_that_do_not_count_are_told_and_removed,
    the_corpus_is_what_the_pages_last_said,
    the_corpus_of_several_partitions_is_what_the_pages_last_said,
);

/// Returns the URL of a page. Pages below 100 are on three hosts of one domain, the others on three domains.
fn url(number: u8) -> CanonicalUrl {
    let domain = if number < 100 { "news.example" } else { "example" };
    CanonicalUrl::parse(&format!("http://a{}.{domain}/{number}", number % 3)).unwrap()
}

fn document(number: u8, text: &str) -> Document {
    let url = url(number);
    let id = DocumentId(*url.key().as_bytes());
    Document::with_text(id, url.as_str(), url.host(), text.into(), Timestamp::UNIX_EPOCH)
}

/// Stores `text` as the text of page `number`, as the crawl does. If the text begins with "own", exact
/// duplicates are not detected.
fn store(writer: &mut Writer, number: u8, text: &str) -> Outcome {
    let (url, mut change) = (url(number), writer.begin());
    change
        .discover(
            None,
            &FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false },
            0,
            0,
            QueuePosition { rank: 3, fresh: None },
        )
        .unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    let packed = PackedDocument::from_document(document(number, text));
    let levels =
        DuplicateLevels { exact: !text.starts_with("own "), memory: 1 << 16, ..DuplicateLevels::default() };
    writer.detect_duplicates(&levels).unwrap();
    let outcome = change.place(url.key(), packed, writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap_or(record);
    change.end(url.key(), record, outcome.clone(), None).unwrap();
    writer.commit(change).unwrap();
    settle(writer);
    outcome
}

fn corpus(writer: &Writer) -> BTreeMap<String, BTreeSet<String>> {
    let store = writer.store();
    let entry = |document: Document| {
        let urls = store.urls_of(&document).unwrap();
        assert_eq!(urls.iter().collect::<BTreeSet<_>>().len(), urls.len(), "a URL twice: {urls:?}");
        (document.text, urls.into_iter().collect())
    };
    store.documents().map(|document| entry(document.unwrap())).collect()
}

fn a_text_is_stored_once_with_all_its_urls(place: &Place) {
    let mut writer = place.open();
    assert_eq!(store(&mut writer, 0, "một hai"), Outcome::Stored);
    assert_eq!(store(&mut writer, 1, "một  hai\n"), Outcome::Duplicate { of: url(0).key() });
    assert_eq!(store(&mut writer, 2, "ba"), Outcome::Stored);
    let totals = writer.store().totals().unwrap();
    assert_eq!((totals.documents(), totals.words(), totals.duplicates), (2, 3, 1));
    let urls = &corpus(&writer)["một hai"];
    assert_eq!(urls.len(), 2);
}

fn files_that_do_not_count_are_told_and_removed(place: &Place) {
    let mut writer = place.open();
    store(&mut writer, 0, "một hai");
    writer.flush().unwrap();
    let (store, later) = (writer.store(), Timestamp::now() + SignedDuration::from_hours(1));
    assert_eq!(store.leftovers(later).unwrap(), []);
    if !place.is_database() {
        return;
    }
    let objects = place.objects();
    for name in ["spool/0000/0000000099.docs", "archive/00098.warc.gz", "notes/of-the-user.txt"] {
        objects.put(name, vec![1, 2, 3]).unwrap();
    }
    let names = |before| {
        let files = store.leftovers(before).unwrap();
        files.into_iter().map(|file| file.name).collect::<Vec<_>>()
    };
    assert_eq!(names(Timestamp::UNIX_EPOCH), [""; 0], "what is young may count soon");
    assert_eq!(names(later), ["archive/00098.warc.gz", "spool/0000/0000000099.docs"]);
    store.remove_leftovers(&store.leftovers(later).unwrap()).unwrap();
    assert_eq!(names(later), [""; 0]);
    assert!(objects.get("notes/of-the-user.txt").is_ok());
    assert_eq!(corpus(&writer).len(), 1);
    // Files in the storage of another corpus must not count as leftovers.
    let other = place.another();
    let other_store = other.open().store();
    objects.put("corpus", b"another".into()).unwrap();
    assert!(store.leftovers(later).is_err());
    assert_eq!(other_store.leftovers(later).unwrap(), []);
}

fn the_same_text_is_stored_twice_where_it_is_not_looked_for(place: &Place) {
    let mut writer = place.open();
    for number in [0, 1, 0, 2] {
        assert_eq!(store(&mut writer, number, "own một hai"), Outcome::Stored);
    }
    assert_eq!(writer.store().totals().unwrap().documents(), 3);
    assert_eq!(store(&mut writer, 1, "một hai"), Outcome::Stored);
    assert_eq!(store(&mut writer, 2, "một hai"), Outcome::Duplicate { of: url(1).key() });
    assert_eq!(corpus(&writer).len(), 2);
}

fn an_heir_takes_over_when_the_first_text_changes(place: &Place) {
    let mut writer = place.open();
    for number in 0..3 {
        store(&mut writer, number, "cũ");
    }
    assert_eq!(store(&mut writer, 0, "mới"), Outcome::Stored);
    let corpus = corpus(&writer);
    assert_eq!(corpus["mới"].len(), 1);
    assert_eq!(corpus["cũ"].len(), 2);
    let store = writer.store();
    let lasts: Vec<_> =
        (1..3).map(|number| store.url(url(number).key()).unwrap().unwrap().last.unwrap()).collect();
    assert_eq!(lasts.iter().filter(|last| **last == Outcome::Stored).count(), 1, "{lasts:?}");
}

fn a_text_survives_a_reopening(place: &Place) {
    let mut writer = place.open();
    store(&mut writer, 0, &"chợ quê ".repeat(1000));
    let writer = place.again(writer);
    assert_eq!(corpus(&writer).keys().next().unwrap(), &"chợ quê ".repeat(1000));
}

/// After any sequence of extractions, the corpus contains exactly the last text of each page. Each text is
/// stored once, and the totals are correct.
fn the_corpus_is_what_the_pages_last_said(place: &Place) {
    check_any_steps(place, 0);
}

fn the_corpus_of_several_partitions_is_what_the_pages_last_said(place: &Place) {
    check_any_steps(place, 100);
}

fn check_any_steps(place: &Place, first: u8) {
    let config =
        ProptestConfig { cases: place.cases(48), failure_persistence: None, ..ProptestConfig::default() };
    let steps = prop::collection::vec((0u8..5, 0u8..4), 1..30);
    let run = TestRunner::new(config).run(&steps, |steps| {
        let place = place.another();
        let mut writer = place.open();
        let mut last = BTreeMap::new();
        for (page, text) in steps {
            let text = ["alpha", "beta gamma", "delta", "epsilon zeta eta"][usize::from(text)];
            store(&mut writer, first + page, text);
            last.insert(first + page, text);
        }
        let mut expected: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (page, text) in &last {
            expected.entry((*text).into()).or_default().insert(url(*page).as_str().into());
        }
        prop_assert_eq!(corpus(&writer), expected.clone());
        let totals = writer.store().totals().unwrap();
        prop_assert_eq!(totals.documents(), expected.len() as u64);
        prop_assert_eq!(totals.duplicates, (last.len() - expected.len()) as u64);
        prop_assert_eq!(totals.words(), expected.keys().map(|text| words(text)).sum::<u64>());
        Ok(())
    });
    run.unwrap();
}
