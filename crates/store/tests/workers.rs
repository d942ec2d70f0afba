//! Workers of one database: who has parts, under which settings, with which storage.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::time::Duration;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, Found, Role};
use gleaner_objects::{Objects, Options};
use gleaner_store::{Duplicates, Levels, Membership, PackedDocument, StoreError, Turn, Writer, join};
use jiff::{SignedDuration, Timestamp};

mod common;

use common::Place;

const LEASE: Duration = Duration::from_secs(30);

fn worker(place: &Place, membership: Membership) -> Result<Writer, StoreError> {
    let folder = place.path().join(&membership.name);
    join(&folder, &membership)
}

/// Parts that a worker has, when it was told of them.
fn parts(writer: &Writer) -> usize {
    let store = writer.store();
    let _ = store.tenure().unwrap().gained();
    store.held_parts().len()
}

#[test]
fn who_waits_for_a_crawl_has_no_parts_and_takes_none() {
    let Some(place) = Place::database() else { return };
    let waits = |name| Membership { waits: true, ..place.membership(name, LEASE) };
    let mut one = worker(&place, waits("one")).unwrap();
    assert_eq!(parts(&one), 0);
    let mut two = worker(&place, waits("two")).unwrap();
    one.work().unwrap();
    assert_eq!((parts(&one), parts(&two)), (256, 0), "the share of one that waits is the others'");
    two.work().unwrap();
    one.work().unwrap();
    assert_eq!(one.store().tenure().unwrap().excess(), 128);
    let seen = one.store().workers(LEASE).unwrap();
    assert!(seen.iter().all(|worker| !worker.waiting), "{seen:?}");

    one.rest().unwrap();
    assert_eq!(parts(&one), 0);
    two.work().unwrap();
    assert_eq!(parts(&two), 256);
    let seen = two.store().workers(LEASE).unwrap();
    let of = |name| seen.iter().find(|worker| worker.name == name).unwrap();
    assert!(of("one").waiting && of("one").idle && !of("two").waiting, "{seen:?}");
    assert!(matches!(one.commit(one.begin()), Ok(())), "what changes nothing is nobody's");
}

#[test]
fn whoever_comes_anew_comes_by_the_settings_of_now() {
    let Some(place) = Place::database() else { return };
    let mut one = worker(&place, place.membership("one", LEASE)).unwrap();
    // It sleeps.
    let (server, address) = place.server();
    let _ = server.query(address, "UPDATE workers SET seen = now() - interval '1 hour'");
    let mut others = place.membership("two", LEASE);
    others.settings.insert("fetch.delay".into(), "9s".into());
    let _two = worker(&place, others).unwrap();
    for come in [Writer::begin_anew, Writer::work] {
        let refused = come(&mut one).unwrap_err().to_string();
        assert!(refused.contains("fetch.delay is 5s here and 9s there"), "{refused}");
    }
    let _ = server.query(address, "INSERT INTO gleaner_schema (version) VALUES (99)");
    let refused = one.begin_anew().unwrap_err().to_string();
    assert!(refused.contains("version 99"), "{refused}");
}

#[test]
fn a_corpus_has_one_storage() {
    let Some(place) = Place::database() else { return };
    let membership = place.membership("one", LEASE);
    let mut writer = worker(&place, membership.clone()).unwrap();
    store_one(&mut writer).unwrap();
    drop(writer);
    let elsewhere = place.path().join("elsewhere");
    let objects = Objects::open(elsewhere.to_str().unwrap(), Options::default()).unwrap();
    let moved = Membership { objects: objects.clone(), ..membership.clone() };
    let refused = worker(&place, moved.clone()).unwrap_err();
    assert!(matches!(&refused, StoreError::NotItsStorage { .. }), "{refused}");
    assert!(objects.list("").unwrap().is_empty(), "it is not marked by that");

    // Files are moved, all and with their mark, but not beside a worker that writes to the old place.
    objects.put("corpus", membership.objects.get("corpus").unwrap()).unwrap();
    assert!(worker(&place, moved.clone()).is_err(), "its files are not there");
    for file in membership.objects.list("documents").unwrap() {
        objects.put(&file.name, membership.objects.get(&file.name).unwrap()).unwrap();
    }
    let there = worker(&place, membership.clone()).unwrap();
    let late = Membership { name: "late".into(), ..moved.clone() };
    let refused = worker(&place, late.clone()).unwrap_err();
    assert!(matches!(&refused, StoreError::NotItsStorage { .. }), "{refused}");
    assert_eq!(there.store().workers(LEASE).unwrap().len(), 1, "who is refused is not there");
    drop(there);
    drop(worker(&place, late).unwrap());
    membership.objects.delete("corpus").unwrap();
    assert!(worker(&place, membership).is_err());
    let writer = worker(&place, moved).unwrap();

    // A lost mark is no reason to remove what does not count.
    let later = Timestamp::now() + SignedDuration::from_hours(1);
    assert_eq!(writer.store().leftovers(later).unwrap(), []);
    let objects = Objects::open(elsewhere.to_str().unwrap(), Options::default()).unwrap();
    objects.delete("corpus").unwrap();
    objects.put("documents/of-somebody-else.txt", vec![1]).unwrap();
    assert!(writer.store().leftovers(later).is_err());
}

#[test]
fn an_address_that_was_mistyped_can_be_mended_as_long_as_nothing_is_there() {
    let Some(place) = Place::database() else { return };
    let membership = place.membership("one", LEASE);
    let wrong = place.path().join("mistyped");
    let objects = Objects::open(wrong.to_str().unwrap(), Options::default()).unwrap();
    let mistyped = Membership { name: "two".into(), objects, ..membership.clone() };
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
    let options = Options { patience: Duration::from_millis(300), ..Options::default() };
    let objects = Objects::open(folder.to_str().unwrap(), options).unwrap();
    let mut writer = worker(&place, Membership { objects, ..membership }).unwrap();
    for mounts in [false, true] {
        std::fs::rename(&folder, place.path().join("away")).unwrap();
        if mounts {
            std::fs::create_dir(&folder).unwrap();
        }
        let error = store_one(&mut writer).unwrap_err();
        assert!(matches!(&error, StoreError::Objects(error) if error.is_away()), "{error}");
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

/// Stores a document.
fn store_one(writer: &mut Writer) -> Result<(), StoreError> {
    let _ = parts(writer);
    let url = CanonicalUrl::parse("http://a.example/1").unwrap();
    let found = Found { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = writer.begin();
    change.discover(&found, 0, 0, Turn { rank: 3, fresh: None })?;
    let id = DocumentId(*url.key().as_bytes());
    let text = Document::bare(id, url.as_str(), url.host(), "một hai".into(), Timestamp::UNIX_EPOCH);
    let mut duplicates = Duplicates::of(&writer.store(), &Levels::default())?;
    change.place(url.key(), PackedDocument::of(text), &mut duplicates)?;
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
