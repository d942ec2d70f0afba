//! Records runs: when a crawl or a replay of an archive began and ended.
//!
//! A run belongs to the whole store and not to a partition. The first worker begins the run, others join it,
//! and one of them ends it. The record is replaced only if it has not changed since it was read. Therefore a
//! worker that was suspended cannot restore an older state.

use jiff::Timestamp;

use crate::engine::Range;
use crate::read::text;
use crate::records::{decode, encode};
use crate::{Counts, Run, Store, StoreError, Writer, keys};

impl Store {
    /// Returns the last run, or `None` if there was no run.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn last_run(&self) -> Result<Option<Run>, StoreError> {
        self.get("the last run", &keys::meta("run"))
    }

    /// Returns the last crawl runs, newest first, at most `limit`. Runs that read an archive are excluded.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn runs(&self, limit: usize) -> Result<Vec<Run>, StoreError> {
        let runs = self.engine.scan(Range::with_prefix([keys::RUN]).backwards());
        let is_crawl = |run: &Result<Run, StoreError>| run.as_ref().map_or(true, |run| !run.replayed);
        runs.map(|pair| decode("a run", &pair?.1)).filter(is_crawl).take(limit).collect()
    }

    /// Returns the counts of each host in a run, sorted by host name.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn counts(&self, run: u32) -> Result<Vec<(String, Counts)>, StoreError> {
        let prefix = keys::counts_of(run);
        let pairs = self.scan(prefix.as_slice());
        pairs
            .map(|pair| {
                let (key, value) = pair?;
                Ok((text(&key[prefix.len()..])?, decode("a host's counts", &value)?))
            })
            .collect()
    }
}

impl Writer {
    /// Continues the last run if it is of the same kind and has not ended. Otherwise begins a run. `replayed`
    /// means that the run reads an archive. Such runs are not compared with other runs. Returns the run, and
    /// `true` if it continues the last run.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn begin_run(&mut self, now: Timestamp, replayed: bool) -> Result<(Run, bool), StoreError> {
        loop {
            let (bytes, last) = self.run_of_now()?;
            if let Some(run) = last.clone().filter(|run| run.ended.is_none() && run.replayed == replayed) {
                return Ok((run, true));
            }
            let number = last.map_or(1, |run| run.number + 1);
            let run = Run { number, started: now, ended: None, replayed };
            if self.put_run(bytes, &run)? {
                return Ok((run, false));
            }
        }
    }

    /// Marks a run as ended normally. Does nothing if the run has already ended or another run has begun.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn end_run(&mut self, run: &Run, now: Timestamp) -> Result<(), StoreError> {
        loop {
            let (bytes, last) = self.run_of_now()?;
            let Some(last) = last.filter(|last| last.number == run.number && last.ended.is_none()) else {
                return Ok(());
            };
            if self.put_run(bytes, &Run { ended: Some(now), ..last })? {
                return Ok(());
            }
        }
    }

    fn run_of_now(&self) -> Result<(Option<Vec<u8>>, Option<Run>), StoreError> {
        let bytes = self.store().engine.get(&keys::meta("run"))?;
        let run = bytes.as_deref().map(|bytes| decode("the last run", bytes)).transpose()?;
        Ok((bytes, run))
    }

    /// Writes a run as the last run and to the list of runs. Returns `false` if another process changed the run.
    fn put_run(&mut self, expected: Option<Vec<u8>>, run: &Run) -> Result<bool, StoreError> {
        self.flush()?;
        let key = keys::meta("run");
        let records = vec![(key.clone(), encode(run)), (keys::run(run.number), encode(run))];
        self.exchange(&key, expected.as_deref(), records)
    }
}
