//! Simulates a month of nightly crawls, and checks what each night requests and finds.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use gleaner_crawl::settings::Config;
use gleaner_crawl::{Clock, CrawlInput, Progress, Purpose, Replay, StopRequest, Summary, WarcFile};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::{CanonicalUrl, parse_seeds};
use gleaner_store::{Store, StoreOptions, open};
use gleaner_testkit::{Daily, Issue, Newspaper};
use jiff::{SignedDuration, Timestamp};

const OPTIONS: StoreOptions = StoreOptions { cache: 16 << 20, create: true };
const NIGHTS: i64 = 31;
/// 02:00 Hanoi time on the newspaper's third day.
const FIRST: &str = "2026-11-03T19:00:00Z";

/// Crawls all sites of the newspaper in one night.
fn night(folder: &Path, paper: &Newspaper, start: Timestamp, sets: &[&str]) -> (Summary, Store) {
    let proxy = format!("fetch.proxy={}", paper.proxy());
    let usual = ["fetch.delay=0s", "crawl.linger=1s", "store.flush_pages=1000", &proxy];
    let sets: Vec<String> = usual.iter().chain(sets).map(ToString::to_string).collect();
    let config: Config = gleaner_crawl::settings::read(None, &sets).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let writer = open(folder, &OPTIONS).unwrap();
    let store = writer.store();
    let began = Instant::now();
    let clock = move || start + SignedDuration::try_from(began.elapsed()).unwrap();
    let start = CrawlInput {
        clock: Clock::from_fn(clock),
        ..CrawlInput::new(
            config,
            parse_seeds(&Daily::seeds().join("\n"), "seeds").unwrap(),
            writer,
            runtime.handle().clone(),
        )
    };
    (gleaner_crawl::run(start).unwrap(), store)
}

/// Returns all texts of a document: the earlier revisions, then the newest revision.
fn texts(store: &Store, url: &str) -> Vec<String> {
    let key = CanonicalUrl::parse(url).unwrap().key();
    let id = gleaner_corpus::DocumentId(*key.as_bytes());
    let earlier = store.revisions(id).unwrap();
    earlier.into_iter().chain(store.document(id).unwrap()).map(|document| document.text).collect()
}

/// Checks the revisions of an article, and returns the number of earlier revisions. If a sitemap announced a
/// change after the article was fetched, both texts must be stored in the same night. Otherwise only the
/// first text is stored.
fn check_revisions(issue: &Issue, host: &str, first: Timestamp, found: &[String]) -> usize {
    let day = 86_400;
    let night_of = |at: Timestamp| (at.as_second() - first.as_second() + day - 1).div_euclid(day).max(0);
    let is_known = issue.corrected.is_some_and(|at| night_of(at) > night_of(issue.published));
    let expected = 1 + usize::from(is_known && host == "daily.example");
    assert_eq!(found.len(), expected, "{}", issue.url);
    if expected == 2 {
        assert!(!found[0].contains("was corrected") && found[1].contains("was corrected"), "{found:?}");
    }
    assert_eq!(found[expected - 1] == issue.text, expected == 2 || !is_known, "{}", issue.url);
    expected - 1
}

/// Counts the requested paths by kind.
fn kinds(paths: &[String]) -> BTreeMap<&str, usize> {
    let mut kinds = BTreeMap::new();
    for path in paths {
        let kind = match path.as_str() {
            path if path.contains("sitemap") => "sitemap",
            path if path.ends_with(".html") => "article",
            path if path.contains("feed") => "feed",
            path if path.contains("page=") => "further page",
            "/robots.txt" => "robots.txt",
            _ => "list",
        };
        *kinds.entry(kind).or_default() += 1;
    }
    kinds
}

