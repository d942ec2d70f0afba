//! Defines the daemon, which holds the settings, the seeds and the open store, and runs the crawls.
//!
//! All crawls use the same store, progress and stop flag, so the terminal and the status page can keep
//! references to them.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::status::{AccessToken, CrawlNow, Hooks, RunningCrawl, ServedCorpus, Server, ServerOptions};
use gleaner_archive::files::make_folder;
use gleaner_corpus::Admission;
use gleaner_crawl::render::language::Bilingual;
use gleaner_crawl::repair::RepairRules;
use gleaner_crawl::settings::Config;
use gleaner_crawl::{Clock, CrawlError, CrawlInput, Progress, StopRequest, Summary, Wanted};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::{CanonicalUrl, Scope, Seed};
use gleaner_store::{Removal, Store, Writer};
use gleaner_testkit::Newspaper;
use jiff::Timestamp;
use tokio::runtime::Runtime;
use url::Host;

use crate::args::{Access, Budgets, Common};
use crate::distributed::{self, SharedSettings};
use crate::failure::Failure;
use crate::messages::print_message;
use crate::scheduled::console::Console;
use crate::{CommandResult, logging, open_files, opening, settings, signals};

const RETRY_DELAY: Duration = Duration::from_millis(20);

/// The patience of `gleaner schedule` and `gleaner serve`. A person who started `gleaner crawl` sees at once
/// that no site responds, but nobody watches these crawls. In this time, a robots.txt is requested five times.
pub(crate) const UNATTENDED: Duration = Duration::from_secs(10 * 60);

/// The long-running process of `gleaner schedule` and `gleaner serve`. `gleaner crawl` uses it for one crawl.
pub(crate) struct Daemon {
    pub(crate) config: Config,
    /// `None` if the seeds are unknown. Then no crawl can start.
    pub(crate) seeds: Option<Vec<Seed>>,
    pins: HostPins,
    admission: Admission,
    pub(crate) store: Store,
    pub(crate) progress: Arc<Progress>,
    /// How long after its start a crawl waits for sites that do not respond.
    pub(crate) patience: Duration,
    /// Which URLs a crawl requests.
    pub(crate) wanted: Wanted,
    /// Set by Ctrl-C and SIGTERM. The stop button of the status page does not set it.
    pub(crate) stop: StopRequest,
    next_start: Arc<Mutex<Option<Timestamp>>>,
    pub(crate) console: Console,
    request: Arc<Mutex<CrawlRequest>>,
    server: Option<Server>,
    runtime: Runtime,
    #[expect(dead_code, reason = "it is held, not used")]
    newspaper: Option<Newspaper>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CrawlRequest {
    None,
    Pending,
    Running,
}

impl Daemon {
    /// Reads all input of a crawl, and opens or creates the store. The seeds come from `files` and `urls`.
    /// `check` may change or refuse the settings before anything is opened.
    pub(crate) fn open(
        common: &Common,
        files: &[PathBuf],
        urls: &[String],
        budgets: &Budgets,
        check: impl FnOnce(&mut Config) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let mut config = settings::load(common)?;
        check(&mut config)?;
        budgets.apply_to(&mut config.crawl);
        let (newspaper, seeds) = self::seeds(&mut config, files, urls)?;
        gleaner_crawl::scope(&config, &seeds).map_err(Failure::usage)?;
        for site in gleaner_crawl::sites_without_seed(&config, &seeds) {
            print_message(format_args!(
                "gleaner: {site} is the site of no seed, so its settings have no effect"
            ));
        }
        let daemon = Self::build(common, config, Some(seeds), newspaper, true)?;
        recommend_contact(&daemon.config);
        recommend_delay(&daemon.config, daemon.seeds.as_deref().unwrap_or_default());
        daemon.name_removed_seeds()?;
        Ok(daemon)
    }

    /// Opens a daemon for a process that shows the corpus and may crawl later. The store must exist. If
    /// `files` and the setting `crawl.seeds` are empty, uses the seeds of the last crawl.
    pub(crate) fn open_existing(common: &Common, files: &[PathBuf]) -> Result<Self, Failure> {
        let config = settings::load(common)?;
        let is_set = !files.is_empty() || !config.crawl.seeds.is_empty();
        let seeds = if is_set { Some(settings::seeds(files, &[], &config)?) } else { None };
        let mut daemon = Self::build(common, config, seeds, None, false)?;
        if daemon.seeds.is_none() {
            daemon.seeds = daemon.store.seeds().map_err(Failure::work)?;
        }
        Ok(daemon)
    }

