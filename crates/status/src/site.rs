//! Defines the state that all pages share.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gleaner_config::Config;
use gleaner_crawl::Progress;
use gleaner_store::{Store, StoreError};
use gleaner_template::HostPins;
use tokio::sync::Semaphore;

use crate::corpus_view::CorpusView;
use crate::guard::Names;
use crate::key::Key;
use crate::live::Live;
use crate::search::Search;

const AT_ONCE: usize = 4;

/// The corpus that the pages show.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The store. Reading does not block a writer.
    pub store: Store,
    /// The settings, such as archive folder, gaps and user agent.
    pub config: Config,
    /// The user's pins for all hosts.
    pub pins: HostPins,
}

/// Starts a crawl, or returns the reason why it cannot.
pub type CrawlNow = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Actions that the serving process offers to the pages.
#[derive(Default)]
pub struct Hooks {
    /// Starts a crawl now. `None` hides the button.
    pub crawl_now: Option<CrawlNow>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("crawl_now", &self.crawl_now.is_some()).finish()
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
    view: Mutex<Option<(Instant, Arc<CorpusView>)>>,
    pub(crate) places: Semaphore,
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
            view: Mutex::new(None),
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// Returns the view of the corpus, which is at most a few seconds old.
    pub(crate) fn corpus_view(&self) -> Result<Arc<CorpusView>, StoreError> {
        // The lock is held during the computation, so that waiting requests share one result.
        let mut kept = self.view.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, view)) = &*kept
            && made.elapsed() < CorpusView::FRESH
        {
            return Ok(Arc::clone(view));
        }
        let view = Arc::new(CorpusView::from_corpus(&self.corpus)?);
        *kept = Some((Instant::now(), Arc::clone(&view)));
        Ok(view)
    }

    pub(crate) fn changed(&self) {
        *self.view.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn progress(&self) -> Option<Arc<Progress>> {
        self.live.progress()
    }
}
