//! Defines the state that all pages share.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gleaner_crawl::render::language::Bilingual;
use gleaner_crawl::settings::Config;
use gleaner_crawl::{Progress, StopRequest};
use gleaner_extract::pins::HostPins;
use gleaner_frontier::Scope;
use gleaner_store::{Store, StoreError};
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::status::access_token::AccessToken;
use crate::status::corpus_view::CorpusView;
use crate::status::crawl_monitor::CrawlMonitor;
use crate::status::report_cache::ReportCache;
use crate::status::search::SearchIndex;
use crate::status::security::AllowedHosts;

const MAX_RENDERS: usize = 4;

const MAX_DOWNLOADS: usize = 2;

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

#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) corpus: ServedCorpus,
    pub(crate) hooks: Hooks,
    pub(crate) token: AccessToken,
    pub(crate) allowed_hosts: AllowedHosts,
    pub(crate) search: SearchIndex,
    pub(crate) monitor: CrawlMonitor,
    reports: ReportCache,
    view: Mutex<Option<(Instant, Arc<CorpusView>)>>,
    pub(crate) render_permits: Semaphore,
    pub(crate) download_permits: Arc<Semaphore>,
}

impl AppState {
    pub(crate) fn new(
        corpus: ServedCorpus,
        hooks: Hooks,
        token: AccessToken,
        allowed_hosts: AllowedHosts,
    ) -> Self {
        let search = SearchIndex::in_folder(corpus.store.folder());
        Self {
            corpus,
            hooks,
            token,
            allowed_hosts,
            search,
            monitor: CrawlMonitor::default(),
            reports: ReportCache::default(),
            view: Mutex::new(None),
            render_permits: Semaphore::new(MAX_RENDERS),
            download_permits: Arc::new(Semaphore::new(MAX_DOWNLOADS)),
        }
    }

    /// Returns the view of the corpus. It is cached for [`CorpusView::MAX_AGE`].
    pub(crate) fn corpus_view(&self) -> Result<Arc<CorpusView>, StoreError> {
        // The lock is held during the computation, so that waiting requests get its result.
        let mut cached = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, view)) = &*cached
            && made.elapsed() < CorpusView::MAX_AGE
        {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(CorpusView::from_corpus(&self.corpus, &self.reports)?);
        *cached = Some((Instant::now(), Arc::clone(&view)));
        Ok(view)
    }

    pub(crate) fn invalidate_view(&self) {
        *self.view.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn next_start(&self) -> Option<Timestamp> {
        self.hooks.next_start.as_ref().and_then(|next| next())
    }
}
