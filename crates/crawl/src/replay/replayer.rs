//! Provides responses from WARC files, and decides which host is processed next.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, select};
use gleaner_archive::{Digest, Digests};
use gleaner_corpus::Admission;
use gleaner_frontier::{FoundUrl, REMOVED, Role};
use gleaner_store::{Change, HostId, QueuePosition, StoreError};

use super::archived_response::{ArchivedResponse, RecordPlace};
use super::marks::{Checkpoint, FileMarks, OwnPartitions, ReplayProgress};
use super::queue::ReplayQueue;
use super::source::{self, FileEvent, WarcFile, log_damage};
use super::{Plan, Purpose, ReplaySummary};
use crate::archive::archived;
use crate::error::CrawlError;
use crate::event::{Event, Task};
use crate::frontier::TICK;
use crate::network::MAX_EVENTS;
use crate::page_links::FoundLinks;
use crate::pipeline::Pipeline;
use crate::rank;
use crate::session::Session;
use crate::usage::{UsageSource, known_usage};
use crate::visit::Visit;

const MOST_DAMAGES: usize = 100;

const DEPTH: u32 = 1;

pub(super) struct Replayer {
    pub(super) purpose: Purpose,
    pub(super) files: Vec<ReplayProgress>,
    newest: Option<RecordPlace>,
    checkpoint: Option<Checkpoint>,
    queue: ReplayQueue,
    open: BTreeSet<RecordPlace>,
    busy: HashSet<String>,
    in_flight: HashMap<String, RecordPlace>,
    pub(super) admission: Arc<Admission>,
    own: OwnPartitions,
    /// The events of the thread that reads the files. The channel closes after the last file.
    incoming: Receiver<FileEvent>,
    is_open: bool,
    events: Receiver<Event>,
    followed: Instant,
    regroups: bool,
    /// Hosts without a template whose buffered pages a re-extraction still has to extract. `None` until the
    /// whole archive is read.
    without_template: Option<Vec<HostId>>,
    pub(super) replayed: ReplaySummary,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReplayEnd {
    Through,
    Stopped,
    /// This worker gained partitions, or must release some. Work then continues with the new partitions.
    Regrouping,
}

impl Replayer {
    /// Replays until the files end: sends waiting responses to worker threads, waits for an event, applies it, flushes.
    pub(super) fn run(&mut self, pipeline: &mut Pipeline) -> Result<ReplayEnd, CrawlError> {
        loop {
            if let Some(ending) = self.send_waiting(pipeline)? {
                return Ok(ending);
            }
            for event in self.next_events(pipeline)? {
                self.apply(pipeline, event)?;
            }
            if pipeline.recorder.is_flush_due() {
                self.record_progress(pipeline)?;
                pipeline.recorder.flush()?;
            }
        }
    }

    fn send_waiting(&mut self, pipeline: &mut Pipeline) -> Result<Option<ReplayEnd>, CrawlError> {
        if self.followed.elapsed() >= TICK {
            self.followed = Instant::now();
            self.regroups = pipeline.must_regroup()?;
        }
        if self.may_continue(pipeline) {
            self.dispatch_waiting(pipeline)?;
        }
        self.ending(pipeline)
    }

    /// Waits for an event, like `Network::next_events`.
    fn next_events(&mut self, pipeline: &mut Pipeline) -> Result<Vec<Event>, CrawlError> {
        let mut events = Vec::from_iter(self.wait(pipeline)?);
        if !events.is_empty() && pipeline.recorder.store.is_shared() {
            let later = self.events.try_iter().take(MAX_EVENTS - 1);
            events.extend(later.map(|event| self.without_links(event)));
            pipeline.read_ahead(&events)?;
        }
        Ok(events)
    }

    fn wait(&mut self, pipeline: &Pipeline) -> Result<Option<Event>, CrawlError> {
        let never = crossbeam_channel::never();
        let listens = self.is_open && self.queue.has_room() && self.may_continue(pipeline);
        select! {
            recv(self.events) -> event => return Ok(event.ok().map(|event| self.without_links(event))),
            recv(if listens { &self.incoming } else { &never }) -> item => match item {
                Ok(item) => self.handle(item)?,
                Err(_) => {
                    self.is_open = false;
                    self.queue.release_all();
                }
            },
            default(pipeline.frontier.pause()) => {}
        }
        Ok(None)
    }

