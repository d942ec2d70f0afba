//! Tests the history of documents: revisions, and pages that are gone.

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role};
use gleaner_store::{DuplicateLevels, History, PackedDocument, QueuePosition, Writer};
use jiff::{SignedDuration, Timestamp};

use crate::common::{Place, faults, on_each_engine, settle};

on_each_engine!(
    a_text_that_changes_is_a_new_revision_and_the_old_one_stays,
    what_is_extracted_anew_is_replaced,
    a_text_that_others_carry_stays_with_them,
    a_page_that_is_gone_is_marked_and_its_document_stays,
);

fn url(number: u8) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap()
}

fn id(number: u8) -> DocumentId {
    DocumentId(*url(number).key().as_bytes())
}

fn hour(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
}

/// Stores the text of a page that was fetched `hours` hours after the epoch.
fn visit(writer: &mut Writer, number: u8, hours: i64, text: &str) -> Outcome {
    let (url, mut change) = (url(number), writer.begin());
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    let document = Document {
        language: "vi".into(),
        method: "block-model".into(),
        ..Document::with_text(id(number), url.as_str(), url.host(), text.into(), hour(hours))
    };
    let levels = DuplicateLevels { memory: 1 << 16, ..DuplicateLevels::default() };
    writer.detect_duplicates(&levels).unwrap();
    let outcome = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, outcome.clone(), None).unwrap();
    writer.commit(change).unwrap();
    settle(writer);
    outcome
}

fn texts(writer: &Writer, number: u8) -> Vec<String> {
    let store = writer.store();
    let newest = store.document(id(number)).unwrap();
    let earlier = store.revisions(id(number)).unwrap();
    earlier.into_iter().chain(newest).map(|document| document.text).collect()
}

fn a_text_that_changes_is_a_new_revision_and_the_old_one_stays(place: &Place) {
    let mut writer = place.open();
    assert_eq!(visit(&mut writer, 0, 0, "một"), Outcome::Stored);
    assert_eq!(visit(&mut writer, 0, 1, "một"), Outcome::Unchanged);
    assert_eq!(visit(&mut writer, 0, 2, "hai"), Outcome::Revised);
    assert_eq!(visit(&mut writer, 0, 3, "ba bốn"), Outcome::Revised);
    assert_eq!(texts(&writer, 0), ["một", "hai", "ba bốn"]);
    let store = writer.store();
    assert_eq!(store.history(id(0)).unwrap().revision(), 3);
    assert_eq!(store.revisions(id(0)).unwrap()[0].fetched, hour(0));
    let totals = store.totals().unwrap();
    assert_eq!((totals.documents(), totals.words()), (1, 2));
    assert_eq!(faults(&writer.store()), Vec::<String>::new());
}

fn what_is_extracted_anew_is_replaced(place: &Place) {
    let mut writer = place.open();
    visit(&mut writer, 0, 5, "menu một");
    assert_eq!(visit(&mut writer, 0, 5, "một"), Outcome::Stored);
    assert_eq!(texts(&writer, 0), ["một"]);
    assert_eq!(writer.store().history(id(0)).unwrap(), History::default());
}

fn a_text_that_others_carry_stays_with_them(place: &Place) {
    let mut writer = place.open();
    visit(&mut writer, 0, 0, "một");
    assert_eq!(visit(&mut writer, 1, 0, "một"), Outcome::Duplicate { of: url(0).key() });
    assert_eq!(visit(&mut writer, 0, 1, "hai"), Outcome::Revised);
    assert_eq!(texts(&writer, 0), ["một", "hai"]);
    assert_eq!(texts(&writer, 1), ["một"]);
    assert_eq!(visit(&mut writer, 1, 1, "hai"), Outcome::Duplicate { of: url(0).key() });
    assert_eq!(writer.store().totals().unwrap().documents(), 1);
    assert_eq!(faults(&writer.store()), Vec::<String>::new());
}

fn a_page_that_is_gone_is_marked_and_its_document_stays(place: &Place) {
    let mut writer = place.open();
    visit(&mut writer, 0, 0, "một");
    let gone = |writer: &mut Writer, number: u8, hours: i64| {
        let mut change = writer.begin();
        change.mark_gone(url(number).key(), hour(hours)).unwrap();
        writer.commit(change).unwrap();
        writer.store().history(id(number)).unwrap().gone
    };
    assert_eq!(gone(&mut writer, 0, 7), Some(hour(7)));
    assert_eq!(gone(&mut writer, 0, 9), Some(hour(7)));
    assert_eq!(gone(&mut writer, 1, 9), None);
    assert_eq!(texts(&writer, 0), ["một"]);
    let mut change = writer.begin();
    change.clear_gone(url(0).key()).unwrap();
    writer.commit(change).unwrap();
    assert_eq!(writer.store().history(id(0)).unwrap(), History::default());
}
