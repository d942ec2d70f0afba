//! Records and counts the outcomes of visits.

use gleaner_frontier::{Class, Outcome, Role, UrlKey};
use gleaner_store::{Change, StoreError, UrlRecord};
use tracing::debug;

use super::Recorder;
use super::revisit::is_article;
use crate::error::CrawlError;
use crate::extraction::Refused;
use crate::visit::Visit;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageCounts<'a> {
    /// Bytes of the body. 0 if no body was read.
    pub(crate) bytes: u64,
    pub(crate) refused: Option<&'a Refused>,
}

impl Recorder {
    pub(crate) fn count_request(&mut self, host: &str) {
        *self.requests.entry(host.to_owned()).or_default() += 1;
    }

    pub(crate) fn uncount_request(&mut self, host: &str) {
        *self.requests.entry(host.to_owned()).or_default() -= 1;
    }

    pub(super) fn take_requests(&mut self, change: &mut Change) -> Result<(), StoreError> {
        for (host, by) in std::mem::take(&mut self.requests) {
            change.count(self.run.number, &host, |counts| {
                counts.requests = counts.requests.saturating_add_signed(by);
            })?;
        }
        Ok(())
    }

    pub(crate) fn end(
        &self,
        change: &mut Change,
        visit: &Visit,
        outcome: Outcome,
        counts: PageCounts<'_>,
    ) -> Result<(), CrawlError> {
        debug!(url = %visit.url, outcome = %outcome, "visit ended");
        visit.span.record("outcome", outcome.reason());
        self.progress.live.ended(visit.url.host(), Some(&outcome));
        self.count(change, visit.url.host(), Some(&outcome), counts)?;
        self.count_broken_list(change, visit, &outcome)?;
        self.count_time(change, visit)?;
        self.count_update(change, visit, &outcome)?;
        if is_article(&outcome) {
            change.mark_there(visit.key)?;
        }
        let rhythm = self.rhythm_after(visit, &outcome);
        self.end_uncounted(change, visit.key, UrlRecord { rhythm, ..visit.record.clone() }, outcome)
    }

    pub(crate) fn end_uncounted(
        &self,
        change: &mut Change,
        key: UrlKey,
        record: UrlRecord,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        let again = self.next_visit(&record, &outcome);
        let twin_of = change.url(key)?.and_then(|record| record.twin_of);
        change.end(key, UrlRecord { twin_of, ..record }, outcome, again)?;
        Ok(())
    }

    /// Buffers an article of a host without a template. Returns the number of buffered pages.
    pub(crate) fn buffer(
        &self,
        change: &mut Change,
        visit: &Visit,
        counts: PageCounts<'_>,
    ) -> Result<u32, CrawlError> {
        self.count_time(change, visit)?;
        visit.span.record("outcome", "buffered");
        self.progress.live.ended(visit.url.host(), None);
        let rhythm = visit.record.rhythm.at(visit.at);
        let buffered = change.buffer(visit.key, UrlRecord { rhythm, ..visit.record.clone() })?;
        self.count(change, visit.url.host(), None, counts)?;
        Ok(buffered)
    }

    fn count_broken_list(
        &self,
        change: &mut Change,
        visit: &Visit,
        outcome: &Outcome,
    ) -> Result<(), CrawlError> {
        let list = match visit.record.role {
            Role::Sitemap => "sitemap",
            Role::Feed => "feed",
            Role::Front | Role::Section | Role::Page => return Ok(()),
        };
        if !outcome.class().is_failure() && outcome.class() != Class::Gone {
            return Ok(());
        }
        let failure = format!("{list} is not readable: {}", outcome.reason());
        Ok(change.count(self.run.number, visit.url.host(), |counts| {
            *counts.broken_lists.entry(failure).or_default() += 1;
        })?)
    }

    fn count_time(&self, change: &mut Change, visit: &Visit) -> Result<(), CrawlError> {
        let millis = u64::try_from(visit.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(change.count(self.run.number, visit.url.host(), |counts| counts.millis += millis)?)
    }

    pub(crate) fn count(
        &self,
        change: &mut Change,
        host: &str,
        outcome: Option<&Outcome>,
        counts: PageCounts<'_>,
    ) -> Result<(), CrawlError> {
        if let Some(outcome) = outcome {
            self.progress.ended(outcome);
        }
        let PageCounts { bytes, refused } = counts;
        change.count(self.run.number, host, |counts| {
            counts.bytes += bytes;
            counts.fetched += u64::from(bytes > 0);
            if let Some(outcome) = outcome {
                *counts.outcomes.entry(outcome.reason()).or_default() += 1;
            }
            for (label, count) in refused.into_iter().flatten() {
                *counts.refused.entry(label.to_string()).or_default() += count;
            }
        })?;
        Ok(())
    }
}
