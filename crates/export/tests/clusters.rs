//! Tests that the clusters are those of a crawl whose index drops nothing, for any documents, shards,
//! memory size and number of threads.

#![allow(clippy::allow_attributes, clippy::unwrap_used, reason = "a test fails by panicking")]

mod generated;

use generated::{made, options, reference, run, shards, text, told};
use gleaner_corpus::dedup::Representative;
use gleaner_export::global::Settings;
use proptest::prelude::*;
use tempfile::TempDir;

/// A text that resembles other texts (a few topics, slightly edited, in editions), or a very short text.
fn a_text() -> impl Strategy<Value = String> {
    let every = prop::sample::select(vec![0_usize, 0, 40, 16, 8, 5]);
    let parts = (0..4_usize, every, 0..6_usize, 0..2_usize, prop::sample::select(vec![0_usize, 0, 10, 60]));
    prop_oneof![
        8 => parts.prop_map(|(topic, every, editor, edition, tail)| text(topic, every, editor, edition, tail)),
        1 => prop::sample::select(vec!["", "Too short.", "Also too short for that."]).prop_map(str::to_owned),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 24, ..ProptestConfig::default() })]

    /// Uses few enough documents that all with the same key are compared.
    #[test]
    fn clusters_are_those_of_brute_force(
        texts in prop::collection::vec((a_text(), prop::option::weighted(0.9, 0..50_i64)), 1..33),
        longest in any::<bool>(),
        similarity in prop::sample::select(vec![0.5, 0.5, 0.3, 0.8]),
        size in 1..40_usize,
    ) {
        let documents = made(texts);
        let settings = Settings { similarity, representative: Representative::ALL[usize::from(longest)] };
        let home = TempDir::new().unwrap();
        let inputs = shards(home.path(), &documents, size);
        let work = run(&inputs, home.path(), options(settings, 1 << 20, 1));
        prop_assert_eq!(told(&work), reference(&documents, settings));
        let outcome = work.outcome().unwrap();
        prop_assert_eq!(outcome.documents, documents.len() as u64);
        prop_assert_eq!(outcome.exact + outcome.near, told(&work).len() as u64);
    }
}

/// Uses 3,000 documents, so that little memory requires many passes, runs and merges.
#[test]
fn shards_memory_and_threads_change_nothing() {
    let random = |at: usize, below: usize| (at.wrapping_mul(2_654_435_761) >> 7) % below;
    let one = |at: usize| {
        let topic = random(at, 700);
        let every = [0, 40, 25, 12][random(at + 1, 4)];
        (text(topic, every, random(at + 2, 9), random(at + 3, 8) / 7, 0), Some(random(at + 4, 5000) as i64))
    };
    let documents = made((0..3000).map(one).collect());
    let settings = Settings { representative: Representative::Longest, ..Settings::default() };
    let home = TempDir::new().unwrap();
    let mut results = Vec::new();
    for (size, memory, threads) in [(5000, 64 << 20, 1), (701, 1 << 10, 2), (37, 1 << 16, 5)] {
        let inputs = shards(home.path(), &documents, size);
        results.push(told(&run(&inputs, home.path(), options(settings, memory, threads))));
    }
    assert!(results[0].len() > 1500, "{}", results[0].len());
    assert!(results.iter().all(|result| *result == results[0]));
    assert_eq!(results[0], reference(&documents, settings));
}

/// With thousands of documents under a key, all are compared with the first ones, even those that were
/// postponed because memory was full.
#[test]
fn a_text_with_thousands_of_edited_copies_is_one_cluster() {
    let documents = made((0..6000).map(|at| (text(1, 40, at, 0, 0), Some(0))).collect());
    let home = TempDir::new().unwrap();
    let mut results = Vec::new();
    for memory in [1 << 12, 64 << 20] {
        let inputs = shards(home.path(), &documents, 1000);
        results.push(told(&run(&inputs, home.path(), options(Settings::default(), memory, 1))));
    }
    assert_eq!(results[0], results[1]);
    let heads: Vec<usize> = results[0].values().map(|(head, _)| *head).collect();
    assert_eq!((heads.len(), heads.iter().max()), (5999, Some(&0)));
}
