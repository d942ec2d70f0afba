//! A corpus out of WARC files: the crawl's own stages, fed by an archive instead of the
//! network.
//!
//! | purpose | which answers are read | what becomes of links |
//! |---|---|---|
//! | [`Purpose::Rebuild`] | all, in the order in which they came | they are found again |
//! | [`Purpose::Reextract`] | the last of each page that the store knows | nothing |
//! | [`Purpose::Ingest`] | pages of any host, fetched by whomever | nothing |
//!
//! 1. A thread reads the files ([`source`]). An answer waits while another of its host is
//!    being worked on, so that a host's pages are met in the order of the files and its
//!    template comes out as it did.
//! 2. Workers read them, and the owner applies what they found, as in a crawl: pages are
//!    buffered until the host's template can be learned, documents are placed.
//! 3. With each flush the store notes up to where each file was worked through. An
//!    interrupted replay goes on there; the few answers behind it that were done already
//!    come to the same end again.
//!
//! In a store of many workers all that ingest or re-extract read the same files, and each takes
//! the pages of its own partitions; what is noted is noted for each partition. When partitions come or go, what is in
//! flight is finished, and the files are read again from the marks of the partitions that are ours
//! then. To read and unpack a file is little beside what its pages cost (docs/scale.md), so
//! that nobody has to hand pages from one worker to another.
//!
//! Limitation: answers that made the crawl wait or try again (429, 5xx) and those
//! without a body (304) are passed over, so that numbers of tries and outcomes of failed
//! URLs are not those of the crawl; and a re-extracted page that is no article by today's
//! rules, or whose host has no template, keeps the text it has, if the settings let it in.

mod answer;
mod marks;
mod reextract;
mod replayer;
mod selection;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gleaner_config::Config;
use gleaner_corpus::{Admission, ContentHash};
use gleaner_fetch::Politeness;
use gleaner_frontier::Seed;
use gleaner_store::{StoreError, Writer};
use gleaner_template::HostPins;
use tracing::info;

use marks::{Checkpoint, Marks, OwnPartitions};
use replayer::{Ended, Progressed, Replayer};
use source::Limits;
pub use source::Source;

use crate::Stop;
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::pipeline::{Finished, Session, begin};
use crate::progress::Progress;
use crate::session_config::SessionConfig;

/// What a replay is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To make the store anew from the crawl's own archive.
    Rebuild,
    /// To extract what the archive has by the templates of today.
    Reextract,
    /// To take in pages that others fetched.
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

/// What a replay begins with.
#[derive(Debug)]
pub struct Replay {
    /// What for.
    pub purpose: Purpose,
    /// The settings.
    pub config: Config,
    /// The seed sites: links are followed within their domains. Not asked for otherwise.
    pub seeds: Vec<Seed>,
    /// What the user says of hosts' pages.
    pub pins: HostPins,
    /// Which documents enter the corpus.
    pub admission: Admission,
    /// The store.
    pub writer: Writer,
    /// The files, in order.
    pub sources: Vec<Source>,
    /// Asked for by whoever wants the replay to stop.
    pub stop: Stop,
    /// Written while the replay runs.
    pub progress: Arc<Progress>,
}

/// What a replay came to.
#[derive(Debug, Clone, Default)]
pub struct Replayed {
    /// Answers that were read.
    pub read: u64,
    /// Records that were passed over, by reason.
    pub passed_over: BTreeMap<&'static str, u64>,
    /// Partitions of files that cannot be read: file, offset, reason.
    pub damaged: Vec<(PathBuf, u64, String)>,
    /// How visits ended, by [`gleaner_frontier::Outcome::reason`].
    pub outcomes: BTreeMap<String, u64>,
    /// Texts that changed by it (re-extraction).
    pub changed: u64,
    /// Documents that left the corpus, since the settings of today refuse them (re-extraction).
    pub withdrawn: u64,
    /// Whether it went on with one that was interrupted (re-extraction).
    pub resumed: bool,
    /// Documents in the corpus now.
    pub documents: u64,
    /// Whether it went through to its end.
    pub complete: bool,
}

