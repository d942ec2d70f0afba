//! Flushes everything that was committed since the last flush, in one transaction.
//!
//! 1. The worker's flush number is set to this flush's. If it is already set, the last attempt succeeded and
//!    only its response was lost. The same statement marks the worker as busy, so that not all workers are
//!    idle while a message of this flush waits.
//! 2. The leases of all partitions with writes are read and locked (`FOR SHARE`). If no write belongs to a
//!    partition, the leases of all the worker's partitions are used. If a lease is missing or has a different
//!    epoch, nothing is written: [`StoreError::NotOurs`].
//! 3. Claims are inserted in the order of their keys. If another process claimed a key earlier, nothing is
//!    written. The lost claim is dropped and returned to the caller.
//! 4. Records are put and removed, with one statement per table.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::link::Connection;
use super::places::Urls;
use super::{MOST_ROWS, Postgres, lock, table_of};
use crate::StoreError;
use crate::engine::{Lost, Write};
use crate::leases::Leases;

enum Flushed {
    Done,
    NotOurs,
    Lost(Vec<Lost>),
}

/// Values of a column, one per row.
type Column = Vec<Vec<u8>>;

#[derive(Debug)]
struct FlushBatch {
    session: String,
    number: i64,
    /// Partitions, each with the epoch of this process's lease.
    fence: Vec<(i16, i64)>,
    claims: BTreeMap<Vec<u8>, Vec<u8>>,
    puts: BTreeMap<&'static str, (Column, Column)>,
    removals: BTreeMap<&'static str, Column>,
    urls: Urls,
}

impl Postgres {
    pub(super) fn flush_all(&self) -> Result<Vec<Lost>, StoreError> {
        let Some(leases) = &self.0.leases else { return Ok(Vec::new()) };
        let number = *lock(&self.0.flushes) + 1;
        let Some(batch) = self.batch(leases, number)? else {
            leases.lose();
            return Err(StoreError::NotOurs);
        };
        if batch.is_empty() {
            return Ok(Vec::new());
        }
        let batch = Arc::new(batch);
        let outcome = self.0.writing.ask("writing", |client| {
            let batch = Arc::clone(&batch);
            Box::pin(async move {
                let outcome = write(&client, &batch).await;
                if !matches!(outcome, Ok(Flushed::Done)) {
                    // If this fails, the connection is lost.
                    let _ = client.batch_execute("ROLLBACK").await;
                }
                outcome
            })
        })?;
        match outcome {
            Flushed::Done => {
                *lock(&self.0.flushes) = number;
                self.write_overlay().flushed();
                lock(&self.0.touched).clear();
                Ok(Vec::new())
            }
            Flushed::NotOurs => {
                leases.lose();
                Err(StoreError::NotOurs)
            }
            Flushed::Lost(lost) => {
                let mut overlay = self.write_overlay();
                lost.iter().for_each(|lost| overlay.drop_claim(&lost.key));
                Ok(lost)
            }
        }
    }

    /// Collects the unflushed writes and separates the claims. `None`: a lease is missing.
    fn batch(&self, leases: &Leases, number: i64) -> Result<Option<FlushBatch>, StoreError> {
        let mut touched = lock(&self.0.touched).clone();
        if touched.is_empty() {
            touched.extend(leases.held());
        }
        let mut fence = Vec::new();
        for (partition, epoch) in leases.epochs(touched) {
            let (Some(partition), Some(epoch)) = (partition.index(), epoch) else { return Ok(None) };
            fence.push((i16::from(partition), epoch));
        }
        let mut batch = FlushBatch {
            session: leases.session().to_owned(),
            number,
            fence,
            claims: BTreeMap::new(),
            puts: BTreeMap::new(),
            removals: BTreeMap::new(),
            urls: Urls::default(),
        };
        let mut unflushed = self.read_overlay().unflushed();
        self.0.shelf.put_away(&mut unflushed, |counter| self.allot(counter))?;
        batch.urls = Urls::taken_from(&mut unflushed);
        for (key, write) in unflushed {
            let table = table_of(key.first().copied().unwrap_or_default());
            match write {
                Write::Claim(value) => drop(batch.claims.insert(key, value)),
                Write::Remove => batch.removals.entry(table).or_default().push(key),
                Write::Put(value) => {
                    let (keys, values) = batch.puts.entry(table).or_default();
                    keys.push(key);
                    values.push(value);
                }
            }
        }
        Ok(Some(batch))
    }
}

