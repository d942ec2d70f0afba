//! Documents: each text once, with every URL that carried it, whatever is
//! extracted anew and in whichever order.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::{Document, DocumentId, words};
use gleaner_frontier::{CanonicalUrl, Found, Outcome, Role};
use gleaner_store::{Duplicates, Levels, Options, PackedDocument, Placement, Turn, Writer, open};
use jiff::Timestamp;
use proptest::prelude::*;
use tempfile::TempDir;

fn fresh() -> (TempDir, Writer) {
    let folder = TempDir::new().unwrap();
    let writer = open(folder.path(), &Options { cache: 16 << 20, create: true }).unwrap();
    (folder, writer)
}

fn url(number: u8) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a{}.example/{number}", number % 3)).unwrap()
}

fn document(number: u8, text: &str) -> Document {
    let url = url(number);
    let id = DocumentId(*url.key().as_bytes());
    Document::bare(id, url.as_str(), url.host(), text.into(), Timestamp::UNIX_EPOCH)
}

/// Extracts page `number` as `text`, as the crawl does it; with a text that begins with
/// "own", the same text is not looked for.
fn place(writer: &mut Writer, number: u8, text: &str) -> Placement {
    let (url, mut change) = (url(number), writer.begin());
    change
        .discover(
            &Found { url: url.clone(), role: Role::Page, dated: None, news: false },
            0,
            0,
            Turn { rank: 3, fresh: None },
        )
        .unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    let packed = PackedDocument::of(document(number, text));
    let levels = Levels { exact: !text.starts_with("own "), memory: 1 << 16, ..Levels::default() };
    let mut duplicates = Duplicates::of(&writer.store(), &levels).unwrap();
    let placement = change.place(url.key(), packed, &mut duplicates).unwrap();
    let record = change.url(url.key()).unwrap().unwrap_or(record);
    change.end(url.key(), record, placement.into(), None).unwrap();
    writer.commit(change).unwrap();
    placement
}

/// The corpus as texts with the URLs that carried each.
fn corpus(writer: &Writer) -> BTreeMap<String, BTreeSet<String>> {
    let store = writer.store();
    let entry = |document: Document| {
        let urls = store.urls_of(&document).unwrap();
        assert_eq!(urls.iter().collect::<BTreeSet<_>>().len(), urls.len(), "a URL twice: {urls:?}");
        (document.text, urls.into_iter().collect())
    };
    store.documents().map(|document| entry(document.unwrap())).collect()
}

#[test]
fn a_text_is_stored_once_with_all_its_urls() {
    let (_folder, mut writer) = fresh();
    assert_eq!(place(&mut writer, 0, "một hai"), Placement::Stored);
    assert_eq!(place(&mut writer, 1, "một  hai\n"), Placement::Duplicate { of: url(0).key() });
    assert_eq!(place(&mut writer, 2, "ba"), Placement::Stored);
    let totals = writer.store().totals().unwrap();
    assert_eq!((totals.documents(), totals.words(), totals.duplicates), (2, 3, 1));
    let urls = &corpus(&writer)["một hai"];
    assert_eq!(urls.len(), 2);
}

#[test]
fn the_same_text_is_stored_twice_where_it_is_not_looked_for() {
    let (_folder, mut writer) = fresh();
    for number in [0, 1, 0, 2] {
        assert_eq!(place(&mut writer, number, "own một hai"), Placement::Stored);
    }
    assert_eq!(writer.store().totals().unwrap().documents(), 3);
    assert_eq!(place(&mut writer, 1, "một hai"), Placement::Stored);
    assert_eq!(place(&mut writer, 2, "một hai"), Placement::Duplicate { of: url(1).key() });
    assert_eq!(corpus(&writer).len(), 2);
}

#[test]
fn an_heir_takes_over_when_the_first_text_changes() {
    let (_folder, mut writer) = fresh();
    for number in 0..3 {
        place(&mut writer, number, "cũ");
    }
    assert_eq!(place(&mut writer, 0, "mới"), Placement::Stored);
    let corpus = corpus(&writer);
    assert_eq!(corpus["mới"].len(), 1);
    assert_eq!(corpus["cũ"].len(), 2);
    let store = writer.store();
    let lasts: Vec<_> =
        (1..3).map(|number| store.url(url(number).key()).unwrap().unwrap().last.unwrap()).collect();
    assert_eq!(lasts.iter().filter(|last| **last == Outcome::Stored).count(), 1, "{lasts:?}");
}

#[test]
fn a_text_survives_a_reopening() {
    let (folder, mut writer) = fresh();
    place(&mut writer, 0, &"chợ quê ".repeat(1000));
    writer.flush().unwrap();
    drop(writer);
    let writer = open(folder.path(), &Options { cache: 16 << 20, create: false }).unwrap();
    assert_eq!(corpus(&writer).keys().next().unwrap(), &"chợ quê ".repeat(1000));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// However pages are extracted and extracted again, the corpus holds just the
    /// last text of each page, once, and the totals agree.
    #[test]
    fn the_corpus_is_what_the_pages_last_said(steps in prop::collection::vec((0u8..5, 0u8..4), 1..30)) {
        let (_folder, mut writer) = fresh();
        let mut last = BTreeMap::new();
        for (page, text) in steps {
            let text = ["alpha", "beta gamma", "delta", "epsilon zeta eta"][usize::from(text)];
            place(&mut writer, page, text);
            last.insert(page, text);
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
    }
}
