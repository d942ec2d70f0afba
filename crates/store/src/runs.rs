//! Records runs: when a crawl, or the reading of an archive, began and ended.
//!
//! A run belongs to the whole store, not to a partition: the first of several workers begins it, others join
//! it, and one ends it. The record is replaced by compare-and-exchange, so that a suspended worker cannot set
//! it back.

use jiff::Timestamp;

use crate::records::{decode, encode};
use crate::{Run, StoreError, Writer, keys};

impl Writer {
    /// Begins a run, or continues the last one if it is of the same kind and did not end. `replayed`: it
    /// reads an archive and is left out of comparisons. Returns the run and whether it is a continued one.
    ///
    /// # Errors
    /// When the store cannot be read or written.
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

    /// Marks a run as ended normally. Does nothing if it has ended or another has begun.
    ///
    /// # Errors
    /// When the store cannot be read or written.
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

    /// Writes the last run, and its entry in the list of runs. Returns `false` if another process was faster.
    fn put_run(&mut self, expected: Option<Vec<u8>>, run: &Run) -> Result<bool, StoreError> {
        // An exchange goes to disk at once and may flush everything else.
        self.flush()?;
        let key = keys::meta("run");
        let records = vec![(key.clone(), encode(run)), (keys::run(run.number), encode(run))];
        self.store().engine.exchange(&key, expected.as_deref(), records)
    }
}