    fn apply(&mut self, pipeline: &mut Pipeline, event: Event) -> Result<(), CrawlError> {
        let (name, host) = match &event {
            Event::NotRead(visit, ..)
            | Event::Processed(visit, ..)
            | Event::Unchanged(visit, ..)
            | Event::Panicked(visit, ..) => (visit.url.host().to_owned(), visit.record.host),
            Event::Trained(job, _) | Event::TrainingFailed(job, _) => (job.name.clone(), job.host),
            Event::Failed(..)
            | Event::Robots(..)
            | Event::RedirectedRobots(..)
            | Event::ReadElsewhere(..) => return Ok(()),
        };
        match event {
            Event::Processed(visit, reading, _) if self.purpose == Purpose::Reextract => {
                self.reextracted(pipeline, *visit, *reading)?;
            }
            Event::Trained(job, trained) => {
                if self.purpose == Purpose::Reextract {
                    self.compare_trained(pipeline, &job, &trained)?;
                }
                drop(pipeline.apply(Event::Trained(job, trained))?);
            }
            // A replay follows no redirects, so no event leads to a request.
            event => drop(pipeline.apply(event)?),
        }
        self.busy.remove(&name);
        if let Some(place) = self.in_flight.remove(&name) {
            self.open.remove(&place);
        }
        self.train_if_due(pipeline, host, name);
        Ok(())
    }

    /// Records how far the files were read. The next flush writes this to disk.
    pub(super) fn record_progress(&mut self, pipeline: &mut Pipeline) -> Result<(), CrawlError> {
        let mut change = pipeline.recorder.writer.begin();
        match &mut self.checkpoint {
            Some(checkpoint) => {
                if let Some(place) = self.open.first().copied().or(self.newest) {
                    checkpoint.raise(&self.own, (self.files[place.file].number, place.offset), &mut change);
                }
            }
            None => self.note_files(&mut change),
        }
        pipeline.commit(change)
    }

    /// Starts to read the files for this worker's current partitions. `replayed` is the result so far.
    pub(super) fn new(
        plan: &Plan,
        session: &Session,
        is_over: bool,
        mut replayed: ReplaySummary,
    ) -> Result<Self, CrawlError> {
        let own = OwnPartitions::from_store(&session.pipeline.recorder.store);
        // A worker without partitions has nothing to read.
        let sources: &[WarcFile] = if own.is_empty() || is_over { &[] } else { &plan.sources };
        let run = plan.session.run.number;
        let checkpoint = (plan.purpose == Purpose::Reextract)
            .then(|| Checkpoint::new(&own, run, &plan.settings))
            .transpose()?;
        replayed.resumed |= replayed.read == 0 && checkpoint.as_ref().is_some_and(Checkpoint::is_begun);
        let files = marked(plan.purpose, sources, &own, checkpoint.as_ref())?;
        let incoming =
            source::read(files.clone(), own.clone(), plan.limits).map_err(CrawlError::NoWorkers)?;
        Ok(Self {
            purpose: plan.purpose,
            files: files.into_iter().map(|(source, marks)| ReplayProgress::new(source, marks)).collect(),
            newest: None,
            checkpoint,
            queue: ReplayQueue::new(Arc::clone(&plan.session.config)),
            open: BTreeSet::new(),
            busy: HashSet::new(),
            in_flight: HashMap::new(),
            admission: Arc::clone(&plan.session.admission),
            own,
            incoming,
            is_open: true,
            events: session.arrivals.clone(),
            followed: Instant::now(),
            regroups: false,
            without_template: None,
            replayed,
        })
    }