/// Replays files into the store. Blocks; the owner of the store is the calling thread.
///
/// # Errors
/// As [`crate::run`], and when a file cannot be read. What was worked through is kept, and
/// the same call goes on there.
pub fn replay(start: Replay) -> Result<Replayed, CrawlError> {
    let Replay { purpose, mut config, seeds, pins, admission, mut writer, sources, stop, progress } = start;
    let admission = Arc::new(admission);
    // Its own archive is what is read, and what others wrote needs no copy.
    config.archive.keep = false;
    let entered: &[Seed] = if purpose == Purpose::Rebuild { &seeds } else { &[] };
    let clock = Clock::default();
    let (run, _) = begin(&mut writer, entered, clock.now(), true)?;
    let limits = Limits::from_config(&config);
    let settings = settings_of(&config, &pins);
    let session_config = SessionConfig {
        config,
        seeds,
        pins,
        admission: Arc::clone(&admission),
        takes_all: true,
        run,
        stop,
        progress: Arc::clone(&progress),
        clock,
    };
    let (mut replayed, mut is_over) = (Replayed::default(), false);
    let (session, complete) = loop {
        follow(&writer, &progress);
        let own = OwnPartitions::from_store(&writer.store());
        // Through them nothing is ever asked.
        let politeness = Politeness::new(session_config.config.fetch.delay.get());
        let mut session = Session::start(session_config.clone(), politeness, writer)?;
        // Whoever has no partition has nothing to read.
        let sources: &[Source] = if own.is_empty() || is_over { &[] } else { &sources };
        let again = purpose == Purpose::Reextract;
        let checkpoint =
            again.then(|| Checkpoint::new(&own, session_config.run.number, &settings)).transpose()?;
        replayed.resumed |= replayed.read == 0 && checkpoint.as_ref().is_some_and(Checkpoint::is_begun);
        let files = marked(purpose, sources, &own, checkpoint.as_ref())?;
        let heard = source::read(files.clone(), own.clone(), limits).map_err(CrawlError::NoWorkers)?;
        let files = files.into_iter().map(|(source, marks)| Progressed::new(source, marks)).collect();
        let mut replayer = Replayer::new(purpose, files, own, checkpoint, Arc::clone(&admission), replayed);
        let ended = replayer.work(&mut session.owner, &heard, &session.arrivals).and_then(|ended| {
            replayer.note(&mut session.owner)?;
            match ended {
                Ended::Regrouping => session.owner.give_way()?,
                Ended::Through | Ended::Stopped => session.owner.flush()?,
            }
            Ok(ended)
        });
        replayed = replayer.replayed;
        match ended {
            Ok(Ended::Through) => break (session, true),
            Ok(Ended::Stopped) => break (session, false),
            Ok(Ended::Regrouping) => writer = session.abandon(),
            // Another worker has a partition of what was ours: as after a crash.
            Err(CrawlError::Store(StoreError::NotOurs)) => {
                writer = session.abandon();
                is_over = session_config.begin_anew(&mut writer)?;
            }
            Err(error) => return Err(error),
        }
    };
    let Finished { store, run, .. } = session.finish(complete)?;
    let mut outcomes = std::mem::take(&mut replayed.outcomes);
    for (_, counts) in store.counts(run.number)? {
        for (reason, count) in counts.outcomes {
            *outcomes.entry(reason).or_default() += count;
        }
    }
    Ok(Replayed { outcomes, documents: store.totals()?.documents(), complete, ..replayed })
}

/// What decides which text a page has and whether it enters the corpus, in short.
fn settings_of(config: &Config, pins: &HostPins) -> String {
    let (mut template, mut corpus) = (config.template.clone(), config.corpus.clone());
    // These are each worker's own, and change nothing.
    template.pins = String::new();
    corpus.index_memory = Config::default().corpus.index_memory;
    let all = format!("{template:?} {corpus:?} {:?} {pins:?}", config.text);
    ContentHash::from_text(&all).to_string().chars().take(16).collect()
}

/// Files with their marks.
fn marked(
    purpose: Purpose,
    sources: &[Source],
    own: &OwnPartitions,
    checkpoint: Option<&Checkpoint>,
) -> Result<Vec<(Source, Marks)>, StoreError> {
    let marks = |source: &Source| match checkpoint {
        Some(checkpoint) => Ok(checkpoint.marks(source.number())),
        None => own.marks(purpose.label(), &source.path.to_string_lossy()),
    };
    sources.iter().map(|source| Ok((source.clone(), marks(source)?))).collect()
}

/// Learns which partitions have come.
fn follow(writer: &Writer, progress: &Progress) {
    if let Some(leases) = writer.store().leases() {
        // Told before it is asked for, so that nobody takes us for idle in between.
        leases.report(progress.pages.load(Ordering::Relaxed), false);
        let partitions = leases.gained().len();
        info!(partitions, "partitions were assigned to this worker");
    }
}
