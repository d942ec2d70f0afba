//! Defines [`run`], which runs a crawl from start to end, and the session of a crawl.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::settings::Config;
use crossbeam_channel::{Receiver, Sender, unbounded};
use gleaner_corpus::Admission;
use gleaner_extract::pins::HostPins;
use gleaner_fetch::{Fetcher, Politeness};
use gleaner_frontier::Seed;
use gleaner_store::{Counts, Run, Store, StoreError, WaitReason, Writer};
use jiff::Timestamp;
use tokio::runtime::Handle;
use tracing::warn;

use crate::archive::{RecordBuilder, open_archive};
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::event::{Event, Task};
use crate::frontier::Frontier;
use crate::frontier::budget::Ending;
use crate::known_links::KnownLinks;
use crate::network::{Network, Requester};
use crate::page_robots::PageRobots;
use crate::partitions::enqueue_seeds;
use crate::pipeline::Pipeline;
use crate::progress::Progress;
use crate::render::text::duration;
use crate::scope::scope;
use crate::session_config::SessionConfig;
use crate::stop::StopRequest;
use crate::summary::{Summary, buffered, deferred_urls};
use crate::wanted::Wanted;
use crate::worker::{self, WorkerContext};

/// The input of a crawl.
#[derive(Debug)]
pub struct CrawlInput {
    /// The settings.
    pub config: Config,
    /// The seed sites. Their registrable domains are the scope.
    pub seeds: Vec<Seed>,
    /// The user's pins, by host.
    pub pins: HostPins,
    /// The rules that decide which documents enter the corpus.
    pub admission: Admission,
    /// The store.
    pub writer: Writer,
    /// The runtime on which requests run.
    pub runtime: Handle,
    /// Lets the caller stop the crawl.
    pub stop: StopRequest,
    /// Counters, updated while the crawl runs.
    pub progress: Arc<Progress>,
    /// The wall clock.
    pub clock: Clock,
    /// The time after the start of the run during which the run waits for back-offs, and for robots.txt files
    /// that could not be read. It lets an unattended run survive an outage at the start. If zero, the run
    /// waits only for `crawl.linger`.
    pub patience: Duration,
    /// Which URLs are requested.
    pub wanted: Wanted,
}

impl CrawlInput {
    /// Returns the input of a crawl of what is due, with the clock of the system and without pins, rules of admission and
    /// patience.
    #[must_use]
    pub fn new(config: Config, seeds: Vec<Seed>, writer: Writer, runtime: Handle) -> Self {
        Self {
            config,
            seeds,
            writer,
            runtime,
            pins: HostPins::default(),
            admission: Admission::default(),
            stop: StopRequest::default(),
            progress: Arc::default(),
            clock: Clock::default(),
            patience: Duration::ZERO,
            wanted: Wanted::Due,
        }
    }
}

/// Crawls until nothing is due, a budget is reached or a stop is requested. Blocks the calling thread, which
/// owns the store.
///
/// # Errors
/// The store, the archive or the HTTP client failed, the disk is nearly full, or no worker thread can be
/// started. The store is then in the same state as after a crash, and the same call resumes the run.
pub fn run(start: CrawlInput) -> Result<Summary, CrawlError> {
    let CrawlInput {
        mut config,
        seeds,
        pins,
        admission,
        mut writer,
        runtime,
        stop,
        progress,
        clock,
        patience,
        wanted,
    } = start;
    // The archive and the snapshot requests are in the store's folder.
    config.store.path = writer.folder().to_string_lossy().into_owned();
    open_archive(&config, Some(&pins), &mut writer)?;
    let scope = Arc::new(scope(&config, &seeds)?.without(writer.store().removed()?));
    let (run, resumed) = begin(&mut writer, &seeds, clock.now(), false)?;
    let session_config = SessionConfig {
        config: Arc::new(config),
        seeds: seeds.into(),
        scope,
        pins: Arc::new(pins),
        admission: Arc::new(admission),
        takes_all: false,
        run,
        stop,
        progress: Arc::clone(&progress),
        awaits_until: clock.after(patience),
        clock,
        only: wanted.only(),
    };
    let mut is_over = false;
    let (session, ending) = loop {
        let fetcher = fetcher(&session_config.config, &runtime)?;
        let mut session = Session::start(session_config.clone(), fetcher.politeness().clone(), writer)?;
        let crawl = |session: &mut Session| {
            session.pipeline.make_ready(&wanted)?;
            session.crawl(&fetcher, &runtime)
        };
        let worked = if is_over { Ok(Ending::Quiet) } else { crawl(&mut session) };
        let ended = worked.and_then(|ending| {
            session.pipeline.count_all_hosts()?;
            session.pipeline.recorder.flush()?;
            Ok(ending)
        });
        match ended {
            Ok(ending) => break (session, ending),
            // Another worker has taken a partition of this worker. Start again, as after a crash.
            Err(CrawlError::Store(StoreError::NotOurs)) => {
                writer = session.abandon_lost(&fetcher, &runtime);
                is_over = session_config.rejoin(&mut writer)?;
                open_archive(&session_config.config, Some(&session_config.pins), &mut writer)?;
                progress.reset();
            }
            Err(error) => return Err(error),
        }
    };
    let (store, frontier) = session.finish(ending.is_over())?;
    summary(&store, &frontier, session_config.run, resumed, ending)
}

