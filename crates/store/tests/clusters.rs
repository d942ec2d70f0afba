//! Tests clusters of near-duplicates. With any settings and any sequence of stored, replaced and withdrawn
//! documents, the store is consistent and loses nothing.

use std::collections::{BTreeMap, BTreeSet};

use gleaner_corpus::dedup::{Representative, SimilarityParams};
use gleaner_corpus::{Document, DocumentId};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, UrlKey};
use gleaner_store::{DuplicateLevels, PackedDocument, QueuePosition, Writer};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::common::{Place, faults, on_each_engine, settle};

on_each_engine!(
    copies_join_the_first_and_leave_it_to_the_next,
    a_page_that_came_first_stays_the_first_when_its_text_changes,
    an_heir_of_the_same_text_keeps_the_place_in_the_cluster,
    levels_can_be_switched_off_and_the_similarity_chosen,
    the_store_agrees_with_itself_after_any_steps,
    a_store_of_several_partitions_agrees_with_itself_after_any_steps,
    the_head_is_the_preferred_one,
);

const TOPICS: [&str; 3] = ["rain", "wind", "snow"];

fn letters(number: usize) -> String {
    number.to_string().bytes().map(|digit| char::from(digit + 49)).collect()
}

/// Returns at least 90 words of a topic. Each variant has one different word, and is one word longer than the
/// previous variant.
fn text(topic: usize, variant: usize) -> String {
    let word = |at: usize| match at {
        _ if at == 10 * (variant + 1) => format!("variant{}", letters(variant)),
        _ => format!("{}{}", TOPICS[topic], letters(at * at % 211)),
    };
    (0..90 + variant).map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the URL of a page. Pages below 100 are on three hosts of one domain, the others on three domains.
fn url(page: usize) -> CanonicalUrl {
    let domain = if page < 100 { "news.example" } else { "example" };
    CanonicalUrl::parse(&format!("http://a{}.{domain}/{page}", page % 3)).unwrap()
}

fn id(page: usize) -> DocumentId {
    DocumentId(*url(page).key().as_bytes())
}

fn document(page: usize, text: &str) -> Document {
    let url = url(page);
    Document::with_text(id(page), url.as_str(), url.host(), text.into(), Timestamp::UNIX_EPOCH)
}

struct Corpus {
    writer: Writer,
    levels: DuplicateLevels,
}

impl Corpus {
    fn new(place: &Place, representative: Representative) -> Self {
        let mut writer = place.open();
        let levels = DuplicateLevels { representative, memory: 1 << 16, ..DuplicateLevels::default() };
        writer.detect_duplicates(&levels).unwrap();
        Self { writer, levels }
    }

    fn set(&mut self, change: impl FnOnce(&mut DuplicateLevels)) {
        change(&mut self.levels);
        self.writer.detect_duplicates(&self.levels).unwrap();
    }

    fn place(&mut self, page: usize, text: &str) -> Outcome {
        let (url, mut change) = (url(page), self.writer.begin());
        let found = FoundUrl { url: url.clone(), role: Role::Page, dated: None, news: false };
        change.discover(None, &found, 0, 0, QueuePosition { rank: 3, fresh: None }).unwrap();
        let packed = PackedDocument::from_document(document(page, text));
        let outcome = change.place(url.key(), packed, &mut self.writer).unwrap();
        let record = change.url(url.key()).unwrap().unwrap();
        change.end(url.key(), record, outcome.clone(), None).unwrap();
        self.writer.commit(change).unwrap();
        settle(&mut self.writer);
        outcome
    }

    fn withdraw(&mut self, page: usize) {
        let (url, mut change) = (url(page), self.writer.begin());
        change.withdraw(url.key(), &mut self.writer).unwrap();
        if let Some(record) = change.url(url.key()).unwrap() {
            let outcome = Outcome::NotArticle { reason: "no_text".into() };
            change.end(url.key(), record, outcome, None).unwrap();
        }
        self.writer.commit(change).unwrap();
        settle(&mut self.writer);
    }

    fn last(&self, page: usize) -> Outcome {
        self.writer.store().url(url(page).key()).unwrap().unwrap().last.unwrap()
    }

    fn clusters(&self) -> BTreeMap<DocumentId, BTreeSet<DocumentId>> {
        let store = self.writer.store();
        let clusters: Vec<_> = store.clusters().map(Result::unwrap).collect();
        let members = |cluster| store.members(cluster).unwrap().map(|member| member.unwrap().id).collect();
        clusters.iter().map(|cluster| (cluster.representative, members(cluster))).collect()
    }

    fn faults(&self) -> Vec<String> {
        faults(&self.writer.store())
    }
}

fn near(outcome: Outcome) -> Option<UrlKey> {
    let Outcome::NearDuplicate { of, similarity } = outcome else { return None };
    assert!((50..100).contains(&similarity), "{similarity}");
    Some(of)
}

fn copies_join_the_first_and_leave_it_to_the_next(place: &Place) {
    let mut corpus = Corpus::new(place, Representative::First);
    assert_eq!(corpus.place(0, &text(0, 1)), Outcome::Stored);
    assert_eq!(near(corpus.place(1, &text(0, 3))), Some(url(0).key()));
    assert_eq!(near(corpus.place(2, &text(0, 0))), Some(url(0).key()));
    assert_eq!(corpus.place(3, &text(1, 0)), Outcome::Stored);
    assert_eq!(corpus.clusters(), BTreeMap::from([(id(0), BTreeSet::from([id(1), id(2)]))]));
    let totals = corpus.writer.store().totals().unwrap();
    assert_eq!((totals.documents(), totals.near_duplicates, totals.clusters), (4, 2, 1));
    // When the representative is withdrawn, the next document becomes the representative, and its outcome
    // changes.
    corpus.withdraw(0);
    assert_eq!(corpus.clusters(), BTreeMap::from([(id(1), BTreeSet::from([id(2)]))]));
    assert_eq!(corpus.last(1), Outcome::Stored);
    // The new representative is in the index, even after the index is built again.
    corpus.set(|_| {});
    assert_eq!(near(corpus.place(4, &text(0, 2))), Some(url(1).key()));
    assert_eq!(corpus.faults(), [""; 0]);
    for page in [1, 2] {
        corpus.withdraw(page);
    }
    assert_eq!(corpus.clusters(), BTreeMap::new());
    assert_eq!(corpus.last(4), Outcome::Stored);
    assert_eq!(corpus.faults(), [""; 0]);
}

fn a_page_that_came_first_stays_the_first_when_its_text_changes(place: &Place) {
    let mut corpus = Corpus::new(place, Representative::First);
    for page in 0..3 {
        corpus.place(page, &text(0, page));
    }
    let before = corpus.clusters();
    assert_eq!(corpus.place(0, &text(0, 3)), Outcome::Stored);
    assert_eq!((corpus.clusters(), corpus.faults()), (before, vec![]));
    assert!(matches!(corpus.last(1), Outcome::NearDuplicate { of, .. } if of == url(0).key()));
    // With a completely different text, the page leaves the cluster. The last member of a cluster is then
    // alone.
    corpus.place(0, &text(1, 0));
    assert_eq!(corpus.clusters(), BTreeMap::from([(id(1), BTreeSet::from([id(2)]))]));
    corpus.place(1, &text(2, 0));
    assert_eq!((corpus.clusters(), corpus.faults()), (BTreeMap::new(), vec![]));
    assert_eq!(corpus.last(2), Outcome::Stored);
}

#[test]
fn the_longest_takes_the_place_of_the_first() {
    let place = &Place::folder();
    let mut corpus = Corpus::new(place, Representative::Longest);
    corpus.place(0, &text(0, 1));
    assert_eq!(corpus.place(1, &text(0, 2)), Outcome::Stored);
    assert_eq!(near(corpus.place(2, &text(0, 0))), Some(url(1).key()));
    assert_eq!(corpus.clusters(), BTreeMap::from([(id(1), BTreeSet::from([id(0), id(2)]))]));
    assert!(matches!(corpus.last(0), Outcome::NearDuplicate { of, .. } if of == url(1).key()));
    corpus.withdraw(1);
    assert_eq!(corpus.clusters(), BTreeMap::from([(id(0), BTreeSet::from([id(2)]))]));
    assert_eq!(corpus.faults(), [""; 0]);
}

fn an_heir_of_the_same_text_keeps_the_place_in_the_cluster(place: &Place) {
    let mut corpus = Corpus::new(place, Representative::First);
    for (page, variant) in [(0, 0), (1, 0), (2, 1), (3, 1)] {
        corpus.place(page, &text(0, variant));
    }
    assert_eq!(corpus.clusters(), BTreeMap::from([(id(0), BTreeSet::from([id(2)]))]));
    corpus.withdraw(0);
    corpus.withdraw(2);
    assert_eq!(corpus.clusters(), BTreeMap::from([(id(1), BTreeSet::from([id(3)]))]));
    assert_eq!(corpus.last(1), Outcome::Stored);
    assert!(matches!(corpus.last(3), Outcome::NearDuplicate { of, .. } if of == url(1).key()));
    assert_eq!(corpus.faults(), [""; 0]);
}

fn levels_can_be_switched_off_and_the_similarity_chosen(place: &Place) {
    let mut corpus = Corpus::new(place, Representative::First);
    corpus.set(|levels| levels.near = None);
    assert_eq!(corpus.place(0, &text(0, 0)), Outcome::Stored);
    assert_eq!(corpus.place(1, &text(0, 1)), Outcome::Stored);
    assert_eq!(corpus.writer.store().similarity_info(id(0)).unwrap(), None);
    // The document has no signature. It is compared when it is extracted again.
    corpus.set(|levels| levels.near = Some(SimilarityParams::default().with_duplicate(0.95)));
    assert_eq!(corpus.place(0, &text(0, 0)), Outcome::Stored);
    assert_eq!(corpus.place(2, &text(0, 2)), Outcome::Stored);
    let similarity_info = corpus.writer.store().similarity_info(id(2)).unwrap().unwrap();
    assert_eq!(
        (similarity_info.representative, similarity_info.similarity, similarity_info.related[0].0),
        (id(2), None, id(0))
    );
    corpus.set(|levels| levels.near = Some(SimilarityParams::default()));
    assert!(near(corpus.place(1, &text(0, 1))).is_some());
    let similarity_info = corpus.writer.store().similarity_info(id(1)).unwrap().unwrap();
    assert!(similarity_info.similarity.is_some_and(|similarity| similarity > 0.5), "{similarity_info:?}");
    assert!(corpus.writer.store().is_member(id(1)).unwrap());
    // Clusters stay consistent even if detection is switched off.
    corpus.set(|levels| levels.near = None);
    corpus.withdraw(0);
    corpus.withdraw(2);
    assert_eq!((corpus.clusters(), corpus.faults()), (BTreeMap::new(), vec![]));
}

#[derive(Debug, Clone)]
enum Step {
    Place(usize, usize, usize),
    Withdraw(usize),
    Set(bool, bool, bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (0..6_usize, 0..2_usize, 0..4_usize).prop_map(|(page, topic, text)| Step::Place(page, topic, text)),
        2 => (0..6_usize).prop_map(Step::Withdraw),
        1 => any::<(bool, bool, bool)>().prop_map(|(exact, near, longest)| Step::Set(exact, near, longest)),
    ]
}

fn runner(place: &Place) -> TestRunner {
    let cases = place.cases(64);
    TestRunner::new(ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() })
}

