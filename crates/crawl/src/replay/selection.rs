//! Selects the responses to process. The selection depends on the purpose of the replay.

use std::sync::atomic::Ordering;

use gleaner_archive::Digest;
use gleaner_frontier::{Outcome, Role};
use gleaner_store::{ArchivePosition, UrlRecord, UrlState, document_id};

use super::Purpose;
use super::archived_response::ArchivedResponse;
use super::replayer::Replayer;
use crate::error::CrawlError;
use crate::pipeline::Pipeline;
use crate::visit::Visit;

impl Replayer {
    pub(super) fn is_wanted(
        &self,
        pipeline: &Pipeline,
        answer: &ArchivedResponse,
        known: Option<&UrlRecord>,
    ) -> Result<bool, CrawlError> {
        let has_ended = |record: &UrlRecord| matches!(record.state, UrlState::Done | UrlState::Kept);
        let is_page = answer.role.is_none_or(|role| role == Role::Page);
        Ok(match (self.purpose, known) {
            (Purpose::Rebuild, known) => {
                // If a crash happens after a page is archived but before it is stored, the crawl fetches the
                // page again. The archive then has two responses, and the replay has already processed the
                // first.
                let is_same = |archived: ArchivePosition| {
                    is_page && archived.digest == *Digest::from_content(&answer.response.body).as_bytes()
                };
                let is_done = |record: &UrlRecord| {
                    matches!(record.state, UrlState::Buffered { .. })
                        || record.archived.is_some_and(|at| at.at >= answer.at || is_same(at))
                };
                answer.is_ending() && !known.is_some_and(is_done)
            }
            (Purpose::Reextract, Some(record)) => {
                let here = (self.files[answer.place.file].number, answer.place.offset);
                let is_last = record.archived.is_some_and(|at| (at.file, at.offset) == here);
                answer.is_success() && record.role == Role::Page && has_ended(record) && is_last
            }
            (Purpose::Reextract, None) => false,
            (Purpose::Ingest, known) => {
                let id = document_id(answer.url.key());
                let is_newer = || {
                    Ok::<_, CrawlError>(
                        pipeline.recorder.store.document(id)?.is_none_or(|it| it.fetched < answer.at),
                    )
                };
                let is_buffered =
                    known.is_some_and(|record| matches!(record.state, UrlState::Buffered { .. }));
                answer.is_success() && is_page && !is_buffered && is_newer()?
            }
        })
    }

    pub(super) fn end_unread(
        &mut self,
        pipeline: &mut Pipeline,
        visit: Visit,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        if self.purpose == Purpose::Reextract {
            *self.replayed.passed_over.entry(outcome.label()).or_default() += 1;
            return Ok(());
        }
        pipeline.session.progress.responses.fetch_add(1, Ordering::Relaxed);
        pipeline.finish(visit, outcome)
    }
}
