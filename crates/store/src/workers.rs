//! Opens a store that many processes share, and manages this process as a worker.
//!
//! [`join`] makes a process a worker: it agrees on settings with the running workers, takes its share of the
//! partitions and keeps it. [`visit`] only reads. A worker also learns here which partitions it has gained,
//! releases partitions, and starts again after other workers took it for dead.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::objects::Objects;
use gleaner_frontier::CanonicalUrl;
use tracing::warn;

use crate::engine::postgres::leases::LeaseKeeper;
pub use crate::engine::postgres::leases::WorkerStatus;
use crate::engine::postgres::settings::{Applicant, Settings, register};
use crate::engine::postgres::{Address, Patience, Postgres, schema};
use crate::exceptions;
use crate::leases::{Lease, Leases, PartitionId};
use crate::lock::Lock;
use crate::partitions::Partitions;
use crate::{HostId, HostRecord, Store, StoreError, Writer};

/// Maximum difference between the clocks of a worker and of the database, in seconds.
const CLOCKS: f64 = 60.0;

/// How a worker joins the others.
#[derive(Clone)]
pub struct Membership {
    /// The database: `postgres://user@host/database`.
    pub address: String,
    /// Where files are stored.
    pub objects: Objects,
    /// The worker's name, for users.
    pub name: String,
    /// How long a lease lasts without a renewal.
    pub lease: Duration,
    /// How long to retry while the database is away.
    pub patience: Duration,
    /// Called between retries; `true`: the process should end.
    pub should_stop: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Settings that must be equal for all workers, by name.
    pub settings: Settings,
    /// Whether it waits for its crawl, without partitions, until [`Writer::work`].
    pub waits: bool,
}

impl std::fmt::Debug for Membership {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Membership")
            .field("name", &self.name)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

impl Membership {
    fn patience(&self) -> Patience {
        Patience { at_most: self.patience, should_stop: Arc::clone(&self.should_stop) }
    }
}

/// Makes this process a worker. `folder` has the process's own files: reports, caches.
///
/// # Errors
/// The database or the storage cannot be reached or refuses; the tables are newer than this program; the
/// settings differ from those of the running workers; the clocks differ by more than a minute; the folder
/// cannot be used or is another process's.
pub fn join(folder: &Path, membership: &Membership) -> Result<Writer, StoreError> {
    std::fs::create_dir_all(folder).map_err(StoreError::folder(folder))?;
    let lock = Lock::take(folder)?;
    let address = Address::parse(&membership.address)?;
    let leases = Leases::new(session_of(&membership.name));
    leases.set_waiting(membership.waits);
    let engine = Postgres::open(
        address.clone(),
        membership.objects.clone(),
        Some(leases.clone()),
        membership.patience(),
    )?;
    schema::migrate(engine.link(), &address)?;
    let ahead = engine.clock_ahead()?;
    if ahead.abs() > CLOCKS {
        return Err(StoreError::Clocks { ahead });
    }
    let applicant = Applicant {
        session: leases.session().to_owned(),
        name: membership.name.clone(),
        version: env!("CARGO_PKG_VERSION"),
        settings: membership.settings.clone(),
        life: membership.lease.as_secs_f64(),
    };
    register(engine.link(), &applicant)?;
    // After an error, other workers must not see this one.
    engine.claim_objects(&applicant.session, applicant.life).inspect_err(|_| drop(engine.resign()))?;
    let exceptions = exceptions::brought_up_to_date(&engine).inspect_err(|_| drop(engine.resign()))?;
    let keeper = LeaseKeeper::begin(engine.clone(), leases.clone(), membership.lease)?;
    let worker = Arc::new(WorkerHandle { keeper, applicant, address });
    let store = Store {
        engine: Arc::new(engine.clone()),
        partitions: Partitions::Cut(Some(leases), exceptions),
        folder: folder.into(),
        lock: Arc::new(lock),
        distributed: Some(engine),
        worker: Some(worker),
    };
    Ok(Writer::from_store(&store).expect("nobody else has this store yet"))
}

/// Opens a shared store for reading. `folder` is for reports and caches.
///
/// # Errors
/// The database cannot be reached or refuses, has no tables, or has newer ones.
pub fn visit(
    folder: &Path,
    address: &str,
    objects: Objects,
    patience: Duration,
) -> Result<Store, StoreError> {
    let address = Address::parse(address)?;
    let patience = Patience { at_most: patience, should_stop: Arc::new(|| false) };
    let engine = Postgres::open(address.clone(), objects, None, patience)?;
    schema::check(engine.link(), &address)?;
    let exceptions = exceptions::known(&engine)?;
    Ok(Store {
        engine: Arc::new(engine.clone()),
        partitions: Partitions::Cut(None, exceptions),
        folder: folder.into(),
        lock: Arc::new(Lock::none()),
        distributed: Some(engine),
        worker: None,
    })
}

/// This worker's registration. Dropping it removes the worker.
#[derive(Debug)]
pub(crate) struct WorkerHandle {
    keeper: LeaseKeeper,
    applicant: Applicant,
    address: Address,
}

impl WorkerHandle {
    /// Registers with the workers that are running now.
    fn apply(&self, engine: &Postgres) -> Result<(), StoreError> {
        schema::check(engine.link(), &self.address)?;
        register(engine.link(), &self.applicant)
    }
}

/// A name that is unique to this run of the process.
fn session_of(name: &str) -> String {
    format!("{name} {} {:032x}", std::process::id(), uuid::Uuid::new_v4().as_u128())
}

impl Store {
    /// This process's leases; `None`: only this process uses the store, or the store is only read.
    #[must_use]
    pub fn leases(&self) -> Option<&Leases> {
        self.distributed.as_ref().and_then(Postgres::leases)
    }

