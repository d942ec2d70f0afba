//! Tracks how well the template of a host fits the pages that it extracts.
//!
//! A page that differs from the training pages is stored normally. Its raw page is kept while it is among the
//! last [`Window::PAGES`] pages of its host. If too many of these pages differ, the template is out of date.
//! Then the kept pages and all later pages are buffered. The next template extracts them again. The
//! health is part of the change with the document and the outcome.
//!
//! A site has several layouts. The raw page of a page with new DOM paths stays kept. When there are as many such pages as
//! a first template needs, the template learns them in addition: nothing that it knows is lost.
//!
//! Limitation: until the next template is learned, the corpus has the texts that the old template extracted.
//! If a wrongly extracted page does not differ from the training pages, its text stays wrong.

use std::sync::atomic::Ordering;

use gleaner_extract::{PageFit, Window};
use gleaner_frontier::UrlKey;
use gleaner_store::{Change, HostId, HostRecord, PackedPage, Store, UrlState};
use tracing::warn;

use super::Learner;
use crate::error::CrawlError;
use crate::visit::Visit;

impl Learner {
    /// Records how well the template of a host fits a page. `raw` is the raw page if it differs from the training pages.
    pub(crate) fn record_fit(
        &mut self,
        store: &Store,
        change: &mut Change,
        visit: &Visit,
        fit: PageFit,
        raw: Option<PackedPage>,
    ) -> Result<(), CrawlError> {
        let mut is_kept = false;
        if let Some(raw) = raw
            && change.keep(visit.key)?
        {
            change.put_page(visit.key, raw);
            is_kept = true;
        }
        match update_health(store, change, visit, fit, is_kept, self.prepare_pages)? {
            TemplateHealth::Usual => {}
            TemplateHealth::Outdated(buffered) => {
                self.template_outdated(visit.record.host, visit.url.host(), buffered)
            }
            TemplateHealth::FurtherLayouts(buffered) => self.set_buffered(visit.record.host, buffered),
        }
        Ok(())
    }

    fn template_outdated(&mut self, id: HostId, name: &str, buffered: usize) {
        self.set_buffered(id, buffered);
        let Some(host) = self.hosts.get_mut(&id) else { return };
        warn!(
            host = name,
            version = host.version,
            unlike = buffered,
            "the host's pages no longer match its template; buffering pages for a new one"
        );
        host.template = None;
    }

    fn set_buffered(&mut self, id: HostId, buffered: usize) {
        let Some(host) = self.hosts.get_mut(&id) else { return };
        let more = buffered.saturating_sub(host.buffered);
        host.buffered = buffered;
        self.progress.buffered.fetch_add(more as u64, Ordering::Relaxed);
    }
}

/// What the last pages of a host show about its template.
enum TemplateHealth {
    Usual,
    /// The template is out of date. Contains the number of the host's buffered pages.
    Outdated(usize),
    /// There are enough pages of further layouts. Contains the number of the host's buffered pages.
    FurtherLayouts(usize),
}

/// Adds a page to the window of its host's last pages. If this makes the template outdated, or if at least `least` pages
/// of further layouts are kept, buffers the kept pages.
fn update_health(
    store: &Store,
    change: &mut Change,
    visit: &Visit,
    fit: PageFit,
    is_kept: bool,
    least: usize,
) -> Result<TemplateHealth, CrawlError> {
    let name = visit.url.host();
    let mut window: Window<UrlKey> = store.health(name)?.unwrap_or_default();
    for page in window.push(visit.key, fit, is_kept) {
        change.release_page(page)?;
    }
    let outdated = window.out_of_date();
    if outdated || window.has_further_layouts(least) {
        // A visit that gave no text, or that will be repeated, has ended the state of a kept page.
        let mut kept = Vec::new();
        for page in window.kept_pages() {
            if change.url(*page)?.is_some_and(|record| record.state == UrlState::Kept) {
                kept.push(*page);
            }
        }
        window.retain_kept(|page| kept.contains(page));
    }
    if !outdated && !window.has_further_layouts(least) {
        change.put_health(name, &window);
        return Ok(TemplateHealth::Usual);
    }
    let mut buffered = 0;
    for page in window.take_kept() {
        if let Some(record) = change.url(page)? {
            buffered = change.buffer(page, record)? as usize;
        }
    }
    if !outdated {
        change.put_health(name, &window);
        return Ok(TemplateHealth::FurtherLayouts(buffered));
    }
    change.put_health(name, &Window::<UrlKey>::default());
    let host = change.host(name, visit.url.domain())?;
    change.put_host(&HostRecord { outdated: true, ..host });
    Ok(TemplateHealth::Outdated(buffered))
}
