//! Stores records in sled, in a folder that one process uses. This is the default engine.
//!
//! The database has two trees: `pages` for raw pages, and `records` for everything else. The records of all
//! batches since the last flush are in memory ([`Pending`]). A flush writes them as one batch of sled, so a
//! crash keeps all of them or none. If they become large, they are written earlier. Raw pages are written
//! before the records that refer to them, and removed after those records. Opening the store removes pages to
//! which no record refers.
//!
//! Limitation: sled 0.34 is a beta that its author no longer develops. docs/architecture.md describes how
//! gleaner handles this.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Bound;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use crate::engine::pending::Pending;
use crate::engine::{Batch, Engine, Lost, Pair, Range, Scan, Write};
use crate::partitions::Partition;
use crate::records::{decode, encode};
use crate::{StoreError, flushed, keys};

/// Size of the records in memory at which they are written without a flush.
const MOST_PENDING: usize = 8 << 20;

#[derive(Debug, Clone)]
pub(crate) struct Embedded(Arc<Database>);

#[derive(Debug)]
struct Database {
    records: sled::Tree,
    pages: sled::Tree,
    sled: sled::Db,
    folder: Box<Path>,
    flushes: AtomicU64,
    pending: RwLock<Pending>,
    is_damaged: AtomicBool,
}

impl Embedded {
    /// Opens or creates the database in `path`. `folder` contains the file with the number of the last flush.
    pub(crate) fn open(path: &Path, folder: &Path, cache: u64) -> Result<Self, StoreError> {
        let sled = open_database(path, cache)?;
        let open = |name| quietly(|| sled.open_tree(name))?.map_err(StoreError::sled("opening its trees"));
        let trees = open("records").and_then(|records| Ok((records, open("pages")?)));
        // After an error, the database is never closed. `ask` explains why.
        let (records, pages) = trees.inspect_err(|_| std::mem::forget(sled.clone()))?;
        let opened = Self(Arc::new(Database {
            records,
            pages,
            sled,
            folder: folder.into(),
            flushes: AtomicU64::new(0),
            pending: RwLock::default(),
            is_damaged: AtomicBool::new(false),
        }));
        let flushes = opened.get(&keys::meta("flushes"))?;
        let flushes = flushes.map(|bytes| decode("the number of flushes", &bytes)).transpose()?.unwrap_or(0);
        flushed::check(folder, flushes)?;
        opened.0.flushes.store(flushes, Ordering::Relaxed);
        Ok(opened)
    }
}

impl Database {
    fn pending(&self) -> RwLockReadGuard<'_, Pending> {
        // A panic of sled is caught before it reaches the lock.
        self.pending.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending_mut(&self) -> RwLockWriteGuard<'_, Pending> {
        self.pending.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn place<'a>(&self, key: &'a [u8]) -> (&sled::Tree, &'a [u8]) {
        match key.split_first() {
            Some((&keys::PAGE, url)) => (&self.pages, url),
            _ => (&self.records, key),
        }
    }

    /// Writes the pending records to sled as one batch, then removes pages.
    fn apply(&self, pending: &mut Pending) -> Result<(), StoreError> {
        let (mut records, mut dropped) = (sled::Batch::default(), Vec::new());
        for (key, write) in pending.iter() {
            match write.value() {
                None if key.first() == Some(&keys::PAGE) => dropped.push(&key[1..]),
                None => records.remove(key),
                Some(value) => records.insert(key, value),
            }
        }
        self.ask("writing", || self.records.apply_batch(records))?;
        for url in dropped {
            self.ask("removing a page", || self.pages.remove(url))?;
        }
        pending.clear();
        Ok(())
    }

    /// Runs an operation of sled, which panics on some damaged files. After a panic the database is never
    /// closed, because closing would write a state that may differ from the disk.
    fn ask<T>(&self, doing: &'static str, ask: impl FnOnce() -> sled::Result<T>) -> Result<T, StoreError> {
        match quietly(ask) {
            Ok(answer) => answer.map_err(StoreError::sled(doing)),
            Err(damaged) => {
                self.is_damaged.store(true, Ordering::Relaxed);
                std::mem::forget(self.sled.clone());
                Err(damaged)
            }
        }
    }
}

/// sled writes all it has to disk when it is closed, and so must the pending records.
impl Drop for Database {
    fn drop(&mut self) {
        if !self.is_damaged.load(Ordering::Relaxed) {
            let mut pending = std::mem::take(&mut *self.pending_mut());
            if let Err(error) = self.apply(&mut pending) {
                tracing::error!(%error, "the last changes are not in the store");
            }
        }
    }
}

