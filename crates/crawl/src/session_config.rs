//! Holds the settings and shared handles of one crawl or replay.

use std::sync::Arc;

use gleaner_config::Config;
use gleaner_corpus::Admission;
use gleaner_frontier::Seed;
use gleaner_store::{Run, Writer};
use gleaner_template::HostPins;

use crate::clock::Clock;
use crate::error::CrawlError;
use crate::progress::Progress;
use crate::stop::Stop;

#[derive(Debug, Clone)]
pub(crate) struct SessionConfig {
    pub(crate) config: Arc<Config>,
    pub(crate) seeds: Arc<[Seed]>,
    pub(crate) pins: Arc<HostPins>,
    pub(crate) admission: Arc<Admission>,
    /// Whether hosts out of scope are accepted, as in a replay.
    pub(crate) takes_all: bool,
    pub(crate) run: Run,
    pub(crate) stop: Stop,
    pub(crate) progress: Arc<Progress>,
    pub(crate) clock: Clock,
}

impl SessionConfig {
    /// Rejoins the workers after another one took over our partitions. Returns whether the run is over:
    /// another worker has ended it or begun the next one.
    pub(crate) fn rejoin(&self, writer: &mut Writer) -> Result<bool, CrawlError> {
        writer.rejoin()?;
        let last = writer.store().last_run()?;
        Ok(last.is_some_and(|last| last.number != self.run.number || last.ended.is_some()))
    }
}
