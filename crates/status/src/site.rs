//! Defines the state that all pages share.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gleaner_config::Config;
use gleaner_crawl::{Progress, Stop};
use gleaner_frontier::Scope;
use gleaner_store::{Store, StoreError};
use gleaner_template::HostPins;
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::corpus_view::CorpusView;
use crate::guard::Names;
use crate::key::Key;
use crate::live::Live;
use crate::reports::Reports;
use crate::search::Search;

const AT_ONCE: usize = 4;

const DOWNLOADS: usize = 2;

/// The corpus on the pages.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The store. Reading does not block a writer.
    pub store: Store,
    /// The settings, such as archive folder, gaps and user agent.
    pub config: Config,
    /// The user's pins for all hosts.
    pub pins: HostPins,
    /// The sites of the seeds; `None`: unknown.
    pub scope: Option<Scope>,
}

/// A crawl in this process.
#[derive(Debug, Clone)]
pub struct Running {
    /// Its counters and the queue of user commands.
    pub progress: Arc<Progress>,
    /// Stops only this crawl.
    pub stop: Stop,
}

/// Starts a crawl, or returns why it cannot start.
pub type CrawlNow = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Returns when the next crawl starts; `None`: no start is planned.
pub type NextStart = Box<dyn Fn() -> Option<Timestamp> + Send + Sync>;

/// Actions of the serving process for the pages.
#[derive(Default)]
pub struct Hooks {
    /// Starts a crawl now; `None`: there is no button.
    pub crawl_now: Option<CrawlNow>,
    /// The next start of the schedule; `None`: this process has no schedule.
    pub next_start: Option<NextStart>,
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
pub(crate) struct Site {
    pub(crate) corpus: Corpus,
    pub(crate) hooks: Hooks,
    pub(crate) key: Key,
    pub(crate) names: Names,
    pub(crate) search: Search,
    pub(crate) live: Live,
    reports: Reports,
    view: Mutex<Option<(Instant, Arc<CorpusView>)>>,
    pub(crate) places: Semaphore,
    pub(crate) downloads: Arc<Semaphore>,
}

impl Site {
    pub(crate) fn new(corpus: Corpus, hooks: Hooks, key: Key, names: Names) -> Self {
        let search = Search::in_folder(corpus.store.folder());
        Self {
            corpus,
            hooks,
            key,
            names,
            search,
            live: Live::default(),
            reports: Reports::default(),
            view: Mutex::new(None),
            places: Semaphore::new(AT_ONCE),
            downloads: Arc::new(Semaphore::new(DOWNLOADS)),
        }
    }

    /// Returns the view of the corpus. It may be some seconds old.
    pub(crate) fn corpus_view(&self) -> Result<Arc<CorpusView>, StoreError> {
        // Locked during the computation, so that waiting requests share one result.
        let mut kept = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, view)) = &*kept
            && made.elapsed() < CorpusView::FRESH
        {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(CorpusView::from_corpus(&self.corpus, &self.reports)?);
        *kept = Some((Instant::now(), Arc::clone(&view)));
        Ok(view)
    }

    pub(crate) fn changed(&self) {
        *self.view.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn next_start(&self) -> Option<Timestamp> {
        self.hooks.next_start.as_ref().and_then(|next| next())
    }
}
