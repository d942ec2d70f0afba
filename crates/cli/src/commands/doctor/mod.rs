//! Runs `gleaner doctor`: explains the stored state of one URL or host, and why it has no document.
//!
//! The command reads the store and sends no request unless `--fetch` is given.

mod facts;
mod host;
mod url;

use std::io::{self, Write};
use std::path::Path;

use gleaner_config::Config;
use gleaner_crawl::{HostView, RunHistory};
use gleaner_frontier::{CanonicalUrl, Scope, Seed};
use gleaner_store::{HostRecord, Options, Store, StoreError};

use crate::args::{Common, Doctor};
use crate::failure::Failure;
use crate::{Done, distributed, settings};

pub(crate) struct DoctorContext {
    config: Config,
    store: Store,
    /// `None`: no seed file can be read.
    seeds: Option<Vec<Seed>>,
}

pub(crate) fn run(common: &Common, args: &Doctor) -> Done {
    let config = settings::load(common)?;
    let store = open(&config)?;
    let seeds = match settings::seeds(&args.seeds, &config) {
        Err(failure) if !args.seeds.is_empty() => return Err(failure),
        seeds => seeds.ok(),
    };
    let context = DoctorContext { config, store, seeds };
    let facts = if args.what.contains('/') {
        let text =
            if args.what.contains("://") { args.what.clone() } else { format!("https://{}", args.what) };
        url::facts(&context, &text, args.fetch)?
    } else {
        host::facts(&context, &args.what)?
    };
    let shown = if args.json { facts.json() } else { facts.text() };
    io::stdout().lock().write_all(shown.as_bytes()).map_err(Failure::writing("standard output"))
}

fn open(config: &Config) -> Result<Store, Failure> {
    if distributed::is_shared(config) {
        return distributed::visit(config);
    }
    let options = Options { cache: config.store.cache.get(), create: false };
    match gleaner_store::open(Path::new(&config.store.path), &options) {
        Ok(writer) => Ok(writer.store()),
        Err(error @ StoreError::Busy { .. }) => Err(Failure::Work(format!(
            "{error}; use a copy: gleaner snapshot COPY, then gleaner doctor --data COPY"
        ))),
        Err(error) => Err(Failure::work(error)),
    }
}

impl DoctorContext {
    fn view(&self, host: HostRecord) -> Result<HostView, StoreError> {
        let mut history = RunHistory::read(&self.store, RunHistory::KEPT)?;
        HostView::new(&self.store, &self.config, host, &mut history)
    }

    fn scope(&self, domain: &str) -> String {
        let Some(seeds) = &self.seeds else {
            return "unknown: no seed file was found; set it with --seeds".into();
        };
        match seeds.iter().find(|seed| seed.url.domain() == domain) {
            Some(seed) => format!("in scope: {domain} is a site of {} line {}", seed.file, seed.line),
            None => format!(
                "out of scope: {domain} is not among the seed sites ({})",
                Scope::from_seeds(seeds).domains().count()
            ),
        }
    }

    fn is_in_scope(&self, url: &CanonicalUrl) -> bool {
        self.seeds.as_ref().is_none_or(|seeds| Scope::from_seeds(seeds).contains(url))
    }
}
