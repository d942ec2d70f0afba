//! Stores records in PostgreSQL, for crawls that need several machines.
//!
//! Many processes use one database. Each process has leases of some partitions ([`leases`]) and writes only
//! their records. No other process changes these records, so commits can wait in memory ([`overlay`]) until a
//! flush, as with sled. A flush is one transaction ([`flush`]).
//!
//! Only plain SQL is used: no advisory locks, no LISTEN, no LOCK TABLE, no sequences, and values only as
//! parameters. Each table has one key column by which it can be distributed (docs/scale.md).
//!
//! Limitation: the database stores records as opaque bytes. SQL shows only the sizes and numbers of records,
//! the leases and the workers. Use `gleaner` for everything else.

mod address;
mod claim;
mod flush;
pub(crate) mod leases;
mod link;
mod moved;
mod objects;
mod overlay;
mod paged;
mod places;
pub(crate) mod schema;
pub(crate) mod settings;
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

use tokio_postgres::types::ToSql;

pub(crate) use address::Address;
pub(crate) use link::Patience;
pub use shown::shown_address;

use crate::engine::{Batch, Engine, Lost, Pair, Range, Scan, behind};
use crate::leases::Leases;
use crate::objects::Objects;
use crate::partitions::Partition;
use crate::{StoreError, keys};
use link::Link;
use objects::{Row, Shelf};
use overlay::Overlay;
use paged::Paged;

const MOST_ROWS: usize = 20_000;

/// The PostgreSQL engine. Clones share one state.
#[derive(Debug, Clone)]
pub(crate) struct Postgres(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The connection for reading and for leases.
    reading: Link,
    /// The connection for flushes.
    writing: Link,
    overlay: RwLock<Overlay>,
    shelf: Shelf,
    /// The leases of this process. `None`: the database is only read.
    leases: Option<Leases>,
    /// Partitions that were changed since the last flush.
    touched: Mutex<BTreeSet<Partition>>,
    flushes: Mutex<i64>,
    /// Runs both connections. It must be dropped last.
    #[expect(dead_code, reason = "its threads live as long as it does")]
    runtime: tokio::runtime::Runtime,
}

fn table_of(space: u8) -> &'static str {
    match space {
        keys::URL | keys::READY => "urls",
        keys::RETRY | keys::REVISIT | keys::BUFFERED => "queue",
        keys::HOST | keys::ROBOTS | keys::HEALTH | keys::TEMPLATE | keys::COUNTS => "hosts",
        keys::DOCUMENT | keys::HISTORY | keys::FILE => "documents",
        keys::CONTENT | keys::ALIAS | keys::STANDING | keys::SIGNED | keys::CLUSTER => "dedup",
        keys::PAGE => "pages",
        keys::MESSAGE => "messages",
        _ => "records",
    }
}

impl Postgres {
    /// Opens a database for reading. With `leases`, also for writing.
    pub(crate) fn open(
        address: Address,
        objects: Objects,
        leases: Option<Leases>,
        patience: Patience,
    ) -> Result<Self, StoreError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("postgres")
            .enable_all()
            .build()
            .map_err(|source| StoreError::Thread { task: "the database", source })?;
        let link = || Link::new(runtime.handle().clone(), address.clone(), patience.clone());
        Ok(Self(Arc::new(Inner {
            reading: link(),
            writing: link(),
            overlay: RwLock::default(),
            shelf: Shelf::new(objects),
            leases,
            touched: Mutex::default(),
            flushes: Mutex::new(0),
            runtime,
        })))
    }

    pub(crate) fn objects(&self) -> &Objects {
        self.0.shelf.objects()
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

    fn page(&self, range: &Range, limit: usize) -> Result<Vec<Pair>, StoreError> {
        let Some(space) = range.space() else { return Ok(Vec::new()) };
        if space == keys::READY {
            return self.page_of_places(range, limit);
        }
        let table = table_of(space);
        let (begin, begin_with) = bound(&range.begin, &[]);
        let (end, end_with) = bound(&range.end, &[u8::MAX; 64]);
        let value = if range.keys_only { "''::bytea" } else { "value" };
        let (from, to) = (if begin_with { ">=" } else { ">" }, if end_with { "<=" } else { "<" });
        let order = if range.backwards { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT key, {value} FROM {table} WHERE key {from} $1 AND key {to} $2 ORDER BY key {order} LIMIT $3"
        );
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.0.reading.ask("reading", |client| {
            let (sql, begin, end) = (sql.clone(), begin.clone(), end.clone());
            Box::pin(async move {
                let rows = client.query(&sql, &[&begin, &end, &limit]).await?;
                Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
            })
        })
    }

    fn with_texts(&self, rows: Vec<Pair>) -> Result<Vec<Row>, StoreError> {
        self.0.shelf.fetch_each(rows, || self.corpus())
    }

    /// Returns the records with these keys, which the caller has grouped by table. Sends one SQL statement.
    fn rows(&self, asked: &BTreeMap<&'static str, Vec<Vec<u8>>>) -> Result<Vec<Pair>, StoreError> {
        let of_table = |(number, table)| format!("SELECT key, value FROM {table} WHERE key = ANY(${number})");
        let sql = (1..).zip(asked.keys()).map(of_table).collect::<Vec<_>>().join(" UNION ALL ");
        self.0.reading.ask("reading", |client| {
            let (sql, keys) = (sql.clone(), asked.values().cloned().collect::<Vec<_>>());
            Box::pin(async move {
                let keys: Vec<&(dyn ToSql + Sync)> = keys.iter().map(|keys| keys as _).collect();
                let rows = client.query(&sql, &keys).await?;
                Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
            })
        })
    }

    /// Returns the next number of a counter. No number is returned twice.
    pub(crate) fn allot(&self, counter: &'static str) -> Result<u32, StoreError> {
        let sql = "INSERT INTO counters (name, next) VALUES ($1, 2) \
                   ON CONFLICT (name) DO UPDATE SET next = counters.next + 1 RETURNING next - 1";
        let number: i64 = self.0.reading.ask("taking a number", |client| {
            Box::pin(async move { Ok(client.query_one(sql, &[&counter]).await?.get(0)) })
        })?;
        u32::try_from(number).map_err(|_| StoreError::Crowded { what: "files" })
    }
}

