//! Makes URLs ready that are not due, because the user wants them now.

use std::collections::HashSet;
use std::sync::Arc;

use gleaner_frontier::{CanonicalUrl, UrlKey};
use gleaner_store::{QueuePosition, WaitReason};
use jiff::Timestamp;

use crate::error::CrawlError;
use crate::pipeline::Pipeline;
use crate::rank;

/// Number of URLs per change.
const BATCH: usize = 1_000;

/// Which URLs a crawl requests.
#[derive(Debug, Clone, Default)]
pub enum Wanted {
    /// Those that are due.
    #[default]
    Due,
    /// Those that are due, and those that wait for their next visit.
    Waiting,
    /// Only these known URLs, whether they are due or not. Their links enter the frontier for the next crawl.
    Only(Vec<CanonicalUrl>),
}

impl Wanted {
    /// Returns the URLs to which the crawl is limited.
    pub(crate) fn only(&self) -> Option<Arc<HashSet<UrlKey>>> {
        match self {
            Self::Due | Self::Waiting => None,
            Self::Only(urls) => Some(Arc::new(urls.iter().map(CanonicalUrl::key).collect())),
        }
    }
}

impl Pipeline {
    /// Makes the wanted URLs ready.
    pub(crate) fn make_ready(&mut self, wanted: &Wanted) -> Result<(), CrawlError> {
        match wanted {
            Wanted::Due => Ok(()),
            Wanted::Waiting => self.promote_waiting(),
            Wanted::Only(urls) => urls.chunks(BATCH).try_for_each(|urls| self.refetch(urls)),
        }
    }

    fn promote_waiting(&mut self) -> Result<(), CrawlError> {
        loop {
            let mut change = self.recorder.writer.begin();
            if change.promote(WaitReason::Revisit, Timestamp::MAX, BATCH)? == 0 {
                return Ok(());
            }
            self.commit(change)?;
        }
    }

    /// Puts URLs at the beginning of the queues of their hosts, without validators, so that the server sends the whole
    /// page again.
    fn refetch(&mut self, urls: &[CanonicalUrl]) -> Result<(), CrawlError> {
        let mut change = self.recorder.writer.begin();
        for url in urls {
            let Some(mut record) = change.url(url.key())? else { continue };
            (record.etag, record.last_modified, record.tries) = (None, None, 0);
            let position = QueuePosition { rank: rank::LISTING, fresh: Some(self.session.clock.now()) };
            change.revive(url.key(), record, position)?;
        }
        self.commit(change)
    }
}