fn the_store_agrees_with_itself_after_any_steps(place: &Place) {
    check_any_steps(place, 0);
}

fn a_store_of_several_partitions_agrees_with_itself_after_any_steps(place: &Place) {
    check_any_steps(place, 100);
}

fn check_any_steps(place: &Place, first: usize) {
    let steps = prop::collection::vec(step(), 1..25);
    let run = runner(place).run(&steps, |steps| {
        let place = place.another();
        let mut corpus = Corpus::new(&place, Representative::First);
        let mut said: BTreeMap<usize, String> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Place(page, topic, variant) => {
                    corpus.place(first + page, &text(topic, variant));
                    said.insert(page, text(topic, variant));
                }
                Step::Withdraw(page) => {
                    corpus.withdraw(first + page);
                    said.remove(&page);
                }
                Step::Set(exact, near, is_longest) => corpus.set(|levels| {
                    levels.exact = exact;
                    levels.near = near.then(SimilarityParams::default);
                    levels.representative = if is_longest && !place.is_database() {
                        Representative::Longest
                    } else {
                        Representative::First
                    };
                }),
            }
            prop_assert_eq!(corpus.faults(), [""; 0]);
            let store = corpus.writer.store();
            let texts: BTreeSet<String> = store.documents().map(|document| document.unwrap().text).collect();
            let expected: BTreeSet<String> = said.values().cloned().collect();
            prop_assert_eq!(texts, expected, "every text is there");
        }
        Ok(())
    });
    run.unwrap();
}

