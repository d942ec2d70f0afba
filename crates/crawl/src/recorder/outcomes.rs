//! Records and counts the outcomes of visits.

use gleaner_frontier::{CanonicalUrl, Outcome, OutcomeClass, Role, UrlKey};
use gleaner_store::{Change, PackedDocument, StoreError, UrlRecord};
use tracing::debug;

use super::Recorder;
use super::revisit::is_article;
use crate::error::CrawlError;
use crate::traps::{EndedPage, PageResult, is_linked_record};
use crate::visit::{ReadSummary, Visit};

impl Recorder {
    pub(crate) fn count_requests(&mut self, host: &str, by: i64) {
        *self.requests.entry(host.to_owned()).or_default() += by;
    }

    pub(super) fn take_requests(&mut self, change: &mut Change) -> Result<(), StoreError> {
        for (host, by) in std::mem::take(&mut self.requests) {
            change.count(self.session.run.number, &host, |counts| {
                counts.requests = counts.requests.saturating_add_signed(by);
            })?;
        }
        Ok(())
    }

    /// Stores the document of a page with its near-duplicates, or tells why it was refused. Returns the outcome of the
    /// visit.
    pub(crate) fn place(
        &mut self,
        change: &mut Change,
        visit: &Visit,
        document: Result<PackedDocument, Outcome>,
    ) -> Result<Outcome, CrawlError> {
        Ok(match document {
            Ok(document) => change.place(visit.key, document, &mut self.writer)?,
            Err(Outcome::NotArticle { .. }) if visit.record.role != Role::Page => Outcome::Listing,
            Err(outcome) => outcome,
        })
    }

    pub(crate) fn end(
        &mut self,
        change: &mut Change,
        visit: &Visit,
        read: &ReadSummary,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        debug!(url = %visit.url, outcome = %outcome, "visit ended");
        self.session.progress.activity.request_ended(visit.url.host(), Some(&outcome));
        self.count_visit(change, visit, read, Some(&outcome))?;
        self.count_update(change, visit, &outcome)?;
        // At the first visit, the page cannot have been gone.
        if is_article(&outcome) && visit.record.last.is_some() {
            change.clear_gone(visit.key)?;
        }
        let is_linked = is_linked_record(&visit.record);
        self.note_page(change, &visit.record, &outcome, is_linked, read.leads_on)?;
        let revisits = self.schedule_after(visit, read.list_change, &outcome);
        self.end_uncounted(change, visit.key, UrlRecord { revisits, ..visit.record.clone() }, outcome)
    }

    /// Notes the result of a visit for the traps. Pages that are revisited say nothing about new URLs. A URL that a
    /// rule excluded was not visited.
    pub(crate) fn note_page(
        &mut self,
        change: &Change,
        record: &UrlRecord,
        outcome: &Outcome,
        is_linked: bool,
        leads_on: bool,
    ) -> Result<(), StoreError> {
        let is_revisit = record.last.as_ref().is_some_and(|last| !matches!(last, Outcome::Excluded { .. }));
        if record.role != Role::Page || is_revisit || self.session.run.replayed {
            return Ok(());
        }
        let is_own = match outcome {
            Outcome::Duplicate { of } => change.url(*of)?.is_some_and(|other| other.host == record.host),
            _ => false,
        };
        let target = match outcome {
            Outcome::Redirected { to } => CanonicalUrl::from_record(to).ok(),
            _ => None,
        };
        let (url, result) = (record.canonical_url()?, PageResult::of(outcome, is_own));
        let (host, depth) = (record.host, record.depth);
        self.ended.push(EndedPage { url, host, depth, is_linked, leads_on, result, target });
        Ok(())
    }

    pub(crate) fn end_uncounted(
        &self,
        change: &mut Change,
        key: UrlKey,
        record: UrlRecord,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        let again = self.next_visit(&record, &outcome);
        let duplicate_of = change.url(key)?.and_then(|record| record.duplicate_of);
        change.end(key, UrlRecord { duplicate_of, ..record }, outcome, again)?;
        Ok(())
    }

    /// Buffers an article of a host without a template. Returns the number of buffered pages. An earlier outcome
    /// without a text, such as that of a redirect, is dropped, so that the page counts as new until it is extracted.
    pub(crate) fn buffer(
        &self,
        change: &mut Change,
        visit: &Visit,
        read: &ReadSummary,
    ) -> Result<u32, CrawlError> {
        self.session.progress.activity.request_ended(visit.url.host(), None);
        let revisits = visit.record.revisits.at(visit.at);
        let last = visit.record.last.clone().filter(is_article);
        let buffered = change.buffer(visit.key, UrlRecord { revisits, last, ..visit.record.clone() })?;
        self.count_visit(change, visit, read, None)?;
        Ok(buffered)
    }

    /// Counts an ended visit and its duration. Reads and writes the record of the counts once.
    fn count_visit(
        &self,
        change: &mut Change,
        visit: &Visit,
        read: &ReadSummary,
        outcome: Option<&Outcome>,
    ) -> Result<(), StoreError> {
        outcome.into_iter().for_each(|outcome| self.session.progress.ended(outcome));
        let millis = u64::try_from(visit.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let broken_list = outcome.and_then(|outcome| broken_list(visit.record.role, outcome));
        change.count(self.session.run.number, visit.url.host(), |counts| {
            counts.bytes += read.bytes;
            counts.fetched += u64::from(read.bytes > 0);
            for (label, count) in &read.refused {
                *counts.refused.entry(label.to_string()).or_default() += count;
            }
            if let Some(outcome) = outcome {
                *counts.outcomes.entry(outcome.reason()).or_default() += 1;
            }
            counts.millis += millis;
            if let Some(failure) = broken_list {
                *counts.broken_lists.entry(failure).or_default() += 1;
            }
        })
    }

    /// Counts an outcome without a visit.
    pub(crate) fn count(&self, change: &mut Change, host: &str, outcome: &Outcome) -> Result<(), StoreError> {
        self.session.progress.ended(outcome);
        change.count(self.session.run.number, host, |counts| {
            *counts.outcomes.entry(outcome.reason()).or_default() += 1;
        })
    }
}

/// Describes why a sitemap or feed was not read. Returns `None` if it was read, or if the URL is a page.
fn broken_list(role: Role, outcome: &Outcome) -> Option<String> {
    let list = match role {
        Role::Sitemap => "sitemap",
        Role::Feed => "feed",
        Role::Front | Role::Section | Role::Page => return None,
    };
    let is_broken = outcome.class().is_failure() || outcome.class() == OutcomeClass::Gone;
    is_broken.then(|| format!("{list} is not readable: {}", outcome.reason()))
}
