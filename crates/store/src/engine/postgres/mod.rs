//! Stores records in PostgreSQL, for crawls that need several machines.
//!
//! Many processes use one database. Each process has leases of some partitions ([`leases`]) and writes only
//! the records of these partitions. No other process changes these records, so commits can wait in memory
//! ([`overlay`]) until a flush, as with sled. A flush is one transaction ([`flush`]).
//!
//! Only plain SQL is used: no advisory locks, no LISTEN, no LOCK TABLE, no sequences, and values only as
//! parameters. Each table has one key column by which it can be distributed (docs/workers.md).
//!
//! Records are rows with typed columns ([`record_kinds`]), which people read with SQL (docs/workers.md). The
//! rest of the store sees the same keys and records as with sled.

mod address;
mod claim;
pub(crate) mod compaction;
mod flush;
pub(crate) mod leases;
mod link;
mod lists;
mod objects;
mod open_files;
mod overlay;
mod paged;
mod record_kinds;
mod redacted;
mod rows;
pub(crate) mod schema;
mod select;
pub(crate) mod settings;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

pub(crate) use address::Address;
pub(crate) use link::ReconnectPolicy;
pub(crate) use objects::is_of_one;
pub(crate) use open_files::all_documents;
pub use redacted::redacted_address;

use crate::StoreError;
use crate::compaction::Background;
use crate::engine::{Batch, Engine, KeyValue, LostClaim, Range, Scan, Write};
use crate::leases::Leases;
use crate::objects::Objects;
use crate::partitions::Partition;
use link::Link;
use objects::{Row, TextStorage, is_missing};
use overlay::Overlay;
use rows::{Rows, TextPositions};

const MAX_ROWS: usize = 20_000;

/// The PostgreSQL engine. Clones share one state.
#[derive(Debug, Clone)]
pub(crate) struct Postgres(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    reading: Link,
    /// The connection for leases, which never wait for another statement.
    leasing: Link,
    /// The connection for transactions. Use it only with [`Postgres::transact`].
    writing: Link,
    /// Held during a transaction. Threads share the connection, so their statements would otherwise mix.
    transaction: Mutex<()>,
    overlay: RwLock<Overlay>,
    texts: TextStorage,
    /// The leases of this process. `None` if the database is only read.
    leases: Option<Leases>,
    /// Partitions that were changed since the last flush.
    touched: Mutex<BTreeSet<Partition>>,
    flushes: Mutex<i64>,
    background: Mutex<Background>,
    /// Held while files of documents are merged.
    merging_documents: Mutex<()>,
    /// Held while files of the archive are merged.
    merging_archive: Mutex<()>,
    /// The file numbers that this process assigned.
    own_files: Mutex<BTreeSet<u32>>,
    /// Runs the connections. It must be dropped last.
    #[expect(dead_code, reason = "its threads live as long as it does")]
    runtime: tokio::runtime::Runtime,
}

