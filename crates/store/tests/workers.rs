//! Workers of one database: who has parts, under which settings, with which storage.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

use std::time::Duration;

use gleaner_objects::{Objects, Options};
use gleaner_store::{Membership, StoreError, Writer, join};

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
    drop(worker(&place, membership.clone()).unwrap());
    let elsewhere = place.path().join("elsewhere");
    let objects = Objects::open(elsewhere.to_str().unwrap(), Options::default()).unwrap();
    let moved = Membership { objects: objects.clone(), ..membership.clone() };
    let refused = worker(&place, moved.clone()).unwrap_err();
    assert!(matches!(&refused, StoreError::NotItsStorage { .. }), "{refused}");
    assert!(objects.list("").unwrap().is_empty(), "it is not marked by that");

    // Files are moved with their mark, and from then on they are there.
    objects.put("corpus", membership.objects.get("corpus").unwrap()).unwrap();
    drop(worker(&place, moved.clone()).unwrap());
    membership.objects.delete("corpus").unwrap();
    assert!(worker(&place, membership).is_err());
    drop(worker(&place, moved).unwrap());
}