impl Engine for Embedded {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        if let Some(value) = self.0.pending().get(key) {
            return Ok(value.map(<[u8]>::to_vec));
        }
        let (tree, name) = self.0.place(key);
        Ok(self.0.ask("reading", || tree.get(name))?.map(|bytes| bytes.to_vec()))
    }

    fn has(&self, key: &[u8]) -> Result<bool, StoreError> {
        if let Some(value) = self.0.pending().get(key) {
            return Ok(value.is_some());
        }
        let (tree, name) = self.0.place(key);
        self.0.ask("reading", || tree.contains_key(name))
    }

    fn scan(&self, range: Range) -> Scan {
        Box::new(Merged::new(Arc::clone(&self.0), range))
    }

    fn commit(&self, batch: Batch, _: BTreeSet<Partition>) -> Result<(), StoreError> {
        let is_page = |key: &[u8]| key.first() == Some(&keys::PAGE);
        for (key, page) in batch.writes.iter().filter(|(key, _)| is_page(key)) {
            if let Some(page) = page.value() {
                self.0.ask("keeping a page", || self.0.pages.insert(&key[1..], page))?;
            }
        }
        let mut pending = self.0.pending_mut();
        for (key, write) in batch.writes {
            match write {
                Write::Put(_) | Write::Claim(_) if is_page(&key) => pending.forget(&key),
                write => pending.put(key, write),
            }
        }
        if pending.bytes() > MOST_PENDING {
            self.0.apply(&mut pending)?;
        }
        Ok(())
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
        let database = &self.0;
        let number = database.flushes.fetch_add(1, Ordering::Relaxed) + 1;
        {
            let mut pending = database.pending_mut();
            pending.put(keys::meta("flushes"), Write::Put(encode(&number)));
            database.apply(&mut pending)?;
        }
        database.ask("flushing", || database.sled.flush())?;
        flushed::note(&database.folder, number)?;
        Ok(Vec::new())
    }
}

/// The pairs of a range, in sled and pending. A pending write replaces the pair in sled.
struct Merged {
    database: Arc<Database>,
    /// The part of the range that was not read yet.
    rest: Range,
    stored: sled::Iter,
    /// The next pair in sled, if it was read already.
    next: Option<Pair>,
    is_over: bool,
}

impl Merged {
    fn new(database: Arc<Database>, range: Range) -> Self {
        let is_page = range.space() == Some(keys::PAGE);
        let tree = if is_page { &database.pages } else { &database.records };
        let without =
            |bound: Bound<Vec<u8>>| if is_page { bound.map(|key| key[1..].to_vec()) } else { bound };
        let end = if is_page { Bound::Unbounded } else { range.end.clone() };
        let stored = tree.range::<Vec<u8>, _>((without(range.begin.clone()), end));
        Self { database, rest: range, stored, next: None, is_over: false }
    }

    fn read(&mut self) -> Result<Option<Pair>, StoreError> {
        loop {
            if self.next.is_none() {
                self.next = self.read_stored()?;
            }
            let pair = match self.pending_before_stored() {
                None => self.next.take().map(|(key, value)| (key, Some(value))),
                Some(pair) => {
                    // The pending write replaces the pair with its key.
                    self.next.take_if(|(key, _)| *key == pair.0);
                    Some(pair)
                }
            };
            let Some((key, value)) = pair else { return Ok(None) };
            self.rest.pass(&key);
            if let Some(value) = value {
                return Ok(Some((key, if self.rest.keys_only { Vec::new() } else { value })));
            }
        }
    }

    /// Returns the next pending write if it does not come after the next pair in sled. A value of `None`: the
    /// key is removed.
    fn pending_before_stored(&self) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        let pending = self.database.pending();
        let (key, value) = pending.first(&self.rest)?;
        let is_before = self.next.as_ref().is_none_or(|(stored, _)| match self.rest.backwards {
            true => key >= stored.as_slice(),
            false => key <= stored.as_slice(),
        });
        is_before.then(|| (key.to_vec(), value.map(<[u8]>::to_vec)))
    }

    fn read_stored(&mut self) -> Result<Option<Pair>, StoreError> {
        let is_page = self.rest.space() == Some(keys::PAGE);
        loop {
            let stored = &mut self.stored;
            let backwards = self.rest.backwards;
            let next = || if backwards { stored.next_back() } else { stored.next() }.transpose();
            let Some((name, value)) = self.database.ask("reading", next)? else { return Ok(None) };
            let key = if is_page { keys::page_named(&name) } else { name.to_vec() };
            // A key that was pending when it was read may be in sled by now.
            if self.rest.contains(&key) {
                return Ok(Some((key, value.to_vec())));
            }
        }
    }
}

impl Iterator for Merged {
    type Item = Result<Pair, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let pair = self.read().transpose();
        self.is_over = !matches!(pair, Some(Ok(_)));
        pair
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