/// Returns the revisions of all documents by URL, oldest first, each with text and fetch time.
fn corpus(store: &Store) -> BTreeMap<String, Vec<(String, Timestamp)>> {
    let all = |document: gleaner_corpus::Document| {
        let url = document.url.clone();
        let revisions = store.revisions(document.id).unwrap().into_iter().chain([document]);
        (url, revisions.map(|document| (document.text, document.fetched)).collect())
    };
    store.documents().map(|document| all(document.unwrap())).collect()
}

#[test]
fn what_the_runs_have_collected_can_be_rebuilt_from_the_archive() {
    let first: Timestamp = FIRST.parse().unwrap();
    let daily = Daily::at(first);
    let options = gleaner_testkit::NewspaperOptions { daily: Some(daily.clone()), ..Default::default() };
    let paper = Newspaper::start_in_background(options).unwrap();
    let (folder, anew) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for number in 0..4 {
        daily.set(first + SignedDuration::from_hours(24 * number));
        drop(night(folder.path(), &paper, daily.now(), &[]));
    }
    let before = corpus(&open(folder.path(), &OPTIONS).unwrap().store());
    assert!(before.values().filter(|revisions| revisions.len() == 2).count() >= 3);

    let mut config = Config::default();
    config.store.path = folder.path().to_string_lossy().into_owned();
    let files = gleaner_crawl::archive_files(&config).unwrap();
    let writer = open(anew.path(), &OPTIONS).unwrap();
    let store = writer.store();
    let replayed = gleaner_crawl::replay(Replay {
        purpose: Purpose::Rebuild,
        config,
        seeds: parse_seeds(&Daily::seeds().join("\n"), "seeds").unwrap(),
        pins: HostPins::default(),
        admission: gleaner_corpus::Admission::default(),
        writer,
        stop: StopRequest::default(),
        progress: Arc::new(Progress::default()),
        sources: files.into_iter().map(WarcFile::file).collect(),
    });
    assert!(replayed.unwrap().complete);
    assert_eq!(corpus(&store), before);
}

#[test]
fn each_night_finds_all_that_is_new_and_asks_for_little_else() {
    let first: Timestamp = FIRST.parse().unwrap();
    let daily = Daily::at(first);
    let options = gleaner_testkit::NewspaperOptions { daily: Some(daily.clone()), ..Default::default() };
    let paper = Newspaper::start_in_background(options).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut revised = 0;
    let (mut asked_in_all, mut new_in_all) = (BTreeMap::new(), BTreeMap::new());
    for number in 0..NIGHTS {
        daily.set(first + SignedDuration::from_hours(24 * number));
        let before = paper.request_count();
        let (summary, store) = night(folder.path(), &paper, daily.now(), &[]);
        assert_eq!(summary.ending, gleaner_crawl::Ending::Quiet, "{summary:?}");
        let asked = paper.requests().split_off(before);
        for seed in Daily::seeds() {
            let host = seed.trim_start_matches("http://").trim_end_matches('/');
            let issues: Vec<Issue> = daily.issues(host).collect();
            for issue in &issues {
                let found = texts(&store, &issue.url);
                assert!(!found.is_empty(), "night {number}: {} was missed", issue.url);
                revised += check_revisions(issue, host, first, &found);
            }
            let new = issues.len() - known.insert(host.to_owned(), issues.len()).unwrap_or_default();
            let paths: Vec<String> =
                asked.iter().filter(|line| line.host == host).map(|line| line.path.clone()).collect();
            println!("night {number} {host}: {new} new, {} asked: {:?}", paths.len(), kinds(&paths));
            if number > 0 {
                *asked_in_all.entry(host.to_owned()).or_insert(0) += paths.len();
                *new_in_all.entry(host.to_owned()).or_insert(0) += new;
                let ratio = paths.len() as f64 / new as f64;
                assert!(ratio < 1.3, "night {number} {host}: {ratio:.3} requests a new article");
            }
        }
    }
    assert!(revised > 400, "{revised}");
    for (host, asked) in &asked_in_all {
        println!(
            "{host}: {:.3} requests a new article",
            f64::from(*asked as u32) / f64::from(new_in_all[host] as u32)
        );
    }
}
