//! The house: settings, seeds and the open store, in which one crawl after another runs.
//!
//! Store, progress and stop are the same for all of them, so that whoever looks on (a
//! terminal, a status page) keeps what it was handed.

use std::sync::Arc;

use gleaner_config::Config;
use gleaner_corpus::Admission;
use gleaner_crawl::{Clock, CrawlError, Progress, Start, Stop, Summary};
use gleaner_frontier::Seed;
use gleaner_status::Corpus;
use gleaner_store::Store;
use gleaner_template::HostPins;
use gleaner_testkit::Newspaper;
use tokio::runtime::{Handle, Runtime};

use crate::args::{Budgets, Common};
use crate::aside::say;
use crate::failure::Failure;
use crate::nightly::console::Console;
use crate::{logging, settings, signals};

/// See the head of this file.
pub(crate) struct House {
    pub(crate) config: Config,
    seeds: Vec<Seed>,
    pins: HostPins,
    admission: Admission,
    /// Open as long as the house stands.
    pub(crate) store: Store,
    /// What the crawl of now has come to.
    pub(crate) progress: Arc<Progress>,
    /// Asked for by Ctrl-C and SIGTERM.
    pub(crate) stop: Stop,
    pub(crate) console: Console,
    runtime: Runtime,
    /// Served as long as the house stands.
    #[expect(dead_code, reason = "it is held, not used")]
    newspaper: Option<Newspaper>,
}

impl House {
    /// Reads all that a crawl needs and opens the store. `check` may refuse the settings
    /// before anything is opened.
    pub(crate) fn open(
        common: &Common,
        seeds: &[std::path::PathBuf],
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
        let pins = settings::pins(&config)?;
        let admission = settings::admission(&config)?;
        let console = Console::new(common.color);
        logging::begin(&config.log, console.bar(), console.has_colors())?;
        if config.fetch.contact.is_empty() && !config.fetch.user_agent.contains(['@', '+']) {
            say(
                "gleaner: please set fetch.contact, so that a site's owner can reach you: --set fetch.contact=you@example.org",
            );
        }
        let store = settings::store(&config, true)?.store();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::work)?;
        let (stop, progress) = (Stop::default(), Arc::new(Progress::default()));
        signals::listen(runtime.handle(), stop.clone(), {
            let bar = console.bar().clone();
            move || bar.suspend(|| say("gleaner: finishing what is in flight; Ctrl-C again ends at once"))
        });
        Ok(Self { config, seeds, pins, admission, store, progress, stop, console, runtime, newspaper })
    }

    /// Crawls once, until nothing is due, a budget is reached or a stop is asked for.
    pub(crate) fn crawl(&self) -> Result<Summary, CrawlError> {
        self.progress.reset();
        let watching = self.console.watch(&self.progress, self.config.crawl.progress.get());
        let writer = self.store.writer()?.expect("one crawl runs at a time, and each lets go of its writer");
        let summary = gleaner_crawl::run(Start {
            config: self.config.clone(),
            seeds: self.seeds.clone(),
            pins: self.pins.clone(),
            admission: self.admission.clone(),
            writer,
            runtime: self.runtime.handle().clone(),
            stop: self.stop.clone(),
            progress: Arc::clone(&self.progress),
            clock: Clock::default(),
        });
        drop(watching);
        summary
    }

    /// Where whatever is beside a crawl runs.
    pub(crate) fn handle(&self) -> &Handle {
        self.runtime.handle()
    }

    /// What a status page shows.
    pub(crate) fn corpus(&self) -> Corpus {
        Corpus { store: self.store.clone(), config: self.config.clone(), pins: self.pins.clone() }
    }

    /// Ends what still runs.
    pub(crate) fn close(self) {
        self.runtime.shutdown_background();
    }
}

/// Starts the bundled newspaper where the settings ask for it. It is reached
/// through itself as a proxy, so that its hosts keep their names.
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