    fn ending(&mut self, pipeline: &mut Pipeline) -> Result<Option<ReplayEnd>, CrawlError> {
        if pipeline.frontier.in_flight > 0 {
            return Ok(None);
        }
        if pipeline.session.stop.is_requested() {
            return Ok(Some(ReplayEnd::Stopped));
        }
        if self.regroups {
            return Ok(Some(ReplayEnd::Regrouping));
        }
        if self.is_open || self.queue.len() > 0 || self.extracts_rest(pipeline)? {
            return Ok(None);
        }
        if !pipeline.membership.is_idle {
            self.record_progress(pipeline)?;
        }
        Ok(pipeline.is_over_everywhere()?.then_some(ReplayEnd::Through))
    }

    /// After all files are read, extracts pages of hosts with too few pages for a template. Returns whether
    /// such hosts remain.
    fn extracts_rest(&mut self, pipeline: &mut Pipeline) -> Result<bool, CrawlError> {
        if self.purpose != Purpose::Reextract {
            return pipeline.train_rest(true);
        }
        let hosts = self.without_template.get_or_insert_with(|| pipeline.learner.waiting());
        Ok(hosts.pop().is_some_and(|host| pipeline.start_training(host, false).is_some())
            || !hosts.is_empty())
    }

    /// Only a rebuild follows links. Without links, their records are not read either.
    fn without_links(&self, mut event: Event) -> Event {
        if let Event::Processed(_, parsed, _) = &mut event
            && self.purpose != Purpose::Rebuild
        {
            parsed.links = FoundLinks::default();
        }
        event
    }

    fn may_continue(&self, pipeline: &Pipeline) -> bool {
        !self.regroups && !pipeline.session.stop.is_requested()
    }

    fn handle(&mut self, heard: FileEvent) -> Result<(), CrawlError> {
        match heard {
            FileEvent::SiteFile(file) => {
                *self.replayed.passed_over.entry("robots").or_default() += 1;
                self.queue.add_site_file(*file);
            }
            FileEvent::Answer(answer) => {
                self.reached(answer.place);
                self.open.insert(answer.place);
                self.replayed.read += 1;
                self.queue.add(*answer);
            }
            FileEvent::PassedOver(reason) => *self.replayed.passed_over.entry(reason).or_default() += 1,
            FileEvent::Damaged(path, damage) => {
                log_damage(&path, &damage);
                if self.replayed.damaged.len() < MOST_DAMAGES {
                    self.replayed.damaged.push((path, damage.offset, damage.reason));
                }
            }
            FileEvent::FileEnds(file, offset) => self.reached(RecordPlace { file, offset }),
            FileEvent::Failed(path, source) => return Err(CrawlError::Source { path, source }),
        }
        Ok(())
    }

    fn reached(&mut self, place: RecordPlace) {
        self.files[place.file].heard = place.offset;
        self.newest = Some(place);
    }

    fn dispatch_waiting(&mut self, pipeline: &mut Pipeline) -> Result<(), CrawlError> {
        let mut at = 0;
        while at < self.queue.len() && pipeline.frontier.has_room() {
            if self.busy.contains(self.queue.host(at)) {
                at += 1;
                continue;
            }
            // As in the crawl, a host that is due for training is trained before its next page.
            if self.starts_training(pipeline, at)? {
                continue;
            }
            let Some(mut answer) = self.queue.take(at) else { break };
            if pipeline.frontier.scope.is_removed(&answer.url) {
                self.open.remove(&answer.place);
                *self.replayed.passed_over.entry(REMOVED).or_default() += 1;
                continue;
            }
            match (self.visit(pipeline, &answer)?, answer.unread.take()) {
                (None, _) => drop(self.open.remove(&answer.place)),
                (Some(visit), Some(outcome)) => {
                    self.open.remove(&answer.place);
                    self.end_unread(pipeline, visit, outcome)?;
                }
                (Some(visit), None) => {
                    let host = answer.url.host().to_owned();
                    self.in_flight.insert(host.clone(), answer.place);
                    self.busy.insert(host);
                    pipeline.frontier.in_flight += 1;
                    let task = Task::Process(Box::new(visit), Box::new(answer.response), answer.at);
                    if pipeline.tasks.send(task).is_err() {
                        return Err(CrawlError::NoWorkerLeft);
                    }
                }
            }
        }
        Ok(())
    }

