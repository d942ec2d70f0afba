//! `kill -9` at random moments of one crawl, and the same command again: the corpus
//! is the one of an undisturbed crawl, and no host is asked sooner than its gap.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::newspaper::{Crawl, check_gaps};
use gleaner_testkit::Options;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Kills in one crawl; `GLEANER_LONG=1` makes it 200.
const KILLS: usize = 50;
/// The gap that must be kept through every kill.
const GAP: Duration = Duration::from_millis(60);

/// What the store has, the archive has, too.
fn check_archive(killed: &Crawl, kill: usize) {
    let verified = killed.run(&["verify"]);
    // A first kill may come before there is anything.
    let is_empty = String::from_utf8_lossy(&verified.stderr).contains("no corpus in");
    let said = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success() || is_empty, "kill {kill}: {said}");
}

/// Crawls, killed again and again, after shares of the `whole` number of requests.
fn crawl_through_kills(options: Options, whole: usize, seed: u64) -> Crawl {
    let kills = if std::env::var_os("GLEANER_LONG").is_some() { 200 } else { KILLS };
    let killed = Crawl::with_options(options, GAP);
    let mut random = StdRng::seed_from_u64(seed);
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
        check_archive(&killed, kill);
    }
    killed.to_its_end();
    check_gaps(&killed.newspaper.requests(), GAP);
    killed
}

#[test]
fn killed_at_random_moments_the_corpus_is_the_undisturbed_one() {
    let options = Options { faults: false, ..Options::default() };
    let undisturbed = Crawl::with_options(options.clone(), GAP);
    undisturbed.to_its_end();
    let expected = undisturbed.corpus();
    assert_eq!(expected.len(), undisturbed.newspaper.expected().len());

    let killed = crawl_through_kills(options, undisturbed.newspaper.request_count(), 20_261_121);
    let corpus = killed.corpus();
    let missing: Vec<_> = expected.iter().filter(|(text, urls)| corpus.get(*text) != Some(urls)).collect();
    let surplus: Vec<_> = corpus.iter().filter(|(text, urls)| expected.get(*text) != Some(urls)).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:#?}\nsurplus {surplus:#?}");

    check_archive(&killed, KILLS);
    let rebuilt = killed.run(&["rebuild", "--seeds", "seeds.txt"]);
    assert!(rebuilt.status.success(), "{}", String::from_utf8_lossy(&rebuilt.stderr));
    assert_eq!(killed.corpus(), corpus);
}

/// A page that failed comes later, by the clock; so other pages may be among the
/// first from which the template is learned, and texts may differ by it. No
/// document may be lost or be there twice all the same.
#[test]
fn killed_among_errors_no_article_is_lost_or_stored_twice() {
    let whole = 150;
    let killed = crawl_through_kills(Options::default(), whole, 11);
    let expected: BTreeSet<BTreeSet<String>> =
        killed.newspaper.expected().into_iter().map(|article| article.urls.into_iter().collect()).collect();
    let corpus: BTreeSet<BTreeSet<String>> = killed.corpus().into_values().collect();
    assert_eq!(corpus, expected);
}