impl Postgres {
    /// Opens a database for reading. If `leases` is `Some`, also opens it for writing.
    pub(crate) fn open(
        address: Address,
        objects: Objects,
        leases: Option<Leases>,
        patience: ReconnectPolicy,
    ) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            // With one thread, the first error of a transaction arrives before the errors that follow from it.
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|source| StoreError::Thread { task: "the database", source })?;
        let link = || Link::new(runtime.handle().clone(), address.clone(), patience.clone());
        Ok(Self(Arc::new(Inner {
            reading: link(),
            leasing: link(),
            writing: link(),
            transaction: Mutex::default(),
            overlay: RwLock::default(),
            texts: TextStorage::new(objects),
            leases,
            touched: Mutex::default(),
            flushes: Mutex::new(0),
            background: Mutex::default(),
            merging_documents: Mutex::default(),
            merging_archive: Mutex::default(),
            own_files: Mutex::default(),
            runtime,
        })))
    }

    pub(crate) fn objects(&self) -> &Objects {
        self.0.texts.objects()
    }

    pub(crate) fn link(&self) -> &Link {
        &self.0.reading
    }

    pub(crate) fn leases(&self) -> Option<&Leases> {
        self.0.leases.as_ref()
    }

    pub(crate) fn forget(&self) {
        self.write_overlay().clear();
        lock(&self.0.touched).clear();
    }

    fn read_overlay(&self) -> std::sync::RwLockReadGuard<'_, Overlay> {
        self.0.overlay.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_overlay(&self) -> std::sync::RwLockWriteGuard<'_, Overlay> {
        self.0.overlay.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_texts(&self, rows: Vec<KeyValue>) -> Result<Vec<Row>, StoreError> {
        let mut fetched = self.0.texts.fetch_each(rows, || self.corpus())?;
        // A compaction may have moved a text after its row was read.
        for row in fetched.iter_mut().filter(|(_, text)| text.as_ref().is_err_and(is_missing)) {
            let asked = BTreeMap::from([(row.0.first().copied().unwrap_or_default(), vec![row.0.clone()])]);
            let again = self.rows(&asked)?.into_iter().filter(|(key, _)| *key == row.0).collect();
            if let Some(again) = self.0.texts.fetch_each(again, || self.corpus())?.pop() {
                *row = again;
            }
        }
        Ok(fetched)
    }

    /// Returns the next number of a counter of files. No number is returned twice.
    pub(crate) fn assign_number(&self, counter: &'static str) -> Result<u32, StoreError> {
        let sql = "INSERT INTO counters (name, next) VALUES ($1, 2) \
                   ON CONFLICT (name) DO UPDATE SET next = counters.next + 1 RETURNING next - 1";
        let number: i64 = self.0.reading.run("taking a number", |client| {
            Box::pin(async move { Ok(client.query_one(sql, &[&counter]).await?.get(0)) })
        })?;
        let number = u32::try_from(number).map_err(|_| StoreError::Crowded { what: "files" })?;
        lock(&self.0.own_files).insert(number);
        Ok(number)
    }

    /// Runs a transaction. `work` begins and ends it. Waits for transactions of other threads.
    fn transact<T: Send + 'static>(
        &self,
        work: impl Fn(Arc<link::Connection>) -> link::ConnectionWork<T>,
    ) -> Result<T, StoreError> {
        let _alone = lock(&self.0.transaction);
        self.0.writing.run("writing", work)
    }

    /// Raises a counter, so that its next number is greater than `last`.
    pub(crate) fn raise_counter(&self, counter: &'static str, last: u32) -> Result<(), StoreError> {
        let sql = "INSERT INTO counters (name, next) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET next = greatest(counters.next, EXCLUDED.next)";
        let next = i64::from(last) + 1;
        self.0.reading.run("raising a counter", |client| {
            Box::pin(async move { client.execute(sql, &[&counter, &next]).await.map(drop) })
        })
    }

    pub(crate) fn background(&self) -> std::sync::MutexGuard<'_, Background> {
        lock(&self.0.background)
    }

    /// Waits until this process is not merging files of this kind.
    pub(crate) fn begin_compaction(&self, kind: u8) -> std::sync::MutexGuard<'_, ()> {
        let is_archive = kind == crate::keys::ARCHIVE_FILE;
        lock(if is_archive { &self.0.merging_archive } else { &self.0.merging_documents })
    }

    /// Returns the numbers of the files of this process. Not every number has a file.
    pub(crate) fn own_files(&self) -> BTreeSet<u32> {
        lock(&self.0.own_files).clone()
    }

    /// Removes files from the files of this process.
    pub(crate) fn forget_files(&self, numbers: impl IntoIterator<Item = u32>) {
        let mut own = lock(&self.0.own_files);
        for number in numbers {
            own.remove(&number);
        }
    }
}

