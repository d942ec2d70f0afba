//! Puts the documents of a host's buffered pages into the corpus.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gleaner_config::{Corpus, Duplicate};
use gleaner_dedup::{Head, Params};
use gleaner_frontier::Outcome;
use gleaner_store::{Change, HostRecord, Levels};
use tracing::{info, warn};

use crate::error::CrawlError;
use crate::job::TrainingJob;
use crate::owner::Owner;
use crate::schedule::GroupName;
use crate::training::{BufferedPage, Learned};

impl Owner {
    pub(crate) fn learned(&mut self, job: TrainingJob, learned: Learned) -> Result<GroupName, CrawlError> {
        let mut change = self.writer.begin();
        let settled = learned.template.is_some();
        let pages = learned.pages.len();
        for page in learned.pages {
            self.settle(&mut change, &job, page, settled)?;
        }
        let template =
            learned.template.map(|template| Arc::new(crate::extraction::Applied::from_template(template)));
        if let Some(template) = &template {
            let template = &template.template;
            change.put_template(&job.name, template.version, &template.to_json());
            if let Some(known) = self.store.host(&job.name)? {
                // From the change, whose count of buffered pages is current.
                let host = change.host(&known.name, &known.domain)?;
                change.put_host(&HostRecord { template: template.version, outdated: false, ..host });
            }
        }
        self.commit(change)?;
        if let Some(host) = self.hosts.get_mut(job.host) {
            if let Some(template) = template {
                let version = template.template.version;
                info!(host = job.name, version, pages, "learned a template");
                host.version = version;
                host.template = Some(template);
                host.buffered = 0;
                self.progress.buffered.fetch_sub(pages as u64, Ordering::Relaxed);
            } else {
                warn!(
                    host = job.name,
                    pages, "too few articles for a template; extracting each page on its own for now"
                );
            }
        }
        Ok(job.group)
    }

    /// Applies the outcome of one buffered page. `settled`: a template extracted it, so its raw page is no
    /// longer needed.
    fn settle(
        &mut self,
        change: &mut Change,
        job: &TrainingJob,
        page: BufferedPage,
        settled: bool,
    ) -> Result<(), CrawlError> {
        let BufferedPage { key, document } = page;
        let first = change.url(key)?.is_some_and(|record| record.last.is_none());
        let outcome = match document {
            Ok(document) => change.place(key, document, &mut self.duplicates)?.into(),
            // The earlier state is kept: the fault is ours or temporary.
            Err(outcome @ Outcome::Unreadable { .. }) => outcome,
            Err(outcome) => {
                change.withdraw(key, &mut self.duplicates)?;
                outcome
            }
        };
        if first || outcome == Outcome::Revised {
            self.count(change, &job.name, Some(&outcome), 0, None)?;
        }
        // Read late: an earlier page of this change may have changed it.
        let Some(record) = change.url(key)? else { return Ok(()) };
        if settled {
            let again = self.again(&record, &outcome);
            change.end(key, record, outcome, again)?;
        } else {
            change.note(key, &record, outcome);
        }
        Ok(())
    }
}

pub(crate) fn levels(corpus: &Corpus) -> Levels {
    let asks_for = |level| corpus.duplicates.contains(&level);
    Levels {
        exact: asks_for(Duplicate::Exact),
        near: asks_for(Duplicate::Near).then(|| Params::default().with_duplicate(corpus.similarity)),
        head: match corpus.head {
            gleaner_config::Head::First => Head::First,
            gleaner_config::Head::Longest => Head::Longest,
        },
        memory: usize::try_from(corpus.index_memory.get()).unwrap_or(usize::MAX),
    }
}
