//! Stores the results of training: the documents of a host's buffered pages and, if one was learned, the
//! host's template.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gleaner_frontier::Outcome;
use gleaner_store::{Change, HostRecord};
use tracing::info;

use super::Learner;
use super::training::{BufferedPage, TrainingJob, TrainingResult};
use crate::error::CrawlError;
use crate::recorder::Recorder;

impl Learner {
    /// Builds the change that stores the results of a training job. If the job learned a template, later
    /// pages use it.
    pub(crate) fn apply_training(
        &mut self,
        recorder: &mut Recorder,
        job: &TrainingJob,
        trained: TrainingResult,
    ) -> Result<Change, CrawlError> {
        let mut change = recorder.writer.begin();
        let (pages, is_learned) = (trained.pages.len(), trained.template.is_some());
        change.read_documents_ahead(trained.pages.iter().filter_map(|page| page.document.as_ref().ok()))?;
        for page in trained.pages {
            record_page(recorder, &mut change, &job.name, page, is_learned)?;
        }
        let Some(template) = trained.template else {
            info!(
                host = job.name,
                pages, "too few articles for a template; extracting each page on its own for now"
            );
            return Ok(change);
        };
        let version = template.template().version;
        change.put_template(&job.name, version, &template.template().to_json());
        if let Some(known) = recorder.store.host(&job.name)? {
            // The host's record in the change has the current number of buffered pages. The store's is
            // outdated.
            let host = change.host(&known.name, &known.domain)?;
            change.put_host(&HostRecord { template: version, outdated: false, ..host });
        }
        if let Some(host) = self.hosts.get_mut(&job.host) {
            info!(host = job.name, version, pages, "learned a template");
            host.version = version;
            host.template = Some(Arc::new(template));
            // A job has a limited number of pages, so some buffered pages may remain for the next job.
            let done = pages.min(host.buffered);
            host.buffered -= done;
            self.progress.buffered.fetch_sub(done as u64, Ordering::Relaxed);
        }
        Ok(change)
    }
}

/// Records the result for one page. `is_learned` means that a template extracted the page, so its raw page is
/// no longer needed.
fn record_page(
    recorder: &mut Recorder,
    change: &mut Change,
    host: &str,
    page: BufferedPage,
    is_learned: bool,
) -> Result<(), CrawlError> {
    let BufferedPage { key, document } = page;
    let is_first = change.url(key)?.is_some_and(|record| record.last.is_none());
    let outcome = match document {
        Ok(document) => change.place(key, document, &mut recorder.writer)?,
        // An existing document stays, because the cause of this error is a bug in gleaner or is temporary.
        Err(outcome @ Outcome::Unreadable { .. }) => outcome,
        Err(outcome) => {
            change.withdraw(key, &mut recorder.writer)?;
            outcome
        }
    };
    if is_first || outcome == Outcome::Revised {
        recorder.count(change, host, &outcome)?;
    }
    // The record is read only now, because earlier pages of this change may have modified it.
    let Some(record) = change.url(key)? else { return Ok(()) };
    recorder.note_page(change, &record, &outcome, false, false)?;
    if is_learned {
        let again = recorder.next_visit(&record, &outcome);
        change.end(key, record, outcome, again)?;
    } else {
        change.note(key, &record, outcome);
    }
    Ok(())
}
