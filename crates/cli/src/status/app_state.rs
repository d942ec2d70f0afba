//! Defines the state that all pages share.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gleaner_store::StoreError;
use jiff::Timestamp;
use tokio::sync::Semaphore;

use crate::status::access_token::AccessToken;
use crate::status::corpus_view::CorpusView;
use crate::status::crawl_monitor::CrawlMonitor;
use crate::status::report_cache::ReportCache;
use crate::status::search::SearchIndex;
use crate::status::security::AllowedHosts;
use crate::status::served::{Hooks, ServedCorpus};

const MAX_RENDERS: usize = 4;

const MAX_DOWNLOADS: usize = 2;

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
    /// One permit, for the probe of `/readyz`.
    pub(crate) probe_permits: Arc<Semaphore>,
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
            probe_permits: Arc::new(Semaphore::new(1)),
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
        let (before, is_crawling) =
            (cached.as_ref().map(|(_, view)| &**view), self.monitor.running().is_some());
        let view = Arc::new(CorpusView::from_corpus(&self.corpus, &self.reports, before, is_crawling)?);
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
