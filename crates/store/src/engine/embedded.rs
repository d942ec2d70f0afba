//! sled, in a folder that one process has: the default.
//!
//! Two trees. `pages` has the raw pages, `records` all else. A batch is one sled batch in one
//! tree, so that after a crash it is there or not. Raw pages are written before the records
//! that name them, and removed behind them: one that no record names is removed when the
//! store is opened.
//!
//! The awkward truth: sled 0.34 is a beta that its author no longer develops.
//! docs/architecture.md tells what is done about that.

use std::collections::BTreeSet;
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::engine::{Batch, Engine, Lost, Pair, Range, Scan, Write};
use crate::parts::Part;
use crate::records::{decode, encode};
use crate::{StoreError, flushed, keys};

/// See the head of this file.
#[derive(Debug)]
pub(crate) struct Embedded {
    records: sled::Tree,
    pages: sled::Tree,
    database: sled::Db,
    folder: Arc<Path>,
    /// Number of the last flush.
    flushes: AtomicU64,
}

impl Embedded {
    /// Opens the database in `path`, or makes it. `folder` has the number of its flushes.
    pub(crate) fn open(path: &Path, folder: &Path, cache: u64) -> Result<Self, StoreError> {
        let database = open_database(path, cache)?;
        let records = database.open_tree("records").map_err(StoreError::sled("opening its records"))?;
        let pages = database.open_tree("pages").map_err(StoreError::sled("opening its pages"))?;
        let opened = Self { records, pages, database, folder: folder.into(), flushes: AtomicU64::new(0) };
        let flushes = opened.get(&keys::meta("flushes"))?;
        let flushes = flushes.map(|bytes| decode("the number of flushes", &bytes)).transpose()?.unwrap_or(0);
        flushed::check(folder, flushes)?;
        opened.flushes.store(flushes, Ordering::Relaxed);
        Ok(opened)
    }

    /// The tree that a key lies in, and its name there.
    fn place<'a>(&self, key: &'a [u8]) -> (&sled::Tree, &'a [u8]) {
        match key.split_first() {
            Some((&keys::PAGE, url)) => (&self.pages, url),
            _ => (&self.records, key),
        }
    }

    fn remove_pages(&self, urls: &[Vec<u8>]) -> Result<(), StoreError> {
        for url in urls {
            self.pages.remove(url).map_err(StoreError::sled("removing a page"))?;
        }
        Ok(())
    }
}

impl Engine for Embedded {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let (tree, name) = self.place(key);
        Ok(tree.get(name).map_err(StoreError::sled("reading"))?.map(|bytes| bytes.to_vec()))
    }

    fn has(&self, key: &[u8]) -> Result<bool, StoreError> {
        let (tree, name) = self.place(key);
        tree.contains_key(name).map_err(StoreError::sled("reading"))
    }

    fn scan(&self, range: Range) -> Scan {
        let is_page = range.space() == Some(keys::PAGE);
        let tree = if is_page { &self.pages } else { &self.records };
        let without =
            |bound: Bound<Vec<u8>>| if is_page { bound.map(|key| key[1..].to_vec()) } else { bound };
        let end = if is_page { Bound::Unbounded } else { range.end };
        let keys_only = range.keys_only;
        let read = move |pair: sled::Result<(sled::IVec, sled::IVec)>| {
            let (name, value) = pair.map_err(StoreError::sled("reading on"))?;
            let key = if is_page { keys::page_named(&name) } else { name.to_vec() };
            Ok((key, if keys_only { Vec::new() } else { value.to_vec() }))
        };
        let pairs = tree.range::<Vec<u8>, _>((without(range.begin), end));
        if range.backwards { Box::new(pairs.rev().map(read)) } else { Box::new(pairs.map(read)) }
    }

    fn commit(&self, batch: Batch, _: BTreeSet<Part>) -> Result<(), StoreError> {
        let (mut records, mut dropped) = (sled::Batch::default(), Vec::new());
        for (key, write) in batch.writes {
            match (key.first(), write) {
                (Some(&keys::PAGE), Write::Put(page) | Write::Claim(page)) => {
                    self.pages.insert(&key[1..], page).map_err(StoreError::sled("keeping a page"))?;
                }
                (Some(&keys::PAGE), Write::Remove) => dropped.push(key[1..].to_vec()),
                (_, Write::Put(value) | Write::Claim(value)) => records.insert(key, value),
                (_, Write::Remove) => records.remove(key),
            }
        }
        self.records.apply_batch(records).map_err(StoreError::sled("writing"))?;
        self.remove_pages(&dropped)
    }

    fn exchange(&self, key: &[u8], expected: Option<&[u8]>, records: Vec<Pair>) -> Result<bool, StoreError> {
        // There is one writer, so that nothing comes in between.
        if self.get(key)?.as_deref() != expected {
            return Ok(false);
        }
        let writes = records.into_iter().map(|(key, value)| (key, Write::Put(value))).collect();
        self.commit(Batch { writes }, BTreeSet::new())?;
        self.flush()?;
        Ok(true)
    }

    fn flush(&self) -> Result<Vec<Lost>, StoreError> {
        let number = self.flushes.fetch_add(1, Ordering::Relaxed) + 1;
        self.records.insert(keys::meta("flushes"), encode(&number)).map_err(StoreError::sled("writing"))?;
        self.database.flush().map_err(StoreError::sled("flushing"))?;
        flushed::note(&self.folder, number)?;
        Ok(Vec::new())
    }
}

/// sled's own lock can outlive a killed process for a moment.
fn open_database(path: &Path, cache: u64) -> Result<sled::Db, StoreError> {
    let config = sled::Config::new().path(path).cache_capacity(cache).flush_every_ms(None);
    let mut last = None;
    for pause in [0, 100, 200, 400, 800, 1600] {
        std::thread::sleep(Duration::from_millis(pause));
        // sled panics on some damages.
        match catch_unwind(AssertUnwindSafe(|| config.open())) {
            Ok(Ok(database)) => return Ok(database),
            Ok(Err(sled::Error::Io(error))) => last = Some(sled::Error::Io(error)),
            Ok(Err(error)) => return Err(StoreError::sled("opening")(error)),
            Err(_) => {
                return Err(StoreError::Damaged {
                    what: "the database",
                    reason: "sled cannot open it".into(),
                });
            }
        }
    }
    let error = last.expect("the loop ends early unless there was an error");
    Err(StoreError::sled("opening")(error))
}
