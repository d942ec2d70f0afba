//! Tests removals of documents and hosts, interrupted after each step, on each engine.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;
use std::path::PathBuf;

use gleaner_archive::files::ArchiveOptions;
use gleaner_archive::{ArchiveReader, Capture, Item, Record};
use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, REMOVED, Role};
use gleaner_store::{
    ArchivePosition, DuplicateLevels, Extent, PackedDocument, QueuePosition, Removal, RemovalPlan,
    RemovalStep, RemovalTarget, Store, UrlRecord, Writer,
};
use jiff::{SignedDuration, Timestamp};

use crate::common::{Place, faults, on_each_engine, settle};

on_each_engine!(
    removal_goes_on_after_each_step,
    removed_host_leaves_texts_to_other_hosts,
    removed_text_is_refused_until_it_is_taken_back,
);

/// Pages are on seven sites, so they are in several partitions of a database.
fn url(number: u8) -> CanonicalUrl {
    CanonicalUrl::parse(&format!("http://site-{}.example/{number}", number % 7)).unwrap()
}

fn id(number: u8) -> DocumentId {
    DocumentId(*url(number).key().as_bytes())
}

fn archive(place: &Place) -> PathBuf {
    place.path().join("archive")
}

fn open_archive(place: &Place, writer: &mut Writer) {
    let options = ArchiveOptions {
        rotate: 2_000,
        level: 1,
        info: vec![("software".into(), "gleaner".into())],
        of_changes: Vec::new(),
    };
    writer.open_archive(&archive(place), options).unwrap();
}

/// Visits a page: archives the response, and stores its text.
fn visit(writer: &mut Writer, number: u8, hour: i64, text: &str) -> Outcome {
    let url = url(number);
    let fetched = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hour);
    let capture = Capture {
        url: url.as_str(),
        at: fetched,
        status: 200,
        headers: &[],
        body: text.as_bytes(),
        coded: None,
        is_cut: false,
        request: &[("User-Agent".into(), "gleaner".into())],
        fields: &[],
    };
    let digests = capture.digests();
    let bytes = capture.response(digests.payload, 1);
    let position = writer.archive(&bytes, capture.records(), fetched).unwrap();
    let mut change = writer.begin();
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    let document = Document::with_text(id(number), url.as_str(), url.host(), text.into(), fetched);
    writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
    let outcome = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    let archived = position.map(|(file, offset)| ArchivePosition {
        file,
        offset,
        at: fetched,
        digest: *digests.content.as_bytes(),
        payload: None,
    });
    let record = UrlRecord { archived: archived.or(record.archived), ..record };
    change.end(url.key(), record, outcome.clone(), None).unwrap();
    writer.commit(change).unwrap();
    settle(writer);
    writer.flush().unwrap();
    outcome
}

/// Pages on other sites that have the text of page 4.
const ALIASES: [u8; 4] = [26, 27, 34, 35];

/// Fills a corpus. Page 3 has an earlier revision.
fn fill(place: &Place, writer: &mut Writer) {
    open_archive(place, writer);
    for number in 0..12 {
        visit(writer, number, 0, &format!("text {number}"));
    }
    visit(writer, 3, 1, "text 3, changed");
    for number in ALIASES {
        assert_eq!(visit(writer, number, 1, "text 4"), Outcome::Duplicate { of: url(4).key() });
    }
}

fn texts(store: &Store) -> BTreeMap<String, String> {
    store.documents().map(Result::unwrap).map(|document| (document.url, document.text)).collect()
}

/// Returns the content of each archive file by its number.
fn files(place: &Place, store: &Store) -> BTreeMap<u32, Vec<u8>> {
    if store.is_shared() {
        let numbers = store.archive_files().map(|file| file.unwrap().0);
        return numbers.map(|number| (number, store.archive_content(number).unwrap())).collect();
    }
    let names = gleaner_archive::files::names(&archive(place)).unwrap().into_iter();
    let read = |name: String| {
        let content = std::fs::read(archive(place).join(&name)).unwrap();
        (gleaner_archive::RecordPosition { file: name, offset: 0 }.number(), content)
    };
    names.map(read).collect()
}

fn records(content: &[u8], offset: u64) -> Vec<Record> {
    let mut source = Cursor::new(content);
    source.set_position(offset);
    let items = ArchiveReader::new(source, 1 << 20).unwrap();
    let sound = |item: std::io::Result<Item>| match item.unwrap() {
        Item::Record(record) => record,
        Item::Damage(damage) => panic!("{damage:?}"),
    };
    items.map(sound).collect()
}

/// Checks that the archive has no record of these pages, and that all other positions are right.
fn check_archive(place: &Place, store: &Store, removed: &[u8]) {
    let files = files(place, store);
    let gone: BTreeSet<String> = removed.iter().map(|number| url(*number).as_str().to_owned()).collect();
    let targets = files.values().flat_map(|content| records(content, 0));
    let left: Vec<String> = targets
        .filter_map(|record| record.header.target().map(str::to_owned))
        .filter(|it| gone.contains(it))
        .collect();
    assert_eq!(left, [""; 0]);
    for number in (0..12).filter(|number| !removed.contains(number)) {
        let record = store.url(url(number).key()).unwrap().unwrap();
        let at = record.archived.unwrap();
        let found = &records(&files[&at.file], at.offset)[0];
        assert_eq!(found.header.target(), Some(url(number).as_str()), "{number}");
    }
}

