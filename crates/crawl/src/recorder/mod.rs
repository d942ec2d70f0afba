//! Writes the store and the archive: outcomes, documents, counts, and the times of revisits.
//!
//! Only the owner thread uses a recorder.

pub(crate) mod outcomes;
pub(crate) mod revisit;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use gleaner_config::{Config, CorpusSettings, DuplicateKind};
use gleaner_corpus::dedup::SimilarityParams;
use gleaner_frontier::FoundUrl;
use gleaner_store::{
    Change, DuplicateLevels, HostId, HostRecord, QueuePosition, Run, Store, StoreError, UrlRecord, Writer,
};
use jiff::Timestamp;

use crate::archive::{WarcRecords, archived};
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::progress::Progress;
use crate::rank;
use crate::session_config::SessionConfig;

#[derive(Debug)]
pub(crate) struct Recorder {
    pub(crate) writer: Writer,
    pub(crate) store: Store,
    pub(crate) config: Arc<Config>,
    pub(crate) run: Run,
    pub(crate) clock: Clock,
    pub(crate) progress: Arc<Progress>,
    /// When this session began. A revisit that becomes due later waits for the next run.
    pub(crate) began: Timestamp,
    unflushed: usize,
    flushed: Instant,
    /// Number of requests to each host since the last flush. Negative if requests that were already counted
    /// turned out not to be sent.
    requests: BTreeMap<String, i64>,
}

#[derive(Debug)]
pub(crate) struct CommitResult {
    pub(crate) touched: Vec<HostRecord>,
    pub(crate) queued: BTreeMap<HostId, i64>,
}

impl Recorder {
    pub(crate) fn new(mut writer: Writer, session: &SessionConfig) -> Result<Self, StoreError> {
        writer.detect_duplicates(&levels(&session.config.corpus))?;
        Ok(Self {
            store: writer.store(),
            writer,
            config: Arc::clone(&session.config),
            run: session.run.clone(),
            began: session.clock.now(),
            clock: session.clock.clone(),
            progress: Arc::clone(&session.progress),
            unflushed: 0,
            flushed: Instant::now(),
            requests: BTreeMap::new(),
        })
    }

    pub(crate) fn begin(&self) -> Change {
        self.writer.begin()
    }

    pub(crate) fn commit(&mut self, change: Change) -> Result<CommitResult, StoreError> {
        let touched = change.touched().values().cloned().collect();
        let queued = change.queued().clone();
        self.writer.commit(change)?;
        self.unflushed += 1;
        Ok(CommitResult { touched, queued })
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
        let found_at = (rank != rank::ARCHIVE).then_some(self.run.started);
        let dated = found.dated.map(|dated| dated.min(self.run.started));
        QueuePosition { rank, fresh: dated.or(found_at) }
    }

    pub(crate) fn is_flush_due(&self) -> bool {
        let store = &self.config.store;
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
        change.put_clock(self.clock.now())?;
        self.take_requests(&mut change)?;
        self.writer.commit(change)?;
        self.writer.flush()?;
        self.unflushed = 0;
        self.flushed = Instant::now();
        let (free, floor) = (self.writer.free_space()?, self.config.store.min_free_disk);
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

#[cfg(test)]
mod tests {
    use gleaner_frontier::{CanonicalUrl, Role};

    use super::*;

    #[test]
    fn a_commit_says_which_hosts_have_work_and_counts_towards_a_flush() {
        let folder = tempfile::tempdir().unwrap();
        let (session, writer) = SessionConfig::in_folder(folder.path(), &["store.flush_pages=2"]);
        let mut recorder = Recorder::new(writer, &session).unwrap();
        for (number, is_flush_due) in [(1, false), (2, true)] {
            let url = CanonicalUrl::parse(&format!("http://a.example/{number}")).unwrap();
            let found = FoundUrl { url, role: Role::Page, dated: None, news: false };
            let mut change = recorder.begin();
            change.discover(&found, 1, 0, recorder.queue_position(&found, rank::ARTICLE)).unwrap();
            let CommitResult { touched, queued } = recorder.commit(change).unwrap();
            assert_eq!(touched.iter().map(|host| host.name.as_str()).collect::<Vec<_>>(), ["a.example"]);
            assert_eq!(queued.values().copied().collect::<Vec<_>>(), [1]);
            assert_eq!(recorder.is_flush_due(), is_flush_due);
        }
        recorder.flush().unwrap();
        assert!(!recorder.is_flush_due());
    }
}