    fn build(
        common: &Common,
        mut config: Config,
        seeds: Option<Vec<Seed>>,
        newspaper: Option<Newspaper>,
        create: bool,
    ) -> Result<Self, Failure> {
        let (pins, admission) = (settings::pins(&config)?, settings::admission(&config)?);
        open_files::limit_requests(&mut config.fetch);
        let console = Console::new(common.color);
        logging::begin(&config.log, console.bar(), console.has_colors())?;
        let (stop, progress) = (StopRequest::default(), Arc::new(Progress::default()));
        let store = match create && distributed::is_shared(&config) {
            true => {
                let pins_text = settings::pins_text(&config)?;
                let shared = SharedSettings::new(&config, "crawl", seeds.as_deref(), &pins_text)?;
                distributed::join(&config, shared, true, &stop)?.store()
            }
            false => opening::store(&config, create)?,
        };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::work)?;
        let request = Arc::new(Mutex::new(CrawlRequest::None));
        signals::listen(runtime.handle(), stop.clone(), {
            let (bar, request) = (console.bar().clone(), Arc::clone(&request));
            move || {
                if *lock(&request) == CrawlRequest::Running {
                    bar.suspend(|| {
                        print_message(
                            "gleaner: finishing the requests in flight; press Ctrl-C again to quit at once",
                        )
                    });
                }
            }
        });
        Ok(Self {
            config,
            seeds,
            pins,
            admission,
            store,
            progress,
            patience: Duration::ZERO,
            wanted: Wanted::Due,
            stop,
            next_start: Arc::default(),
            console,
            request,
            server: None,
            runtime,
            newspaper,
        })
    }

