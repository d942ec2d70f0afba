//! Ends the visits of pages that a template extracted, and tracks how well the template fits them.
//!
//! A page that differs from the training pages is stored normally. Its raw page is kept while it is among the
//! last [`Window::PAGES`] pages of its host. If too many of these pages differ, the template is out of date.
//! Then the differing pages and all later pages are buffered. The next template extracts them again. The
//! document, the outcome and the template's health are written to the store together, in one change.
//!
//! Limitation: until the next template is learned, the corpus has the texts that the old template extracted.
//! If a wrongly extracted page does not differ from the training pages, its text stays wrong.

use std::sync::atomic::Ordering;

use gleaner_extract::{PageFit, Window};
use gleaner_frontier::{Outcome, Role, UrlKey};
use gleaner_store::{Change, HostId, HostRecord, Store, UrlState};
use tracing::warn;

use super::Learner;
use crate::error::CrawlError;
use crate::extraction::ExtractedArticle;
use crate::recorder::Recorder;
use crate::visit::Visit;

impl Learner {
    pub(crate) fn record_article(
        &mut self,
        recorder: &mut Recorder,
        change: &mut Change,
        visit: &Visit,
        article: ExtractedArticle,
    ) -> Result<(), CrawlError> {
        let ExtractedArticle { document, fit, raw } = article;
        let outcome = match document {
            Ok(document) => change.place(visit.key, document, &mut recorder.writer)?,
            Err(Outcome::NotArticle { .. }) if visit.record.role != Role::Page => Outcome::Listing,
            Err(outcome) => outcome,
        };
        let is_listing = outcome == Outcome::Listing;
        recorder.end(change, visit, outcome)?;
        if is_listing {
            return Ok(());
        }
        if let Some(raw) = raw
            && change.keep(visit.key)?
        {
            change.put_page(visit.key, raw);
        }
        if let Some(buffered) = update_health(&recorder.store, change, visit, fit)? {
            self.template_outdated(visit.record.host, visit.url.host(), buffered);
        }
        Ok(())
    }

    fn template_outdated(&mut self, id: HostId, name: &str, buffered: usize) {
        let Some(host) = self.hosts.get_mut(&id) else { return };
        warn!(
            host = name,
            version = host.version,
            unlike = buffered,
            "the host's pages no longer match its template; buffering pages for a new one"
        );
        host.template = None;
        host.buffered = buffered;
        self.progress.buffered.fetch_add(buffered as u64, Ordering::Relaxed);
    }
}

/// Adds a page to the window of its host's last pages. If this makes the template outdated, buffers the
/// differing pages and returns their number. Otherwise returns `None`.
fn update_health(
    store: &Store,
    change: &mut Change,
    visit: &Visit,
    fit: PageFit,
) -> Result<Option<usize>, CrawlError> {
    let name = visit.url.host();
    let mut window: Window<UrlKey> = store.health(name)?.unwrap_or_default();
    // Only unlike pages have a kept raw page.
    if let Some((page, _)) = window.push(visit.key, fit).filter(|(_, fit)| fit.unlike) {
        change.release_page(page)?;
    }
    if !window.out_of_date() {
        change.put_health(name, &window);
        return Ok(None);
    }
    let mut buffered = 0;
    for page in window.unlike_pages() {
        // Of pages with a planned visit, no raw page is kept.
        if let Some(record) = change.url(*page)?.filter(|record| record.state == UrlState::Kept) {
            buffered = change.buffer(*page, record)?;
        }
    }
    change.put_health(name, &Window::<UrlKey>::default());
    let host = change.host(name, visit.url.domain())?;
    change.put_host(&HostRecord { outdated: true, ..host });
    Ok(Some(buffered as usize))
}
