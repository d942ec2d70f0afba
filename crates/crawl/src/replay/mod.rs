//! Builds a corpus from WARC files. A replay has the stages of a crawl, but does not use the network.
//!
//! * [`Purpose::Rebuild`] processes all responses in archive order, and finds the links in them again.
//! * [`Purpose::Reextract`] processes the latest response of each page in the store, and ignores links.
//! * [`Purpose::Ingest`] processes pages of any host, from any crawler, and ignores links.
//!
//! 1. A thread reads the files ([`source`]). A response waits while another response of its host is
//!    processed. So the pages of a host keep their order, and the host gets the same template as in the
//!    crawl.
//! 2. Worker threads process the responses and the owner thread applies the results, as in a crawl.
//! 3. At each flush, the store records how far each file was processed. An interrupted replay resumes there.
//!    Responses after that point may be processed twice, but the outcome is the same.
//!
//! With several worker processes, each worker reads all files and processes the pages of its own partitions.
//! Progress is recorded for each partition. When partitions change owner, the worker finishes the responses
//! in flight. Then it reads the files again, from the marks of its new partitions. Reading takes little time
//! compared with processing (docs/scale.md).
//!
//! Limitation: the replay skips responses after which the crawl waited or retried (429, 5xx) and responses
//! without a body (304). So retry counts and outcomes of failed URLs differ from those of the crawl. A
//! re-extraction keeps the old text of a page that is no longer judged an article, or whose host has a
//! template of another method. It removes the old text only if the settings refuse it. If a host has no
//! template, each of its buffered pages is extracted on its own.

mod archived_response;
mod marks;
mod queue;
mod reextract;
mod replayer;
mod selection;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::settings::Config;
use gleaner_corpus::Admission;
use gleaner_extract::pins::HostPins;
use gleaner_fetch::Politeness;
use gleaner_frontier::Seed;
use gleaner_store::{StoreError, Writer};
use tracing::info;

pub(crate) use archived_response::{ArchivedResponse, BodyLimits, RecordPlace};
use replayer::{ReplayEnd, Replayer};
pub use source::WarcFile;

use crate::archive::{hash_of, open_archive, text_settings};
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::pipeline::Pipeline;
use crate::progress::Progress;
use crate::scope::scope;
use crate::session::{Session, begin};
use crate::session_config::SessionConfig;
use crate::stop::StopRequest;

/// The purpose of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Build the store from the crawl's own archive.
    Rebuild,
    /// Extract archived pages with the current templates.
    Reextract,
    /// Add pages that other crawlers fetched.
    Ingest,
}

impl Purpose {
    const fn label(self) -> &'static str {
        match self {
            Self::Rebuild => "rebuild",
            Self::Reextract => "reextract",
            Self::Ingest => "ingest",
        }
    }
}

/// The input of a replay.
#[derive(Debug)]
pub struct Replay {
    /// The purpose.
    pub purpose: Purpose,
    /// The settings.
    pub config: Config,
    /// The seeds. They are not requested. A rebuild adds links within their domains to the frontier.
    pub seeds: Vec<Seed>,
    /// The user's pins, by host.
    pub pins: HostPins,
    /// The rules that decide which documents enter the corpus.
    pub admission: Admission,
    /// The store.
    pub writer: Writer,
    /// The files to read, in this order.
    pub sources: Vec<WarcFile>,
    /// Lets the caller stop the replay.
    pub stop: StopRequest,
    /// Counters, updated while the replay runs.
    pub progress: Arc<Progress>,
}

/// The result of a replay.
#[derive(Debug, Clone, Default)]
pub struct ReplaySummary {
    /// Number of responses that were read.
    pub read: u64,
    /// Number of skipped records, by reason.
    pub passed_over: BTreeMap<&'static str, u64>,
    /// Parts of files that cannot be read: file, offset in bytes, reason.
    pub damaged: Vec<(PathBuf, u64, String)>,
    /// Number of visits for each [`gleaner_frontier::Outcome::reason`].
    pub outcomes: BTreeMap<String, u64>,
    /// The changes for each host with documents that were extracted again (only for a re-extraction).
    pub changes: BTreeMap<String, Changes>,
    /// Whether this replay resumed an interrupted replay (only for a re-extraction).
    pub resumed: bool,
    /// Documents in the corpus at the end of the replay.
    pub documents: u64,
    /// Whether all records were replayed. `false` if the replay was stopped.
    pub complete: bool,
}

