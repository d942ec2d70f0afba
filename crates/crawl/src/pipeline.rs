//! Runs a crawl from start to end: [`run`], its session and the worker threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use gleaner_config::Config;
use gleaner_corpus::Admission;
use gleaner_fetch::{Fetcher, Politeness, Response};
use gleaner_frontier::{Scope, Seed};
use gleaner_store::{Counts, Run, Store, StoreError, Wait, Writer};
use gleaner_template::HostPins;
use jiff::Timestamp;
use tokio::runtime::Handle;
use tracing::{info_span, warn};

use crate::admission::Rules;
use crate::archive::{self, Keeping};
use crate::budget::Ending;
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::hosts::Hosts;
use crate::job::{Event, Task, Visit};
use crate::membership::enqueue_seeds;
use crate::network::Fetching;
use crate::owner::Owner;
use crate::progress::Progress;
use crate::quota::Quota;
use crate::session_config::SessionConfig;
use crate::summary::{Summary, held_back};
use crate::{Stop, extraction, training};

/// The input of a crawl.
#[derive(Debug)]
pub struct Start {
    /// The settings.
    pub config: Config,
    /// The seed sites. Their registrable domains are the scope.
    pub seeds: Vec<Seed>,
    /// The user's pins, by host.
    pub pins: HostPins,
    /// Which documents enter the corpus.
    pub admission: Admission,
    /// The store.
    pub writer: Writer,
    /// The runtime for requests.
    pub runtime: Handle,
    /// Lets the caller stop the crawl.
    pub stop: Stop,
    /// Counters, updated while the crawl runs.
    pub progress: Arc<Progress>,
    /// The wall clock.
    pub clock: Clock,
}

/// Crawls until nothing is due, a budget is reached or a stop is requested. Blocks; the calling thread owns
/// the store.
///
/// # Errors
/// The store or the HTTP client failed. The frontier is then as after a crash, and the same call resumes.
pub fn run(start: Start) -> Result<Summary, CrawlError> {
    let Start { mut config, seeds, pins, admission, mut writer, runtime, stop, progress, clock } = start;
    // The archive and the snapshot requests are in the store's folder.
    config.store.path = writer.folder().to_string_lossy().into_owned();
    let (run, resumed) = begin(&mut writer, &seeds, clock.now(), false)?;
    writer.forget_near(config.corpus.index_days)?;
    let cap = config.crawl.max_pages_per_host;
    let session_config = SessionConfig {
        config,
        seeds,
        pins,
        admission: Arc::new(admission),
        takes_all: false,
        run,
        stop,
        progress: Arc::clone(&progress),
        clock,
    };
    let mut is_over = false;
    let (session, ending) = loop {
        archive::open(&session_config.config, &mut writer)?;
        let fetcher = fetcher(&session_config.config, &runtime)?;
        let mut session = Session::start(session_config.clone(), fetcher.politeness().clone(), writer)?;
        let worked =
            if is_over { Ok(Ending::Quiet) } else { session.crawl(&session_config, &fetcher, &runtime) };
        let ended = worked.and_then(|ending| {
            session.owner.count_all()?;
            session.owner.flush()?;
            Ok(ending)
        });
        match ended {
            Ok(ending) => break (session, ending),
            // Another worker took over one of our partitions: start again, as after a crash.
            Err(CrawlError::Store(StoreError::NotOurs)) => {
                writer = session.abandon_lost(&fetcher, &runtime);
                is_over = session_config.begin_anew(&mut writer)?;
                progress.reset();
            }
            Err(error) => return Err(error),
        }
    };
    let Finished { store, hosts, quota, run } = session.finish(ending.is_over())?;
    Ok(Summary {
        hosts: store
            .counts(run.number)?
            .into_iter()
            .filter(|(_, counts)| *counts != Counts::default())
            .collect(),
        held_back: held_back(&store, &hosts, &quota, cap, ending)?,
        documents: store.totals()?.documents(),
        next_due: next_due(&store)?,
        run,
        resumed,
        ending,
    })
}

fn fetcher(config: &Config, runtime: &Handle) -> Result<Arc<Fetcher>, CrawlError> {
    let _inside = runtime.enter();
    Ok(Arc::new(Fetcher::new(&config.fetch)?))
}

/// The owner of the store and its worker threads. A replay's session sends no requests.
pub(crate) struct Session {
    pub(crate) owner: Owner,
    pub(crate) arrivals: Receiver<Event>,
    events: Sender<Event>,
    workers: Vec<thread::JoinHandle<()>>,
}

pub(crate) struct Finished {
    pub(crate) store: Store,
    pub(crate) hosts: Hosts,
    pub(crate) quota: Quota,
    pub(crate) run: Run,
}

impl Session {
    pub(crate) fn start(
        session_config: SessionConfig,
        politeness: Politeness,
        writer: Writer,
    ) -> Result<Self, CrawlError> {
        let scope = Arc::new(Scope::from_seeds(&session_config.seeds));
        let capacity = session_config.config.fetch.concurrency + 1;
        let (tasks, work) = bounded::<Task>(capacity);
        let (events, arrivals) = bounded::<Event>(capacity);
        let context = WorkerContext {
            store: writer.store(),
            scope: Arc::clone(&scope),
            pins: Arc::new(session_config.pins.clone()),
            admission: Arc::clone(&session_config.admission),
            max_list: session_config.config.fetch.max_sitemap.get(),
            keeping: Keeping::from_config(&session_config.config),
            clock: session_config.clock.clone(),
        };
        let workers = workers(session_config.config.crawl.workers, &work, &events, &context)?;
        let mut owner = Owner::new(writer, session_config, scope, politeness, tasks)?;
        let partitions = owner.store.held_partitions();
        owner.load_hosts(partitions)?;
        Ok(Self { owner, arrivals, events, workers })
    }

