//! Tests the workers of one database: their partitions, settings and storage.

use std::time::Duration;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};
use gleaner_store::objects::{Objects, StorageOptions};
use gleaner_store::{
    DuplicateLevels, PackedDocument, PackedPage, QueuePosition, RawPage, StoreError, WorkerParams, Writer,
    join, visit,
};
use jiff::{SignedDuration, Timestamp};

use crate::common::Place;

const LEASE: Duration = Duration::from_secs(30);

fn worker(place: &Place, membership: WorkerParams) -> Result<Writer, StoreError> {
    let folder = place.path().join(&membership.name);
    join(&folder, &membership)
}

/// Returns how many partitions a worker has, after the worker has processed the gained partitions.
fn partitions(writer: &Writer) -> usize {
    let store = writer.store();
    let _ = store.leases().unwrap().gained();
    store.held_partitions().len()
}

#[test]
fn who_waits_for_a_crawl_has_no_partitions_and_takes_none() {
    let Some(place) = Place::database() else { return };
    let waits = |name| WorkerParams { waits: true, ..place.membership(name, LEASE) };
    let mut one = worker(&place, waits("one")).unwrap();
    assert_eq!(partitions(&one), 0);
    let mut two = worker(&place, waits("two")).unwrap();
    one.work().unwrap();
    assert_eq!((partitions(&one), partitions(&two)), (256, 0), "the share of one that waits is the others'");
    two.work().unwrap();
    one.work().unwrap();
    assert_eq!(one.store().leases().unwrap().excess(), 128);
    let seen = one.store().workers(LEASE).unwrap();
    assert!(seen.iter().all(|worker| !worker.waiting), "{seen:?}");

    one.rest().unwrap();
    assert_eq!(partitions(&one), 0);
    two.work().unwrap();
    assert_eq!(partitions(&two), 256);
    let seen = two.store().workers(LEASE).unwrap();
    let of = |name| seen.iter().find(|worker| worker.name == name).unwrap();
    assert!(of("one").waiting && of("one").idle && !of("two").waiting, "{seen:?}");
    assert!(matches!(one.commit(one.begin()), Ok(())), "what changes nothing is nobody's");
}

#[test]
fn whoever_comes_anew_comes_by_the_settings_of_now() {
    let Some(place) = Place::database() else { return };
    let mut one = worker(&place, place.membership("one", LEASE)).unwrap();
    // The worker seems suspended: its last heartbeat is an hour old.
    let (server, address) = place.server();
    let _ = server.query(address, "UPDATE workers SET seen = now() - interval '1 hour'");
    let mut others = place.membership("two", LEASE);
    others.settings.insert("fetch.delay".into(), "9s".into());
    let _two = worker(&place, others).unwrap();
    for come in [Writer::rejoin, Writer::work] {
        let refused = come(&mut one).unwrap_err().to_string();
        assert!(refused.contains("fetch.delay is 5s here and 9s there"), "{refused}");
    }
    let _ = server.query(address, "INSERT INTO gleaner_schema (version) VALUES (99)");
    let refused = one.rejoin().unwrap_err().to_string();
    assert!(refused.contains("version 99"), "{refused}");
}

#[test]
fn workers_with_different_public_suffix_lists_refuse_each_other() {
    let Some(place) = Place::database() else { return };
    let with_list = |name, list: &str| {
        let mut membership = place.membership(name, LEASE);
        membership.settings.insert("the public suffix list".into(), list.into());
        worker(&place, membership)
    };
    let _one = with_list("one", "psl 2.1.200").unwrap();
    let refused = with_list("two", "psl 2.1.300").unwrap_err().to_string();
    assert_eq!(
        refused,
        "this worker's settings differ from those of the others (one): the public suffix list is psl 2.1.300 here and \
         psl 2.1.200 there; use the same settings and the same version of gleaner, or stop the others first"
    );
    with_list("three", "psl 2.1.200").unwrap();
}

/// Other workers may change the records of a partition while this worker does not hold it.
#[test]
fn what_was_read_ahead_is_only_used_while_the_partition_is_held() {
    let Some(place) = Place::database() else { return };
    let (mut one, mut two) = {
        let waits = |name| WorkerParams { waits: true, ..place.membership(name, LEASE) };
        (worker(&place, waits("one")).unwrap(), worker(&place, waits("two")).unwrap())
    };
    let urls = ["http://a.example/1", "http://a.example/2"].map(|url| CanonicalUrl::parse(url).unwrap());
    let is_known = |writer: &Writer, url: &CanonicalUrl| writer.store().url(url.key()).unwrap().is_some();
    let add = |writer: &mut Writer, url: &CanonicalUrl| {
        let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
        let mut change = writer.begin();
        change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
        writer.commit(change).unwrap();
        writer.flush().unwrap();
    };
    let work = |writer: &mut Writer| {
        writer.work().unwrap();
        let _ = writer.store().leases().unwrap().gained();
        assert_eq!(partitions(writer), 256);
    };
    work(&mut two);
    one.store().read_ahead([&urls[0]], []).unwrap();
    add(&mut two, &urls[0]);
    assert!(is_known(&one, &urls[0]), "a record of another worker is not kept");

    two.rest().unwrap();
    work(&mut one);
    one.store().read_ahead([&urls[1]], []).unwrap();
    one.rest().unwrap();
    work(&mut two);
    add(&mut two, &urls[1]);
    two.rest().unwrap();
    work(&mut one);
    assert!(is_known(&one, &urls[1]), "what was read before the partition was gained again is forgotten");
}

