//! Runs the worker threads, which decode, parse, judge and extract pages, find links, and train templates.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender};
use gleaner_corpus::Admission;
use gleaner_extract::pins::HostPins;
use gleaner_fetch::Response;
use gleaner_frontier::Role;
use gleaner_store::Store;
use jiff::Timestamp;

use crate::archive::{RecordBuilder, WarcRecords};
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::event::{Event, Task};
use crate::extraction::{self, AdmissionRules};
use crate::known_links::KnownLinks;
use crate::learner::training;
use crate::page_robots::PageRobots;
use crate::recorder::revisit::is_article;
use crate::visit::Visit;

#[derive(Debug, Clone)]
pub(crate) struct WorkerContext {
    pub(crate) store: Store,
    pub(crate) known: Arc<KnownLinks>,
    pub(crate) pins: Arc<HostPins>,
    pub(crate) admission: Arc<Admission>,
    pub(crate) robots: Arc<PageRobots>,
    pub(crate) max_list: u64,
    pub(crate) records: Option<RecordBuilder>,
    pub(crate) clock: Clock,
}

pub(crate) fn start(
    count: usize,
    work: &Receiver<Task>,
    events: &Sender<Event>,
    context: &WorkerContext,
) -> Result<Vec<thread::JoinHandle<()>>, CrawlError> {
    let cores = || thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let count = if count == 0 { cores() } else { count };
    (0..count)
        .map(|number| {
            let (work, events, context) = (work.clone(), events.clone(), context.clone());
            thread::Builder::new()
                .name(format!("worker {number}"))
                .spawn(move || {
                    for task in work {
                        if events.send(context.done(task)).is_err() {
                            // The owner thread has ended.
                            return;
                        }
                    }
                })
                .map_err(CrawlError::NoWorkers)
        })
        .collect()
}

impl WorkerContext {
    /// Runs one task. A panic becomes an event, so the crawl continues and the page is not lost.
    fn done(&self, task: Task) -> Event {
        match task {
            Task::Read(visit, response, fetched) => self.read(visit, response, fetched),
            Task::Train(job) => {
                let rules = self.rules(&job.name);
                let train = || training::train(&job, &self.store, self.clock.now(), rules);
                match catch_unwind(AssertUnwindSafe(train)) {
                    Ok(Ok(trained)) => Event::Trained(job, Box::new(trained)),
                    Ok(Err(error)) => Event::TrainingFailed(job, error.to_string()),
                    Err(panic) => Event::TrainingFailed(job, panic_message(&*panic)),
                }
            }
        }
    }

    fn rules(&self, host: &str) -> AdmissionRules<'_> {
        AdmissionRules { pins: self.pins.for_host(host), admission: &self.admission, robots: &self.robots }
    }

    fn read(&self, mut visit: Box<Visit>, response: Box<Response>, fetched: Timestamp) -> Event {
        let is_success = (200..300).contains(&response.status);
        if is_success && visit.is_elsewhere() {
            return Event::ReadElsewhere(visit, response, fetched);
        }
        let (url, role) = (visit.address().as_str(), visit.record.role.label());
        let last = visit.record.archived.filter(|_| !visit.is_elsewhere());
        let record = |builder: RecordBuilder| builder.record(url, role, &response, fetched, last);
        let records = self.records.map(record);
        if !is_success {
            return Event::NotRead(visit, response, records);
        }
        if is_unchanged(&visit, records.as_ref()) {
            return Event::Unchanged(visit, response.body.len() as u64, records);
        }
        let is_misplaced = extraction::may_be_article(&visit, &response, self.known.scope());
        if is_misplaced {
            visit.record.role = Role::Page;
        }
        let rules = self.rules(visit.url.host());
        let read = || extraction::read(&visit, *response, fetched, &self.known, rules, self.max_list);
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(mut reading) => {
                if is_misplaced {
                    extraction::keep_if_article(&mut visit, &mut reading);
                }
                Event::Read(visit, Box::new(reading), records)
            }
            Err(panic) => Event::Panicked(visit, panic_message(&*panic), records),
        }
    }
}

/// Whether an article has the same body as at its last extraction. Only a new template could change its text,
/// so it is not parsed.
fn is_unchanged(visit: &Visit, records: Option<&WarcRecords>) -> bool {
    // Only an unchanged body has no digests here, because the response is 2xx.
    records.is_some_and(|records| records.digests.is_none())
        && visit.record.role == Role::Page
        && visit.record.last.as_ref().is_some_and(is_article)
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".into())
}
