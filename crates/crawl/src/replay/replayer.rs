//! The loop of a replay in the owner's thread: decides which host is processed when.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::{Receiver, select};
use gleaner_archive::Digest;
use gleaner_corpus::Admission;
use gleaner_frontier::{Found, Role, Sight};
use gleaner_store::{Archived, Change, HostId, Turn};
use tracing::Span;

use super::answer::Answer;
use super::marks::{Checkpoint, Marks, OwnPartitions};
use super::source::{Place, Source, SourceEvent, tell};
use super::{Purpose, Replayed};
use crate::error::CrawlError;
use crate::extraction::rank;
use crate::job::{Event, Task, Visit};
use crate::owner::{Owner, TICK};

/// Most responses that wait for others of their host.
const WAITING: usize = 64;

/// Most bytes of their bodies.
const WAITING_BYTES: usize = 64 << 20;

const MOST_DAMAGES: usize = 100;

/// Depth of a page that no link led to.
const DEPTH: u32 = 1;

pub(super) struct Replayer {
    pub(super) purpose: Purpose,
    pub(super) files: Vec<Progressed>,
    /// The place of the last event: a record or the end of a file.
    newest: Option<Place>,
    checkpoint: Option<Checkpoint>,
    waiting: VecDeque<Answer>,
    waiting_bytes: usize,
    /// Places of responses without an outcome.
    open: BTreeSet<Place>,
    busy: HashSet<String>,
    in_flight: HashMap<String, Place>,
    pub(super) admission: Arc<Admission>,
    own: OwnPartitions,
    followed: Instant,
    pub(super) replayed: Replayed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    Through,
    Stopped,
    /// Partitions were gained or must be released: work continues with those held then.
    Regrouping,
}

pub(super) struct Progressed {
    path: PathBuf,
    /// Its number in gleaner's own archive; 0 for other files.
    pub(super) number: u32,
    marks: Marks,
    /// Offset of the last record that was read, or the file's length at its end.
    heard: u64,
}

impl Progressed {
    pub(super) fn new(source: Source, marks: Marks) -> Self {
        Self { number: source.number(), heard: marks.least(), marks, path: source.path }
    }
}

impl Replayer {
    /// `checkpoint`: for a re-extraction. `replayed`: the result so far.
    pub(super) fn new(
        purpose: Purpose,
        files: Vec<Progressed>,
        own: OwnPartitions,
        checkpoint: Option<Checkpoint>,
        admission: Arc<Admission>,
        replayed: Replayed,
    ) -> Self {
        Self {
            purpose,
            files,
            newest: None,
            checkpoint,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            open: BTreeSet::new(),
            busy: HashSet::new(),
            in_flight: HashMap::new(),
            admission,
            own,
            followed: Instant::now(),
            replayed,
        }
    }

    /// Works until everything is processed, or until nothing is in flight after a stop or a change of
    /// partitions.
    pub(super) fn work(
        &mut self,
        owner: &mut Owner,
        heard: &Receiver<SourceEvent>,
        events: &Receiver<Event>,
    ) -> Result<Ended, CrawlError> {
        let never = crossbeam_channel::never();
        let (mut is_open, mut regroups) = (true, false);
        loop {
            if self.followed.elapsed() >= TICK {
                self.followed = Instant::now();
                regroups = owner.is_regrouping()?;
            }
            let stops = owner.stop.asked();
            let goes_on = !stops && !regroups;
            if goes_on {
                self.dispatch(owner)?;
            }
            if owner.in_flight == 0 {
                if stops {
                    return Ok(Ended::Stopped);
                }
                if regroups {
                    return Ok(Ended::Regrouping);
                }
                // At the end, extract pages of hosts that have too few for a template.
                let is_through = !is_open
                    && self.waiting.is_empty()
                    && (self.purpose == Purpose::Reextract || !owner.close(true)?);
                if is_through && self.is_through_everywhere(owner)? {
                    return Ok(Ended::Through);
                }
            }
            let has_room = self.waiting.len() < WAITING && self.waiting_bytes < WAITING_BYTES;
            let listens = is_open && goes_on && has_room;
            select! {
                recv(events) -> event => if let Ok(event) = event { self.apply(owner, event)? },
                recv(if listens { heard } else { &never }) -> item => match item {
                    Ok(item) => self.hear(item)?,
                    Err(_) => is_open = false,
                },
                default(TICK) => {}
            }
            if owner.is_flush_due() {
                self.note(owner)?;
                owner.flush()?;
            }
        }
    }

    fn is_through_everywhere(&mut self, owner: &mut Owner) -> Result<bool, CrawlError> {
        if !owner.is_idle {
            self.note(owner)?;
        }
        owner.is_over_everywhere()
    }

    fn hear(&mut self, heard: SourceEvent) -> Result<(), CrawlError> {
        match heard {
            SourceEvent::Answer(answer) => {
                self.reached(answer.place);
                self.open.insert(answer.place);
                self.waiting_bytes += answer.response.body.len();
                self.waiting.push_back(*answer);
                self.replayed.read += 1;
            }
            SourceEvent::PassedOver(reason) => *self.replayed.passed_over.entry(reason).or_default() += 1,
            SourceEvent::Damaged(path, damage) => {
                tell(&path, &damage);
                if self.replayed.damaged.len() < MOST_DAMAGES {
                    self.replayed.damaged.push((path, damage.offset, damage.reason));
                }
            }
            SourceEvent::FileEnds(file, offset) => self.reached(Place { file, offset }),
            SourceEvent::Failed(path, source) => return Err(CrawlError::Source { path, source }),
        }
        Ok(())
    }