async fn exchange(
    client: &link::Connection,
    key: &[u8],
    expected: Option<Vec<u8>>,
    records: Vec<Pair>,
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
    let (keys, values): (Vec<Vec<u8>>, Vec<Vec<u8>>) = records.into_iter().unzip();
    let sql = "INSERT INTO records (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) \
               ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value";
    client.execute(sql, &[&keys, &values]).await?;
    Ok(true)
}

/// Returns the key of a range's bound, and whether the range includes the key. `otherwise`: the key for a
/// missing bound.
fn bound(bound: &std::ops::Bound<Vec<u8>>, otherwise: &[u8]) -> (Vec<u8>, bool) {
    match bound {
        std::ops::Bound::Included(key) => (key.clone(), true),
        std::ops::Bound::Excluded(key) => (key.clone(), false),
        std::ops::Bound::Unbounded => (otherwise.to_vec(), true),
    }
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
        let mut asked: BTreeMap<&'static str, Vec<Vec<u8>>> = BTreeMap::new();
        {
            let overlay = self.read_overlay();
            for key in keys {
                match overlay.get(key) {
                    Some(value) => drop(found.insert(key.clone(), value.map(<[u8]>::to_vec))),
                    None => asked
                        .entry(table_of(key.first().copied().unwrap_or_default()))
                        .or_default()
                        .push(key.clone()),
                }
            }
        }
        if !asked.is_empty() {
            for (key, value) in self.with_texts(self.rows(&asked)?)? {
                found.insert(key, Some(value?));
            }
        }
        Ok(keys.iter().map(|key| found.get(key).cloned().flatten()).collect())
    }

    fn has(&self, key: &[u8]) -> Result<bool, StoreError> {
        if let Some(value) = self.read_overlay().get(key) {
            return Ok(value.is_some());
        }
        if key.first() == Some(&keys::READY) {
            return self.has_place(key);
        }
        let table = table_of(key.first().copied().unwrap_or_default());
        let sql = format!("SELECT 1 FROM {table} WHERE key = $1");
        self.0.reading.ask("reading", |client| {
            let (sql, key) = (sql.clone(), key.to_vec());
            Box::pin(async move { Ok(client.query_opt(&sql, &[&key]).await?.is_some()) })
        })
    }

    fn scan(&self, range: Range) -> Scan {
        Box::new(Paged::new(self.clone(), range))
    }

    fn firsts(&self, prefixes: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let Some(space) = prefixes.first().and_then(|prefix| prefix.first().copied()) else {
            return Ok(Vec::new());
        };
        debug_assert_ne!(space, keys::READY, "of one host at a time");
        // The overlay is read before the database. Otherwise a write that is flushed in between would be
        // missed.
        let known: Vec<BTreeMap<Vec<u8>, Option<Vec<u8>>>> = {
            let overlay = self.read_overlay();
            prefixes.iter().map(|prefix| overlay.within(&Range::with_prefix(prefix.as_slice()))).collect()
        };
        let ends: Vec<Vec<u8>> = prefixes.iter().map(|prefix| behind(prefix).unwrap_or_default()).collect();
        let sql = format!(
            "SELECT (SELECT key FROM {} WHERE key >= low AND key < high ORDER BY key LIMIT 1) \
             FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS asked (low, high, at) ORDER BY at",
            table_of(space)
        );
        let kept: Vec<Option<Vec<u8>>> = self.0.reading.ask("looking up the next records", |client| {
            let (sql, lows, highs) = (sql.clone(), prefixes.to_vec(), ends.clone());
            Box::pin(async move {
                let rows = client.query(&sql, &[&lows, &highs]).await?;
                Ok(rows.iter().map(|row| row.get(0)).collect())
            })
        })?;
        let mut firsts = Vec::with_capacity(prefixes.len());
        for ((prefix, kept), known) in prefixes.iter().zip(kept).zip(known) {
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

    fn commit(&self, batch: Batch, partitions: BTreeSet<Partition>) -> Result<(), StoreError> {
        self.write_overlay().take_in(batch);
        lock(&self.0.touched).extend(partitions);
        Ok(())
    }

    fn exchange(&self, key: &[u8], expected: Option<&[u8]>, records: Vec<Pair>) -> Result<bool, StoreError> {
        let (key, expected) = (key.to_vec(), expected.map(<[u8]>::to_vec));
        self.0.writing.ask("writing", |client| {
            let (key, expected, records) = (key.clone(), expected.clone(), records.clone());
            Box::pin(async move {
                client.batch_execute("BEGIN").await?;
                let done = exchange(&client, &key, expected, records).await;
                let end = if matches!(done, Ok(true)) { "COMMIT" } else { "ROLLBACK" };
                client.batch_execute(end).await?;
                done
            })
        })
    }

    fn flush(&self) -> Result<Vec<Lost>, StoreError> {
        self.flush_all()
    }
}

/// Pause while waiting for other processes.
pub(crate) const MOMENT: Duration = Duration::from_millis(200);
