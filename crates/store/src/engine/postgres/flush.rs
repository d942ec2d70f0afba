//! Flushes everything that was committed since the last flush, in one transaction.
//!
//! 1. The flush writes its number to the worker's row. If the row already has this number, the last attempt
//!    succeeded and only its response was lost. The same statement marks the worker as busy, so that not all
//!    workers are idle while a message of this flush waits.
//! 2. The leases of all partitions with writes are read and locked (`FOR SHARE`). If no write belongs to a
//!    partition, the leases of all the worker's partitions are used. If a lease is missing or has a different
//!    epoch, nothing is written: [`StoreError::NotOurs`].
//! 3. Rows are deleted and written ([`Rows`]). One statement writes all rows of a table that change the same
//!    columns.
//! 4. A document claims its text by its content hash, which is unique in the table. If another process claimed
//!    the text earlier, nothing is written. The lost claim is dropped and returned to the caller.
//!
//! The statements of steps 1 and 2 are sent together, and so are those of step 3. So a flush takes three round
//! trips.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::future::try_join3;
use gleaner_corpus::DocumentId;

use super::link::Connection;
use super::rows::Rows;
use super::{Postgres, lock};
use crate::engine::LostClaim;
use crate::leases::Leases;
use crate::records::encode;
use crate::{StoreError, keys};

const BEGIN_FLUSH: &str =
    "UPDATE workers SET flushes = $2, seen = now(), idle = false WHERE session = $1 AND flushes < $2";

const HELD: &str = "SELECT partition, epoch FROM leases WHERE partition = ANY($1) AND owner = $2 ORDER BY partition FOR SHARE";

enum FlushResult {
    Done,
    NotOurs,
    /// Content hashes of other documents. Each has the id of our document and the id of the other document.
    Lost(Vec<(Vec<u8>, Vec<u8>, Vec<u8>)>),
    /// Another document had a content hash, but no longer has it.
    Again,
    /// A table lacks rows that should have been changed.
    Missing(&'static str),
}

#[derive(Debug)]
struct FlushBatch {
    session: String,
    number: i64,
    /// Partitions, each with the epoch of this process's lease.
    fence: Vec<(i16, i64)>,
    rows: Rows,
}

impl Postgres {
    pub(super) fn flush_all(&self) -> Result<Vec<LostClaim>, StoreError> {
        let Some(leases) = &self.0.leases else { return Ok(Vec::new()) };
        let number = *lock(&self.0.flushes) + 1;
        let Some(batch) = self.batch(leases, number)? else {
            leases.lose();
            return Err(StoreError::NotOurs);
        };
        if batch.rows.is_empty() {
            return Ok(Vec::new());
        }
        let batch = Arc::new(batch);
        let outcome = self.transact(|client| {
            let batch = Arc::clone(&batch);
            Box::pin(async move {
                let outcome = write(&client, &batch).await;
                if !matches!(outcome, Ok(FlushResult::Done)) {
                    // If this fails, the connection is lost.
                    let _ = client.batch_execute("ROLLBACK").await;
                }
                outcome
            })
        })?;
        match outcome {
            FlushResult::Done => {
                *lock(&self.0.flushes) = number;
                self.write_overlay().flushed();
                lock(&self.0.touched).clear();
                Ok(Vec::new())
            }
            FlushResult::NotOurs => {
                leases.lose();
                Err(StoreError::NotOurs)
            }
            FlushResult::Lost(lost) => {
                let lost: Vec<LostClaim> = lost.into_iter().filter_map(lost_claim).collect();
                let mut overlay = self.write_overlay();
                lost.iter().for_each(|lost| overlay.drop_claim(&lost.key));
                Ok(lost)
            }
            FlushResult::Again => self.flush_all(),
            FlushResult::Missing(table) => {
                let reason = format!("rows are missing in the table {table}");
                Err(StoreError::Damaged { what: "the database", reason })
            }
        }
    }

    /// Collects the unflushed writes. Returns `None` if a lease is missing.
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
        let mut unflushed = self.read_overlay().unflushed();
        let spots = self.0.texts.put_away(&mut unflushed, |counter| self.assign_number(counter))?;
        let rows = Rows::from_writes(unflushed, &spots)?;
        Ok(Some(FlushBatch { session: leases.session().to_owned(), number, fence, rows }))
    }
}

fn lost_claim((hash, ours, theirs): (Vec<u8>, Vec<u8>, Vec<u8>)) -> Option<LostClaim> {
    let id = |id: Vec<u8>| Some(encode(&DocumentId(id.try_into().ok()?)));
    Some(LostClaim {
        key: [&[keys::CONTENT], hash.as_slice()].concat(),
        ours: id(ours)?,
        theirs: id(theirs)?,
    })
}

async fn write(client: &Connection, batch: &FlushBatch) -> Result<FlushResult, tokio_postgres::Error> {
    let session = &batch.session;
    let (partitions, epochs): (Vec<i16>, Vec<i64>) = batch.fence.iter().copied().unzip();
    client.prepare_all(&[BEGIN_FLUSH, HELD]).await?;
    let ((), begun, held) = try_join3(
        client.batch_execute("BEGIN"),
        client.execute(BEGIN_FLUSH, &[session, &batch.number]),
        client.query(HELD, &[&partitions, session]),
    )
    .await?;
    if begun == 0 {
        let sql = "SELECT flushes FROM workers WHERE session = $1";
        let known = client.query_opt(sql, &[session]).await?;
        return Ok(match known {
            Some(_) => {
                client.batch_execute("ROLLBACK").await?;
                FlushResult::Done
            }
            None => FlushResult::NotOurs,
        });
    }
    if partitions.is_empty() {
        return Ok(FlushResult::NotOurs);
    }
    let held: BTreeMap<i16, i64> = held.iter().map(|row| (row.get(0), row.get(1))).collect();
    if !partitions.iter().zip(&epochs).all(|(partition, epoch)| held.get(partition) == Some(epoch)) {
        return Ok(FlushResult::NotOurs);
    }
    match batch.rows.write(client).await {
        Ok(None) => {}
        Ok(Some(table)) => return Ok(FlushResult::Missing(table)),
        Err(error) if is_taken(&error) => {
            client.batch_execute("ROLLBACK").await?;
            let lost = batch.rows.lost(client).await?;
            return Ok(if lost.is_empty() { FlushResult::Again } else { FlushResult::Lost(lost) });
        }
        Err(error) => return Err(error),
    }
    client.batch_execute("COMMIT").await?;
    Ok(FlushResult::Done)
}

/// Whether another document has one of the content hashes.
fn is_taken(error: &tokio_postgres::Error) -> bool {
    let constraint = error.as_db_error().and_then(tokio_postgres::error::DbError::constraint);
    constraint == Some("documents_content_hash")
}