/// Does the steps of a removal. `between` is called after each.
fn finish(place: &Place, mut writer: Writer, mut between: impl FnMut(Writer) -> Writer) -> Writer {
    loop {
        let said = writer.store().interrupted_removals().unwrap();
        let Some(mut removal) = writer.store().unfinished_removals().unwrap().pop() else {
            assert_eq!(said, None);
            return writer;
        };
        assert!(said.unwrap().starts_with("interrupted removals: 1; "));
        match removal.step {
            RemovalStep::Documents => writer.remove_documents(&mut removal).unwrap(),
            RemovalStep::Archive => {
                let removed = writer.store().removed_from_archive().unwrap();
                // An object that an earlier attempt wrote, but did not record.
                writer
                    .store()
                    .put_object("archive/gleaner-20261128000000-99999-merged.warc.gz", vec![1])
                    .unwrap();
                writer.remove_from_archive(&archive(place), 1, &removed).unwrap();
                // A kill before the step is recorded. The archive is complete, so nothing is left to do.
                writer = between(writer);
                let again = writer.remove_from_archive(&archive(place), 1, &removed).unwrap();
                assert_eq!(again.records, 0);
                assert!(writer.store().leftovers(Timestamp::MAX).unwrap().is_empty());
                writer.set_removal_step(&mut removal, RemovalStep::Files).unwrap();
            }
            RemovalStep::Files | RemovalStep::Done => {
                writer.store().compact(Extent::Rewritten).unwrap();
                writer.set_removal_step(&mut removal, RemovalStep::Done).unwrap();
            }
        }
        writer = between(writer);
    }
}

fn begin(writer: &mut Writer, plan: RemovalPlan) -> Removal {
    writer.begin_removal(plan, "a letter".into(), Timestamp::UNIX_EPOCH, false).unwrap()
}

fn plan_of(store: &Store, numbers: &[u8]) -> RemovalPlan {
    let mut plan = RemovalPlan::new(RemovalTarget::Urls, false);
    for number in numbers {
        let document = store.document_at(&url(*number)).unwrap().unwrap();
        plan.add_document(store, &document).unwrap();
    }
    plan
}

fn removal_goes_on_after_each_step(place: &Place) {
    let mut writer = place.open();
    fill(place, &mut writer);
    let mut writer = place.again(writer);
    let mut expected = texts(&writer.store());
    let plan = plan_of(&writer.store(), &[ALIASES[0], 3]);
    assert_eq!((plan.documents(), plan.urls()), (2, 2 + ALIASES.len()));
    begin(&mut writer, plan);
    let writer = place.again(writer);
    let writer = finish(place, writer, |writer| place.again(writer));
    let store = writer.store();
    for number in [3, 4] {
        expected.remove(url(number).as_str()).unwrap();
    }
    assert_eq!(texts(&store), expected);
    assert_eq!(faults(&store), [""; 0]);
    let removed = [&[3, 4], &ALIASES[..]].concat();
    check_archive(place, &store, &removed);
    for number in removed {
        assert_eq!(store.url(url(number).key()).unwrap(), None);
        let removal = store.removal_of(&url(number)).unwrap().unwrap();
        assert_eq!((removal.number, removal.reason.as_str()), (1, "a letter"));
    }
    assert!(store.revisions(id(3)).unwrap().is_empty());
    let ids = BTreeSet::from_iter(store.removed_documents(None, None).unwrap());
    assert_eq!(ids, BTreeSet::from([id(3), id(4)]));
    assert!(store.removed_documents(Some(Timestamp::MAX), None).unwrap().is_empty());
}

fn removed_host_leaves_texts_to_other_hosts(place: &Place) {
    let mut writer = place.open();
    fill(place, &mut writer);
    let mut writer = place.again(writer);
    let store = writer.store();
    // Pages 4, 11 and 18 are on this host. Page 18 has the text of page 5 on another host, and pages on other
    // hosts have the text of page 4.
    let host = url(4).host().to_owned();
    open_archive(place, &mut writer);
    assert_eq!(visit(&mut writer, 18, 1, "text 5"), Outcome::Duplicate { of: url(5).key() });
    let mut expected: BTreeSet<String> = texts(&store).into_values().collect();
    let mut plan = RemovalPlan::new(RemovalTarget::Hosts(vec![host.clone()]), false);
    for document in store.documents().map(Result::unwrap).filter(|document| document.host == host) {
        plan.add_document(&store, &document).unwrap();
    }
    drop(store);
    begin(&mut writer, plan);
    let writer = place.again(writer);
    let writer = finish(place, writer, |writer| place.again(writer));
    let store = writer.store();
    expected.remove("text 11");
    let found = texts(&store);
    assert!(found.keys().all(|url| !url.contains(&host)), "{found:?}");
    assert_eq!(found.into_values().collect::<BTreeSet<String>>(), expected);
    assert_eq!(faults(&store), [""; 0]);
    check_archive(place, &store, &[4, 11, 18]);
    assert!(
        store.removed().unwrap().contains(&CanonicalUrl::parse(&format!("https://www.{host}/x")).unwrap())
    );
}

fn removed_text_is_refused_until_it_is_taken_back(place: &Place) {
    let mut writer = place.open();
    fill(place, &mut writer);
    let mut writer = place.again(writer);
    let plan = plan_of(&writer.store(), &[7]);
    begin(&mut writer, plan);
    let mut writer = finish(place, writer, |writer| writer);
    assert_eq!(visit(&mut writer, 40, 2, "text 7"), Outcome::Excluded { rule: REMOVED.into() });
    assert!(writer.store().removed().unwrap().contains(&url(40)), "its URL is removed too");
    assert!(writer.take_back_removal(1).unwrap() && !writer.take_back_removal(1).unwrap());
    assert!(writer.store().removals().unwrap().is_empty() && writer.store().removed().unwrap().is_empty());
    assert_eq!(visit(&mut writer, 7, 2, "text 7"), Outcome::Stored);
}
