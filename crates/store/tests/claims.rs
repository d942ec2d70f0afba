//! Tests equal and similar texts that two workers store. Skipped if PostgreSQL is not installed.

use std::time::Duration;

use gleaner_corpus::dedup::Representative;
use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role};
use gleaner_store::{DuplicateLevels, PackedDocument, PartitionId, QueuePosition, StoreError, Writer};
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
    for worker in [&mut one, &mut two] {
        worker.detect_duplicates(&DuplicateLevels::default()).unwrap();
    }
    assert_eq!((one.store().held_partitions().len(), two.store().held_partitions().len()), (128, 128));
    (one, two)
}

/// Returns a URL in a partition of the worker for which `is_free` returns true.
fn url_in(writer: &Writer, site: &str, is_free: impl Fn(PartitionId) -> bool) -> CanonicalUrl {
    let store = writer.store();
    let held = store.held_partitions();
    let mut urls =
        (0..).map(|number| CanonicalUrl::parse(&format!("http://{site}{number}.example/1")).unwrap());
    let is_fit = |url: &CanonicalUrl| {
        let partition = store.partition_of_url(url);
        held.contains(&partition) && is_free(partition)
    };
    urls.find(is_fit).unwrap()
}

/// Stores the record of a URL as in [`url_in`]. Returns the URL.
fn discover(writer: &mut Writer, site: &str, is_free: impl Fn(PartitionId) -> bool) -> CanonicalUrl {
    let url = url_in(writer, site, is_free);
    add(writer, &url);
    url
}

fn add(writer: &mut Writer, url: &CanonicalUrl) {
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = writer.begin();
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    writer.commit(change).unwrap();
    writer.flush().unwrap();
}

fn id(url: &CanonicalUrl) -> DocumentId {
    DocumentId(*url.key().as_bytes())
}

fn place_text(writer: &mut Writer, url: &CanonicalUrl) {
    place(writer, url, "Rain fell in the valley on Tuesday.".to_owned());
}

fn place(writer: &mut Writer, url: &CanonicalUrl, text: String) -> Outcome {
    let document = Document::with_text(id(url), url.as_str(), url.host(), text, Timestamp::UNIX_EPOCH);
    let mut change = writer.begin();
    let placed = change.place(url.key(), PackedDocument::from_document(document), writer).unwrap();
    let record = change.url(url.key()).unwrap().unwrap();
    change.end(url.key(), record, placed.clone(), None).unwrap();
    writer.commit(change).unwrap();
    placed
}

fn withdraw(writer: &mut Writer, url: &CanonicalUrl) {
    let mut change = writer.begin();
    change.withdraw(url.key(), writer).unwrap();
    writer.commit(change).unwrap();
}

fn receive(writer: &mut Writer) -> Result<usize, StoreError> {
    let mut change = writer.begin();
    let received = change.receive(1_000, writer)?;
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
    assert_eq!(store.url(second.key()).unwrap().unwrap().duplicate_of, Some(first.key()));
    assert_eq!(store.documents().count(), 1);
    assert_eq!(faults(&store), [""; 0]);
}

/// The second worker has found a link to the first worker's page before that page was known.
#[test]
fn a_link_to_the_page_with_the_text_was_read_ahead() {
    let Some(place) = Place::database() else { return };
    let (mut one, mut two) = two_workers(&place);
    let (first, second) = (url_in(&one, "z", |_| true), discover(&mut two, "y", |_| true));
    two.store().read_ahead([&first], []).unwrap();
    add(&mut one, &first);
    place_text(&mut two, &second);
    place_text(&mut one, &first);
    one.flush().unwrap();
    two.flush().unwrap();
    exchange(&mut one, &mut two);
    assert_eq!(two.store().url(second.key()).unwrap().unwrap().duplicate_of, Some(first.key()));
    assert_eq!(faults(&two.store()), [""; 0]);
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
    assert_eq!(two.store().url(third.key()).unwrap().unwrap().duplicate_of, None);

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
    let another = "INSERT INTO workers (session, name, version, until) VALUES ('another', 'another', '', now() + interval '1 hour')";
    let _ = server.query(address, another);
    let _ = server.query(
        address,
        "UPDATE leases SET owner = 'another', epoch = epoch + 1 WHERE partition IN (SELECT partition FROM leases ORDER BY partition LIMIT 10)",
    );
    one.rejoin().unwrap();
    let _ = one.store().leases().unwrap().gained();
    assert_eq!(one.store().held_partitions().len(), 246);
}

