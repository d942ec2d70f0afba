//! The daemon: the settings, the seeds and the open store. Crawls run in it one after another.
//!
//! All crawls share the store, the progress and the stop flag, so that a terminal or status page can keep its
//! references.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_config::Config;
use gleaner_corpus::Admission;
use gleaner_crawl::{Clock, CrawlError, Progress, Start, Stop, Summary};
use gleaner_frontier::Seed;
use gleaner_status::{Corpus, CrawlNow, Hooks, Key, Options, Server};
use gleaner_store::{Store, Writer};
use gleaner_template::HostPins;
use gleaner_testkit::Newspaper;
use tokio::runtime::Runtime;
use tracing::warn;

use crate::args::{Access, Budgets, Common};
use crate::aside::say;
use crate::distributed::{self, Agreed};
use crate::failure::Failure;
use crate::scheduled::console::Console;
use crate::telemetry::Telemetry;
use crate::{logging, open_files, settings, signals};

/// Pause between two attempts to take the writer.
const MOMENT: Duration = Duration::from_millis(20);

/// The long-running process of `gleaner schedule` and `gleaner serve`. `gleaner crawl` uses it for one crawl.
pub(crate) struct Daemon {
    pub(crate) config: Config,
    /// `None`: a seed file does not exist, so no crawl can start.
    seeds: Option<Vec<Seed>>,
    pins: HostPins,
    admission: Admission,
    pub(crate) store: Store,
    pub(crate) progress: Arc<Progress>,
    /// Set by Ctrl-C and SIGTERM.
    pub(crate) stop: Stop,
    pub(crate) console: Console,
    request: Arc<Mutex<CrawlRequest>>,
    server: Option<Server>,
    runtime: Runtime,
    telemetry: Telemetry,
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
    /// Reads everything that a crawl needs, and opens or creates the store. `check` can change or refuse the
    /// settings before anything is opened.
    pub(crate) fn open(
        common: &Common,
        seeds: &[PathBuf],
        budgets: &Budgets,
        check: impl FnOnce(&mut Config) -> Result<(), Failure>,
    ) -> Result<Self, Failure> {
        let mut config = settings::load(common)?;
        check(&mut config)?;
        budgets.lay_over(&mut config.crawl);
        let newspaper = demo(&mut config)?;
        let seeds = match newspaper {
            Some(_) if seeds.is_empty() => demo_seeds()?,
            _ => settings::seeds(seeds, &config)?,
        };
        let daemon = Self::build(common, config, Some(seeds), newspaper, true)?;
        if daemon.config.fetch.contact.is_empty() && !daemon.config.fetch.user_agent.contains(['@', '+']) {
            say(
                "gleaner: please set fetch.contact so that site owners can reach you: --set fetch.contact=you@example.org",
            );
        }
        Ok(daemon)
    }

    /// Like `open`, for a process that shows the corpus and may crawl later: the store must exist; seed files
    /// may be missing.
    pub(crate) fn visit(common: &Common, seeds: &[PathBuf]) -> Result<Self, Failure> {
        let config = settings::load(common)?;
        let is_there = |file: &String| Path::new(file).exists();
        let has_seeds = !seeds.is_empty() || config.crawl.seeds.iter().all(is_there);
        let seeds = if has_seeds { Some(settings::seeds(seeds, &config)?) } else { None };
        Self::build(common, config, seeds, None, false)
    }

