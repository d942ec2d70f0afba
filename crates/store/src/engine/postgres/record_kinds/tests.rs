//! Tests that a record that is written as a row and read again is the same record.

use std::collections::BTreeMap;

use gleaner_corpus::{ContentHash, Document, DocumentId};
use gleaner_frontier::{Outcome, RevisitSchedule, Role, UrlKey};
use jiff::Timestamp;
use proptest::option;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

use super::*;
use crate::clusters::{ClusterMembership, ClusterRecord, SignatureRecord};
use crate::engine::{Batch, KeyValue, Write};
use crate::files::FileRecord;
use crate::partitions::Partition;
use crate::records::encode;
use crate::{
    ArchivePosition, Counts, History, HostId, HostRecord, PackedDocument, Run, UrlRecord, UrlState,
    WaitReason,
};

/// Returns the columns of a record's row, by name.
fn written(key: &[u8], value: &[u8], spot: Option<TextPosition>) -> BTreeMap<&'static str, SqlValue> {
    let group = group_of(key).unwrap();
    let row = (group.row)(&mut parts(key), value, spot).unwrap();
    assert_eq!(row.id.len(), group.id.len());
    assert_eq!(row.values.len(), group.columns.len(), "{group:?}");
    let columns = group.id.iter().chain(group.columns).map(|(name, _)| *name);
    columns.zip(row.id.into_iter().chain(row.values)).collect()
}

/// Reads a record of a kind from a row.
fn read(space: u8, columns: &BTreeMap<&'static str, SqlValue>) -> Option<(Vec<u8>, Vec<u8>)> {
    let kind = kind_of(space);
    let fields = |names: &[Column]| {
        let value = |(name, _): &Column| match (*name, columns.get("host")) {
            ("(host >> 24)", Some(SqlValue::Int(host))) => SqlValue::Int(host >> 24),
            (name, _) if name.starts_with("(SELECT name FROM files") => SqlValue::text("spool/1.docs"),
            _ => columns.get(name).cloned().unwrap_or(SqlValue::Null),
        };
        RowFields::new(names.iter().map(value).collect())
    };
    Some((kind.key_of(&mut fields(kind.key))?, (kind.record)(&mut fields(kind.values))?))
}

fn stays(key: Vec<u8>, value: Vec<u8>) {
    let columns = written(&key, &value, None);
    let Some((found, record)) = read(key[0], &columns) else { panic!("{columns:?} is not read") };
    assert_eq!((found, record), (key.clone(), value));
    assert!(
        split(&key)
            .iter()
            .zip(kind_of(key[0]).key)
            .all(|(value, (name, _))| { columns.get(name).is_none_or(|column| column == value) })
    );
}

fn text() -> impl Strategy<Value = String> {
    "[^\\x00]{0,20}"
}

fn time() -> impl Strategy<Value = Timestamp> {
    (-60_000_000_000_i64..253_402_207_200, 0..1_000_000_000)
        .prop_map(|(second, nanosecond)| Timestamp::new(second, nanosecond).unwrap())
}

/// A time that has no nanoseconds.
fn micros() -> impl Strategy<Value = Timestamp> {
    time().prop_map(|time| Timestamp::from_microsecond(time.as_microsecond()).unwrap())
}

fn key() -> impl Strategy<Value = UrlKey> {
    any::<[u8; 16]>().prop_map(UrlKey::from_bytes)
}

fn count() -> impl Strategy<Value = u64> {
    0..u64::try_from(i64::MAX).unwrap()
}

fn small() -> impl Strategy<Value = u32> {
    0..u32::try_from(i32::MAX).unwrap()
}