    fn reached(&mut self, place: Place) {
        self.files[place.file].heard = place.offset;
        self.newest = Some(place);
    }

    /// Dispatches the first response of each host that has none in progress.
    fn dispatch(&mut self, owner: &mut Owner) -> Result<(), CrawlError> {
        let mut at = 0;
        while at < self.waiting.len() && owner.in_flight < owner.config.fetch.concurrency {
            if self.busy.contains(self.waiting[at].url.host()) {
                at += 1;
                continue;
            }
            // Interrupted training comes before the next page, as in the crawl.
            if self.starts_training(owner, at)? {
                continue;
            }
            let Some(mut answer) = self.waiting.remove(at) else { break };
            self.waiting_bytes -= answer.response.body.len();
            match (self.visit(owner, &answer)?, answer.unread.take()) {
                (None, _) => drop(self.open.remove(&answer.place)),
                (Some(visit), Some(outcome)) => {
                    self.open.remove(&answer.place);
                    self.end_unread(owner, visit, outcome)?;
                }
                (Some(visit), None) => {
                    let host = answer.url.host().to_owned();
                    self.in_flight.insert(host.clone(), answer.place);
                    self.busy.insert(host);
                    owner.in_flight += 1;
                    let task = Task::Answer(Box::new(visit), Box::new(answer.response), answer.at);
                    if owner.tasks.send(task).is_err() {
                        return Err(CrawlError::NoWorkerLeft);
                    }
                }
            }
        }
        Ok(())
    }

    fn visit(&self, owner: &mut Owner, answer: &Answer) -> Result<Option<Visit>, CrawlError> {
        let key = answer.url.key();
        let known = owner.store.url(key)?;
        if !self.is_wanted(owner, answer, known.as_ref())? {
            return Ok(None);
        }
        if known.is_none() {
            let role = answer.role.unwrap_or(Role::Page);
            let found = Found { url: answer.url.clone(), role, dated: None, news: false };
            let mut change = owner.writer.begin();
            change.discover(&found, DEPTH, 0, Turn { rank: rank::ARTICLE, fresh: None })?;
            owner.commit(change)?;
        }
        let Some(mut record) = owner.store.url(key)? else { return Ok(None) };
        let Some(host) = owner.hosts.get(record.host) else { return Ok(None) };
        let (group, template) = (Arc::clone(&host.group), host.template.clone());
        let host_id = record.host;
        record.role = answer.role.unwrap_or(record.role);
        let file = self.files[answer.place.file].number;
        if file > 0 && self.purpose == Purpose::Rebuild && answer.is_success() {
            let digest = *Digest::from_content(&answer.response.body).as_bytes();
            record.archived = Some(Archived { file, offset: answer.place.offset, at: answer.at, digest });
        }
        let (begun, at, url) = (Instant::now(), answer.at, answer.url.clone());
        Ok(Some(Visit {
            key,
            url,
            record,
            group,
            begun,
            at,
            span: Span::none(),
            lease: owner.store.lease_of(host_id),
            sight: Sight::Same,
            template,
            chain: None,
        }))
    }

    fn apply(&mut self, owner: &mut Owner, event: Event) -> Result<(), CrawlError> {
        let (name, host) = match &event {
            Event::Answered(visit, ..) | Event::Read(visit, ..) | Event::Broken(visit, ..) => {
                (visit.url.host().to_owned(), visit.record.host)
            }
            Event::Learned(job, _) | Event::TrainingFailed(job, _) => (job.name.clone(), job.host),
            Event::Failed(..) | Event::Robots(..) | Event::Wanted(..) | Event::Arrived(..) => return Ok(()),
        };
        match event {
            Event::Read(visit, reading, _) if self.purpose == Purpose::Reextract => {
                self.extracted_again(owner, *visit, *reading)?;
            }
            Event::Read(visit, mut reading, kept) => {
                if self.purpose == Purpose::Ingest {
                    reading.forget_links();
                }
                owner.apply(Event::Read(visit, reading, kept))?;
            }
            event => owner.apply(event)?,
        }
        self.busy.remove(&name);
        if let Some(place) = self.in_flight.remove(&name) {
            self.open.remove(&place);
        }
        self.teach(owner, host, name);
        Ok(())
    }

    fn starts_training(&mut self, owner: &mut Owner, at: usize) -> Result<bool, CrawlError> {
        let name = self.waiting[at].url.host().to_owned();
        let known = owner.store.host(&name)?;
        Ok(known.is_some_and(|host| self.teach(owner, host.id, name)))
    }

    fn teach(&mut self, owner: &mut Owner, host: HostId, name: String) -> bool {
        let is_due = self.purpose != Purpose::Reextract && owner.is_training_due(host);
        if is_due {
            owner.start_training(host, true);
            owner.in_flight += 1;
            self.busy.insert(name);
        }
        is_due
    }

    pub(super) fn note(&mut self, owner: &mut Owner) -> Result<(), CrawlError> {
        let mut change = owner.writer.begin();
        match &mut self.checkpoint {
            Some(checkpoint) => {
                if let Some(place) = self.open.first().copied().or(self.newest) {
                    checkpoint.raise(&self.own, (self.files[place.file].number, place.offset), &mut change);
                }
            }
            None => self.note_files(&mut change),
        }
        owner.commit(change)
    }

    fn note_files(&mut self, change: &mut Change) {
        for (number, file) in self.files.iter_mut().enumerate() {
            let from = Place { file: number, offset: 0 };
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

impl Owner {
    fn is_training_due(&self, host: HostId) -> bool {
        let pages = self.config.template.prepare_pages;
        self.hosts.get(host).is_some_and(|host| host.buffered >= pages && !host.unteachable)
    }
}
