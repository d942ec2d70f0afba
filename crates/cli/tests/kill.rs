//! Tests `kill -9` at random moments of a crawl that the same command then resumes. The corpus equals the
//! corpus of an undisturbed crawl, and each host gets its delay between requests.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::newspaper::{Crawl, check_gaps};
use gleaner_testkit::NewspaperOptions;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Number of kills during one crawl, or 200 with `GLEANER_LONG=1`.
const KILLS: usize = 50;
/// The delay between requests. The kills must not shorten it.
const GAP: Duration = Duration::from_millis(60);
/// With this setting, the index of near-duplicates writes a file for every seven documents.
const SMALL_INDEX: &str = "corpus.index_memory=64KiB";

/// Checks that the archive has everything that the store refers to.
fn check_archive(killed: &Crawl, kill: usize) {
    let verified = killed.run(&["verify"]);
    // The first kill may come before the corpus is created.
    let is_empty = String::from_utf8_lossy(&verified.stderr).contains("no corpus in");
    let said = String::from_utf8_lossy(&verified.stdout);
    assert!(verified.status.success() || is_empty, "kill {kill}: {said}");
}

/// Crawls and kills the crawl many times, evenly distributed over `whole` requests.
fn crawl_through_kills(options: NewspaperOptions, whole: usize, seed: u64) -> Crawl {
    let kills = if std::env::var_os("GLEANER_LONG").is_some() { 200 } else { KILLS };
    let mut killed = Crawl::with_options(options, GAP);
    killed.settings.push(SMALL_INDEX.into());
    let mut random = StdRng::seed_from_u64(seed);
    for kill in 1..=kills {
        let mut child = killed.spawn();
        // Each kill comes at a random moment within three delays after its share of the requests. So kills
        // happen during fetching, extraction, writing and flushing. The crawl requests pages again if a kill
        // lost their results, so it cannot be complete yet.
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
    assert!(killed.folder.path().join("data/sled/near").exists(), "the index has no file");
    check_gaps(&killed.newspaper.requests(), GAP);
    killed
}

#[test]
fn killed_at_random_moments_the_corpus_is_the_undisturbed_one() {
    let options = NewspaperOptions { faults: false, ..NewspaperOptions::default() };
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
    for arguments in [&["rebuild"][..], &["rebuild", "--relearn"]] {
        let rebuilt = killed.run(arguments);
        assert!(rebuilt.status.success(), "{}", String::from_utf8_lossy(&rebuilt.stderr));
        assert_eq!(killed.corpus(), corpus, "{arguments:?}");
    }
}

/// A failed page is requested again after some time. Therefore the training pages of the template may differ,
/// and so may the texts. Still, no document may be lost or stored twice.
#[test]
fn killed_among_errors_no_article_is_lost_or_stored_twice() {
    let whole = 150;
    let killed = crawl_through_kills(NewspaperOptions::default(), whole, 11);
    let expected: BTreeSet<BTreeSet<String>> =
        killed.newspaper.expected().into_iter().map(|article| article.urls.into_iter().collect()).collect();
    let corpus: BTreeSet<BTreeSet<String>> = killed.corpus().into_values().collect();
    assert_eq!(corpus, expected);
}
