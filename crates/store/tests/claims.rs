//! Tests texts that two workers store at the same time. Skipped if PostgreSQL is not installed.

use std::time::Duration;

use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, Found, Role};
use gleaner_store::{Duplicates, Levels, PackedDocument, PartitionId, StoreError, Turn, Writer};
use jiff::Timestamp;

use crate::common::{Place, faults};

const LEASE: Duration = Duration::from_secs(30);

/// Returns two workers, each with half of the partitions.
fn two_workers(place: &Place) -> (Writer, Writer) {
    let mut one = place.worker("one", LEASE);
    let mut two = gleaner_store::join(&place.path().join("two"), &place.membership("two", LEASE)).unwrap();
    let all = one.store().held_partitions();
    one.release(&all[..128]).unwrap();
    two.work().unwrap();
    let _ = two.store().leases().unwrap().gained();
    assert_eq!((one.store().held_partitions().len(), two.store().held_partitions().len()), (128, 128));
    (one, two)
}

/// Stores the record of a URL in a partition of the worker for which `is_free` returns true. Returns the URL.
fn discover(writer: &mut Writer, site: &str, is_free: impl Fn(PartitionId) -> bool) -> CanonicalUrl {
    let store = writer.store();
    let held = store.held_partitions();
    let mut urls =
        (0..).map(|number| CanonicalUrl::parse(&format!("http://{site}{number}.example/1")).unwrap());
    let is_fit = |url: &CanonicalUrl| {
        let partition = store.partition_of_url(url);
        held.contains(&partition) && is_free(partition)
    };
    let url = urls.find(is_fit).unwrap();
    let found = Found { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = writer.begin();
    change.discover(&found, 0, 0, Turn::default()).unwrap();
    writer.commit(change).unwrap();
    writer.flush().unwrap();
    url
}

fn id(url: &CanonicalUrl) -> DocumentId {
    DocumentId(*url.key().as_bytes())
}

fn place_text(writer: &mut Writer, url: &CanonicalUrl) {
    let text = "Rain fell in the valley on Tuesday.".to_owned();
    let document = Document::bare(id(url), url.as_str(), url.host(), text, Timestamp::UNIX_EPOCH);
    let mut duplicates = Duplicates::new(&writer.store(), &Levels::default()).unwrap();
    let mut change = writer.begin();
    let placed = change.place(url.key(), PackedDocument::from_document(document), &mut duplicates).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, placed.into(), None).unwrap();
    writer.commit(change).unwrap();
}

fn withdraw(writer: &mut Writer, url: &CanonicalUrl) {
    let mut duplicates = Duplicates::new(&writer.store(), &Levels::default()).unwrap();
    let mut change = writer.begin();
    change.withdraw(url.key(), &mut duplicates).unwrap();
    writer.commit(change).unwrap();
}

fn receive(writer: &mut Writer) -> Result<usize, StoreError> {
    let mut duplicates = Duplicates::new(&writer.store(), &Levels::default())?;
    let mut change = writer.begin();
    let received = change.receive(1_000, &mut duplicates)?;
    writer.commit(change)?;
    Ok(received.done)
}

fn exchange(one: &mut Writer, two: &mut Writer) {
    loop {
        let received = receive(one).unwrap() + receive(two).unwrap();
        one.flush().unwrap();
        two.flush().unwrap();
        if received == 0 {
            return;
        }
    }
}

#[test]
fn the_second_worker_gets_an_alias() {
    let Some(place) = Place::database() else { return };
    let (mut one, mut two) = two_workers(&place);
    let (first, second) = (discover(&mut one, "z", |_| true), discover(&mut two, "y", |_| true));
    place_text(&mut one, &first);
    place_text(&mut two, &second);
    one.flush().unwrap();
    two.flush().unwrap();
    exchange(&mut one, &mut two);
    let store = two.store();
    assert_eq!(store.url(second.key()).unwrap().unwrap().twin_of, Some(first.key()));
    assert_eq!(store.documents().count(), 1);
    assert_eq!(faults(&store), [""; 0]);
}

/// A worker loses a text that has an alias in another of its partitions. The message that removes the alias
/// has not arrived there yet.
#[test]
fn a_page_without_the_text_does_not_become_an_alias_again() {
    let Some(place) = Place::database() else { return };
    let (mut one, mut two) = two_workers(&place);
    let first = discover(&mut one, "z", |_| true);
    let second = discover(&mut two, "y", |_| true);
    let partition = two.store().partition_of_url(&second);
    let third = discover(&mut two, "u", |other| other != partition);

    place_text(&mut two, &second);
    place_text(&mut two, &third);
    assert_eq!(receive(&mut two).unwrap(), 1, "the alias is stored with the document");
    place_text(&mut one, &first);
    one.flush().unwrap();
    withdraw(&mut two, &third);
    two.flush().unwrap();
    assert_eq!(two.store().url(third.key()).unwrap().unwrap().twin_of, None);

    exchange(&mut one, &mut two);
    withdraw(&mut one, &first);
    withdraw(&mut two, &second);
    exchange(&mut one, &mut two);
    let left: Vec<_> = two.store().documents().map(|document| document.unwrap().url).collect();
    assert_eq!(left, [""; 0]);
    assert_eq!(faults(&two.store()), [""; 0]);
}

#[test]
fn a_worker_that_comes_back_has_its_other_partitions() {
    let Some(place) = Place::database() else { return };
    let mut one = place.worker("one", LEASE);
    let (server, address) = place.server();
    let _ = server.query(
        address,
        "UPDATE leases SET owner = 'another', epoch = epoch + 1 WHERE part IN (SELECT part FROM leases ORDER BY part LIMIT 10)",
    );
    one.rejoin().unwrap();
    let _ = one.store().leases().unwrap().gained();
    assert_eq!(one.store().held_partitions().len(), 246);
}