/// The changes that a re-extraction made to the documents of a host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// Number of documents of pages that had none.
    pub new: u64,
    /// Number of changed texts.
    pub changed: u64,
    /// Number of documents removed because the current settings refuse them.
    pub withdrawn: u64,
    /// Number of words in the old texts of all documents that were extracted again.
    pub words_before: u64,
    /// Number of words in the new texts of these documents.
    pub words_after: u64,
}

/// Replays files into the store. Blocks the calling thread, which owns the store, until the end.
///
/// # Errors
/// The errors of [`crate::run`], or a file cannot be read. Completed work stays in the store, and the same
/// call resumes.
pub fn replay(start: Replay) -> Result<ReplaySummary, CrawlError> {
    let Replay { purpose, mut config, seeds, pins, admission, mut writer, sources, stop, progress } = start;
    if purpose != Purpose::Rebuild {
        open_archive(&config, Some(&pins), &mut writer)?;
    }
    // The replayed files are already the archive, so no response is archived again.
    config.archive.keep = false;
    let entered: &[Seed] = if purpose == Purpose::Rebuild { &seeds } else { &[] };
    let scope = Arc::new(scope(&config, &seeds)?.without(writer.store().removed()?));
    let clock = Clock::default();
    let (run, _) = begin(&mut writer, entered, clock.now(), true)?;
    let (limits, settings) = (BodyLimits::from_config(&config), settings_of(&config, &pins));
    let session = SessionConfig {
        config: Arc::new(config),
        seeds: seeds.into(),
        scope,
        pins: Arc::new(pins),
        admission: Arc::new(admission),
        takes_all: true,
        run,
        stop,
        progress: Arc::clone(&progress),
        awaits_until: clock.now(),
        clock,
        only: None,
    };
    let plan = Plan { purpose, session, sources, settings, limits };
    let (mut replayed, mut is_over) = (ReplaySummary::default(), false);
    let (session, complete) = loop {
        follow(&writer, &progress);
        // A session requires a politeness, although a replay sends no requests.
        let politeness = Politeness::new(plan.session.config.fetch.delay.get());
        let mut session = Session::start(plan.session.clone(), politeness, writer)?;
        let mut replayer = Replayer::new(&plan, &session, is_over, replayed)?;
        let ended = work(&mut session.pipeline, &mut replayer);
        replayed = replayer.replayed;
        match ended {
            Ok(ReplayEnd::Through) => break (session, true),
            Ok(ReplayEnd::Stopped) => break (session, false),
            Ok(ReplayEnd::Regrouping) => writer = session.abandon(),
            // Another worker has taken a partition of this worker. Start again, as after a crash.
            Err(CrawlError::Store(StoreError::NotOurs)) => {
                writer = session.abandon();
                is_over = plan.session.rejoin(&mut writer)?;
            }
            Err(error) => return Err(error),
        }
    };
    let (store, _) = session.finish(complete)?;
    let mut outcomes = std::mem::take(&mut replayed.outcomes);
    for (_, counts) in store.counts(plan.session.run.number)? {
        for (reason, count) in counts.outcomes {
            *outcomes.entry(reason).or_default() += count;
        }
    }
    Ok(ReplaySummary { outcomes, documents: store.totals()?.documents(), complete, ..replayed })
}

fn work(pipeline: &mut Pipeline, replayer: &mut Replayer) -> Result<ReplayEnd, CrawlError> {
    let ended = replayer.run(pipeline)?;
    replayer.record_progress(pipeline)?;
    match ended {
        ReplayEnd::Regrouping => pipeline.release_surplus()?,
        ReplayEnd::Through | ReplayEnd::Stopped => pipeline.recorder.flush()?,
    }
    Ok(ended)
}

struct Plan {
    purpose: Purpose,
    session: SessionConfig,
    sources: Vec<WarcFile>,
    settings: String,
    limits: BodyLimits,
}

/// Returns a hash of the settings that affect a page's text and its admission.
fn settings_of(config: &Config, pins: &HostPins) -> String {
    hash_of(&format!("{} {pins:?}", text_settings(config)))
}

/// Reports that this worker is busy, and accepts the partitions that it gained.
fn follow(writer: &Writer, progress: &Progress) {
    if let Some(leases) = writer.store().leases() {
        // The state is reported first. Otherwise other workers could see this worker as idle.
        leases.report(progress.responses.load(Ordering::Relaxed), false);
        let partitions = leases.gained().len();
        info!(partitions, "partitions were assigned to this worker");
    }
}