fn summary(
    store: &Store,
    frontier: &Frontier,
    run: Run,
    resumed: bool,
    ending: Ending,
) -> Result<Summary, CrawlError> {
    let counts = store.counts(run.number)?.into_iter();
    Ok(Summary {
        hosts: counts.filter(|(_, counts)| *counts != Counts::default()).collect(),
        deferred_urls: deferred_urls(store, frontier, ending)?,
        buffered: if ending.is_over() { Vec::new() } else { buffered(store)? },
        documents: store.totals()?.documents(),
        next_due: next_due(store)?,
        run,
        resumed,
        ending,
    })
}

fn fetcher(config: &Config, runtime: &Handle) -> Result<Arc<Fetcher>, CrawlError> {
    let _inside = runtime.enter();
    Ok(Arc::new(Fetcher::new(&config.fetch)?))
}

/// The pipeline and its worker threads. A replay has a session too, but sends no requests.
pub(crate) struct Session {
    pub(crate) pipeline: Pipeline,
    pub(crate) arrivals: Receiver<Event>,
    events: Sender<Event>,
    workers: Vec<thread::JoinHandle<()>>,
}

impl Session {
    pub(crate) fn start(
        session: SessionConfig,
        politeness: Politeness,
        writer: Writer,
    ) -> Result<Self, CrawlError> {
        let config = Arc::clone(&session.config);
        // Unbounded channels are safe: each task and event belongs to a URL in flight, and the frontier
        // limits their number.
        let (tasks, work) = unbounded::<Task>();
        let (events, arrivals) = unbounded::<Event>();
        let (pins, admission) = (Arc::clone(&session.pins), Arc::clone(&session.admission));
        let clock = session.clock.clone();
        let mut pipeline = Pipeline::new(writer, session, politeness, tasks)?;
        let context = WorkerContext {
            store: pipeline.recorder.store.clone(),
            known: Arc::new(KnownLinks::new(Arc::clone(&pipeline.frontier.scope))),
            pins,
            admission,
            robots: Arc::new(PageRobots::from_config(&config)),
            max_list: config.fetch.max_sitemap.get(),
            records: RecordBuilder::from_config(&config),
            clock,
        };
        let workers = worker::start(config.crawl.workers, &work, &events, &context)?;
        let partitions = pipeline.recorder.store.held_partitions();
        pipeline.load_hosts(partitions)?;
        Ok(Self { pipeline, arrivals, events, workers })
    }

    fn crawl(&mut self, fetcher: &Arc<Fetcher>, runtime: &Handle) -> Result<Ending, CrawlError> {
        let session = &self.pipeline.session;
        let requester = Requester {
            runtime: runtime.clone(),
            store: self.pipeline.recorder.store.clone(),
            fetcher: Arc::clone(fetcher),
            scope: Arc::clone(&session.scope),
            config: Arc::clone(&session.config),
            records: RecordBuilder::from_config(&session.config),
            clock: session.clock.clone(),
            progress: Arc::clone(&session.progress),
            tasks: self.pipeline.tasks.clone(),
            events: self.events.clone(),
        };
        Network::new(requester, self.arrivals.clone()).run(&mut self.pipeline)
    }

    /// Ends all requests because another worker has the leases, and returns the writer. First waits until no
    /// request is in flight, because the next session does not know when this session sent its last requests.
    fn abandon_lost(self, fetcher: &Fetcher, runtime: &Handle) -> Writer {
        if let Some(leases) = self.pipeline.recorder.store.leases() {
            leases.lose();
        }
        runtime.block_on(fetcher.in_flight_ended());
        self.abandon()
    }

    pub(crate) fn abandon(self) -> Writer {
        // Dropping the receiver discards later events.
        let Self { pipeline, arrivals, workers, .. } = self;
        drop(arrivals);
        let Pipeline { recorder, tasks, .. } = pipeline;
        drop(tasks);
        for worker in workers {
            // As in `finish`: the worker has already reported its panic.
            let _ = worker.join();
        }
        recorder.writer
    }

    pub(crate) fn finish(mut self, is_over: bool) -> Result<(Store, Frontier), CrawlError> {
        self.pipeline.recorder.flush()?;
        let Pipeline { mut recorder, frontier, session, tasks, .. } = self.pipeline;
        drop(tasks);
        for worker in self.workers {
            // A worker that panicked has already reported the page.
            let _ = worker.join();
        }
        if is_over {
            recorder.writer.end_run(&session.run, session.clock.now())?;
        }
        Ok((recorder.store, frontier))
    }
}

fn next_due(store: &Store) -> Result<Option<u64>, StoreError> {
    let due = [store.next_due(WaitReason::Retry)?, store.next_due(WaitReason::Revisit)?];
    Ok(due.into_iter().flatten().min())
}

pub(crate) fn begin(
    writer: &mut Writer,
    seeds: &[Seed],
    now: Timestamp,
    replayed: bool,
) -> Result<(Run, bool), CrawlError> {
    if let Some(behind) = writer.adjust_clock(now)? {
        let behind = duration(behind.as_secs().unsigned_abs());
        warn!("the clock is {behind} behind the last run; moving all due times back by as much");
    }
    let begun = writer.begin_run(now, replayed)?;
    // A replay without seeds keeps the seeds of the last crawl.
    if !seeds.is_empty() {
        writer.record_seeds(seeds)?;
    }
    enqueue_seeds(writer, seeds, begun.0.started)?;
    Ok(begun)
}