fn outcome() -> impl Strategy<Value = Outcome> {
    prop_oneof![
        Just(Outcome::Stored),
        Just(Outcome::Listing),
        Just(Outcome::Unchanged),
        Just(Outcome::PrivateAddress),
        Just(Outcome::Revised),
        key().prop_map(|of| Outcome::Duplicate { of }),
        (key(), any::<u8>()).prop_map(|(of, similarity)| Outcome::NearDuplicate { of, similarity }),
        text().prop_map(|reason| Outcome::NotArticle { reason }),
        text().prop_map(|to| Outcome::Redirected { to }),
        (text(), text()).prop_map(|(to, reason)| Outcome::RedirectRefused { to, reason }),
        text().prop_map(|rule| Outcome::Disallowed { rule }),
        any::<u16>().prop_map(|status| Outcome::Gone { status }),
        any::<u16>().prop_map(|status| Outcome::Rejected { status }),
        any::<u64>().prop_map(|limit| Outcome::TooLarge { limit }),
        text().prop_map(|content_type| Outcome::WrongType { content_type }),
        text().prop_map(|reason| Outcome::Unreadable { reason }),
        text().prop_map(|reason| Outcome::Failed { reason }),
        text().prop_map(|language| Outcome::OtherLanguage { language }),
        text().prop_map(|condition| Outcome::Filtered { condition }),
        text().prop_map(|reason| Outcome::Truncated { reason }),
        text().prop_map(|rule| Outcome::Excluded { rule }),
    ]
}

fn state() -> impl Strategy<Value = UrlState> {
    let wait = prop_oneof![Just(WaitReason::Retry), Just(WaitReason::Revisit)];
    prop_oneof![
        (any::<u8>(), any::<u64>()).prop_map(|(rank, sequence)| UrlState::Ready { rank, sequence }),
        (wait, 0..253_402_207_200_u64, any::<u8>()).prop_map(|(wait, due, rank)| UrlState::Waiting {
            wait,
            due,
            rank
        }),
        any::<u64>().prop_map(|sequence| UrlState::Buffered { sequence }),
        Just(UrlState::Done),
        Just(UrlState::Kept),
    ]
}

prop_compose! {
    fn archived()(
        (file, offset, at) in (any::<u32>(), count(), time()),
        digest in any::<[u8; 20]>(),
        payload in option::of(any::<[u8; 20]>()),
    ) -> ArchivePosition {
        ArchivePosition { file, offset, at, digest, payload }
    }
}

prop_compose! {
    fn revisits()(
        first in 0..253_402_207_200_u64,
        last in 0..253_402_207_200_u64,
        every in any::<u32>(),
        digest in any::<u64>(),
    ) -> RevisitSchedule {
        RevisitSchedule { first, last, every, digest }
    }
}

prop_compose! {
    fn url()(
        (url, host, state, last) in (text(), any::<u32>(), state(), option::of(outcome())),
        role in prop::sample::select(Role::ALL.to_vec()),
        (depth, hops, tries) in (small(), small(), small()),
        (dated, etag, last_modified) in (option::of(time()), option::of(text()), option::of(text())),
        (duplicate_of, archived, revisits) in (option::of(key()), option::of(archived()), revisits()),
        failure in option::of(text()),
    ) -> UrlRecord {
        UrlRecord {
            host: HostId(host),
            url, role, depth, hops, tries, state, dated, etag, last_modified, last, duplicate_of, archived, revisits,
            failure,
        }
    }
}

prop_compose! {
    fn host()(
        (id, name, domain) in (any::<u32>(), text(), text()),
        (sequence, queued, buffered, template) in (count(), count(), any::<u32>(), any::<u32>()),
        (held_until, outdated, paused) in (option::of(micros()), any::<bool>(), any::<bool>()),
        (announced_updates, confirmed_updates) in (any::<u32>(), any::<u32>()),
    ) -> HostRecord {
        HostRecord {
            id: HostId(id),
            name, domain, sequence, queued, buffered, template, held_until, outdated, paused,
            announced_updates, confirmed_updates,
        }
    }
}

prop_compose! {
    fn counts()(
        outcomes in prop::collection::btree_map(text(), count(), 0..4),
        refused in prop::collection::btree_map(text(), count(), 0..4),
        broken_lists in prop::collection::btree_map(text(), count(), 0..4),
        (fetched, bytes, millis, requests) in (count(), count(), count(), count()),
    ) -> Counts {
        Counts { outcomes, refused, fetched, bytes, millis, requests, broken_lists }
    }
}

prop_compose! {
    fn kept()(
        (id, words, cluster) in (any::<[u8; 16]>(), count(), any::<u32>()),
        signature in prop::collection::vec(any::<u8>(), 0..40),
        related in prop::collection::vec((any::<[u8; 16]>().prop_map(DocumentId), any::<u8>()), 0..4),
    ) -> SignatureRecord {
        SignatureRecord { id: DocumentId(id), words, cluster, signature, related }
    }
}

