//! The state of a crawl or replay, which the owner thread changes.
//!
//! `network` and `replay` have a loop each: they get the due requests or the archived responses, wait for events, and
//! apply them to the pipeline. Only the owner thread writes the store. Dispatching a URL does not change
//! its record, so after a crash the URLs in flight are requested again.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use crossbeam_channel::Sender;
use gleaner_fetch::Politeness;
use gleaner_frontier::{Outcome, RetryRule};
use gleaner_store::{Change, HostId, HostRecord, PartitionId, StoreError, Writer};
use tracing::{error, info, warn};

use crate::error::CrawlError;
use crate::event::{Event, Task};
use crate::frontier::Frontier;
use crate::frontier::schedule::GroupName;
use crate::learner::Learner;
use crate::learner::training::TrainingJob;
use crate::membership::Membership;
use crate::recorder::Recorder;
use crate::redirected_robots::PendingRobots;
use crate::session_config::SessionConfig;
use crate::visit::{Next, OutgoingRequest, ReadSummary, Visit};

/// Maximum number of links of a page or list whose records are read together with those of other events.
const LINKS: usize = 500;

/// Maximum number of hosts that are loaded together.
const HOSTS: usize = 1_000;

#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) frontier: Frontier,
    pub(crate) recorder: Recorder,
    pub(crate) learner: Learner,
    pub(crate) membership: Membership,
    /// The robots.txt files for which hosts of other partitions wait, by URL.
    pub(crate) redirected: BTreeMap<String, PendingRobots>,
    pub(crate) session: SessionConfig,
    pub(crate) tasks: Sender<Task>,
}

impl Pipeline {
    /// Creates a pipeline without hosts. [`Pipeline::load_hosts`] adds them.
    pub(crate) fn new(
        writer: Writer,
        session: SessionConfig,
        politeness: Politeness,
        tasks: Sender<Task>,
    ) -> Result<Self, StoreError> {
        let recorder = Recorder::new(writer, &session)?;
        Ok(Self {
            frontier: Frontier::new(recorder.store.clone(), &session, politeness),
            learner: Learner::new(&session.config.template, session.progress.clone()),
            membership: Membership::new(recorder.store.clone(), session.progress.clone()),
            redirected: BTreeMap::new(),
            recorder,
            session,
            tasks,
        })
    }

    /// Reads the records that these events need in one request, because each read of a shared store is a round trip.
    pub(crate) fn read_ahead(&mut self, events: &[Event]) -> Result<(), CrawlError> {
        let (mut urls, mut documents) = (Vec::new(), Vec::new());
        for event in events {
            let Event::Processed(_, processed, _) = event else { continue };
            let found = &processed.links.found;
            urls.extend(self.frontier.needed_links(found.get(..LINKS).unwrap_or(found)));
            documents.extend(processed.content.document());
        }
        Ok(self.recorder.store.read_ahead(urls, documents)?)
    }

    /// Applies an event to the store and the frontier. Returns the request with which its visit continues.
    pub(crate) fn apply(&mut self, event: Event) -> Result<Option<OutgoingRequest>, CrawlError> {
        let group = event.group();
        match self.handle(event)? {
            Next::Request(request) => return Ok(Some(request)),
            Next::Processing => {}
            Next::Ended => {
                self.frontier.in_flight -= 1;
                self.follow_traps()?;
                group.iter().for_each(|group| self.frontier.release_group(group));
            }
        }
        Ok(None)
    }

    fn handle(&mut self, event: Event) -> Result<Next, CrawlError> {
        match event {
            Event::Processed(visit, processed, records) => self.record(*visit, *processed, records)?,
            Event::Unchanged(visit, bytes, records) => self.record_unchanged(&visit, bytes, records)?,
            Event::NotRead(visit, response, records) => {
                self.recorder.archive(records, None)?;
                return self.not_read(*visit, *response);
            }
            Event::ReadElsewhere(visit, response, fetched) => {
                return self.read_elsewhere(*visit, response, fetched);
            }
            Event::Failed(visit, error) => self.failed(*visit, &error)?,
            Event::Panicked(mut visit, panic, records) => {
                self.recorder.archive(records, Some(&mut visit.record))?;
                error!(url = %visit.url, panic, "gleaner failed on this page; please report it");
                self.finish(*visit, Outcome::Unreadable { reason: "an error in gleaner".into() })?;
            }
            Event::Trained(job, trained) => {
                let change = self.learner.apply_training(&mut self.recorder, &job, *trained)?;
                self.commit(change)?;
            }
            Event::TrainingFailed(job, reason) => {
                error!(
                    host = job.name,
                    reason, "gleaner failed on this host's buffered pages; they are kept"
                );
                self.learner.training_failed(job.host);
            }
            Event::Robots(host, _, origin, answer, records) => {
                self.recorder.archive_robots(records)?;
                self.robots_answered(host, &origin, *answer)?;
            }
            Event::RedirectedRobots(url, answer, records) => {
                self.recorder.archive_robots(records)?;
                self.redirected_robots_answered(&url, *answer)?;
            }
        }
        Ok(Next::Ended)
    }