    fn build(
        common: &Common,
        mut config: Config,
        seeds: Option<Vec<Seed>>,
        newspaper: Option<Newspaper>,
        create: bool,
    ) -> Result<Self, Failure> {
        let (pins, admission) = (settings::pins(&config)?, settings::admission(&config)?);
        open_files::bound(&mut config.fetch);
        let console = Console::new(common.color);
        let telemetry = Telemetry::begin(&config.telemetry)?;
        logging::begin(&config.log, console.bar(), console.has_colors(), &telemetry)?;
        let (stop, progress) = (Stop::default(), Arc::new(Progress::default()));
        let store = match create && distributed::is_shared(&config) {
            true => {
                let told = settings::pins_text(&config)?;
                let agreed = Agreed::new(&config, "crawl", seeds.as_deref(), &told)?;
                distributed::join(&config, agreed, true, &stop)?.store()
            }
            false => settings::store(&config, create)?,
        };
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::work)?;
        let request = Arc::new(Mutex::new(CrawlRequest::None));
        signals::listen(runtime.handle(), stop.clone(), {
            let (bar, request) = (console.bar().clone(), Arc::clone(&request));
            move || {
                if *held(&request) == CrawlRequest::Running {
                    bar.suspend(|| {
                        say("gleaner: finishing the requests in flight; press Ctrl-C again to quit at once")
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
            stop,
            console,
            request,
            server: None,
            runtime,
            telemetry,
            newspaper,
        })
    }

    /// Crawls until nothing is due, a budget is reached or a stop is requested.
    pub(crate) fn crawl(&self) -> Result<Summary, CrawlError> {
        *held(&self.request) = CrawlRequest::Running;
        let crawled = self.crawl_shown();
        *held(&self.request) = CrawlRequest::None;
        crawled
    }

    fn crawl_shown(&self) -> Result<Summary, CrawlError> {
        self.progress.reset();
        let watching = self.console.watch(&self.progress, self.config.crawl.progress.get());
        let mut writer = self.writer()?;
        writer.work()?;
        self.show(Some(Arc::clone(&self.progress)));
        let summary = gleaner_crawl::run(Start {
            config: self.config.clone(),
            seeds: self.seeds.clone().unwrap_or_default(),
            pins: self.pins.clone(),
            admission: self.admission.clone(),
            writer,
            runtime: self.runtime.handle().clone(),
            stop: self.stop.clone(),
            progress: Arc::clone(&self.progress),
            clock: Clock::default(),
        });
        self.show(None);
        drop(watching);
        // Other workers take over the released partitions; this worker's local state waits for the next
        // crawl.
        if let Err(error) = self.writer().and_then(|mut writer| Ok(writer.rest()?)) {
            warn!(%error, "cannot release this worker's partitions; their leases will expire");
        }
        summary
    }

    /// Takes the writer; waits while the status page holds it, which is brief.
    fn writer(&self) -> Result<Writer, CrawlError> {
        loop {
            if let Some(writer) = self.store.writer()? {
                return Ok(writer);
            }
            std::thread::sleep(MOMENT);
        }
    }

    fn show(&self, progress: Option<Arc<Progress>>) {
        if let Some(server) = &self.server {
            server.watch(progress);
        }
    }

    /// Serves the status page until the daemon closes, if `address` is set.
    pub(crate) fn serve(
        &mut self,
        address: Option<SocketAddr>,
        access: &Access,
        hooks: Hooks,
    ) -> Result<(), Failure> {
        let Some(address) = address else { return Ok(()) };
        if distributed::is_shared(&self.config) {
            // A process that only reads needs the folder for the token and the search index.
            std::fs::create_dir_all(&self.config.store.path)
                .map_err(Failure::writing(&self.config.store.path))?;
        }
        let (key, file) = match &access.token_file {
            Some(file) => (Key::read(file).map_err(Failure::usage)?, file.clone()),
            None => Key::kept(Path::new(&self.config.store.path)).map_err(Failure::work)?,
        };
        let options = Options { address, hosts: access.public_host.clone(), key };
        let (store, config, pins) = (self.store.clone(), self.config.clone(), self.pins.clone());
        let corpus = Corpus { store, config, pins };
        let server = Server::start(self.runtime.handle(), options, corpus, hooks).map_err(Failure::work)?;
        let place = format!("gleaner: status page at http://{}/", server.address());
        say(format_args!("{place} (token for changes: {})", file.display()));
        if !server.address().ip().is_loopback() {
            say("gleaner: anyone who can reach this address can read the corpus; see docs/status.md");
        }
        self.server = Some(server);
        Ok(())
    }

    /// Returns the actions of the status page: "crawl now", if there are seeds.
    pub(crate) fn hooks(&self) -> Hooks {
        let request = Arc::clone(&self.request);
        let ask: CrawlNow = Box::new(move || {
            let mut request = held(&request);
            if *request != CrawlRequest::None {
                return Err("a crawl is already running or about to start".into());
            }
            *request = CrawlRequest::Pending;
            Ok(())
        });
        Hooks { crawl_now: self.seeds.is_some().then_some(ask) }
    }

    pub(crate) fn is_asked(&self) -> bool {
        *held(&self.request) == CrawlRequest::Pending
    }

    pub(crate) fn close(self) {
        drop(self.server);
        self.runtime.shutdown_background();
        drop(self.telemetry);
    }
}

/// Locks the request. A poisoned lock is safe: no thread can leave the request half changed.
fn held(request: &Mutex<CrawlRequest>) -> MutexGuard<'_, CrawlRequest> {
    request.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts the bundled newspaper if the settings request it. The crawl uses it as a proxy, so that its hosts
/// keep their names.
fn demo(config: &mut Config) -> Result<Option<Newspaper>, Failure> {
    if !config.demo.newspaper {
        return Ok(None);
    }
    let newspaper = Newspaper::start_in_background(gleaner_testkit::Options::default())
        .map_err(|error| Failure::Work(format!("cannot serve the bundled newspaper: {error}")))?;
    config.fetch.proxy = newspaper.proxy();
    Ok(Some(newspaper))
}

fn demo_seeds() -> Result<Vec<Seed>, Failure> {
    gleaner_frontier::parse_seeds(&Newspaper::seeds().join("\n"), "the bundled newspaper")
        .map_err(Failure::usage)
}
