//! Creates a corpus of several nights, with a report for each night. The crawls run in this process, so the
//! test can set the time.

use std::fs;
use std::path::Path;
use std::time::Instant;

use gleaner_crawl::report::{build, folder};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{Clock, CrawlInput, Summary};
use gleaner_frontier::{Seed, parse_seeds};
use gleaner_store::{Store, open};
use gleaner_testkit::{Daily, Newspaper, NewspaperOptions};
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

/// Two in the morning (Hanoi time).
const FIRST: &str = "2026-11-03T19:00:00Z";

/// The newspaper, two papers with new articles every day, and two sites that cannot be reached.
pub struct Nights {
    pub folder: TempDir,
    pub newspaper: Newspaper,
    daily: Daily,
}

impl Nights {
    /// Crawls `nights` nights. In the last night, the daily papers publish nothing.
    pub fn crawled(nights: i64) -> Self {
        let first: Timestamp = FIRST.parse().unwrap();
        let daily = Daily::at(first);
        let options =
            NewspaperOptions { daily: Some(daily.clone()), faults: false, ..NewspaperOptions::default() };
        let newspaper = Newspaper::start_in_background(options).unwrap();
        let nights_of = Self { folder: tempfile::tempdir().unwrap(), newspaper, daily };
        fs::write(nights_of.folder.path().join("seeds.txt"), seeds()).unwrap();
        for night in 0..nights {
            let now = first + SignedDuration::from_hours(24 * night);
            if night + 1 < nights {
                nights_of.daily.set(now);
            }
            nights_of.night(now);
        }
        nights_of
    }

    pub fn data(&self) -> std::path::PathBuf {
        self.folder.path().join("data")
    }

    fn night(&self, start: Timestamp) {
        let config = config(&self.data(), &self.newspaper);
        let (crawled, store) = crawl(&config, start);
        let (ended, crawled) = (start + SignedDuration::from_mins(23), Ok(crawled));
        let report = build(&store, &config, &crawled, ended).unwrap().unwrap();
        folder::write(&folder::reports_folder(&self.data()), &report, 0).unwrap();
    }
}

fn seeds() -> String {
    let unreachable = ["http://tinnhanh.invalid/", "http://thoisu.invalid/"];
    Newspaper::seeds().into_iter().chain(Daily::seeds()).chain(unreachable).collect::<Vec<_>>().join("\n")
}

fn config(data: &Path, newspaper: &Newspaper) -> Config {
    let sets = [
        format!("store.path={}", data.display()),
        format!("fetch.proxy={}", newspaper.proxy()),
        "fetch.delay=0s".into(),
        "fetch.retries=0".into(),
        "crawl.linger=1s".into(),
        "store.flush_pages=1000".into(),
    ];
    gleaner_crawl::settings::read(None, &sets).unwrap()
}

fn crawl(config: &Config, start: Timestamp) -> (Summary, Store) {
    let options = gleaner_store::StoreOptions { cache: 16 << 20, create: true };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let writer = open(Path::new(&config.store.path), &options).unwrap();
    let store = writer.store();
    let began = Instant::now();
    let seeds: Vec<Seed> = parse_seeds(&seeds(), "seeds").unwrap();
    let start = CrawlInput {
        clock: Clock::from_fn(move || start + SignedDuration::try_from(began.elapsed()).unwrap()),
        ..CrawlInput::new(config.clone(), seeds, writer, runtime.handle().clone())
    };
    (gleaner_crawl::run(start).unwrap(), store)
}
