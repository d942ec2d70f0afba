//! Records a response that a worker thread processed, in the owner thread.
//!
//! [`Pipeline::record`] lists the steps. `responses`, `redirects` and `robots` handle the other responses.

use std::sync::atomic::Ordering;

use gleaner_frontier::{Outcome, Role};
use gleaner_store::{Change, PackedPage};

use crate::archive::WarcRecords;
use crate::error::CrawlError;
use crate::extraction::ExtractedArticle;
use crate::pipeline::Pipeline;
use crate::process::{Content, ProcessedResponse};
use crate::rank;
use crate::recorder::revisit::is_article;
use crate::report::cause::is_wall;
use crate::visit::{ReadSummary, Visit};

/// Maximum length of a stored `ETag` or `Last-Modified`, in bytes.
const MAX_VALIDATOR_LENGTH: usize = 512;

impl Pipeline {
    /// Records a processed response. One change contains everything except the archive's records and the first parts
    /// of a long list.
    pub(crate) fn record(
        &mut self,
        mut visit: Visit,
        mut processed: ProcessedResponse,
        records: Option<WarcRecords>,
    ) -> Result<(), CrawlError> {
        self.count_response(&visit, processed.bytes);
        self.archive(&mut visit, &processed.content, records)?;
        keep_validators(&mut visit, &mut processed);
        let (mut change, read) = self.record_links(&mut visit, &mut processed)?;
        let is_page = visit.record.role == Role::Page;
        let mut article_fit = None;
        let outcome = match processed.content {
            Content::Raw(page) => return self.buffer(change, &visit, &read, page),
            Content::Article(article) => {
                let ExtractedArticle { document, fit, raw } = *article;
                article_fit = Some((fit, raw));
                self.recorder.place(&mut change, &visit, document)?
            }
            Content::NotArticle(reason) => {
                let outcome = Outcome::NotArticle { reason: reason.into() };
                // A site may show a wall, such as a login page, instead of its lists. A menu may be left.
                let is_article = |rank| matches!(rank, rank::NEWS | rank::ARTICLE);
                let has_articles = processed.links.found.iter().any(|(_, rank)| is_article(*rank));
                let is_wall = !has_articles && is_wall(&outcome.reason());
                if is_page || is_wall { outcome } else { Outcome::Listing }
            }
            Content::Excluded(rule) if is_page => Outcome::Excluded { rule: rule.into() },
            Content::Unreadable(reason) => Outcome::Unreadable { reason },
            // A front page or section stays one.
            Content::Excluded(_) | Content::List => Outcome::Listing,
        };
        let article_fit = article_fit.filter(|_| outcome != Outcome::Listing);
        self.end(&mut change, &visit, &read, outcome)?;
        if let Some((fit, raw)) = article_fit {
            self.learner.record_fit(&self.recorder.store, &mut change, &visit, fit, raw)?;
        }
        self.commit(change)
    }

    fn count_response(&mut self, visit: &Visit, bytes: u64) {
        self.session.progress.responses.fetch_add(1, Ordering::Relaxed);
        if let Some(host) = self.frontier.hosts.get(&visit.record.host) {
            self.frontier.quota.add_bytes(&host.site, bytes);
        }
    }

    /// Appends a response to the archive. The text of a document stays in the archive where its record says, so that it
    /// can be repaired: a response without an article does not replace its place. A page with a removed text is not
    /// archived.
    fn archive(
        &mut self,
        visit: &mut Visit,
        content: &Content,
        records: Option<WarcRecords>,
    ) -> Result<(), CrawlError> {
        if let Some(document) = content.document()
            && self.recorder.store.is_removed_text(&document.content_hash())?
        {
            return Ok(());
        }
        let has_text = visit.record.last.as_ref().is_some_and(is_article);
        let record = Some(&mut visit.record).filter(|_| content.is_article() || !has_text);
        self.recorder.archive(records, record)
    }

    /// Buffers an article of a host without a template.
    fn buffer(
        &mut self,
        mut change: Change,
        visit: &Visit,
        read: &ReadSummary,
        page: PackedPage,
    ) -> Result<(), CrawlError> {
        change.put_page(visit.key, page);
        let buffered = self.recorder.buffer(&mut change, visit, read)?;
        self.commit(change)?;
        self.learner.page_buffered(visit.record.host, buffered);
        Ok(())
    }

    /// Records a 2xx response with an unchanged body.
    pub(crate) fn record_unchanged(
        &mut self,
        visit: &Visit,
        bytes: u64,
        records: Option<WarcRecords>,
    ) -> Result<(), CrawlError> {
        self.session.progress.responses.fetch_add(1, Ordering::Relaxed);
        self.recorder.archive(records, None)?;
        let (change, read) = (self.recorder.writer.begin(), ReadSummary { bytes, ..ReadSummary::default() });
        self.end_visit(change, visit, &read, Outcome::Unchanged)
    }
}

fn keep_validators(visit: &mut Visit, processed: &mut ProcessedResponse) {
    let kept = |value: Option<String>| value.filter(|value| value.len() <= MAX_VALIDATOR_LENGTH);
    visit.record.etag = kept(processed.etag.take());
    visit.record.last_modified = kept(processed.last_modified.take());
    if visit.record.role != Role::Page {
        return;
    }
    if !processed.content.is_article() {
        // The next visit gets the whole response. A 304 would keep a page that was shown by mistake.
        (visit.record.etag, visit.record.last_modified) = (None, None);
    }
    if visit.record.etag.is_some() {
        // One validator is enough. Omitting the second saves space in the records of many pages.
        visit.record.last_modified = None;
    }
}
