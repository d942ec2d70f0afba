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
//!    gathered until the host's template can be learned, documents are placed.
//! 3. With each flush the store notes up to where each file was worked through. An
//!    interrupted replay goes on there; the few answers behind it that were done already
//!    come to the same end again.
//!
//! The awkward truth: answers that made the crawl wait or try again (429, 5xx) and those
//! without a body (304) are passed over, so that numbers of tries and outcomes of failed
//! URLs are not those of the crawl; and a re-extracted page that is no article by today's
//! rules, or whose host has no template, keeps the text it has, if the settings let it in.

mod conductor;
mod source;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use gleaner_config::Config;
use gleaner_corpus::Admission;
use gleaner_frontier::Seed;
use gleaner_store::Writer;
use gleaner_template::HostPins;
use tokio::runtime::Handle;

use conductor::Conductor;
use source::Limits;
pub use source::Source;

use crate::Stop;
use crate::clock::Clock;
use crate::pipeline::{CrawlError, Crew, Dismissed, Hands, begin};
use crate::progress::Progress;

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
    /// Where nothing runs, but the clients want one.
    pub runtime: Handle,
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
    /// Parts of files that cannot be read: file, offset, reason.
    pub damaged: Vec<(PathBuf, u64, String)>,
    /// How visits ended, by [`gleaner_frontier::Outcome::reason`].
    pub outcomes: BTreeMap<String, u64>,
    /// Texts that changed by it (re-extraction).
    pub changed: u64,
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
    let Replay { purpose, mut config, seeds, pins, admission, mut writer, sources, runtime, stop, progress } =
        start;
    let admission = Arc::new(admission);
    // Its own archive is what is read, and what others wrote needs no copy.
    config.archive.keep = false;
    let entered: &[Seed] = if purpose == Purpose::Rebuild { &seeds } else { &[] };
    let clock = Clock::default();
    let (begun, _) = begin(&mut writer, entered, clock.now(), true)?;
    let limits = Limits::of(&config);
    let hands = Hands {
        config,
        seeds,
        pins,
        admission: Arc::clone(&admission),
        writer,
        archive: None,
        takes_all: true,
        run: begun,
        runtime,
        stop,
        progress,
        clock,
    };
    let mut crew = Crew::assemble(hands)?;

    let mut marks = Vec::new();
    for source in &sources {
        marks.push(crew.owner.store.replayed(purpose.label(), &source.path.to_string_lossy())?);
    }
    let starts = sources.iter().cloned().zip(marks.iter().copied()).collect();
    let heard = source::read(starts, limits).map_err(CrawlError::NoWorkers)?;
    let paths = sources.into_iter().map(|source| source.path).collect();
    let mut conductor = Conductor::new(purpose, paths, marks, admission);
    let complete = conductor.work(&mut crew.owner, &heard, &crew.arrivals)?;
    drop(heard);
    conductor.note(&mut crew.owner, complete)?;
    let Dismissed { store, run, .. } = crew.dismiss(complete)?;
    let mut outcomes = std::mem::take(&mut conductor.replayed.outcomes);
    for (_, counts) in store.counts(run.number)? {
        for (reason, count) in counts.outcomes {
            *outcomes.entry(reason).or_default() += count;
        }
    }
    Ok(Replayed { outcomes, documents: store.totals()?.documents(), complete, ..conductor.replayed })
}
