//! Tests that a corpus can be moved from a folder to a database and back. The records stay the same, and both
//! stores are consistent.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, partition_of};
use gleaner_store::{
    ArchivePosition, Counts, DuplicateLevels, FileRecord, MigrateError, Migration, PackedDocument,
    PackedPage, QueuePosition, RawPage, SimilarityInfo, Store, StoreError, StoreOptions, UrlRecord,
    WaitReason, WorkerParams, Writer, join, join_alone, visit,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::{Place, faults, settle};

const PAGES: usize = 24;

fn url(page: usize) -> CanonicalUrl {
    // Seven hosts of five domains.
    let hosts = ["a.north.example", "b.north.example", "south.test", "east.test", "west.test", "e.west.test"];
    let host = hosts.get(page % 7).copied().unwrap_or("up.test:8080");
    CanonicalUrl::parse(&format!("http://{host}/{page}")).unwrap()
}

fn id(page: usize) -> DocumentId {
    DocumentId(*url(page).key().as_bytes())
}

/// Returns 90 words of a topic. Variants differ in one word. The text of the last topic is too short to be
/// signed.
fn text(topic: usize, variant: usize) -> String {
    if topic == 3 {
        return format!("kurz {variant}");
    }
    let letters = |number: usize| number.to_string().replace(|digit: char| digit.is_ascii_digit(), "x") + "y";
    let word = |at: usize| match at {
        _ if at == 10 * (variant + 1) => format!("variant{variant}"),
        _ => format!("{}{}{}", ["rain", "wind", "snow"][topic], letters(at), at * at % 211),
    };
    (0..90 + variant).map(word).collect::<Vec<_>>().join(" ")
}

#[derive(Debug, Clone)]
enum Step {
    Found(usize),
    Place(usize, usize, usize),
    Withdraw(usize),
    Gone(usize),
    Gather(usize),
    Keep(usize),
    Retry(usize),
    Revisit(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let page = 0..PAGES;
    prop_oneof![
        2 => page.clone().prop_map(Step::Found),
        12 => (page.clone(), 0..4_usize, 0..4_usize).prop_map(|(page, topic, text)| Step::Place(page, topic, text)),
        1 => page.clone().prop_map(Step::Withdraw),
        1 => page.clone().prop_map(Step::Gone),
        2 => page.clone().prop_map(Step::Gather),
        1 => page.clone().prop_map(Step::Keep),
        1 => page.clone().prop_map(Step::Retry),
        1 => page.prop_map(Step::Revisit),
    ]
}

fn at(second: usize) -> Timestamp {
    Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1_800_000_000 + second as i64)
}

fn act(writer: &mut Writer, step: &Step, time: usize) {
    let (Step::Found(page)
    | Step::Place(page, ..)
    | Step::Withdraw(page)
    | Step::Gone(page)
    | Step::Gather(page)
    | Step::Keep(page)
    | Step::Retry(page)
    | Step::Revisit(page)) = *step;
    let (url, key) = (url(page), url(page).key());
    let raw =
        RawPage { body: url.as_str().into(), content_type: None, fetched: at(time), ..RawPage::default() };
    let mut change = writer.begin();
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: page % 2 == 0 };
    change.discover(None, &found, 1, 0, QueuePosition { rank: 3, fresh: Some(at(page)) }).unwrap();
    match *step {
        Step::Found(_) => {}
        Step::Place(_, topic, variant) => {
            let text = text(topic, variant);
            let document = Document::with_text(id(page), url.as_str(), url.host(), text, at(time));
            let language = if topic == 1 { "vi" } else { "en" };
            let packed = PackedDocument::from_document(Document { language: language.into(), ..document });
            let outcome = change.place(key, packed, writer).unwrap();
            let record = change.url(key).unwrap().unwrap();
            let archived = ArchivePosition {
                file: 1,
                offset: time as u64,
                at: at(time),
                digest: [7; 20],
                payload: None,
            };
            let record = UrlRecord { archived: Some(archived), etag: Some(time.to_string()), ..record };
            change.end(key, record, outcome, None).unwrap();
        }
        Step::Withdraw(_) => {
            change.withdraw(key, writer).unwrap();
            let record = change.url(key).unwrap().unwrap();
            let outcome = Outcome::NotArticle { reason: "no_text".into() };
            change.end(key, record, outcome, None).unwrap();
        }
        Step::Gone(_) => change.mark_gone(key, at(time)).unwrap(),
        Step::Gather(_) => {
            let record = change.url(key).unwrap().unwrap();
            change.put_page(key, PackedPage::from_page(&raw));
            change.buffer(key, record).unwrap();
        }
        Step::Keep(_) => {
            let record = change.url(key).unwrap().unwrap();
            change.end(key, record, Outcome::Stored, None).unwrap();
            change.put_page(key, PackedPage::from_page(&raw));
            change.keep(key).unwrap();
        }
        Step::Retry(_) => {
            let record = change.url(key).unwrap().unwrap();
            change.retry(key, record, at(time + page)).unwrap();
        }
        Step::Revisit(_) => {
            let record = change.url(key).unwrap().unwrap();
            change.end(key, record, Outcome::Listing, Some((at(2 * time), 1))).unwrap();
        }
    }
    change.count(1, url.host(), |counts| counts.fetched += 1).unwrap();
    change.put_clock(at(time)).unwrap();
    writer.commit(change).unwrap();
    settle(writer);
}

