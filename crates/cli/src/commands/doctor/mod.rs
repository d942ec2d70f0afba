//! Runs `gleaner doctor`: explains the stored state of one URL or host, and why it has no document.
//!
//! The command reads the store. It sends requests only with `--fetch`.

mod facts;
mod host_facts;
mod url_facts;

pub(crate) use url_facts::without_outcome;

use gleaner_crawl::render::text::minute;
use gleaner_crawl::settings::Config;
use gleaner_crawl::{HostView, RunHistory};
use gleaner_frontier::{CanonicalUrl, FoundUrl, Role, Scope, Seed, UrlRefusal};
use gleaner_store::{HostRecord, Store, StoreError, UrlRecord};

use crate::args::{Common, Doctor};
use crate::failure::Failure;
use crate::{CommandResult, opening, output, settings};

pub(crate) struct DoctorContext {
    config: Config,
    store: Store,
    /// `None` if the user names no seeds and the corpus does not record its seeds.
    seeds: Option<Vec<Seed>>,
    sites: Scope,
}

pub(crate) fn run(common: &Common, args: &Doctor) -> CommandResult {
    let config = settings::load(common)?;
    let store = opening::read_store(&config)?;
    let seeds = match args.seeds.is_empty() {
        true => store.seeds().map_err(Failure::work)?,
        false => Some(settings::seeds(&args.seeds, &[], &config)?),
    };
    let sites =
        gleaner_crawl::scope(&config, seeds.as_deref().unwrap_or_default()).map_err(Failure::usage)?;
    let context = DoctorContext { config, store, seeds, sites };
    let facts = if args.what.contains('/') {
        let text =
            if args.what.contains("://") { args.what.clone() } else { format!("https://{}", args.what) };
        url_facts::facts(&context, &text, args.fetch)?
    } else {
        host_facts::facts(&context, &args.what, args.fetch)?
    };
    let shown = if args.json { facts.json() } else { facts.text() };
    output::print(&shown)
}

impl DoctorContext {
    fn view(&self, host: HostRecord) -> Result<HostView, StoreError> {
        let mut history = RunHistory::read(&self.store, RunHistory::KEPT)?;
        HostView::new(&self.store, &self.config, host, &mut history)
    }

    fn scope(&self, domain: &str) -> String {
        let Some(seeds) = &self.seeds else {
            return "unknown: no crawl has recorded its seeds in this corpus; --seeds FILE names them".into();
        };
        match seeds.iter().find(|seed| seed.url.domain() == domain) {
            Some(seed) => format!("in scope: {domain} is a site of {}", seed.origin()),
            None => format!(
                "out of scope: {domain} is not among the seed sites ({})",
                self.sites.domains().count()
            ),
        }
    }

    fn is_in_scope(&self, url: &CanonicalUrl) -> bool {
        self.seeds.is_none() || self.sites.contains(url)
    }

    /// Returns the sentence about the removal of a URL, or `None` if neither the URL nor its host is removed.
    fn removal(&self, url: &CanonicalUrl) -> Result<Option<String>, Failure> {
        let removal = self.store.removal_of(url).map_err(Failure::work)?;
        Ok(removal.map(|removal| {
            let reason = if removal.reason.is_empty() { "no reason given" } else { &removal.reason };
            format!(
                "removed on {} (removal {}): {reason}; it is not requested again",
                minute(removal.at),
                removal.number
            )
        }))
    }

    fn is_seed(&self, url: &CanonicalUrl) -> bool {
        self.seeds.iter().flatten().any(|seed| seed.url == *url)
    }

    /// Returns the rule in the settings that excludes a URL. `record` is the URL's record, if the store has
    /// one.
    fn exclusion(&self, url: &CanonicalUrl, record: Option<&UrlRecord>) -> Option<String> {
        let role = record.map_or(Role::Page, |record| record.role);
        let dated = record.and_then(|record| record.dated);
        match self.sites.refusal(&FoundUrl { url: url.clone(), role, dated, news: false })? {
            UrlRefusal::Excluded { rule } => Some(rule),
            _ => None,
        }
    }
}