async fn exchange(
    client: &link::Connection,
    key: &[u8],
    expected: Option<Vec<u8>>,
    rows: &Rows,
) -> Result<bool, tokio_postgres::Error> {
    let row = client.query_opt("SELECT value FROM records WHERE key = $1 FOR UPDATE", &[&key]).await?;
    if row.map(|row| row.get::<_, Vec<u8>>(0)) != expected {
        return Ok(false);
    }
    if expected.is_none() {
        // A missing row cannot be locked. The first process that inserts the row succeeds.
        let sql = "INSERT INTO records (key, value) VALUES ($1, '') ON CONFLICT DO NOTHING";
        if client.execute(sql, &[&key]).await? == 0 {
            return Ok(false);
        }
    }
    rows.write(client).await?;
    Ok(true)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // A poisoned lock is usable, because no code that holds it can fail halfway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine for Postgres {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.get_all(&[key.to_vec()])?.pop().flatten())
    }

    fn get_all(&self, keys: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let mut found: BTreeMap<Vec<u8>, Option<Vec<u8>>> = BTreeMap::new();
        let mut asked: BTreeMap<u8, Vec<Vec<u8>>> = BTreeMap::new();
        {
            let overlay = self.read_overlay();
            for key in keys {
                match overlay.get(key) {
                    Some(value) => drop(found.insert(key.clone(), value.map(<[u8]>::to_vec))),
                    None => {
                        asked.entry(key.first().copied().unwrap_or_default()).or_default().push(key.clone())
                    }
                }
            }
        }
        if !asked.is_empty() {
            let wanted: HashSet<&Vec<u8>> = keys.iter().collect();
            let mut rows = self.rows(&asked)?;
            rows.retain(|(key, _)| wanted.contains(key) && !found.contains_key(key));
            for (key, value) in self.with_texts(rows)? {
                found.insert(key, Some(value?));
            }
        }
        Ok(keys.iter().map(|key| found.get(key).cloned().flatten()).collect())
    }

    fn read_ahead(&self, mut keys: Vec<Vec<u8>>) -> Result<(), StoreError> {
        keys.sort_unstable();
        keys.dedup();
        let generation = {
            let overlay = self.read_overlay();
            keys.retain(|key| overlay.get(key).is_none());
            overlay.generation()
        };
        if !keys.is_empty() {
            let records = self.get_all(&keys)?;
            self.write_overlay().keep_all_read(generation, keys.into_iter().zip(records));
        }
        Ok(())
    }

    fn read_lists_ahead(&self, prefixes: Vec<Vec<u8>>) -> Result<(), StoreError> {
        self.read_heads(prefixes)
    }

    fn scan(&self, range: Range) -> Scan {
        paged::scan(self.clone(), range)
    }

    fn first_keys(&self, prefixes: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let Some(space) = prefixes.first().and_then(|prefix| prefix.first().copied()) else {
            return Ok(Vec::new());
        };
        // The overlay is read before the database. Otherwise, a write that is flushed in between would be missed.
        let known: Vec<BTreeMap<Vec<u8>, Option<Vec<u8>>>> = {
            let overlay = self.read_overlay();
            prefixes.iter().map(|prefix| overlay.within(&Range::with_prefix(prefix.as_slice()))).collect()
        };
        let kept = self.first_rows(space, prefixes, 1, true)?;
        let mut firsts = Vec::with_capacity(prefixes.len());
        for ((prefix, kept), known) in prefixes.iter().zip(kept).zip(known) {
            let kept = kept.into_iter().next().map(|(key, _)| key);
            let range = Range::with_prefix(prefix.as_slice()).keys_only();
            let is_removed = kept.as_ref().is_some_and(|key| known.get(key) == Some(&None));
            firsts.push(if is_removed {
                self.scan(range).next().transpose()?.map(|(key, _)| key)
            } else {
                let written = known.into_iter().find_map(|(key, value)| value.map(|_| key));
                [kept, written].into_iter().flatten().min()
            });
        }
        Ok(firsts)
    }

    fn first_listed(&self, prefix: &[u8]) -> Result<Option<KeyValue>, StoreError> {
        self.first_of_list(prefix)
    }

    fn commit(&self, batch: Batch, partitions: BTreeSet<Partition>) -> Result<(), StoreError> {
        self.write_overlay().take_in(batch);
        lock(&self.0.touched).extend(partitions);
        Ok(())
    }

    fn exchange(
        &self,
        key: &[u8],
        expected: Option<&[u8]>,
        records: Vec<KeyValue>,
    ) -> Result<bool, StoreError> {
        let (key, expected) = (key.get(1..).unwrap_or_default().to_vec(), expected.map(<[u8]>::to_vec));
        let writes = records.into_iter().map(|(key, value)| (key, Write::Put(value))).collect();
        let rows = Arc::new(Rows::from_writes(writes, &TextPositions::new())?);
        self.transact(|client| {
            let (key, expected, rows) = (key.clone(), expected.clone(), Arc::clone(&rows));
            Box::pin(async move {
                client.batch_execute("BEGIN").await?;
                let done = exchange(&client, &key, expected, &rows).await;
                let end = if matches!(done, Ok(true)) { "COMMIT" } else { "ROLLBACK" };
                client.batch_execute(end).await?;
                done
            })
        })
    }

    fn flush(&self) -> Result<Vec<LostClaim>, StoreError> {
        self.flush_all()
    }
}

/// Pause while waiting for other processes.
pub(crate) const MOMENT: Duration = Duration::from_millis(200);