    fn crawl(
        &mut self,
        session_config: &SessionConfig,
        fetcher: &Arc<Fetcher>,
        runtime: &Handle,
    ) -> Result<Ending, CrawlError> {
        let fetching = Fetching {
            runtime: runtime.clone(),
            store: self.owner.store.clone(),
            fetcher: Arc::clone(fetcher),
            gap_scope: session_config.config.fetch.gap_scope,
            keeping: Keeping::from_config(&session_config.config),
            clock: session_config.clock.clone(),
            progress: Arc::clone(&session_config.progress),
            tasks: self.owner.tasks.clone(),
            events: self.events.clone(),
        };
        self.owner.work(&fetching, &self.arrivals)
    }

    /// Ends all requests, because another worker holds the leases, and returns the writer. Waits until none
    /// is in flight: the next session does not know their gaps.
    fn abandon_lost(self, fetcher: &Fetcher, runtime: &Handle) -> Writer {
        if let Some(leases) = self.owner.store.leases() {
            leases.lose();
        }
        runtime.block_on(fetcher.in_flight_ended());
        self.abandon()
    }

    pub(crate) fn abandon(self) -> Writer {
        // Later events find a closed channel.
        let Self { owner, arrivals, workers, .. } = self;
        drop(arrivals);
        let Owner { writer, tasks, .. } = owner;
        drop(tasks);
        for worker in workers {
            // As in `finish`.
            let _ = worker.join();
        }
        writer
    }

    pub(crate) fn finish(mut self, complete: bool) -> Result<Finished, CrawlError> {
        self.owner.flush()?;
        let Owner { mut writer, store, hosts, quota, tasks, run, clock, .. } = self.owner;
        drop(tasks);
        for worker in self.workers {
            // A worker that panicked has already reported its page.
            let _ = worker.join();
        }
        if complete {
            writer.end_run(&run, clock.now())?;
        }
        Ok(Finished { store, hosts, quota, run })
    }
}

fn next_due(store: &Store) -> Result<Option<u64>, StoreError> {
    let due = [store.next_due(Wait::Retry)?, store.next_due(Wait::Revisit)?];
    Ok(due.into_iter().flatten().min())
}

pub(crate) fn begin(
    writer: &mut Writer,
    seeds: &[Seed],
    now: Timestamp,
    replayed: bool,
) -> Result<(Run, bool), CrawlError> {
    if let Some(behind) = writer.adjust_clock(now)? {
        warn!("the clock is {behind:#} behind the last run; moving all due times back by as much");
    }
    let begun = writer.begin_run(now, replayed)?;
    enqueue_seeds(writer, seeds, begun.0.started)?;
    Ok(begun)
}

#[derive(Debug, Clone)]
struct WorkerContext {
    store: Store,
    scope: Arc<Scope>,
    pins: Arc<HostPins>,
    admission: Arc<Admission>,
    max_list: u64,
    keeping: Option<Keeping>,
    clock: Clock,
}

fn workers(
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
                            // The owner is gone.
                            return;
                        }
                    }
                })
                .map_err(CrawlError::NoWorkers)
        })
        .collect()
}

impl WorkerContext {
    /// Does one task. A panic becomes an event, so that one page neither ends the crawl nor gets lost.
    fn done(&self, task: Task) -> Event {
        match task {
            Task::Answer(visit, response, fetched) => self.answered(visit, response, fetched),
            Task::Learn(job) => {
                let rules = self.rules(&job.name);
                let learn = || training::learn(&job, &self.store, self.clock.now(), rules);
                match catch_unwind(AssertUnwindSafe(learn)) {
                    Ok(Ok(learned)) => Event::Learned(job, Box::new(learned)),
                    Ok(Err(error)) => Event::TrainingFailed(job, error.to_string()),
                    Err(panic) => Event::TrainingFailed(job, words_of(&*panic)),
                }
            }
        }
    }

    fn rules(&self, host: &str) -> Rules<'_> {
        Rules { pins: self.pins.of(host), admission: &self.admission }
    }

    fn answered(&self, visit: Box<Visit>, response: Box<Response>, fetched: Timestamp) -> Event {
        let _inside = info_span!(parent: &visit.span, "read").entered();
        let is_success = (200..300).contains(&response.status);
        if is_success && visit.is_elsewhere() {
            return Event::Arrived(visit, response, fetched);
        }
        let (url, role) = (visit.asked().as_str(), visit.record.role.label());
        let last = visit.record.archived.filter(|_| !visit.is_elsewhere());
        let record = |keeping: Keeping| keeping.record(url, role, &response, fetched, last);
        let kept = self.keeping.map(record);
        if !is_success {
            return Event::Answered(visit, response, kept);
        }
        let rules = self.rules(visit.url.host());
        let read = || extraction::read(&visit, *response, fetched, &self.scope, rules, self.max_list);
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(reading) => Event::Read(visit, Box::new(reading), kept),
            Err(panic) => Event::Broken(visit, words_of(&*panic), kept),
        }
    }
}

fn words_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "unknown".into())
}
