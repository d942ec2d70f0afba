//! Runs the crawl of one night.

use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use gleaner_crawl::report::{Report, build, folder};
use gleaner_crawl::settings::Config;
use gleaner_crawl::{Clock, CrawlError, CrawlInput, Summary};
use gleaner_frontier::parse_seeds;
use gleaner_store::{Store, StoreOptions, open};
use jiff::{SignedDuration, Timestamp};

use crate::machine::processor_time;

/// The delay between two requests to a site. It replaces the usual 5 s.
pub const DELAY: Duration = Duration::from_millis(2);

/// Settings that the user changes, and changes back.
pub const CHANGED: [&str; 3] = ["corpus.similarity=0.7", "fetch.concurrency=8", "store.flush_pages=50"];

/// What a night needs to know.
#[derive(Debug, Clone)]
pub struct Night {
    pub folder: PathBuf,
    /// Settings of this night, such as `fetch.concurrency=8`.
    pub sets: Vec<String>,
    pub seeds: Vec<String>,
    /// When the run begins, by the clock of the machine.
    pub start: Timestamp,
}

/// What a night gave.
pub struct Crawled {
    /// The number of documents and others, or why the run ended early.
    pub summary: Result<Summary, CrawlError>,
    pub report: Report,
    pub store: Store,
    /// How long the store took to open.
    pub opened: Duration,
    /// The processor time of the run, without the time to open the store.
    pub processor: Duration,
}

/// Returns the settings of the bench and `more`.
pub fn config(folder: &Path, more: &[String]) -> Config {
    let mut sets = vec![
        format!("fetch.delay={}ms", DELAY.as_millis()),
        "fetch.retry_backoff=1ms".into(),
        "crawl.linger=1s".into(),
        "store.min_free_disk=0B".into(),
    ];
    sets.extend_from_slice(more);
    let of_user = std::env::var("YEAR_SET").unwrap_or_default();
    sets.extend(of_user.split(';').filter(|set| !set.is_empty()).map(str::to_owned));
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
        let config = config(&self.folder, &self.sets);
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let began = Instant::now();
        let writer = open(&self.folder, &options()).unwrap();
        let (opened, store, start) = (began.elapsed(), writer.store(), self.start);
        let before = processor_time();
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
        Crawled { summary: crawled, report, store, opened, processor: processor_time() - before }
    }

    /// Starts the crawl in a child process, so that it can be killed.
    pub fn spawn(&self) -> Child {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .arg("child")
            .arg(&self.folder)
            .arg(self.sets.join(";"))
            .arg(self.start.to_string())
            .args(&self.seeds);
        command.spawn().unwrap()
    }
}

/// Crawls a night in this process, which [`Night::spawn`] started.
pub fn run_child(arguments: &[String]) {
    let [folder, sets, start, seeds @ ..] = arguments else { panic!("child FOLDER SETS START SEEDS") };
    let (sets, start) = (sets.split(';').map(str::to_owned).collect(), start.parse().unwrap());
    let night = Night { folder: folder.into(), sets, seeds: seeds.to_vec(), start };
    night.crawl();
}
