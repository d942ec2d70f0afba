//! Records the seeds of the last crawl, so that commands know the sites of the corpus.
//!
//! The record belongs to the whole store and not to a partition, because all workers crawl the same seeds.
//! The names of the seed files in it are those of the worker that began last.

use gleaner_frontier::{CanonicalUrl, Seed};
use serde::{Deserialize, Serialize};

use crate::records::{decode, encode};
use crate::{Store, StoreError, Writer, keys};

pub(crate) const NAME: &str = "seeds";
const WHAT: &str = "the seeds";

#[derive(Debug, Serialize, Deserialize)]
struct SeedRecord {
    url: String,
    file: String,
    line: Option<usize>,
}

impl Store {
    /// Returns the seeds of the last crawl or rebuild, in their order. Returns `None` if no seeds are
    /// recorded: the corpus was only ingested, or is from an older version.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn seeds(&self) -> Result<Option<Vec<Seed>>, StoreError> {
        self.engine.get(&keys::meta(NAME))?.map(|bytes| decoded(&bytes)).transpose()
    }
}

pub(crate) fn decoded(bytes: &[u8]) -> Result<Vec<Seed>, StoreError> {
    let seed = |SeedRecord { url, file, line }| match CanonicalUrl::from_record(&url) {
        Ok(url) => Ok(Seed { url, file, line }),
        Err(error) => Err(StoreError::Damaged { what: WHAT, reason: format!("{url}: {error}") }),
    };
    decode::<Vec<SeedRecord>>(WHAT, bytes)?.into_iter().map(seed).collect()
}

impl Writer {
    /// Records the seeds of a crawl durably. Replaces earlier seeds.
    ///
    /// # Errors
    /// The store cannot be read or written.
    pub fn record_seeds(&mut self, seeds: &[Seed]) -> Result<(), StoreError> {
        let record = |seed: &Seed| SeedRecord {
            url: seed.url.as_str().into(),
            file: seed.file.clone(),
            line: seed.line,
        };
        let (key, records) = (keys::meta(NAME), encode(&seeds.iter().map(record).collect::<Vec<_>>()));
        self.flush()?;
        loop {
            let known: Option<Vec<u8>> = self.store().engine.get(&key)?;
            if known.as_ref() == Some(&records) {
                return Ok(());
            }
            self.exchange(&key, known.as_deref(), vec![(key.clone(), records.clone())])?;
        }
    }
}
