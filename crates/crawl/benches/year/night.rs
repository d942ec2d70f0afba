//! Runs the crawl of one night.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use gleaner_crawl::report::{Report, build, folder};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{Clock, CrawlInput, Summary};
use gleaner_frontier::parse_seeds;
use gleaner_store::{Store, StoreOptions, open};
use jiff::{SignedDuration, Timestamp};

/// The delay between two requests to a site. It replaces the usual 5 s.
pub const DELAY: Duration = Duration::from_millis(2);

/// What a night needs to know.
#[derive(Debug)]
pub struct Night {
    pub folder: PathBuf,
    pub proxy: String,
    pub seeds: Vec<String>,
    /// When the run begins, by the clock of the machine.
    pub start: Timestamp,
}

/// What a night gave.
pub struct Crawled {
    pub summary: Summary,
    pub report: Report,
    pub store: Store,
    /// How long the store took to open.
    pub opened: Duration,
}

pub fn config(folder: &Path, proxy: &str) -> Config {
    let mut sets = vec![
        format!("fetch.proxy={proxy}"),
        format!("fetch.delay={}ms", DELAY.as_millis()),
        "fetch.retry_backoff=1ms".into(),
        "crawl.linger=1s".into(),
        "store.min_free_disk=0B".into(),
    ];
    let more = std::env::var("YEAR_SET").unwrap_or_default();
    sets.extend(more.split(';').filter(|set| !set.is_empty()).map(str::to_owned));
    let mut config = gleaner_crawl::settings::read(None, &sets).unwrap();
    config.store.path = folder.to_string_lossy().into_owned();
    config
}

pub fn options() -> StoreOptions {
    StoreOptions { cache: 64 << 20, create: true }
}

impl Night {
    /// Crawls all sites, and writes the report.
    pub fn crawl(&self) -> Crawled {
        let config = config(&self.folder, &self.proxy);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let began = Instant::now();
        let writer = open(&self.folder, &options()).unwrap();
        let (opened, store, start) = (began.elapsed(), writer.store(), self.start);
        let clock = Clock::from_fn(move || start + SignedDuration::try_from(began.elapsed()).unwrap());
        let crawled = gleaner_crawl::run(CrawlInput {
            clock: clock.clone(),
            ..CrawlInput::new(
                config.clone(),
                parse_seeds(&self.seeds.join("\n"), "seeds.txt").unwrap(),
                writer,
                runtime.handle().clone(),
            )
        });
        let report =
            build(&store, &config, &crawled, clock.now()).unwrap().expect("the run was not interrupted");
        folder::write(&folder::reports_folder(&self.folder), &report, config.report.keep).unwrap();
        Crawled { summary: crawled.unwrap(), report, store, opened }
    }

    /// Starts the crawl in a child process, so that it can be killed.
    pub fn spawn(&self) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.arg("child").arg(&self.folder).arg(&self.proxy).arg(self.start.to_string()).args(&self.seeds);
        command.spawn().unwrap()
    }
}

/// Crawls a night in this process, which [`Night::spawn`] started.
pub fn run_child(arguments: &[String]) {
    let [folder, proxy, start, seeds @ ..] = arguments else { panic!("child FOLDER PROXY START SEEDS") };
    let start = start.parse().unwrap();
    let night = Night { folder: folder.into(), proxy: proxy.clone(), seeds: seeds.to_vec(), start };
    night.crawl();
}
