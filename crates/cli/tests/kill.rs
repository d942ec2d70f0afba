//! `kill -9` at random moments of one crawl, and the same command again: the corpus
//! is the one of an undisturbed crawl, and no host is asked sooner than its gap.

#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod newspaper;

use std::collections::BTreeMap;
use std::time::Duration;

use newspaper::{Crawl, check_gaps};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Kills in one crawl; `GLEANER_LONG=1` makes it 100.
const KILLS: usize = 20;
/// The gap that must be kept through every kill.
const GAP: Duration = Duration::from_millis(60);

#[test]
fn killed_at_random_moments_the_corpus_is_the_undisturbed_one() {
    let undisturbed = Crawl::new(GAP);
    undisturbed.to_its_end();
    let expected = undisturbed.corpus();
    assert!(expected.len() > 40, "the undisturbed crawl found only {} documents", expected.len());

    let kills = if std::env::var_os("GLEANER_LONG").is_some() { 100 } else { KILLS };
    let killed = Crawl::new(GAP);
    let whole = undisturbed.newspaper.request_count();
    let mut random = StdRng::seed_from_u64(20_261_121);
    for kill in 1..=kills {
        let mut child = killed.spawn();
        // The moment: after its share of the requests, and then any time up to three
        // gaps, so that kills fall into fetching, working, writing and flushing alike.
        // What is lost by a kill is asked for again, so the crawl cannot be done yet.
        let share = whole * kill / (kills + 1);
        assert!(
            killed.newspaper.wait_for_requests(share, Duration::from_secs(30)),
            "kill {kill}: no progress"
        );
        std::thread::sleep(GAP.mul_f64(random.random_range(0.0..3.0)));
        let ended = child.try_wait().unwrap();
        assert!(ended.is_none(), "kill {kill}: the crawl had ended before it: {ended:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
    killed.to_its_end();

    let corpus = killed.corpus();
    let missing: Vec<_> = expected.keys().filter(|text| !corpus.contains_key(*text)).collect();
    let surplus: Vec<_> = corpus.keys().filter(|text| !expected.contains_key(*text)).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:#?}\nsurplus {surplus:#?}");
    let differ: BTreeMap<_, _> = expected.iter().filter(|(text, urls)| corpus[*text] != **urls).collect();
    assert!(differ.is_empty(), "other URLs: {differ:#?}");
    check_gaps(&killed.newspaper.requests(), GAP);
}