#[test]
fn a_corpus_has_one_storage() {
    let Some(place) = Place::database() else { return };
    let membership = place.membership("one", LEASE);
    let mut writer = worker(&place, membership.clone()).unwrap();
    store_one(&mut writer).unwrap();
    drop(writer);
    let elsewhere = place.path().join("elsewhere");
    let objects = Objects::open(elsewhere.to_str().unwrap(), StorageOptions::default()).unwrap();
    let moved = WorkerParams { objects: objects.clone(), ..membership.clone() };
    let refused = worker(&place, moved.clone()).unwrap_err();
    assert!(matches!(&refused, StoreError::NotItsStorage { .. }), "{refused}");
    assert!(objects.list("").unwrap().is_empty(), "it is not marked by that");

    // Files can be moved if all of them and the mark are moved, and if no worker writes to the old storage.
    objects.put("corpus", membership.objects.get("corpus").unwrap()).unwrap();
    assert!(worker(&place, moved.clone()).is_err(), "its files are not there");
    for file in membership.objects.list("spool").unwrap() {
        objects.put(&file.name, membership.objects.get(&file.name).unwrap()).unwrap();
    }
    let there = worker(&place, membership.clone()).unwrap();
    let late = WorkerParams { name: "late".into(), ..moved.clone() };
    let refused = worker(&place, late.clone()).unwrap_err();
    assert!(matches!(&refused, StoreError::NotItsStorage { .. }), "{refused}");
    assert_eq!(there.store().workers(LEASE).unwrap().len(), 1, "who is refused is not there");
    drop(there);
    drop(worker(&place, late).unwrap());
    membership.objects.delete("corpus").unwrap();
    assert!(worker(&place, membership).is_err());
    let writer = worker(&place, moved).unwrap();

    // If the mark is lost, invalid files must not be removed.
    let later = Timestamp::now() + SignedDuration::from_hours(1);
    assert_eq!(writer.store().leftovers(later).unwrap(), []);
    let objects = Objects::open(elsewhere.to_str().unwrap(), StorageOptions::default()).unwrap();
    objects.delete("corpus").unwrap();
    objects.put("documents/of-somebody-else.txt", vec![1]).unwrap();
    assert!(writer.store().leftovers(later).is_err());
}

#[test]
fn an_address_that_was_mistyped_can_be_mended_as_long_as_nothing_is_there() {
    let Some(place) = Place::database() else { return };
    let membership = place.membership("one", LEASE);
    let wrong = place.path().join("mistyped");
    let objects = Objects::open(wrong.to_str().unwrap(), StorageOptions::default()).unwrap();
    let mistyped = WorkerParams { name: "two".into(), objects, ..membership.clone() };
    let first = worker(&place, mistyped.clone()).unwrap();
    assert!(worker(&place, membership.clone()).is_err(), "another is there");
    drop(first);
    let mut first = worker(&place, membership).unwrap();
    assert!(worker(&place, mistyped.clone()).is_err());
    store_one(&mut first).unwrap();
    drop(first);
    assert!(worker(&place, mistyped).is_err(), "it was marked once, but has no files");
}

#[test]
fn a_folder_that_is_not_mounted_any_more_is_away() {
    let Some(place) = Place::database() else { return };
    let membership = place.membership("one", LEASE);
    let folder = place.path().join("objects");
    let options = StorageOptions { patience: Duration::from_millis(300), ..StorageOptions::default() };
    let objects = Objects::open(folder.to_str().unwrap(), options).unwrap();
    let mut writer = worker(&place, WorkerParams { objects, ..membership }).unwrap();
    for mounts in [false, true] {
        std::fs::rename(&folder, place.path().join("away")).unwrap();
        if mounts {
            std::fs::create_dir(&folder).unwrap();
        }
        let error = store_one(&mut writer).unwrap_err();
        assert!(matches!(&error, StoreError::Objects(error) if error.is_unavailable()), "{error}");
        assert!(error.to_string().contains("is it mounted?"), "{error}");
        if mounts {
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "nothing is written there");
            std::fs::remove_dir(&folder).unwrap();
        }
        std::fs::rename(place.path().join("away"), &folder).unwrap();
    }
    writer.flush().unwrap();
    assert_eq!(writer.store().totals().unwrap().documents(), 1);
}