/// Returns 90 words of a topic. Variants differ in one word.
fn similar(topic: &str, variant: usize) -> String {
    let letters = |number: usize| -> String {
        number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
    };
    let word = |at: usize| match at {
        _ if at == 10 * (variant + 1) => format!("variant{}", letters(variant)),
        _ => format!("{topic}{}", letters(at * at % 211)),
    };
    (0..90).map(word).collect::<Vec<_>>().join(" ")
}

/// Adds a page of the same site.
fn page(writer: &mut Writer, of: &CanonicalUrl, number: usize) -> CanonicalUrl {
    let url = CanonicalUrl::parse(&format!("http://{}/{number}", of.host())).unwrap();
    let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
    let mut change = writer.begin();
    change.discover(None, &found, 0, 0, QueuePosition::default()).unwrap();
    writer.commit(change).unwrap();
    url
}

#[test]
fn near_duplicates_of_a_site_are_found_whichever_worker_has_it() {
    let Some(place_of_both) = Place::database() else { return };
    let (mut one, mut two) = two_workers(&place_of_both);
    let levels = DuplicateLevels { memory: 1 << 16, ..DuplicateLevels::default() };
    for worker in [&mut one, &mut two] {
        worker.detect_duplicates(&levels).unwrap();
    }
    let near = |of: &CanonicalUrl, outcome| matches!(outcome, Outcome::NearDuplicate { of: head, .. } if head == of.key());
    let (first, elsewhere) = (discover(&mut one, "n", |_| true), discover(&mut two, "m", |_| true));
    let partition = one.store().partition_of_url(&first);
    assert_eq!(place(&mut one, &first, similar("rain", 0)), Outcome::Stored);
    let copy = place(&mut two, &elsewhere, similar("rain", 1));
    assert_eq!(copy, Outcome::Stored, "it is a copy on another site");

    one.flush().unwrap();
    one.rest().unwrap();
    two.work().unwrap();
    assert_eq!(two.store().leases().unwrap().gained().len(), 128);
    let second = page(&mut two, &first, 2);
    assert!(near(&first, place(&mut two, &second, similar("rain", 2))));
    let third = page(&mut two, &first, 3);
    assert_eq!(place(&mut two, &third, similar("wind", 0)), Outcome::Stored);

    // The first worker had an index of the partition before the second worker added a document.
    two.flush().unwrap();
    two.release(&[partition]).unwrap();
    one.work().unwrap();
    let _ = one.store().leases().unwrap().gained();
    assert_eq!(one.store().held_partitions(), [partition]);
    let fourth = page(&mut one, &first, 4);
    assert!(near(&third, place(&mut one, &fourth, similar("wind", 1))));
    one.flush().unwrap();
    let totals = one.store().totals().unwrap();
    assert_eq!((totals.near_duplicates, totals.clusters), (2, 2));
    assert_eq!(faults(&one.store()), [""; 0]);
}

/// A worker loses the text of a document that represents a cluster.
#[test]
fn the_next_representative_is_chosen_and_found_as_the_levels_say() {
    let Some(place_of_both) = Place::database() else { return };
    let (mut one, mut two) = two_workers(&place_of_both);
    let levels = DuplicateLevels {
        memory: 1 << 16,
        representative: Representative::Longest,
        ..DuplicateLevels::default()
    };
    for worker in [&mut one, &mut two] {
        worker.detect_duplicates(&levels).unwrap();
    }
    let (theirs, lost) = (discover(&mut one, "n", |_| true), discover(&mut two, "m", |_| true));
    let [short, long, later] = [2, 3, 4].map(|number| page(&mut two, &lost, number));
    let longest = similar("rain", 0) + " one two three";
    place(&mut one, &theirs, longest.clone());
    place(&mut two, &lost, longest);
    place(&mut two, &short, similar("rain", 1));
    place(&mut two, &long, similar("rain", 2) + " one");
    one.flush().unwrap();
    two.flush().unwrap();
    assert_eq!(two.store().url(lost.key()).unwrap().unwrap().duplicate_of, Some(theirs.key()));
    let found = place(&mut two, &later, similar("rain", 3));
    assert!(matches!(found, Outcome::NearDuplicate { of, .. } if of == long.key()), "{found:?}");
    exchange(&mut one, &mut two);
    assert_eq!(faults(&two.store()), [""; 0]);
}