    fn visit(&self, pipeline: &mut Pipeline, answer: &ArchivedResponse) -> Result<Option<Visit>, CrawlError> {
        let key = answer.url.key();
        let known = pipeline.recorder.store.url(key)?;
        if !self.is_wanted(pipeline, answer, known.as_ref())? {
            return Ok(None);
        }
        if known.is_none() {
            let role = answer.role.unwrap_or(Role::Page);
            let found = FoundUrl { url: answer.url.clone(), role, dated: None, news: false };
            let mut change = pipeline.recorder.writer.begin();
            change.discover(None, &found, DEPTH, 0, QueuePosition { rank: rank::ARTICLE, fresh: None })?;
            pipeline.commit(change)?;
        }
        let Some(mut record) = pipeline.recorder.store.url(key)? else { return Ok(None) };
        let Some(host) = pipeline.frontier.hosts.get(&record.host) else { return Ok(None) };
        let site = Arc::clone(&host.usage);
        let (group, template) = (Arc::clone(&host.group), pipeline.learner.template(record.host));
        let host_id = record.host;
        // A page that was requested as a sitemap turned out to be an article. A re-extraction reads only pages.
        if self.purpose != Purpose::Reextract {
            record.role = answer.role.unwrap_or(record.role);
        }
        let file = self.files[answer.place.file].number;
        if file > 0 && self.purpose == Purpose::Rebuild && answer.is_success() {
            let content = Digest::from_content(&answer.response.body);
            let digests = Digests { content, payload: answer.payload.unwrap_or(content) };
            record.archived = Some(archived(file, answer.place.offset, answer.at, digests));
        }
        let (begun, at, url) = (Instant::now(), answer.at, answer.url.clone());
        let usage = match self.purpose {
            Purpose::Reextract => known_usage(&pipeline.recorder.store, site, &url, at)?,
            Purpose::Rebuild | Purpose::Ingest => UsageSource::Response(Arc::clone(&answer.site)),
        };
        Ok(Some(Visit {
            key,
            url,
            record,
            group,
            begun,
            at,
            lease: pipeline.recorder.store.lease_of(host_id),
            template,
            usage,
            chain: None,
        }))
    }

    fn starts_training(&mut self, pipeline: &mut Pipeline, at: usize) -> Result<bool, CrawlError> {
        let name = self.queue.host(at).to_owned();
        let known = pipeline.recorder.store.host(&name)?;
        Ok(known.is_some_and(|host| self.train_if_due(pipeline, host.id, name)))
    }

    fn train_if_due(&mut self, pipeline: &mut Pipeline, host: HostId, name: String) -> bool {
        let begins = self.purpose != Purpose::Reextract
            && pipeline.learner.is_due(host)
            && pipeline.start_training(host, true).is_some();
        if begins {
            self.busy.insert(name);
        }
        begins
    }

    fn note_files(&mut self, change: &mut Change) {
        for (number, file) in self.files.iter_mut().enumerate() {
            let from = RecordPlace { file: number, offset: 0 };
            let first = self.open.range(from..).next().filter(|place| place.file == number);
            let marks = file.marks.clone().raised(first.map_or(file.heard, |place| place.offset));
            if marks == file.marks {
                continue;
            }
            let name = file.path.to_string_lossy();
            for (position, partition) in self.own.partitions().iter().enumerate() {
                if marks.get(position) != file.marks.get(position) {
                    change.put_replayed(self.purpose.label(), &name, *partition, marks.get(position));
                }
            }
            file.marks = marks;
        }
    }
}

fn marked(
    purpose: Purpose,
    sources: &[WarcFile],
    own: &OwnPartitions,
    checkpoint: Option<&Checkpoint>,
) -> Result<Vec<(WarcFile, FileMarks)>, StoreError> {
    let marks = |source: &WarcFile| match checkpoint {
        Some(checkpoint) => Ok(checkpoint.marks(source.number())),
        None => own.marks(purpose.label(), &source.path.to_string_lossy()),
    };
    sources.iter().map(|source| Ok((source.clone(), marks(source)?))).collect()
}
