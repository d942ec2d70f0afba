//! Stores records in sled, in a folder that one process uses. This is the default engine.
//!
//! The database has two trees: `pages` for raw pages, and `records` for everything else. sled writes the
//! records of a batch as one batch, so a crash keeps all of them or none. Raw pages are written before the
//! records that refer to them, and removed after those records. Opening the store removes pages to which no
//! record refers.
//!
//! Limitation: sled 0.34 is a beta that its author no longer develops. docs/architecture.md describes how
//! gleaner handles this.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::iter;
use std::ops::Bound;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::time::Duration;

use crate::engine::{Batch, Engine, Lost, Pair, Range, Scan, Write};
use crate::partitions::Partition;
use crate::records::{decode, encode};
use crate::{StoreError, flushed, keys};

#[derive(Debug, Clone)]
pub(crate) struct Embedded {
    records: sled::Tree,
    pages: sled::Tree,
    database: sled::Db,
    folder: Arc<Path>,
    flushes: Arc<AtomicU64>,
}

impl Embedded {
    /// Opens or creates the database in `path`. `folder` contains the file with the number of the last flush.
    pub(crate) fn open(path: &Path, folder: &Path, cache: u64) -> Result<Self, StoreError> {
        let database = open_database(path, cache)?;
        let open =
            |name| quietly(|| database.open_tree(name))?.map_err(StoreError::sled("opening its trees"));
        let trees = open("records").and_then(|records| Ok((records, open("pages")?)));
        // After an error, the database is never closed. `ask` explains why.
        let (records, pages) = trees.inspect_err(|_| std::mem::forget(database.clone()))?;
        let flushes = Arc::new(AtomicU64::new(0));
        let opened = Self { records, pages, database, folder: folder.into(), flushes };
        let flushes = opened.get(&keys::meta("flushes"))?;
        let flushes = flushes.map(|bytes| decode("the number of flushes", &bytes)).transpose()?.unwrap_or(0);
        flushed::check(folder, flushes)?;
        opened.flushes.store(flushes, Ordering::Relaxed);
        Ok(opened)
    }

    fn place<'a>(&self, key: &'a [u8]) -> (&sled::Tree, &'a [u8]) {
        match key.split_first() {
            Some((&keys::PAGE, url)) => (&self.pages, url),
            _ => (&self.records, key),
        }
    }

    fn remove_pages(&self, urls: &[Vec<u8>]) -> Result<(), StoreError> {
        for url in urls {
            self.ask("removing a page", || self.pages.remove(url))?;
        }
        Ok(())
    }
}

impl Embedded {
    /// Runs an operation of sled, which panics on some damaged files. After a panic the database is never
    /// closed, because closing would write a state that may differ from the disk.
    fn ask<T>(&self, doing: &'static str, ask: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
        match quietly(ask) {
            Ok(answer) => answer.map_err(StoreError::sled(doing)),
            Err(damaged) => {
                std::mem::forget(self.database.clone());
                Err(damaged)
            }
        }
    }
}

impl Engine for Embedded {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let (tree, name) = self.place(key);
        Ok(self.ask("reading", || tree.get(name))?.map(|bytes| bytes.to_vec()))
    }

    fn has(&self, key: &[u8]) -> Result<bool, StoreError> {
        let (tree, name) = self.place(key);
        self.ask("reading", || tree.contains_key(name))
    }

    fn scan(&self, range: Range) -> Scan {
        let is_page = range.space() == Some(keys::PAGE);
        let tree = if is_page { &self.pages } else { &self.records };
        let without =
            |bound: Bound<Vec<u8>>| if is_page { bound.map(|key| key[1..].to_vec()) } else { bound };
        let end = if is_page { Bound::Unbounded } else { range.end };
        let (keys_only, backwards) = (range.keys_only, range.backwards);
        let mut pairs = tree.range::<Vec<u8>, _>((without(range.begin), end));
        let (engine, mut is_broken) = (self.clone(), false);
        let next = move || {
            if is_broken {
                return None;
            }
            let next = || if backwards { pairs.next_back() } else { pairs.next() }.transpose();
            let pair = engine.ask("reading", next).transpose()?.map(|(name, value)| {
                let key = if is_page { keys::page_named(&name) } else { name.to_vec() };
                (key, if keys_only { Vec::new() } else { value.to_vec() })
            });
            is_broken = pair.is_err();
            Some(pair)
        };
        Box::new(iter::from_fn(next))
    }

    fn commit(&self, batch: Batch, _: BTreeSet<Partition>) -> Result<(), StoreError> {
        let (mut records, mut dropped) = (sled::Batch::default(), Vec::new());
        for (key, write) in batch.writes {
            match (key.first(), write) {
                (Some(&keys::PAGE), Write::Put(page) | Write::Claim(page)) => {
                    self.ask("keeping a page", || self.pages.insert(&key[1..], page))?;
                }
                (Some(&keys::PAGE), Write::Remove) => dropped.push(key[1..].to_vec()),
                (_, Write::Put(value) | Write::Claim(value)) => records.insert(key, value),
                (_, Write::Remove) => records.remove(key),
            }
        }
        self.ask("writing", || self.records.apply_batch(records))?;
        self.remove_pages(&dropped)
    }

    fn exchange(&self, key: &[u8], expected: Option<&[u8]>, records: Vec<Pair>) -> Result<bool, StoreError> {
        // There is only one writer, so the value cannot change after this check.
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
        self.ask("writing", || self.records.insert(keys::meta("flushes"), encode(&number)))?;
        self.ask("flushing", || self.database.flush())?;
        flushed::note(&self.folder, number)?;
        Ok(Vec::new())
    }
}

thread_local! {
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Turns a panic of sled into an error, and does not print the panic message.
fn quietly<T>(work: impl FnOnce() -> T) -> Result<T, StoreError> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_QUIET.get() {
                usual(panic);
            }
        }));
    });
    IS_QUIET.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_QUIET.set(false);
    let reason = "sled failed to read its files".into();
    done.map_err(|_| StoreError::Damaged { what: "the database", reason })
}

/// Opens the database. Retries, because sled's own lock can remain for a moment after a process is killed.
fn open_database(path: &Path, cache: u64) -> Result<sled::Db, StoreError> {
    let config = sled::Config::new().path(path).cache_capacity(cache).flush_every_ms(None);
    let mut last = None;
    for pause in [0, 100, 200, 400, 800, 1600] {
        std::thread::sleep(Duration::from_millis(pause));
        match quietly(|| config.open())? {
            Ok(database) => return Ok(database),
            Err(sled::Error::Io(error)) => last = Some(sled::Error::Io(error)),
            Err(error) => return Err(StoreError::sled("opening")(error)),
        }
    }
    let error = last.expect("the loop ends early unless there was an error");
    Err(StoreError::sled("opening")(error))
}