    /// Whether many processes share the store.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.distributed.is_some()
    }

    /// The partition of a URL's host.
    #[must_use]
    pub fn partition_of_url(&self, url: &CanonicalUrl) -> PartitionId {
        PartitionId(self.partitions.of_url(url))
    }

    /// The partition of a host.
    #[must_use]
    pub fn partition_of(&self, host: HostId) -> PartitionId {
        PartitionId(self.partitions.of_host(host))
    }

    /// This process's lease of a host's partition, from now on.
    #[must_use]
    pub fn lease_of(&self, host: HostId) -> Lease {
        self.lease(PartitionId(self.partitions.of_host(host)))
    }

    /// This process's lease of a partition, from now on.
    #[must_use]
    pub fn lease(&self, PartitionId(partition): PartitionId) -> Lease {
        self.leases().map_or(Lease::UNLIMITED, |leases| leases.lease(partition))
    }

    /// The hosts of these partitions.
    pub fn hosts_of_partitions(
        &self,
        partitions: Vec<PartitionId>,
    ) -> impl Iterator<Item = Result<HostRecord, StoreError>> + use<> {
        self.hosts_of(partitions.into_iter().map(|PartitionId(partition)| partition).collect())
    }

    /// The partitions of this process: a single one if only this process uses the store.
    #[must_use]
    pub fn held_partitions(&self) -> Vec<PartitionId> {
        self.partitions.held().into_iter().map(PartitionId).collect()
    }

    /// The workers that were alive within this time. Empty if only this process uses the store.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn workers(&self, within: Duration) -> Result<Vec<WorkerStatus>, StoreError> {
        self.distributed
            .as_ref()
            .map_or_else(|| Ok(Vec::new()), |engine| engine.workers(within.as_secs_f64()))
    }

    /// Whether no worker has anything to do, and every partition has a worker. Always `true` if only this
    /// process uses the store.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn is_all_quiet(&self) -> Result<bool, StoreError> {
        self.distributed.as_ref().map_or(Ok(true), Postgres::is_all_quiet)
    }
}

impl Writer {
    /// Releases partitions for other workers, after a flush of everything committed.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn release(&mut self, partitions: &[PartitionId]) -> Result<(), StoreError> {
        self.flush()?;
        let partitions: Vec<_> = partitions.iter().map(|PartitionId(partition)| *partition).collect();
        self.store().distributed.as_ref().map_or(Ok(()), |engine| engine.release(&partitions))
    }

    /// Drops everything that was not flushed, and all leases, as after a crash: other workers took this
    /// process for dead. Then registers again.
    ///
    /// # Errors
    /// The running workers have other settings or other tables; the database cannot be reached.
    pub fn rejoin(&mut self) -> Result<(), StoreError> {
        let store = self.store();
        let (Some(engine), Some(worker)) = (&store.distributed, &store.worker) else { return Ok(()) };
        warn!(
            "another worker has taken over; what was not yet written is dropped, and its pages are due again"
        );
        worker.apply(engine)?;
        // Its appended records belong to the dropped changes.
        self.shelf = None;
        engine.forget();
        engine.leases().inspect(|leases| leases.forget());
        Ok(())
    }

    /// Ends the waiting: registers again, since other workers may have joined, and takes this process's share
    /// of the partitions. Does nothing if the store is not shared.
    ///
    /// # Errors
    /// The running workers have other settings or other tables; the database cannot be reached.
    pub fn work(&mut self) -> Result<(), StoreError> {
        let store = self.store();
        if let (Some(engine), Some(worker)) = (&store.distributed, &store.worker) {
            worker.apply(engine)?;
        }
        self.wait(false)
    }

    /// Waits for the next crawl: releases all partitions and takes none until [`Writer::work`], so that other
    /// workers can have them. Does nothing if the store is not shared.
    ///
    /// # Errors
    /// When the database cannot be reached. The partitions are released once it can be, or their leases end.
    pub fn rest(&mut self) -> Result<(), StoreError> {
        self.wait(true)
    }

    fn wait(&self, waits: bool) -> Result<(), StoreError> {
        let store = self.store();
        let (Some(leases), Some(worker)) = (store.leases(), &store.worker) else { return Ok(()) };
        leases.report(0, waits);
        leases.set_waiting(waits);
        worker.keeper.beat()
    }

    /// Removes documents of more than `days` days ago from the index of near-duplicates.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn forget_near(&self, days: u32) -> Result<(), StoreError> {
        self.store().distributed.as_ref().map_or(Ok(()), |engine| engine.forget_bands(days))
    }
}