impl FlushBatch {
    fn is_empty(&self) -> bool {
        self.claims.is_empty() && self.puts.is_empty() && self.removals.is_empty() && self.urls.is_empty()
    }
}

async fn write(client: &Connection, batch: &FlushBatch) -> Result<Flushed, tokio_postgres::Error> {
    client.batch_execute("BEGIN").await?;
    let session = &batch.session;
    let sql =
        "UPDATE workers SET flushes = $2, seen = now(), idle = false WHERE session = $1 AND flushes < $2";
    if client.execute(sql, &[session, &batch.number]).await? == 0 {
        let sql = "SELECT flushes FROM workers WHERE session = $1";
        let known = client.query_opt(sql, &[session]).await?;
        return Ok(match known {
            Some(_) => {
                client.batch_execute("ROLLBACK").await?;
                Flushed::Done
            }
            None => Flushed::NotOurs,
        });
    }
    let (partitions, epochs): (Vec<i16>, Vec<i64>) = batch.fence.iter().copied().unzip();
    let sql = "SELECT part, epoch FROM leases WHERE part = ANY($1) AND owner = $2 ORDER BY part FOR SHARE";
    let rows = client.query(sql, &[&partitions, session]).await?;
    if partitions.is_empty() {
        return Ok(Flushed::NotOurs);
    }
    let held: BTreeMap<i16, i64> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    if !partitions.iter().zip(&epochs).all(|(partition, epoch)| held.get(partition) == Some(epoch)) {
        return Ok(Flushed::NotOurs);
    }
    let lost = claim(client, &batch.claims).await?;
    if !lost.is_empty() {
        return Ok(Flushed::Lost(lost));
    }
    for (table, removed) in &batch.removals {
        for removed in removed.chunks(MOST_ROWS) {
            client.execute(&format!("DELETE FROM {table} WHERE key = ANY($1)"), &[&removed]).await?;
        }
    }
    for (table, (keys, values)) in &batch.puts {
        let sql = format!(
            "INSERT INTO {table} (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) \
             ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value"
        );
        for (keys, values) in keys.chunks(MOST_ROWS).zip(values.chunks(MOST_ROWS)) {
            client.execute(&sql, &[&keys, &values]).await?;
        }
    }
    batch.urls.write(client).await?;
    client.batch_execute("COMMIT").await?;
    Ok(Flushed::Done)
}

/// Claims keys in their order, so that two processes cannot deadlock. Returns the claims that other processes
/// made earlier.
async fn claim(
    client: &Connection,
    claims: &BTreeMap<Vec<u8>, Vec<u8>>,
) -> Result<Vec<Lost>, tokio_postgres::Error> {
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let (keys, values): (Vec<&[u8]>, Vec<&[u8]>) =
        claims.iter().map(|(key, value)| (key.as_slice(), value.as_slice())).unzip();
    let sql = "INSERT INTO dedup (key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) ON CONFLICT DO NOTHING";
    let rows = loop {
        if client.execute(sql, &[&keys, &values]).await? == claims.len() as u64 {
            return Ok(Vec::new());
        }
        let rows = client.query("SELECT key, value FROM dedup WHERE key = ANY($1)", &[&keys]).await?;
        // If rows are missing, another process removed its row between the two statements. The key is then
        // free again.
        if rows.len() == claims.len() {
            break rows;
        }
    };
    let theirs = rows.iter().filter_map(|row| {
        let (key, theirs): (Vec<u8>, Vec<u8>) = (row.get(0), row.get(1));
        let ours = claims.get(&key).filter(|ours| **ours != theirs)?.clone();
        Some(Lost { key, ours, theirs })
    });
    Ok(theirs.collect())
}
