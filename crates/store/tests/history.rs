//! What a document was before: revisions, and pages that are gone.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, Found, Role};
use gleaner_store::{
    Archived, Duplicates, Examiner, History, Levels, Options, PackedDocument, Placement, Turn, UrlRecord,
    Writer, open,
};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

fn fresh() -> (TempDir, Writer) {
    let folder = TempDir::new().unwrap();
    let writer = open(folder.path(), &Options { cache: 16 << 20, create: true }).unwrap();
    (folder, writer)
}

fn url(number: u8) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap()
}

fn id(number: u8) -> DocumentId {
    DocumentId(*url(number).key().as_bytes())
}

fn hour(hours: i64) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours)
}

/// The page was fetched in that hour and has that text.
fn visit(writer: &mut Writer, number: u8, hours: i64, text: &str) -> Placement {
    let (url, mut change) = (url(number), writer.begin());
    let found = Found { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(&found, 0, 0, Turn::default()).unwrap();
    let document = Document {
        language: "vi".into(),
        method: "block-model".into(),
        ..Document::bare(id(number), url.as_str(), url.host(), text.into(), hour(hours))
    };
    let levels = Levels { memory: 1 << 16, ..Levels::default() };
    let mut duplicates = Duplicates::of(&writer.store(), &levels).unwrap();
    let placement = change.place(url.key(), PackedDocument::of(document), &mut duplicates).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, placement.into(), None).unwrap();
    writer.commit(change).unwrap();
    placement
}

fn texts(writer: &Writer, number: u8) -> Vec<String> {
    let store = writer.store();
    let newest = store.document(id(number)).unwrap();
    let earlier = store.revisions(id(number)).unwrap();
    earlier.into_iter().chain(newest).map(|document| document.text).collect()
}

#[derive(Default)]
struct Faults(Vec<String>);

impl Examiner for Faults {
    fn fault(&mut self, what: String) {
        self.0.push(what);
    }
    fn archived(&mut self, _: &UrlRecord, _: Archived) {}
    fn without_archive(&mut self, _: &Document) {}
}

fn faults(writer: &Writer) -> Vec<String> {
    let mut faults = Faults::default();
    writer.store().verify(&mut faults).unwrap();
    faults.0
}

#[test]
fn a_text_that_changes_is_a_new_revision_and_the_old_one_stays() {
    let (_folder, mut writer) = fresh();
    assert_eq!(visit(&mut writer, 0, 0, "một"), Placement::Stored);
    assert_eq!(visit(&mut writer, 0, 1, "một"), Placement::Unchanged);
    assert_eq!(visit(&mut writer, 0, 2, "hai"), Placement::Revised);
    assert_eq!(visit(&mut writer, 0, 3, "ba bốn"), Placement::Revised);
    assert_eq!(texts(&writer, 0), ["một", "hai", "ba bốn"]);
    let store = writer.store();
    assert_eq!(store.history(id(0)).unwrap().revision(), 3);
    assert_eq!(store.revisions(id(0)).unwrap()[0].fetched, hour(0));
    let totals = store.totals().unwrap();
    assert_eq!((totals.documents(), totals.words()), (1, 2));
    assert_eq!(faults(&writer), Vec::<String>::new());
}

#[test]
fn what_is_extracted_anew_is_replaced() {
    let (_folder, mut writer) = fresh();
    visit(&mut writer, 0, 5, "menu một");
    assert_eq!(visit(&mut writer, 0, 5, "một"), Placement::Stored);
    assert_eq!(texts(&writer, 0), ["một"]);
    assert_eq!(writer.store().history(id(0)).unwrap(), History::default());
}

#[test]
fn a_text_that_others_carry_stays_with_them() {
    let (_folder, mut writer) = fresh();
    visit(&mut writer, 0, 0, "một");
    assert_eq!(visit(&mut writer, 1, 0, "một"), Placement::Duplicate { of: url(0).key() });
    assert_eq!(visit(&mut writer, 0, 1, "hai"), Placement::Revised);
    assert_eq!(texts(&writer, 0), ["một", "hai"]);
    assert_eq!(texts(&writer, 1), ["một"]);
    assert_eq!(visit(&mut writer, 1, 1, "hai"), Placement::Duplicate { of: url(0).key() });
    assert_eq!(writer.store().totals().unwrap().documents(), 1);
    assert_eq!(faults(&writer), Vec::<String>::new());
}

#[test]
fn a_page_that_is_gone_is_marked_and_its_document_stays() {
    let (_folder, mut writer) = fresh();
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
    change.mark_there(url(0).key()).unwrap();
    writer.commit(change).unwrap();
    assert_eq!(writer.store().history(id(0)).unwrap(), History::default());
}