fn fill(writer: &mut Writer, steps: &[Step]) {
    let (run, _) = writer.begin_run(at(0), false).unwrap();
    writer.end_run(&run, at(1)).unwrap();
    let mut change = writer.begin();
    change.put_robots("south.test", &"Disallow: /");
    change.put_template("south.test", 2, r#"{"learned": "1970-01-01T00:00:07Z"}"#);
    change.put_health("south.test", &vec![1, 2, 3]);
    for partition in writer.store().held_partitions() {
        change.put_replayed("again", "a.warc.gz", partition, 77);
    }
    writer.commit(change).unwrap();
    let levels = DuplicateLevels { memory: 1 << 16, ..DuplicateLevels::default() };
    writer.detect_duplicates(&levels).unwrap();
    for (time, step) in steps.iter().enumerate() {
        act(writer, step, time);
    }
    writer.flush().unwrap();
}

/// A document with its earlier revisions, its URLs, its relation to similar documents, and the time at which
/// its page was gone.
type SeenDocument = (Document, Vec<Document>, Vec<String>, Option<SimilarityInfo>, Option<Timestamp>);

/// Everything that a store returns, with names instead of numbers.
#[derive(Debug, PartialEq)]
struct Seen {
    hosts: BTreeMap<String, String>,
    urls: Vec<Option<(UrlRecord, Option<RawPage>)>>,
    documents: Vec<SeenDocument>,
    clusters: BTreeMap<DocumentId, BTreeSet<DocumentId>>,
    languages: BTreeMap<String, (u64, u64)>,
    sums: (u64, u64, u64),
    waiting: Vec<Vec<String>>,
    runs: String,
    counts: Vec<(String, Counts)>,
    others: (Option<String>, Option<String>, Option<Vec<u8>>, BTreeSet<u64>),
}

fn seen(store: &Store) -> Seen {
    let hosts: Vec<_> = store.hosts().map(Result::unwrap).collect();
    let host = |number| hosts.iter().find(|host| host.id == number).unwrap().name.clone();
    let of_host = |of: &gleaner_store::HostRecord| {
        let next = store.next_ready(of.id).unwrap().map(|(_, record)| record.url);
        let ready = store.count_ready(of.id, 1_000).unwrap();
        let buffered = store.buffered(of.id).unwrap();
        let of = gleaner_store::HostRecord { id: gleaner_store::HostId(0), ..of.clone() };
        (of.name.clone(), format!("{of:?} {next:?} {ready} {buffered:?}"))
    };
    let of_url = |page| {
        let key = url(page).key();
        let record = store.url(key).unwrap()?;
        assert_eq!(host(record.host), url(page).host());
        let record = UrlRecord { host: gleaner_store::HostId(0), ..record };
        Some((record, store.page(key).unwrap()))
    };
    let of_document = |document: Document| {
        let history = store.history(document.id).unwrap();
        let (revisions, urls) = (store.revisions(document.id).unwrap(), store.urls_of(&document).unwrap());
        let similarity_info = store.similarity_info(document.id).unwrap();
        (document, revisions, urls, similarity_info, history.gone)
    };
    let clusters: Vec<_> = store.clusters().map(Result::unwrap).collect();
    let members = |cluster| store.members(cluster).unwrap().map(|member| member.unwrap().id).collect();
    let totals = store.totals().unwrap();
    let waiting = |wait| {
        let mut urls: Vec<String> =
            store.waiting(wait, 1_000).unwrap().into_iter().map(|record| record.url).collect();
        urls.sort();
        urls
    };
    Seen {
        hosts: hosts.iter().map(of_host).collect(),
        urls: (0..PAGES).map(of_url).collect(),
        documents: store.documents().map(|document| of_document(document.unwrap())).collect(),
        clusters: clusters.iter().map(|cluster| (cluster.representative, members(cluster))).collect(),
        languages: totals
            .languages
            .iter()
            .filter(|(_, (count, _))| *count > 0)
            .map(|(language, sums)| (language.clone(), *sums))
            .collect(),
        sums: (totals.duplicates, totals.near_duplicates, totals.clusters),
        waiting: [WaitReason::Retry, WaitReason::Revisit].map(waiting).into(),
        runs: format!("{:?} {:?}", store.runs(9).unwrap(), store.last_run().unwrap()),
        counts: store.counts(1).unwrap(),
        others: (
            store.robots("south.test").unwrap(),
            store.template("south.test").unwrap(),
            store.health("south.test").unwrap(),
            store.replayed("again", "a.warc.gz", &store.held_partitions()).unwrap().into_iter().collect(),
        ),
    }
}

fn membership(place: &Place) -> WorkerParams {
    place.membership("anything", Duration::from_secs(2))
}

fn open(place: &Place) -> Writer {
    if !place.is_database() {
        return open_folder(place);
    }
    let writer = place.open();
    let store = writer.store();
    while store.held_partitions().len() < 256 {
        let _ = store.leases().unwrap().gained();
        std::thread::yield_now();
    }
    writer
}

/// Opens a store in a folder. Retries while the folder is busy, because a server that another test starts
/// inherits the open lock file until the server's program runs.
fn open_folder(place: &Place) -> Writer {
    let options = StoreOptions { cache: 16 << 20, create: true };
    loop {
        match gleaner_store::open(place.path(), &options) {
            Err(StoreError::Busy { .. }) => std::thread::yield_now(),
            opened => return opened.unwrap(),
        }
    }
}

fn alone(place: &Place) -> Writer {
    match place.is_database() {
        true => join_alone(&place.path().join("migrate"), &membership(place), true).unwrap(),
        false => open_folder(place),
    }
}

fn migrate(from: &Store, to: &mut Writer) {
    let mut migration = Migration::begin(from, to).unwrap();
    let moved = migration.copy(&|at| ArchivePosition { file: at.file + 4, ..at }, &mut |_| {}).unwrap();
    let (theirs, ours) = migration.totals().unwrap();
    assert_eq!((theirs.documents(), theirs.words()), (ours.documents(), ours.words()));
    assert_eq!(moved.documents, ours.documents());
    assert!(migration.target().store().is_migrating().unwrap());
    migration.finish().unwrap();
    assert!(!to.store().is_migrating().unwrap());
}

/// Compares two stores field by field, so that the message of a failure is readable.
fn check(what: &str, (one, own): (&Seen, &[String]), (other, theirs): (&Seen, &[String])) {
    assert_eq!(one.hosts, other.hosts, "{what}");
    for (one, other) in one.urls.iter().zip(&other.urls) {
        assert_eq!(one, other, "{what}");
    }
    for (one, other) in one.documents.iter().zip(&other.documents) {
        assert_eq!(one, other, "{what}");
    }
    assert_eq!((&one.clusters, &one.languages), (&other.clusters, &other.languages), "{what}");
    assert_eq!(one.sums, other.sums, "{what}");
    assert_eq!(own, theirs, "{what}");
    assert_eq!(one, other, "{what}");
}

fn partition(document: &Document) -> u8 {
    partition_of(CanonicalUrl::parse(&document.url).unwrap().domain())
}

/// Returns the expected content of a database after a migration from a folder. If a member of a cluster and
/// its representative are in different partitions, the member becomes a document without a cluster.
fn split(seen: Seen) -> Seen {
    let partitions: BTreeMap<DocumentId, u8> =
        seen.documents.iter().map(|(document, ..)| (document.id, partition(document))).collect();
    let clusters = seen.clusters.into_iter().filter_map(|(head, mut members)| {
        members.retain(|member| partitions[member] == partitions[&head]);
        (!members.is_empty()).then_some((head, members))
    });
    let clusters: BTreeMap<DocumentId, BTreeSet<DocumentId>> = clusters.collect();
    let is_split = |id: &DocumentId, similarity_info: &SimilarityInfo| {
        partitions[id] != partitions[&similarity_info.representative]
    };
    let heads: BTreeMap<DocumentId, SimilarityInfo> = seen
        .documents
        .iter()
        .filter_map(|(document, _, _, similarity_info, _)| Some((document.id, similarity_info.clone()?)))
        .collect();
    let urls = seen.urls.into_iter().enumerate().map(|(page, url)| {
        let (mut record, kept) = url?;
        if matches!(record.last, Some(Outcome::NearDuplicate { .. }))
            && heads.get(&id(page)).is_some_and(|similarity_info| is_split(&id(page), similarity_info))
        {
            record.last = Some(Outcome::Stored);
        }
        Some((record, kept))
    });
    let urls = urls.collect();
    let of_document = |(document, revisions, urls, similarity_info, gone): SeenDocument| {
        let similarity_info =
            similarity_info.map(|similarity_info| match is_split(&document.id, &similarity_info) {
                true => SimilarityInfo {
                    representative: document.id,
                    similarity: None,
                    members: 0,
                    ..similarity_info
                },
                false => {
                    let members = clusters
                        .get(&similarity_info.representative)
                        .map_or(0, |members| members.len() as u64);
                    SimilarityInfo { members, ..similarity_info }
                }
            });
        (document, revisions, urls, similarity_info, gone)
    };
    let documents = seen.documents.into_iter().map(of_document).collect();
    let near_duplicates = clusters.values().map(|members| members.len() as u64).sum();
    let sums = (seen.sums.0, near_duplicates, clusters.len() as u64);
    Seen { urls, documents, clusters, sums, ..seen }
}

fn later(seen: Seen) -> Seen {
    let later = |(record, page): (UrlRecord, Option<RawPage>)| {
        let archived = record.archived.map(|at| ArchivePosition { file: at.file + 4, ..at });
        (UrlRecord { archived, ..record }, page)
    };
    Seen { urls: seen.urls.into_iter().map(|url| url.map(later)).collect(), ..seen }
}

/// Moves a corpus from `one` to `other`, and from there to `third`. `one` and `third` have the same engine.
fn there_and_back(one: &Place, other: &Place, third: &Place, steps: &[Step]) {
    let mut source = open(one);
    fill(&mut source, steps);
    let (before, own) = (seen(&source.store()), faults(&source.store()));
    drop(source);
    let source = alone(one);
    let mut target = alone(other);
    migrate(&source.store(), &mut target);
    check("the source", (&seen(&source.store()), &[]), (&before, &[]));
    drop((source, target));
    let target = open(other);
    let there = if other.is_database() { split(later(before)) } else { later(before) };
    check("there", (&seen(&target.store()), &faults(&target.store())), (&there, &own));
    if other.is_database() {
        let (server, address) = other.server();
        assert_eq!(server.query(address, "SELECT extract(epoch FROM trained)::int FROM templates"), "7");
    }
    drop(target);
    let (target, mut back) = (alone(other), alone(third));
    let there = later(seen(&target.store()));
    migrate(&target.store(), &mut back);
    drop(back);
    let back = open(third);
    check("back", (&seen(&back.store()), &faults(&back.store())), (&there, &own));
}

fn cases(count: u32, check: impl Fn(Vec<Step>)) {
    let config = ProptestConfig { cases: count, failure_persistence: None, ..ProptestConfig::default() };
    let steps = prop::collection::vec(step(), 20..120);
    TestRunner::new(config)
        .run(&steps, |steps| {
            check(steps);
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_corpus_comes_there_and_back() {
    let Some(database) = Place::database() else { return };
    cases(4, |steps| there_and_back(&Place::folder(), &database.another(), &Place::folder(), &steps));
}

#[test]
fn a_corpus_of_a_database_comes_into_a_folder_and_into_a_database_again() {
    let Some(database) = Place::database() else { return };
    cases(2, |steps| {
        there_and_back(
            &database.another(),
            &Place::folder(),
            &database.another(),
            &steps[..60.min(steps.len())],
        )
    });
}

/// A crawl can continue in the target: no number is assigned twice, and clusters get new members.
#[test]
fn work_goes_on_in_the_target() {
    let Some(database) = Place::database() else { return };
    let (folder, back) = (Place::folder(), Place::folder());
    let mut source = open(&folder);
    // The three pages of a host have three topics. Later pages are copies of the first page.
    let steps: Vec<Step> = (0..21).map(|page| Step::Place(page, page / 7, page % 4)).collect();
    fill(&mut source, &steps);
    assert!(source.store().clusters().count() > 0);
    let mut target = alone(&database);
    let mut migration = Migration::begin(&source.store(), &mut target).unwrap();
    let file = FileRecord { name: "archive/a".into(), bytes: 3, records: 1, at: at(0), offset: 0 };
    let writer = migration.target();
    writer.store().put_object(&file.name, b"abc".to_vec()).unwrap();
    let mut change = writer.begin();
    change.put_archive_file(700, &file);
    writer.commit(change).unwrap();
    migration.copy(&|at| at, &mut |_| {}).unwrap();
    migration.finish().unwrap();
    drop(target);
    let mut worker = open(&database);
    assert_eq!(worker.store().next_file().unwrap(), 701);
    worker.detect_duplicates(&DuplicateLevels::default()).unwrap();
    let near_duplicates = worker.store().totals().unwrap().near_duplicates;
    for page in 21..PAGES {
        act(&mut worker, &Step::Place(page, 0, page - 17), 100 + page);
    }
    worker.flush().unwrap();
    let store = worker.store();
    let found = store.totals().unwrap().near_duplicates - near_duplicates;
    assert_eq!((found, faults(&store)), (3, vec![]), "the index finds the copy on the same site");
    drop((store, worker));
    let (from, mut to) = (alone(&database), open(&back));
    migrate(&from.store(), &mut to);
    assert_eq!(faults(&to.store()), [""; 0]);
}

/// Adds many URLs, so that an interrupted migration has already written a part of them to disk.
fn large(writer: &mut Writer) {
    for some in 0..30 {
        let mut change = writer.begin();
        for page in 0..100 {
            let url = CanonicalUrl::parse(&format!("http://h{some}.test/{page}")).unwrap();
            let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
            change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
            let record = change.url(url.key()).unwrap().unwrap();
            let archived = ArchivePosition { file: 1, offset: 0, at: at(0), digest: [0; 20], payload: None };
            change.put_url(url.key(), &UrlRecord { archived: Some(archived), ..record });
        }
        writer.commit(change).unwrap();
    }
}

fn an_interrupted_migration_begins_anew(one: &Place, other: &Place) {
    let mut source = open(one);
    fill(&mut source, &(0..PAGES).map(|page| Step::Place(page, page % 4, page / 4 % 4)).collect::<Vec<_>>());
    large(&mut source);
    source.flush().unwrap();
    drop(source);
    let mut target = alone(other);
    let source = alone(one);
    let left = std::cell::Cell::new(2_500);
    let dies = |at: ArchivePosition| {
        left.set(left.get() - 1);
        assert!(left.get() > 0, "killed, as the test wants it");
        at
    };
    let died = catch_unwind(AssertUnwindSafe(|| {
        let store = source.store();
        Migration::begin(&store, &mut target).unwrap().copy(&dies, &mut |_| {}).unwrap();
    }));
    assert!(died.is_err());
    drop((source, target));
    // The source is changed after the interruption.
    let mut source = open(one);
    source.detect_duplicates(&DuplicateLevels::default()).unwrap();
    for (time, step) in
        [Step::Withdraw(1), Step::Gather(2), Step::Retry(3), Step::Place(4, 1, 3)].iter().enumerate()
    {
        act(&mut source, step, 500 + time);
    }
    source.flush().unwrap();
    drop(source);
    let (source, mut target) = (alone(one), alone(other));
    assert!(target.store().is_migrating().unwrap());
    assert!(target.store().hosts().count() > 0, "a part had come to disk");
    let store = source.store();
    let mut migration = Migration::begin(&store, &mut target).unwrap();
    assert!(migration.is_resumed());
    assert_eq!(migration.target().store().hosts().count(), 0);
    migration.copy(&|at| at, &mut |_| {}).unwrap();
    migration.finish().unwrap();
    let expected = if other.is_database() { split(seen(&store)) } else { seen(&store) };
    check("again", (&seen(&target.store()), &faults(&target.store())), (&expected, &[]));
    assert_eq!(target.store().document_files().count() > 0, other.is_database());
    let again = Migration::begin(&store, &mut target).unwrap_err();
    assert!(matches!(again, MigrateError::NotEmpty { what: "URLs" }), "{again}");
}

#[test]
fn an_interrupted_migration_into_a_database_begins_anew() {
    let Some(database) = Place::database() else { return };
    an_interrupted_migration_begins_anew(&Place::folder(), &database);
}

#[test]
fn an_interrupted_migration_into_a_folder_begins_anew() {
    let Some(database) = Place::database() else { return };
    an_interrupted_migration_begins_anew(&database, &Place::folder());
}

#[test]
fn who_moves_a_corpus_is_alone() {
    let Some(database) = Place::database() else { return };
    let missing = join_alone(&database.path().join("migrate"), &membership(&database), false).unwrap_err();
    assert!(matches!(missing, MigrateError::Store(StoreError::NoTables { .. })), "{missing}");
    let worker = database.worker("north", Duration::from_secs(2));
    let refused = join_alone(&database.path().join("migrate"), &membership(&database), true).unwrap_err();
    assert!(refused.to_string().starts_with("workers are running on the database: north"), "{refused}");
    drop(worker);
    let alone = alone(&database);
    let refused = join(&database.path().join("south"), &membership(&database)).unwrap_err();
    assert!(matches!(refused, StoreError::Settings { .. }), "{refused}");
    drop(alone);
    // The settings of the migration do not remain.
    drop(database.worker("south", Duration::from_secs(2)));
}

#[test]
fn a_migration_updates_tables_of_version_5() {
    let Some(database) = Place::database() else { return };
    let (server, address) = database.server();
    drop(database.open());
    let _ = server.query(
        address,
        "DROP VIEW urls_without_document; ALTER TABLE urls DROP COLUMN failure; \
         DELETE FROM gleaner_schema WHERE version = 6; DELETE FROM workers",
    );
    let read =
        visit(database.path(), address, database.objects(), Duration::from_secs(5)).map(drop).unwrap_err();
    assert!(matches!(read, StoreError::TablesToUpdate { .. }), "{read}");
    drop(alone(&database));
    assert_eq!(server.query(address, "SELECT max(version) FROM gleaner_schema"), "6");
}

#[test]
fn messages_that_wait_and_sources_that_are_not_complete_are_refused() {
    let Some(database) = Place::database() else { return };
    let (folder, target) = (Place::folder(), Place::folder());
    let mut source = open(&folder);
    let mut change = source.begin();
    change.put_rebuilding(true);
    source.commit(change).unwrap();
    let refused = Migration::begin(&source.store(), &mut open(&target)).unwrap_err();
    assert!(matches!(refused, MigrateError::Unfinished), "{refused}");
    // Stores a page and a copy of it on another domain. The partition of the copy sends a message to the
    // partition of the page.
    let mut writer = alone(&database);
    writer.detect_duplicates(&DuplicateLevels::default()).unwrap();
    act(&mut writer, &Step::Place(2, 0, 0), 0);
    let mut change = writer.begin();
    let found = FoundUrl { url: url(3), role: Role::Page, dated: None, news: false };
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    let copy = Document::with_text(id(3), url(3).as_str(), url(3).host(), text(0, 0), at(1));
    change.place(url(3).key(), PackedDocument::from_document(copy), &mut writer).unwrap();
    writer.commit(change).unwrap();
    let refused = Migration::begin(&writer.store(), &mut open(&target)).unwrap_err();
    assert!(matches!(refused, MigrateError::Messages), "{refused}");
}
