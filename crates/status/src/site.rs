//! What all pages share.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gleaner_config::Config;
use gleaner_crawl::Progress;
use gleaner_store::{Store, StoreError};
use gleaner_template::HostPins;
use tokio::sync::Semaphore;

use crate::figures::Figures;
use crate::guard::Names;
use crate::key::Key;
use crate::live::Live;
use crate::search::Search;

/// Pages that are made at once.
const AT_ONCE: usize = 4;

/// What is shown.
#[derive(Debug, Clone)]
pub struct Corpus {
    /// The store; reading it disturbs no writer.
    pub store: Store,
    /// The settings: where the archive is, gaps, the agent's name.
    pub config: Config,
    /// What the user says of hosts' pages.
    pub pins: HostPins,
}

/// Begins a crawl, or says why it does not.
pub type CrawlNow = Box<dyn Fn() -> Result<(), String> + Send + Sync>;

/// What the page may ask of the process that serves it.
#[derive(Default)]
pub struct Hooks {
    /// Begins a crawl now; `None`: there is no button for it.
    pub crawl_now: Option<CrawlNow>,
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").field("crawl_now", &self.crawl_now.is_some()).finish()
    }
}

/// What all pages share.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) corpus: Corpus,
    pub(crate) hooks: Hooks,
    pub(crate) key: Key,
    pub(crate) names: Names,
    pub(crate) search: Search,
    pub(crate) live: Live,
    figures: Mutex<Option<(Instant, Arc<Figures>)>>,
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
            figures: Mutex::new(None),
            places: Semaphore::new(AT_ONCE),
        }
    }

    /// What is known of hosts and nights, at most some seconds old.
    pub(crate) fn figures(&self) -> Result<Arc<Figures>, StoreError> {
        // Held while they are made, so that they are made once for all who wait.
        let mut kept = self.figures.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((made, figures)) = &*kept
            && made.elapsed() < Figures::FRESH
        {
            return Ok(Arc::clone(figures));
        }
        let figures = Arc::new(Figures::from_corpus(&self.corpus)?);
        *kept = Some((Instant::now(), Arc::clone(&figures)));
        Ok(figures)
    }

    /// Forgets them: something was changed.
    pub(crate) fn changed(&self) {
        *self.figures.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The crawl that runs now.
    pub(crate) fn progress(&self) -> Option<Arc<Progress>> {
        self.live.progress()
    }
}
