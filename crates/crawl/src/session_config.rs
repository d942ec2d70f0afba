//! Contains the settings and shared handles of one crawl or replay.

use std::collections::HashSet;
use std::sync::Arc;

use crate::settings::Config;
use gleaner_corpus::Admission;
use gleaner_extract::pins::HostPins;
use gleaner_frontier::{Scope, Seed, UrlKey};
use gleaner_store::{Run, Writer};
use jiff::Timestamp;

use crate::clock::Clock;
use crate::error::CrawlError;
use crate::progress::Progress;
use crate::stop::StopRequest;

#[derive(Debug, Clone)]
pub(crate) struct SessionConfig {
    pub(crate) config: Arc<Config>,
    pub(crate) seeds: Arc<[Seed]>,
    pub(crate) scope: Arc<Scope>,
    pub(crate) pins: Arc<HostPins>,
    pub(crate) admission: Arc<Admission>,
    /// Whether hosts out of scope are accepted. A replay accepts them.
    pub(crate) takes_all: bool,
    pub(crate) run: Run,
    pub(crate) stop: StopRequest,
    pub(crate) progress: Arc<Progress>,
    pub(crate) clock: Clock,
    /// The run waits for work that is due by this time
    /// ([`CrawlInput::patience`](crate::CrawlInput::patience)).
    pub(crate) awaits_until: Timestamp,
    /// The URLs to which the crawl is limited.
    pub(crate) only: Option<Arc<HashSet<UrlKey>>>,
}

impl SessionConfig {
    /// Joins the workers again after another worker took partitions of this worker. Returns whether the run
    /// is over, because another worker has ended it or has begun the next run.
    pub(crate) fn rejoin(&self, writer: &mut Writer) -> Result<bool, CrawlError> {
        writer.rejoin()?;
        let last = writer.store().last_run()?;
        Ok(last.is_some_and(|last| last.number != self.run.number || last.ended.is_some()))
    }
}

#[cfg(test)]
impl SessionConfig {
    /// Creates a session with these settings, a new store in `folder` and the seed `http://a.example/`.
    pub(crate) fn in_folder(folder: &std::path::Path, sets: &[&str]) -> (Self, Writer) {
        let sets: Vec<String> = sets.iter().map(ToString::to_string).collect();
        let config = crate::settings::read(None, &sets).unwrap();
        let options = gleaner_store::StoreOptions { cache: 1 << 20, create: true };
        let mut writer = gleaner_store::open(folder, &options).unwrap();
        let seeds: Arc<[Seed]> =
            gleaner_frontier::parse_seeds("http://a.example/", "seeds.txt").unwrap().into();
        let clock = Clock::from_fn(|| jiff::Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(24));
        let (run, _) = writer.begin_run(clock.now(), false).unwrap();
        crate::partitions::enqueue_seeds(&mut writer, &seeds, run.started).unwrap();
        let session = Self {
            admission: Arc::default(),
            scope: Arc::new(crate::scope(&config, &seeds).unwrap()),
            config: Arc::new(config),
            seeds,
            pins: Arc::default(),
            takes_all: false,
            run,
            stop: StopRequest::default(),
            progress: Arc::default(),
            awaits_until: clock.now(),
            clock,
            only: None,
        };
        (session, writer)
    }
}