proptest! {
    #[test]
    fn a_url_stays_as_it_is_and_is_in_the_list_of_its_state(of in key(), record in url()) {
        stays(keys::url(of), encode(&record));
        let partition = Partition::new(u8::try_from(record.host.0 >> 24).unwrap());
        let list = match record.state {
            UrlState::Ready { rank, sequence } => keys::ready(record.host, rank, sequence, of),
            UrlState::Waiting { wait, due, .. } => keys::waiting(partition, wait, due, of),
            UrlState::Buffered { sequence } => keys::buffered(record.host, sequence, of),
            UrlState::Done | UrlState::Kept => return Ok(()),
        };
        let columns = written(&keys::url(of), &encode(&record), None);
        let (key, _) = read(list[0], &columns).unwrap();
        prop_assert_eq!(&key, &list);
        prop_assert_eq!((kind_of(list[0]).join)(&mut RowFields::new(split(&list))).unwrap(), &list[1..]);
    }

    #[test]
    fn a_host_and_its_counts_stay_as_they_are(record in host(), run in any::<u32>(), counts in counts()) {
        stays(keys::host(Partition::new(7), &record.name), encode(&record));
        stays(keys::counts(run, &record.name), encode(&counts));
        stays(keys::robots(&record.name), encode(&"rules"));
        stays(keys::health(&record.name), encode(&1));
    }

    #[test]
    fn signatures_stay_as_they_are(kept in kept(), number in any::<u32>(), members in any::<u32>()) {
        let signed = keys::signed(number);
        stays(signed.clone(), encode(&kept));
        let columns = written(&signed, &encode(&kept), None);
        let cluster_membership = ClusterMembership { number, cluster: kept.cluster };
        prop_assert_eq!(read(keys::MEMBERSHIP, &columns), Some((keys::cluster_membership(kept.id), encode(&cluster_membership))));
        let member = keys::member(kept.cluster, number);
        stays(member.clone(), encode(&kept));
        prop_assert_eq!(read(keys::SIGNED, &written(&member, &encode(&kept), None)), None);

        let record = (keys::cluster(kept.cluster), encode(&ClusterRecord { representative: number, members }));
        let mut columns = written(&record.0, &record.1, None);
        let _ = columns.insert("number", SqlValue::Int(-1));
        prop_assert_eq!(read(keys::CLUSTER, &columns), Some(record));
    }

    #[test]
    fn other_records_stay_as_they_are(
        (number, at, ended) in (1..u32::MAX, micros(), option::of(micros())),
        (id, of, name, count) in (any::<[u8; 16]>(), key(), text(), count()),
    ) {
        let id = DocumentId(id);
        let run = Run { number, started: at, ended, replayed: count % 2 == 0 };
        stays(keys::run(number), encode(&run));
        stays(keys::history(id), encode(&History { earlier: number, gone: ended }));
        stays(keys::alias(id, of), name.clone().into_bytes());
        stays(keys::template("a.example", number), b"{\"a\":  1}".to_vec());
        stays(keys::content(&ContentHash::from_text(&name)), encode(&id));
        stays(keys::page(of), name.clone().into_bytes());
        stays(keys::replayed("ingest", Partition::new(9), &name), encode(&count));
        let file = FileRecord { name, bytes: count, records: count, at, offset: count };
        for kind in [keys::ARCHIVE_FILE, keys::DOCUMENTS_FILE] {
            stays(keys::file(kind, number), encode(&file));
        }
        stays(keys::message(Partition::new(3), id.0), encode(&number));
        stays(keys::meta_of(Partition::new(3), "totals"), encode(&number));
    }

    #[test]
    fn a_document_and_a_revision_have_their_positions(file in any::<u32>(), offset in count(), length in any::<u32>()) {
        let spot = TextPosition { file, offset, length, name: "spool/1.docs".into() };
        let id = DocumentId([7; 16]);
        let document = Document::with_text(id, "http://a.example/1", "a.example", "một hai".into(), Timestamp::UNIX_EPOCH);
        let packed = PackedDocument::from_document(document).bytes;
        for key in [keys::document(id), keys::revision(id, 2)] {
            let columns = written(&key, &packed, Some(spot.clone()));
            prop_assert_eq!(read(key[0], &columns), Some((key, spot.to_bytes())));
        }
    }
}

