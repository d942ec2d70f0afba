//! Lets one process take all partitions of a database.
//!
//! The migrating process joins as a worker. Its name and settings differ from those of any crawl, so the
//! database refuses a worker that starts during the migration. No worker is alive after the migration, so the
//! next worker may have any settings.

use std::path::Path;
use std::time::{Duration, Instant};

use super::MigrateError;
use crate::engine::postgres::MOMENT;
use crate::workers::{WorkerParams, join, visit};
use crate::{Store, StoreError, Writer};

const NAME: &str = "migrate";

/// How long the first access is retried if the database is unavailable. This time is short, because the
/// address may be wrong.
const FIRST: Duration = Duration::from_secs(20);

const PARTITIONS: usize = 256;

/// Joins a database as its only worker, with all partitions. If an earlier migration was killed, waits until
/// its leases have ended. If `create` is true, creates missing tables. Ignores the name and settings in
/// `membership`.
///
/// # Errors
/// Other workers are running, or [`join`] or [`visit`] fails.
pub fn join_alone(folder: &Path, membership: &WorkerParams, create: bool) -> Result<Writer, MigrateError> {
    let WorkerParams { address, objects, patience, lease, .. } = membership;
    match visit(folder, address, objects.clone(), (*patience).min(FIRST)) {
        Ok(store) => refuse_workers(&store, *lease)?,
        Err(StoreError::NoTables { .. }) if create => {}
        // `join` updates the tables, and refuses to do so while older workers run.
        Err(StoreError::TablesToUpdate { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let settings = [("migration".to_owned(), "of the whole corpus".to_owned())].into();
    let mut writer =
        join(folder, &WorkerParams { name: NAME.into(), settings, waits: false, ..membership.clone() })?;
    let until = Instant::now() + *lease * 3;
    while !has_all(&mut writer)? {
        if Instant::now() > until || (membership.should_stop)() {
            let workers = names(&writer.store(), *lease)?;
            return Err(MigrateError::AtWork { workers: workers.join(", ") });
        }
        std::thread::sleep(MOMENT);
    }
    Ok(writer)
}

fn has_all(writer: &mut Writer) -> Result<bool, StoreError> {
    let store = writer.store();
    if let Some(leases) = store.leases() {
        if leases.is_lost() {
            writer.rejoin()?;
        }
        // This call makes the process the owner of the partitions.
        let _ = leases.gained();
    }
    Ok(store.held_partitions().len() == PARTITIONS)
}

fn refuse_workers(store: &Store, lease: Duration) -> Result<(), MigrateError> {
    let mut workers = names(store, lease)?;
    workers.retain(|name| name != NAME);
    match workers.is_empty() {
        true => Ok(()),
        false => Err(MigrateError::AtWork { workers: workers.join(", ") }),
    }
}

fn names(store: &Store, lease: Duration) -> Result<Vec<String>, StoreError> {
    Ok(store.workers(lease)?.into_iter().map(|worker| worker.name).collect())
}
