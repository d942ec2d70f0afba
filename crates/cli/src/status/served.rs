//! What the program gives to the server: the corpus, the running crawl, and functions that start crawls.

use std::fmt;
use std::sync::Arc;

use gleaner_crawl::render::language::Bilingual;
use gleaner_crawl::settings::Config;
use gleaner_crawl::{Progress, StopRequest};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::Scope;
use gleaner_store::Store;
use jiff::Timestamp;

/// The corpus that the pages show, with its settings.
#[derive(Debug, Clone)]
pub(crate) struct ServedCorpus {
    /// The store. Reading does not block a writer.
    pub(crate) store: Store,
    /// The settings, such as the archive folder, delays between requests, and the user agent.
    pub(crate) config: Config,
    /// The rules with which the user corrects templates, for all hosts.
    pub(crate) pins: HostPins,
    /// The sites that may be crawled according to the seeds. `None` if the seeds are unknown.
    pub(crate) scope: Option<Scope>,
}

/// A crawl in this process.
#[derive(Debug, Clone)]
pub(crate) struct RunningCrawl {
    /// The crawl's counters, and its queue of user commands.
    pub(crate) progress: Arc<Progress>,
    /// Stops this crawl, but not the process.
    pub(crate) stop: StopRequest,
}

/// A function that starts a crawl. The error is the reason why the crawl cannot start.
pub(crate) type CrawlNow = Box<dyn Fn() -> Result<(), Bilingual> + Send + Sync>;

/// A function that returns the next start of a crawl, or `None` if no start is planned.
pub(crate) type NextStart = Box<dyn Fn() -> Option<Timestamp> + Send + Sync>;

/// Functions of the serving process that the pages call.
#[derive(Default)]
pub(crate) struct Hooks {
    /// Starts a crawl now. If `None`, the page has no button for this.
    pub(crate) crawl_now: Option<CrawlNow>,
    /// Returns the next start of the schedule. `None` if this process has no schedule.
    pub(crate) next_start: Option<NextStart>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks")
            .field("crawl_now", &self.crawl_now.is_some())
            .field("next_start", &self.next_start.is_some())
            .finish()
    }
}