fn store_one(writer: &mut Writer) -> Result<(), StoreError> {
    let _ = partitions(writer);
    let url = CanonicalUrl::parse("http://a.example/1").unwrap();
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = writer.begin();
    change.discover(None, &found, 0, 0, QueuePosition { rank: 3, fresh: None })?;
    let id = DocumentId(*url.key().as_bytes());
    let text = Document::with_text(id, url.as_str(), url.host(), "một hai".into(), Timestamp::UNIX_EPOCH);
    writer.detect_duplicates(&DuplicateLevels::default())?;
    change.place(url.key(), PackedDocument::from_document(text), writer)?;
    writer.commit(change)?;
    writer.flush()
}

#[test]
fn workers_that_begin_together_begin_one_run() {
    let Some(place) = Place::database() else { return };
    let now = Timestamp::UNIX_EPOCH;
    let writers: Vec<Writer> =
        ["one", "two"].map(|name| worker(&place, place.membership(name, LEASE)).unwrap()).into();
    let together = std::sync::Barrier::new(writers.len());
    let runs = |mut writer: Writer| {
        let (together, mut numbers) = (&together, Vec::new());
        move || {
            for _ in 0..20 {
                together.wait();
                let (run, _) = writer.begin_run(now, false).unwrap();
                numbers.push(run.number);
                together.wait();
                writer.end_run(&run, now).unwrap();
            }
            numbers
        }
    };
    let numbers: Vec<Vec<u32>> = std::thread::scope(|scope| {
        let threads: Vec<_> = writers.into_iter().map(|writer| scope.spawn(runs(writer))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let expected: Vec<u32> = (1..=20).collect();
    assert_eq!(numbers, [expected.clone(), expected]);
}

/// The host is in a partition that an older Public Suffix List implied.
#[test]
fn a_host_stays_in_the_partition_that_has_it() {
    let Some(place) = Place::database() else { return };
    let mut one = worker(&place, place.membership("one", LEASE)).unwrap();
    let _ = partitions(&one);
    let mut change = one.begin();
    let stored = change.host("www.a.example", "of-another-list.example").unwrap();
    one.commit(change).unwrap();
    one.flush().unwrap();
    drop(one);
    let (server, address) = place.server();
    // The next worker checks the partitions, as after a change of the list.
    let _ = server.query(address, "DELETE FROM records WHERE key = convert_to('public suffixes', 'UTF8')");

    let mut one = worker(&place, place.membership("one", LEASE)).unwrap();
    let _ = partitions(&one);
    let url = CanonicalUrl::parse("http://www.a.example/1").unwrap();
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = one.begin();
    assert!(change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap());
    one.commit(change).unwrap();
    one.flush().unwrap();
    let record = one.store().url(url.key()).unwrap().unwrap();
    assert_eq!(record.host, stored.id);
    let mut change = one.begin();
    change.retry(url.key(), record, Timestamp::UNIX_EPOCH).unwrap();
    one.commit(change).unwrap();
    one.flush().unwrap();
    let visited = visit(place.path(), address, place.membership("visitor", LEASE).objects, LEASE).unwrap();
    for store in [one.store(), visited] {
        let hosts: Vec<_> = store.hosts().map(|host| host.unwrap().id).collect();
        assert_eq!(hosts, [stored.id], "it has no second record");
        assert_eq!(store.host("www.a.example").unwrap().map(|host| host.id), Some(stored.id));
    }
}

fn two_workers(place: &Place) -> (Writer, Writer, CanonicalUrl) {
    let mut one = worker(place, place.membership("one", LEASE)).unwrap();
    let _ = partitions(&one);
    let url = CanonicalUrl::parse("http://a.example/1").unwrap();
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = one.begin();
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    one.commit(change).unwrap();
    one.flush().unwrap();
    let two = worker(place, place.membership("two", LEASE)).unwrap();
    (one, two, url)
}

type Write = fn(&mut Writer, &CanonicalUrl) -> Result<(), StoreError>;

#[test]
fn nothing_is_written_for_a_partition_that_is_another_workers() {
    let writes: [(&str, Write); 6] = [
        ("a robots.txt", |writer, url| {
            let mut change = writer.begin();
            change.put_robots(url.host(), &"rules");
            writer.commit(change)
        }),
        ("a robots.txt of a redirect", |writer, url| {
            let mut change = writer.begin();
            change.put_robots_at(url, &"rules");
            writer.commit(change)
        }),
        ("a template", |writer, url| {
            let mut change = writer.begin();
            change.put_template(url.host(), 1, "{}");
            writer.commit(change)
        }),
        ("a template's health", |writer, url| {
            let mut change = writer.begin();
            change.put_health(url.host(), &1);
            writer.commit(change)
        }),
        ("a raw page", |writer, url| {
            let page = RawPage {
                body: b"<p>".to_vec(),
                content_type: None,
                fetched: Timestamp::UNIX_EPOCH,
                ..RawPage::default()
            };
            let mut change = writer.begin();
            change.put_page(url.key(), PackedPage::from_page(&page));
            writer.commit(change)
        }),
        ("a message", |writer, url| {
            let mut change = writer.begin();
            let target = CanonicalUrl::parse("http://b.example/robots.txt").unwrap();
            change.send_robots_query(url, &target, 1);
            writer.commit(change)
        }),
    ];
    for (what, write) in writes {
        let Some(place) = Place::database() else { return };
        let (mut one, two, url) = two_workers(&place);
        let (server, address) = place.server();
        write(&mut one, &url).unwrap();
        // The other worker gets the leases before this worker's flush.
        let sql = format!(
            "UPDATE leases SET owner = '{}', epoch = epoch + 1",
            two.store().leases().unwrap().session()
        );
        let _ = server.query(address, &sql);
        assert!(matches!(one.flush(), Err(StoreError::NotOurs)), "{what} is flushed");
        one.rejoin().unwrap();
        assert!(matches!(write(&mut one, &url), Err(StoreError::NotOurs)), "{what} is committed");
    }
}

#[test]
fn who_holds_nothing_flushes_nothing() {
    let Some(place) = Place::database() else { return };
    let (mut one, _two, _) = two_workers(&place);
    let all = one.store().held_partitions();
    let end = gleaner_store::ArchiveEnd { file: "a".into(), length: 1 };
    let mut change = one.begin();
    change.put_archive_end(&end);
    one.commit(change).unwrap();
    one.flush().unwrap();
    one.release(&all).unwrap();
    let mut change = one.begin();
    change.put_archive_end(&end);
    one.commit(change).unwrap();
    assert!(matches!(one.flush(), Err(StoreError::NotOurs)));
}

#[test]
fn who_flushes_has_something_to_do() {
    let Some(place) = Place::database() else { return };
    let (mut one, _two, url) = two_workers(&place);
    let (server, address) = place.server();
    let _ = server.query(address, "UPDATE workers SET idle = true");
    assert!(one.store().are_all_idle().unwrap());
    let mut change = one.begin();
    change.put_robots(url.host(), &"rules");
    one.commit(change).unwrap();
    one.flush().unwrap();
    // The flush may have removed a message. Without the message, only the busy worker shows that work remains.
    assert!(!one.store().are_all_idle().unwrap());
}

#[test]
fn a_worker_that_died_at_work_leaves_work() {
    let Some(place) = Place::database() else { return };
    let (_one, two, _) = two_workers(&place);
    let (server, address) = place.server();
    let _ = server.query(address, "UPDATE workers SET idle = name = 'two'");
    assert!(!two.store().are_all_idle().unwrap());
    let _ = server.query(address, "UPDATE workers SET idle = true");
    assert!(two.store().are_all_idle().unwrap());
    let _ =
        server.query(address, "UPDATE workers SET until = now() - interval '1 second' WHERE name = 'one'");
    assert!(!two.store().are_all_idle().unwrap());
}

#[test]
fn a_heartbeat_writes_no_lease() {
    let Some(place) = Place::database() else { return };
    let (mut one, _two, _) = two_workers(&place);
    let (server, address) = place.server();
    let leases =
        || server.query(address, "SELECT partition, owner, epoch, xmin FROM leases ORDER BY partition");
    let ends = || server.query(address, "SELECT until FROM workers WHERE name = 'one'");
    let before = (leases(), ends());
    one.work().unwrap();
    assert_eq!(leases(), before.0);
    assert_ne!(ends(), before.1);
}

#[test]
fn a_partition_whose_worker_died_is_told_from_one_that_was_given_up() {
    let Some(place) = Place::database() else { return };
    let (mut one, mut two, _) = two_workers(&place);
    let _ = two.store().leases().unwrap().gained();
    let all = one.store().held_partitions();
    one.release(&all[..100]).unwrap();
    two.work().unwrap();
    let gained = two.store().leases().unwrap().gained();
    assert!(gained.len() == 100 && gained.iter().all(|gained| !gained.was_left), "{gained:?}");
    let (server, address) = place.server();
    let past = "UPDATE workers SET seen = now() - interval '1 hour', until = now() - interval '1 second' WHERE name = 'one'";
    let _ = server.query(address, past);
    two.work().unwrap();
    let gained = two.store().leases().unwrap().gained();
    assert!(gained.len() == 156 && gained.iter().all(|gained| gained.was_left), "{gained:?}");
}