/// If the settings do not change, copies of one text form one cluster with the preferred document as its
/// representative, in any order of events.
fn the_head_is_the_preferred_one(place: &Place) {
    let given = (prop::collection::vec((0..6_usize, 0..4_usize), 1..20), any::<bool>());
    let run = runner(place).run(&given, |(places, is_longest)| {
        let is_longest = is_longest && !place.is_database();
        let place = place.another();
        let mut corpus =
            Corpus::new(&place, if is_longest { Representative::Longest } else { Representative::First });
        let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
        for (page, variant) in places {
            corpus.place(page, &text(0, variant));
            lengths.insert(page, variant);
        }
        let distinct = lengths.values().collect::<BTreeSet<_>>().len();
        let clusters = corpus.clusters();
        prop_assert_eq!(clusters.values().map(BTreeSet::len).sum::<usize>(), distinct - 1);
        prop_assert!(clusters.len() <= 1);
        if let (true, Some((head, _))) = (is_longest, clusters.first_key_value()) {
            let longest = lengths.values().max().unwrap();
            let page = lengths.keys().find(|page| id(**page) == *head).unwrap();
            prop_assert_eq!(lengths[page], *longest);
        }
        prop_assert_eq!(corpus.faults(), [""; 0]);
        Ok(())
    });
    run.unwrap();
}
