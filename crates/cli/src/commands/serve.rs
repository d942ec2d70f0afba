//! `gleaner serve`: the status page of a corpus that no other process has open; and the
//! same beside a crawl.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use gleaner_config::Config;
use gleaner_corpus::Admission;
use gleaner_crawl::{Clock, Progress, Start, Stop};
use gleaner_frontier::Seed;
use gleaner_status::{Corpus, CrawlNow, Hooks, Key, Options, Server};
use gleaner_store::Store;
use gleaner_template::HostPins;
use tokio::runtime::Handle;

use crate::args::{Access, Common, Serve, Status};
use crate::aside::say;
use crate::failure::Failure;
use crate::{Done, logging, settings, signals, watching};

/// How often it is looked whether a stop was asked for.
const LOOK: Duration = Duration::from_millis(100);

pub(crate) fn run(common: &Common, args: &Serve) -> Done {
    let config = settings::load(common)?;
    logging::begin(&config.log, &watching::bar())?;
    let (pins, admission) = (settings::pins(&config)?, settings::admission(&config)?);
    let store = settings::store(&config, false)?.store();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::work)?;
    let stop = Stop::default();
    signals::listen(runtime.handle(), stop.clone(), || ());
    let corpus = Corpus { store: store.clone(), config: config.clone(), pins: pins.clone() };
    let crawler = seeds(args, &config)?.map(|seeds| {
        Arc::new(Crawler {
            seeds,
            admission,
            config,
            pins,
            store,
            runtime: runtime.handle().clone(),
            stop: stop.clone(),
            server: OnceLock::new(),
            running: Mutex::new(None),
        })
    });
    let hooks = Hooks { crawl_now: crawler.clone().map(|crawler| crawl_now(&crawler)) };
    let server = Arc::new(begin(runtime.handle(), args.address, &args.access, corpus, hooks)?);
    if let Some(crawler) = &crawler {
        let _ = crawler.server.set(Arc::downgrade(&server));
    }
    while !stop.asked() {
        thread::sleep(LOOK);
    }
    if let Some(crawler) = crawler {
        crawler.wait();
    }
    drop(server);
    runtime.shutdown_background();
    Ok(())
}

/// Seeds for a crawl from the page. `None`: none were named, and the usual file is not there.
fn seeds(args: &Serve, config: &Config) -> Result<Option<Vec<Seed>>, Failure> {
    let is_there = |file: &String| Path::new(file).exists();
    if args.seeds.is_empty() && !config.crawl.seeds.iter().all(is_there) {
        return Ok(None);
    }
    settings::seeds(&args.seeds, config).map(Some)
}

/// The status page beside what crawls, where one was asked for: [`Server::watch`] shows
/// it each crawl that begins and ends.
pub(crate) fn beside(
    args: &Status,
    runtime: &Handle,
    corpus: impl FnOnce() -> Corpus,
    hooks: Hooks,
) -> Result<Option<Server>, Failure> {
    let Some(address) = args.status else { return Ok(None) };
    begin(runtime, address, &args.access, corpus(), hooks).map(Some)
}

/// Serves the page, and says where.
fn begin(
    runtime: &Handle,
    address: SocketAddr,
    access: &Access,
    corpus: Corpus,
    hooks: Hooks,
) -> Result<Server, Failure> {
    let (key, file) = match &access.token_file {
        Some(file) => (Key::read(file).map_err(Failure::usage)?, file.clone()),
        None => Key::kept(Path::new(&corpus.config.store.path)).map_err(Failure::work)?,
    };
    let options = Options { address, hosts: access.public_host.clone(), key };
    let server = Server::start(runtime, options, corpus, hooks).map_err(Failure::work)?;
    let place = format!("gleaner: status page at http://{}/", server.address());
    say(format_args!("{place} (token for changes: {})", file.display()));
    if !server.address().ip().is_loopback() {
        say("gleaner: whoever reaches this address may read the corpus; see docs/status.md");
    }
    Ok(server)
}

/// Crawls when the button is pressed, once at a time.
struct Crawler {
    config: Config,
    seeds: Vec<Seed>,
    pins: HostPins,
    admission: Admission,
    store: Store,
    runtime: Handle,
    stop: Stop,
    server: OnceLock<Weak<Server>>,
    running: Mutex<Option<JoinHandle<()>>>,
}

fn crawl_now(crawler: &Arc<Crawler>) -> CrawlNow {
    // Not to be kept alive by the page that it is asked by.
    let crawler = Arc::downgrade(crawler);
    Box::new(move || {
        crawler.upgrade().ok_or("it is about to end")?.begin().map_err(|error| error.to_string())
    })
}

impl Crawler {
    fn begin(&self) -> Result<(), Box<dyn std::error::Error>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if running.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return Err("a crawl runs already".into());
        }
        let writer = self.store.writer()?.ok_or("a crawl runs already")?;
        let progress = Arc::new(Progress::default());
        let start = Start {
            config: self.config.clone(),
            seeds: self.seeds.clone(),
            pins: self.pins.clone(),
            admission: self.admission.clone(),
            writer,
            runtime: self.runtime.clone(),
            stop: self.stop.clone(),
            progress: Arc::clone(&progress),
            clock: Clock::default(),
        };
        let server = self.server.get().cloned().unwrap_or_default();
        let watch = move |progress| {
            if let Some(server) = server.upgrade() {
                server.watch(progress);
            }
        };
        watch(Some(progress));
        *running = Some(thread::Builder::new().name("crawl".into()).spawn(move || {
            if let Err(error) = gleaner_crawl::run(start) {
                say(format_args!("gleaner: the crawl ended: {error}"));
            }
            watch(None);
        })?);
        Ok(())
    }

    /// Waits until what is in flight is finished.
    fn wait(&self) {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = running {
            // A panic there has been told on standard error.
            let _ = thread.join();
        }
    }
}
