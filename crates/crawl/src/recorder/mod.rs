//! Writes the store and the archive: outcomes, documents, counts, and the times of revisits.
//!
//! Only the owner thread uses a recorder.

pub(crate) mod outcomes;
pub(crate) mod revisit;

use std::collections::BTreeMap;
use std::time::Instant;

use crate::settings::{CorpusSettings, DuplicateKind};
use gleaner_corpus::dedup::SimilarityParams;
use gleaner_frontier::FoundUrl;
use gleaner_store::{DuplicateLevels, QueuePosition, Store, StoreError, UrlRecord, Writer};
use jiff::Timestamp;

use crate::archive::{WarcRecords, archived};
use crate::error::CrawlError;
use crate::rank;
use crate::session_config::SessionConfig;
use crate::traps::EndedPage;

#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) writer: Writer,
    pub(crate) store: Store,
    session: SessionConfig,
    /// When this session began. A revisit that becomes due later waits for the next run.
    pub(crate) began: Timestamp,
    /// Number of changes since the last flush.
    pub(crate) unflushed: usize,
    flushed: Instant,
    /// Number of requests to each host since the last flush. Negative if requests that were already counted
    /// turned out not to be sent.
    requests: BTreeMap<String, i64>,
    /// The visits that ended since the traps were last considered.
    pub(crate) ended: Vec<EndedPage>,
}

impl Recorder {
    pub(crate) fn new(mut writer: Writer, session: &SessionConfig) -> Result<Self, StoreError> {
        writer.detect_duplicates(&levels(&session.config.corpus))?;
        Ok(Self {
            store: writer.store(),
            writer,
            began: session.clock.now(),
            session: session.clone(),
            unflushed: 0,
            flushed: Instant::now(),
            requests: BTreeMap::new(),
            ended: Vec::new(),
        })
    }

    /// Appends the records of a response to the archive. Stores the position of the body in `record`.
    pub(crate) fn archive(
        &mut self,
        records: Option<WarcRecords>,
        record: Option<&mut UrlRecord>,
    ) -> Result<(), CrawlError> {
        let Some(records) = records else { return Ok(()) };
        let Some((file, offset)) = self.writer.archive(&records.bytes, records.records, records.at)? else {
            return Ok(());
        };
        if let (Some(record), Some(digests)) = (record, records.digests) {
            record.archived = Some(archived(file, offset, records.at, digests));
        }
        Ok(())
    }

    pub(crate) fn archive_robots(&mut self, records: Vec<WarcRecords>) -> Result<(), CrawlError> {
        records.into_iter().try_for_each(|records| self.archive(Some(records), None))
    }

    /// Returns the position of a found URL in the queue. A URL without a date counts as found at the start of
    /// the run, so an interruption does not change the order. In rank [`rank::ARCHIVE`], such a URL has no
    /// time.
    pub(crate) fn queue_position(&self, found: &FoundUrl, rank: u8) -> QueuePosition {
        let found_at = (rank != rank::ARCHIVE).then_some(self.session.run.started);
        let dated = found.dated.map(|dated| dated.min(self.session.run.started));
        QueuePosition { rank, fresh: dated.or(found_at) }
    }

    pub(crate) fn is_flush_due(&self) -> bool {
        let store = &self.session.config.store;
        let is_late = || self.unflushed > 0 && self.flushed.elapsed() >= store.flush_every.get();
        self.unflushed >= store.flush_pages || is_late() || self.writer.is_archive_full()
    }

    /// Flushes robots.txt rules and back-offs immediately if the store is not shared. In a shared store, each
    /// flush writes a file to object storage, so there they wait for the next regular flush.
    pub(crate) fn flush_rules(&mut self) -> Result<(), CrawlError> {
        if self.store.is_shared() { Ok(()) } else { self.flush() }
    }

    pub(crate) fn flush(&mut self) -> Result<(), CrawlError> {
        let mut change = self.writer.begin();
        change.put_clock(self.session.clock.now())?;
        self.take_requests(&mut change)?;
        self.writer.commit(change)?;
        self.writer.flush()?;
        self.unflushed = 0;
        self.flushed = Instant::now();
        let (free, floor) = (self.writer.free_space()?, self.session.config.store.min_free_disk);
        if free < floor.get() {
            return Err(CrawlError::DiskFull { free, floor });
        }
        Ok(())
    }
}

fn levels(corpus: &CorpusSettings) -> DuplicateLevels {
    let has = |level| corpus.duplicates.contains(&level);
    DuplicateLevels {
        exact: has(DuplicateKind::Exact),
        near: has(DuplicateKind::Near).then(|| SimilarityParams::default().with_duplicate(corpus.similarity)),
        representative: corpus.head,
        memory: usize::try_from(corpus.index_memory.get()).unwrap_or(usize::MAX),
    }
}