    /// Says which seeds are not requested, because the user removed them from the corpus.
    fn name_removed_seeds(&self) -> CommandResult {
        for seed in self.seeds.iter().flatten() {
            if let Some(Removal { number, .. }) = self.store.removal_of(&seed.url).map_err(Failure::work)? {
                print_message(format_args!(
                    "gleaner: {} is not requested, because it was removed (removal {number}); `gleaner removals --take-back \
                     {number}` allows it again",
                    seed.url
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn crawl(&self) -> Result<Summary, CrawlError> {
        *lock(&self.request) = CrawlRequest::Running;
        let crawled = self.crawl_with_progress();
        *lock(&self.request) = CrawlRequest::None;
        crawled
    }

    fn crawl_with_progress(&self) -> Result<Summary, CrawlError> {
        self.progress.reset();
        let display = self.console.show_progress(&self.progress, self.config.crawl.progress.get());
        let mut writer = self.writer()?;
        writer.work()?;
        let stop = self.stop.child();
        self.show(Some(RunningCrawl { progress: Arc::clone(&self.progress), stop: stop.clone() }));
        let summary = gleaner_crawl::run(CrawlInput {
            config: self.config.clone(),
            seeds: self.seeds.clone().unwrap_or_default(),
            pins: self.pins.clone(),
            admission: self.admission.clone(),
            writer,
            runtime: self.runtime.handle().clone(),
            stop,
            progress: Arc::clone(&self.progress),
            clock: Clock::default(),
            patience: self.patience,
            wanted: self.wanted.clone(),
        });
        self.show(None);
        drop(display);
        distributed::end_work(&self.store, self.stop.is_requested());
        summary
    }

    pub(crate) const fn repair_rules(&self) -> RepairRules<'_> {
        RepairRules { config: &self.config, pins: &self.pins, admission: &self.admission }
    }

    /// Waits until it gets the store's writer. The status page uses the writer only for short changes.
    fn writer(&self) -> Result<Writer, CrawlError> {
        loop {
            if let Some(writer) = self.store.writer()? {
                return Ok(writer);
            }
            std::thread::sleep(RETRY_DELAY);
        }
    }

    fn show(&self, running: Option<RunningCrawl>) {
        if let Some(server) = &self.server {
            server.set_running_crawl(running);
        }
    }

    pub(crate) fn serve(
        &mut self,
        address: Option<SocketAddr>,
        access: &Access,
        hooks: Hooks,
    ) -> Result<(), Failure> {
        let Some(address) = address else { return Ok(()) };
        if distributed::is_shared(&self.config) {
            // The status page stores its token and its search index in the data folder.
            make_folder(Path::new(&self.config.store.path))
                .map_err(Failure::writing(&self.config.store.path))?;
        }
        let (token, file) = match &access.token_file {
            Some(file) => (AccessToken::read(file).map_err(Failure::usage)?, file.clone()),
            None => AccessToken::read_or_create(Path::new(&self.config.store.path)).map_err(Failure::work)?,
        };
        let options = ServerOptions { address, hosts: access.public_host.clone(), token };
        let (store, config, pins) = (self.store.clone(), self.config.clone(), self.pins.clone());
        let scope = self.seeds.as_deref().map(Scope::from_seeds);
        let corpus = ServedCorpus { store, config, pins, scope };
        let server = Server::start(self.runtime.handle(), options, corpus, hooks).map_err(Failure::work)?;
        let place = format!("gleaner: status page at http://{}/", server.address());
        print_message(format_args!("{place} (token for changes: {})", file.display()));
        if !server.address().ip().is_loopback() {
            print_message(
                "gleaner: anyone who can reach this address can read the corpus; see docs/status.md",
            );
        }
        self.server = Some(server);
        Ok(())
    }

    /// Returns the functions that the status page calls, such as the one that requests a crawl.
    pub(crate) fn hooks(&self) -> Hooks {
        let request = Arc::clone(&self.request);
        let crawl_now: CrawlNow = Box::new(move || {
            let mut request = lock(&request);
            if *request != CrawlRequest::None {
                return Err(Bilingual::new(
                    "a crawl is already running or about to start",
                    "một lượt thu thập đang chạy hoặc sắp bắt đầu",
                ));
            }
            *request = CrawlRequest::Pending;
            Ok(())
        });
        Hooks { crawl_now: self.seeds.is_some().then_some(crawl_now), next_start: None }
    }

    pub(crate) fn schedule_hooks(&self) -> Hooks {
        let next = Arc::clone(&self.next_start);
        Hooks { next_start: Some(Box::new(move || *lock(&next))), ..self.hooks() }
    }

    pub(crate) fn set_next_start(&self, at: Timestamp) {
        *lock(&self.next_start) = Some(at);
    }

    pub(crate) fn is_crawl_requested(&self) -> bool {
        *lock(&self.request) == CrawlRequest::Pending
    }

    pub(crate) fn close(self) {
        drop(self.server);
        self.runtime.shutdown_background();
    }
}

/// Locks a value. Ignores poisoning, because no thread can leave the value half changed.
fn lock<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the seeds from `files` and `urls`. If both are empty, returns the seeds of the bundled newspaper
/// if it is configured, and otherwise those in the settings. Starts the newspaper if it is configured.
pub(crate) fn seeds(
    config: &mut Config,
    files: &[PathBuf],
    urls: &[String],
) -> Result<(Option<Newspaper>, Vec<Seed>), Failure> {
    let newspaper = demo(config)?;
    let seeds = match newspaper {
        Some(_) if files.is_empty() && urls.is_empty() => demo_seeds()?,
        _ => settings::seeds(files, urls, config)?,
    };
    Ok((newspaper, seeds))
}

pub(crate) fn recommend_contact(config: &Config) {
    if config.fetch.contact.is_empty() && !config.fetch.user_agent.contains(['@', '+']) {
        print_message(
            "gleaner: fetch.contact is not set, so site owners cannot reach you; continuing anyway. Set it with --set fetch.contact=you@example.org",
        );
    }
}

/// Says that sites on the public internet get requests without a delay.
fn recommend_delay(config: &Config, seeds: &[Seed]) {
    let is_hasty = |seed: &&Seed| config.delay_of(seed.url.domain()).get().is_zero() && is_public(&seed.url);
    let Some(seed) = seeds.iter().find(is_hasty).filter(|_| !config.demo.newspaper) else { return };
    print_message(format_args!(
        "gleaner: the delay of {} is 0s, so it gets requests without a pause, and may block this crawler; the default \
         of fetch.delay is 5s",
        seed.url.host()
    ));
}

/// Whether the host of a URL is not written as an address of this machine or its network.
fn is_public(url: &CanonicalUrl) -> bool {
    match url.url().host() {
        Some(Host::Ipv4(address)) => !(address.is_loopback() || address.is_private()),
        Some(Host::Ipv6(address)) => !address.is_loopback(),
        Some(Host::Domain(name)) => name != "localhost" && !name.ends_with(".localhost"),
        None => false,
    }
}

/// Starts the bundled newspaper if it is configured. The crawl uses it as a proxy, so that the host names of
/// the newspaper, which do not exist, can be requested.
fn demo(config: &mut Config) -> Result<Option<Newspaper>, Failure> {
    if !config.demo.newspaper {
        return Ok(None);
    }
    let newspaper = Newspaper::start_in_background(gleaner_testkit::NewspaperOptions::default())
        .map_err(|error| Failure::Work(format!("cannot serve the bundled newspaper: {error}")))?;
    config.fetch.proxy = newspaper.proxy();
    Ok(Some(newspaper))
}

fn demo_seeds() -> Result<Vec<Seed>, Failure> {
    gleaner_frontier::parse_seeds(&Newspaper::seeds().join("\n"), "the bundled newspaper")
        .map_err(Failure::usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_this_machine_and_its_network_are_not_public() {
        for (url, expected) in [
            ("http://paper.example/", true),
            ("http://localhost:8000/", false),
            ("http://127.0.0.1/", false),
            ("http://192.168.1.7/", false),
            ("http://8.8.8.8/", true),
        ] {
            assert_eq!(is_public(&CanonicalUrl::parse(url).unwrap()), expected, "{url}");
        }
    }
}
