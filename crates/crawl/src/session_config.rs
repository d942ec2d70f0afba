//! Holds the settings and shared handles of one crawl or replay.

use std::sync::Arc;

use gleaner_config::Config;
use gleaner_corpus::Admission;
use gleaner_frontier::Seed;
use gleaner_store::{Run, Writer};
use gleaner_template::HostPins;

use crate::Stop;
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::progress::Progress;

#[derive(Clone)]
pub(crate) struct SessionConfig {
    pub(crate) config: Config,
    pub(crate) seeds: Vec<Seed>,
    pub(crate) pins: HostPins,
    pub(crate) admission: Arc<Admission>,
    pub(crate) takes_all: bool,
    pub(crate) run: Run,
    pub(crate) stop: Stop,
    pub(crate) progress: Arc<Progress>,
    pub(crate) clock: Clock,
}

impl SessionConfig {
    /// Rejoins the workers after another one took over our partitions. Returns whether the run is over:
    /// another worker has ended it or begun the next one.
    pub(crate) fn begin_anew(&self, writer: &mut Writer) -> Result<bool, CrawlError> {
        writer.begin_anew()?;
        let last = writer.store().last_run()?;
        Ok(last.is_some_and(|last| last.number != self.run.number || last.ended.is_some()))
    }
}
