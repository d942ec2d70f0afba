//! Joins the traps with the other parts of the pipeline.

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, UrlKey};
use gleaner_store::{Change, UrlRecord, UrlState};

use super::EndedPage;
use crate::error::CrawlError;
use crate::frontier::Ready;
use crate::page_links::FoundLinks;
use crate::pipeline::Pipeline;
use crate::rank;
use crate::recorder::revisit::{is_article, is_retried};

impl Pipeline {
    /// Considers the visits that have ended, and records the rules that hosts have gained or lost.
    pub(crate) fn follow_traps(&mut self) -> Result<(), CrawlError> {
        for page in std::mem::take(&mut self.recorder.ended) {
            if let Some(url) = self.frontier.traps.ended(&page) {
                self.probe(&page, url)?;
            }
        }
        let changes = self.frontier.traps.take_changes();
        if changes.is_empty() {
            return Ok(());
        }
        let mut change = self.recorder.writer.begin();
        for rule in changes {
            change.count(self.session.run.number, &rule.host, |counts| match rule.is_gained {
                true => drop(counts.refused.entry(rule.label).or_default()),
                false => drop(counts.refused.remove(&rule.label)),
            })?;
        }
        self.commit(change)
    }

    /// Requests a page without one of its parameters, unless the page is known.
    fn probe(&mut self, page: &EndedPage, url: CanonicalUrl) -> Result<(), CrawlError> {
        let found = FoundUrl { url, role: Role::Page, dated: None, news: false };
        let mut change = self.recorder.writer.begin();
        let position = self.recorder.queue_position(&found, rank::LISTING);
        if change.discover(Some(page.host), &found, page.depth, 0, position)? {
            return self.commit(change);
        }
        let key = found.url.key();
        let record = change.url(key)?;
        if record.as_ref().is_some_and(is_retried) {
            self.frontier.traps.unanswered(&found.url);
            return Ok(());
        }
        let document = record.and_then(|record| document_of(key, &record));
        self.frontier.traps.probed(&found.url, document);
        Ok(())
    }

    /// Removes session parameters from the links of a page.
    pub(crate) fn clean_links(&mut self, links: &mut FoundLinks) {
        for (found, _) in links.found.iter_mut().filter(|(found, _)| found.role == Role::Page) {
            if let Some((plain, rule)) = self.frontier.traps.without_session(&found.url) {
                found.url = plain;
                *links.refused.entry(format!("excluded: {rule}").into()).or_default() += 1;
            }
        }
    }

    /// Returns the rule by which a found URL does not enter the frontier, or does not become ready again after a
    /// rule excluded it.
    pub(crate) fn trap_rule(
        &self,
        change: &Change,
        found: &FoundUrl,
        rank: u8,
    ) -> Result<Option<String>, CrawlError> {
        let Some(rule) = self.frontier.traps.refuses(found, rank) else { return Ok(None) };
        let is_excluded = |record: &UrlRecord| matches!(record.last, Some(Outcome::Excluded { .. }));
        let is_known = change.url(found.url.key())?.is_some_and(|record| !is_excluded(&record));
        Ok(Some(rule).filter(|_| !is_known))
    }

    /// Replaces a ready URL by the URL without session parameters.
    pub(crate) fn replace(
        &mut self,
        ready: Ready,
        plain: CanonicalUrl,
        rule: String,
    ) -> Result<(), CrawlError> {
        let mut change = self.recorder.writer.begin();
        let record = &ready.record;
        let found = FoundUrl { url: plain, role: record.role, dated: record.dated, news: false };
        let rank = match record.state {
            UrlState::Ready { rank, .. } => rank,
            UrlState::Waiting { .. } | UrlState::Buffered { .. } | UrlState::Done | UrlState::Kept => {
                rank::OTHER
            }
        };
        let position = self.recorder.queue_position(&found, rank);
        change.discover(Some(record.host), &found, record.depth, 0, position)?;
        self.commit(change)?;
        self.skip(ready, Outcome::Excluded { rule })
    }
}

/// Returns the URL of the document with the text of a visited page. Returns `None` if the last visit gave no text.
fn document_of(key: UrlKey, record: &UrlRecord) -> Option<UrlKey> {
    let last = record.last.as_ref().filter(|last| is_article(last))?;
    Some(match last {
        Outcome::Duplicate { of } => *of,
        _ => record.duplicate_of.unwrap_or(key),
    })
}