#[test]
fn a_template_has_the_time_at_which_it_was_learned() {
    let trained = |json: &[u8]| written(&keys::template("a.example", 1), json, None)["trained"].clone();
    assert_eq!(trained(b"{\"learned\": \"1970-01-01T00:00:07Z\", \"a\": 1}"), SqlValue::Time(7_000_000));
    assert_eq!(trained(b"{\"a\": 1}"), SqlValue::Null);
}

#[test]
fn the_documents_of_a_host_are_described() {
    let url = "http://a.example/1";
    let mut document = Document::with_text(
        DocumentId([7; 16]),
        url,
        "a.example",
        "một hai ba".into(),
        Timestamp::UNIX_EPOCH,
    );
    document.title = Some("Chợ\0quê".into());
    let packed = PackedDocument::from_document(document).bytes;
    let columns = written(&keys::document(DocumentId([7; 16])), &packed, None);
    assert_eq!(columns["words"], SqlValue::Int(3));
    assert_eq!((&columns["url"], &columns["host"]), (&SqlValue::text(url), &SqlValue::text("a.example")));
}

/// Opens a database as its only worker.
pub(in crate::engine::postgres) fn writer(address: &str, folder: &std::path::Path) -> crate::Writer {
    let objects = folder.join("objects");
    let membership = crate::WorkerParams {
        address: address.to_owned(),
        objects: crate::objects::Objects::open(
            objects.to_str().unwrap(),
            crate::objects::StorageOptions::default(),
        )
        .unwrap(),
        name: "one".into(),
        lease: std::time::Duration::from_secs(30),
        patience: std::time::Duration::from_secs(20),
        should_stop: std::sync::Arc::new(|| false),
        settings: BTreeMap::new(),
        waits: false,
    };
    let writer = crate::join(&folder.join("worker"), &membership).unwrap();
    let _ = writer.store().leases().unwrap().gained();
    writer
}

#[test]
fn the_database_gives_back_what_was_written() {
    let Some(server) = gleaner_testkit::postgres::Postgres::shared() else { return };
    let folder = tempfile::TempDir::new().unwrap();
    let store = writer(&server.database(), folder.path()).store();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut records: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    for number in 0..200 {
        let mut draw =
            |strategy: &dyn Fn(&mut proptest::test_runner::TestRunner) -> crate::engine::KeyValue| {
                let (key, value) = strategy(&mut runner);
                records.insert(key, value);
            };
        draw(&|runner| {
            let (of, record) = (key(), url()).new_tree(runner).unwrap().current();
            (keys::url(of), encode(&record))
        });
        draw(&|runner| {
            let record = host().new_tree(runner).unwrap().current();
            let partition = Partition::new((number % 250) as u8);
            let (name, id) = (format!("host-{number}.example"), partition.number(number).unwrap());
            let record = HostRecord { id: HostId(id), name, ..record };
            (keys::host(partition, &record.name), encode(&record))
        });
        draw(&|runner| {
            let counts = counts().new_tree(runner).unwrap().current();
            (keys::counts(number, "a.example"), encode(&counts))
        });
    }
    let writes = records.iter().map(|(key, value)| (key.clone(), Write::Put(value.clone()))).collect();
    store.engine.commit(Batch { writes }, store.partitions.held().into_iter().collect()).unwrap();
    store.engine.flush().unwrap();
    store.distributed.as_ref().unwrap().forget();
    for (key, value) in &records {
        assert_eq!(store.engine.get(key).unwrap().as_ref(), Some(value), "{}", keys::hex(key));
    }
    for space in [keys::URL, keys::HOST, keys::COUNTS] {
        let read: Vec<KeyValue> = store.scan([space]).collect::<Result<_, _>>().unwrap();
        let written = records.clone().into_iter().filter(|(key, _)| key[0] == space);
        assert_eq!(read, written.collect::<Vec<_>>());
    }
    let lists = [keys::READY, keys::RETRY, keys::REVISIT, keys::BUFFERED];
    let listed: usize = lists.iter().map(|list| store.keys([*list]).count()).sum();
    let is_listed = |value: &[u8]| {
        let record: UrlRecord = crate::records::decode("a URL", value).unwrap();
        !matches!(record.state, UrlState::Done | UrlState::Kept)
    };
    let urls = records.iter().filter(|(key, _)| key[0] == keys::URL);
    assert_eq!(listed, urls.filter(|(_, value)| is_listed(value)).count());
    assert!(lists.iter().all(|list| store.keys([*list]).map(Result::unwrap).is_sorted()));
}