    pub(crate) fn commit(&mut self, change: Change) -> Result<(), CrawlError> {
        let touched = change.touched().clone();
        let (queued, ready) = (change.queued().clone(), change.ready().clone());
        self.recorder.writer.commit(change)?;
        self.recorder.unflushed += 1;
        for record in touched.values() {
            self.admit(record)?;
            self.frontier.wake(record.id);
        }
        self.frontier.count_queued(queued, ready);
        Ok(())
    }

    pub(crate) fn admit(&mut self, record: &HostRecord) -> Result<(), StoreError> {
        if !self.frontier.is_in_scope(record) {
            self.frontier.read_other_domains([record.name.as_str()])?;
        }
        if self.frontier.admit(record)? {
            self.learner.admit(record, &self.recorder.store)?;
        }
        Ok(())
    }

    pub(crate) fn load_hosts(&mut self, partitions: Vec<PartitionId>) -> Result<(), StoreError> {
        self.frontier.load_counts()?;
        let records = self.recorder.store.hosts_of_partitions(partitions);
        let mut records = records.collect::<Result<Vec<HostRecord>, StoreError>>()?;
        // The robots.txt of the hosts in scope decides which of the others are loaded.
        records.sort_by_cached_key(|record| !self.frontier.is_in_scope(record));
        let inside = records.partition_point(|record| self.frontier.is_in_scope(record));
        self.frontier.read_other_domains(records[inside..].iter().map(|record| record.name.as_str()))?;
        for records in records.chunks(HOSTS) {
            self.recorder.store.read_hosts_ahead(records)?;
            for record in records {
                self.admit(record)?;
                self.frontier.resume(record)?;
                self.session.progress.buffered.fetch_add(record.buffered.into(), Ordering::Relaxed);
            }
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self, visit: Visit, outcome: Outcome) -> Result<(), CrawlError> {
        let change = self.recorder.writer.begin();
        self.finish_within(change, visit, outcome)
    }

    pub(crate) fn finish_within(
        &mut self,
        change: Change,
        visit: Visit,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        self.end_visit(change, &visit, &ReadSummary::default(), outcome)
    }

    pub(crate) fn end_visit(
        &mut self,
        mut change: Change,
        visit: &Visit,
        read: &ReadSummary,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        self.end(&mut change, visit, read, outcome)?;
        self.commit(change)
    }

    pub(crate) fn end(
        &mut self,
        change: &mut Change,
        visit: &Visit,
        read: &ReadSummary,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        if outcome.retry_rule() != RetryRule::Never {
            // A list that names the URL again needs its record.
            self.frontier.known.remove(visit.key);
        }
        self.recorder.end(change, visit, read, outcome)
    }

    /// Starts to process a host's buffered pages. Learns a new template from them if `learns` is set. Returns
    /// the host's group, which is busy until the job ends, or `None` if the host is unknown.
    pub(crate) fn start_training(&mut self, id: HostId, learns: bool) -> Option<GroupName> {
        let host = self.frontier.hosts.get(&id)?;
        let version = learns.then(|| self.learner.next_version(id));
        info!(host = host.name, pages = self.learner.buffered(id), version, "processing the buffered pages");
        let group = host.group.clone();
        let (name, method) = (host.name.clone(), self.learner.method);
        let job = TrainingJob { host: id, name, group: group.clone(), version, method };
        if self.tasks.send(Task::Train(job)).is_err() {
            warn!("no worker thread is left; the buffered pages stay unprocessed");
        }
        self.frontier.in_flight += 1;
        Some(group)
    }

    /// Records counts for every host of this run, even if they are all zero. The report shows the hosts with
    /// counts.
    pub(crate) fn count_all_hosts(&mut self) -> Result<(), CrawlError> {
        self.follow_traps()?;
        let mut change = self.recorder.writer.begin();
        for host in self.frontier.hosts.values() {
            change.count(self.session.run.number, &host.name, |_| {})?;
        }
        self.recorder.writer.commit(change)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_frontier::{CanonicalUrl, FoundUrl, Role};

    use super::*;
    use crate::rank;

    #[test]
    fn a_commit_wakes_the_hosts_that_have_work_and_counts_towards_a_flush() {
        let folder = tempfile::tempdir().unwrap();
        let (session, writer) = SessionConfig::in_folder(folder.path(), &["store.flush_pages=2"]);
        let (politeness, tasks) = (Politeness::new(Duration::ZERO), crossbeam_channel::unbounded().0);
        let mut pipeline = Pipeline::new(writer, session, politeness, tasks).unwrap();
        for (number, is_flush_due) in [(1, false), (2, true)] {
            let url = CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap();
            let found = FoundUrl { url, role: Role::Page, dated: None, news: false };
            let mut change = pipeline.recorder.writer.begin();
            let position = pipeline.recorder.queue_position(&found, rank::ARTICLE);
            change.discover(None, &found, 1, 0, position).unwrap();
            pipeline.commit(change).unwrap();
            assert_eq!(pipeline.frontier.schedule.awake(&"a.example".into()).len(), 1);
            assert_eq!(pipeline.session.progress.queue.load(Ordering::Relaxed), number);
            assert_eq!(pipeline.recorder.is_flush_due(), is_flush_due);
        }
        pipeline.recorder.flush().unwrap();
        assert!(!pipeline.recorder.is_flush_due());
    }
}
