//! Replaces the text of a page with the text that the current template extracts.

use std::sync::atomic::Ordering;

use gleaner_corpus::{Document, DocumentId, words};
use gleaner_frontier::Outcome;
use gleaner_store::{PackedDocument, StoreError, document_id};

use super::Changes;
use super::replayer::Replayer;
use crate::error::CrawlError;
use crate::extraction::outcome_of;
use crate::learner::training::{TrainingJob, TrainingResult};
use crate::pipeline::Pipeline;
use crate::process::{Content, ProcessedResponse};
use crate::visit::Visit;

impl Replayer {
    pub(super) fn reextracted(
        &mut self,
        pipeline: &mut Pipeline,
        visit: Visit,
        processed: ProcessedResponse,
    ) -> Result<(), CrawlError> {
        pipeline.frontier.in_flight -= 1;
        pipeline.session.progress.responses.fetch_add(1, Ordering::Relaxed);
        let drafted = match processed.content {
            Content::Article(article) => match article.document {
                Err(Outcome::NotArticle { .. }) => Err("no_text_today"),
                document => Ok(document),
            },
            Content::Raw(_) => Err("no_template"),
            Content::Excluded(rule) => Ok(Err(Outcome::Excluded { rule: rule.into() })),
            Content::NotArticle(_) | Content::List | Content::Unreadable(_) => Err("no_article_today"),
        };
        let own = readable_document(pipeline, document_id(visit.key))?;
        let hash = own.as_ref().map(|own| own.content_hash);
        let words_before = own.as_ref().map_or(0, words_of);
        let before = match own {
            Some(own) => Some(own),
            None => document_of_duplicate(pipeline, &visit)?,
        };
        let document = match drafted {
            Ok(document) => document,
            Err(reason) => match before.and_then(|before| self.admitted_now(before)) {
                Some(document) => document,
                None => {
                    *self.replayed.passed_over.entry(reason).or_default() += 1;
                    return Ok(());
                }
            },
        };
        let mut change = pipeline.recorder.writer.begin();
        let outcome = match document {
            Ok(document) => {
                let words_after = document.words();
                let is_other = hash != Some(document.content_hash());
                let outcome = change.place(visit.key, document, &mut pipeline.recorder.writer)?;
                let is_duplicate = matches!(outcome, Outcome::Duplicate { .. });
                let counts = self.counts(visit.url.host());
                match hash {
                    None => counts.new += u64::from(!is_duplicate),
                    Some(_) => counts.changed += u64::from(is_other && !is_duplicate),
                }
                if hash.is_some() {
                    counts.words_before += words_before;
                    counts.words_after += words_after;
                }
                outcome
            }
            Err(outcome) => {
                change.withdraw(visit.key, &mut pipeline.recorder.writer)?;
                let counts = self.counts(visit.url.host());
                counts.withdrawn += u64::from(hash.is_some());
                counts.words_before += words_before;
                outcome
            }
        };
        pipeline.session.progress.ended(&outcome);
        *self.replayed.outcomes.entry(outcome.reason()).or_default() += 1;
        pipeline.recorder.end_uncounted(&mut change, visit.key, visit.record, outcome)?;
        pipeline.commit(change)
    }

    fn counts(&mut self, host: &str) -> &mut Changes {
        self.replayed.changes.entry(host.to_owned()).or_default()
    }

    /// Counts how the pages of a training job change the documents of their host. Call this before the
    /// changes are applied.
    pub(super) fn compare_trained(
        &mut self,
        pipeline: &Pipeline,
        job: &TrainingJob,
        trained: &TrainingResult,
    ) -> Result<(), CrawlError> {
        pipeline.session.progress.responses.fetch_add(trained.pages.len() as u64, Ordering::Relaxed);
        for page in &trained.pages {
            let before = readable_document(pipeline, document_id(page.key))?;
            // A page without a document is new, or another URL has the same text.
            let Some(before) = before else { continue };
            let counts = self.counts(&job.name);
            match &page.document {
                Ok(document) => {
                    counts.changed += u64::from(before.content_hash != document.content_hash());
                    counts.words_before += words_of(&before);
                    counts.words_after += document.words();
                }
                Err(Outcome::Unreadable { .. }) => {}
                Err(_) => {
                    counts.withdrawn += 1;
                    counts.words_before += words_of(&before);
                }
            }
        }
        Ok(())
    }

    /// Applies the current settings to a stored document. Returns `None` if the settings leave it unchanged.
    fn admitted_now(&self, document: Document) -> Option<Result<PackedDocument, Outcome>> {
        let hash = document.content_hash;
        match self.admission.admit(document) {
            Ok(document) if document.content_hash == hash => None,
            Ok(document) => Some(Ok(PackedDocument::from_document(document))),
            Err(refusal) => Some(Err(outcome_of(refusal))),
        }
    }
}

/// Returns a document, or `None` if it does not exist or is unreadable. The new text then replaces it.
fn readable_document(pipeline: &Pipeline, id: DocumentId) -> Result<Option<Document>, StoreError> {
    match pipeline.recorder.store.document(id) {
        Err(StoreError::Lost { .. }) => Ok(None),
        read => read,
    }
}

fn words_of(document: &Document) -> u64 {
    words(&document.text)
}

/// Returns a copy of the document for this page if another URL has this page's document. If the other URL
/// loses the document later, this page gets it, so the settings must admit it for this page too.
fn document_of_duplicate(pipeline: &Pipeline, visit: &Visit) -> Result<Option<Document>, CrawlError> {
    let Some(original) = visit.record.duplicate_of else { return Ok(None) };
    let document = readable_document(pipeline, document_id(original))?;
    Ok(document.map(|document| Document {
        id: document_id(visit.key),
        url: visit.record.url.clone(),
        ..document
    }))
}
