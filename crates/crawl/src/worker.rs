//! Runs the worker threads, which decode, parse, judge and extract pages, find links, and train templates.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender};
use gleaner_corpus::Admission;
use gleaner_extract::pins::HostPins;
use gleaner_store::Store;

use crate::archive::RecordBuilder;
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::event::{Event, Task};
use crate::extraction::AdmissionRules;
use crate::known_links::KnownLinks;
use crate::learner::training;
use crate::page_robots::PageRobots;

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
            Task::Process(visit, response, fetched) => self.process(visit, response, fetched),
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

    pub(crate) fn rules(&self, host: &str) -> AdmissionRules<'_> {
        AdmissionRules { pins: self.pins.for_host(host), admission: &self.admission, robots: &self.robots }
    }
}

pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".into())
}
