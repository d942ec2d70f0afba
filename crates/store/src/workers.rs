//! Opens a store that many processes share, and manages this process as a worker.
//!
//! [`join`] makes a process a worker, which must have the settings of the running workers. The worker takes
//! its share of the partitions and renews its leases. [`visit`] opens the store only for reading. This module
//! also releases partitions, and registers a worker again if other workers considered the worker dead.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::objects::Objects;
use gleaner_frontier::CanonicalUrl;
use tracing::warn;

use crate::engine::postgres::leases::LeaseKeeper;
pub use crate::engine::postgres::leases::WorkerStatus;
use crate::engine::postgres::settings::{JoiningWorker, Settings, register};
use crate::engine::postgres::{Address, Postgres, ReconnectPolicy, schema};
use crate::exceptions;
use crate::leases::{Lease, Leases, PartitionId};
use crate::lock::Lock;
use crate::partitions::Partitions;
use crate::{HostId, Store, StoreError, Writer};

/// Maximum difference in seconds between the clocks of a worker and of the database.
const CLOCKS: f64 = 60.0;

/// The parameters of a worker.
#[derive(Clone)]
pub struct WorkerParams {
    /// The database: `postgres://user@host/database`.
    pub address: String,
    /// The object storage for files.
    pub objects: Objects,
    /// The worker's name that users see.
    pub name: String,
    /// How long a lease lasts without a renewal.
    pub lease: Duration,
    /// How long to retry while the database is unavailable.
    pub patience: Duration,
    /// Called between retries. Returns `true` if the process should end.
    pub should_stop: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Settings that must be the same for all workers, by name.
    pub settings: Settings,
    /// Whether the worker waits without partitions until [`Writer::work`] is called.
    pub waits: bool,
}

impl std::fmt::Debug for WorkerParams {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Membership")
            .field("name", &self.name)
            .field("lease", &self.lease)
            .finish_non_exhaustive()
    }
}

impl WorkerParams {
    fn patience(&self) -> ReconnectPolicy {
        ReconnectPolicy { at_most: self.patience, should_stop: Arc::clone(&self.should_stop) }
    }
}

/// Makes this process a worker. `folder` contains the process's own files, such as reports and caches.
///
/// The database or the storage cannot be reached or refuses access. The tables are newer than this program.
/// The settings differ from those of the running workers. The clocks of this machine and of the database
/// differ by more than a minute. The folder cannot be used, or another process has it open.
pub fn join(folder: &Path, membership: &WorkerParams) -> Result<Writer, StoreError> {
    gleaner_archive::files::make_folder(folder).map_err(StoreError::folder(folder))?;
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
    let applicant = JoiningWorker {
        session: leases.session().to_owned(),
        name: membership.name.clone(),
        version: env!("CARGO_PKG_VERSION"),
        settings: membership.settings.clone(),
        life: membership.lease.as_secs_f64(),
    };
    register(engine.link(), &applicant)?;
    // After an error, the other workers must not count this process as a worker.
    engine.claim_objects(&applicant.session, applicant.life).inspect_err(|_| drop(engine.resign()))?;
    let exceptions = exceptions::update(&engine).inspect_err(|_| drop(engine.resign()))?;
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
    Ok(Writer::from_store(&store).expect("no other writer exists"))
}

/// Opens a shared store for reading. `folder` is for reports and caches. `patience` is the time for retries
/// while the database is unavailable.
///
/// # Errors
/// The database cannot be reached or refuses access, or its tables are missing or of another version.
pub fn visit(
    folder: &Path,
    address: &str,
    objects: Objects,
    patience: Duration,
) -> Result<Store, StoreError> {
    let address = Address::parse(address)?;
    let patience = ReconnectPolicy { at_most: patience, should_stop: Arc::new(|| false) };
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

#[derive(Debug)]
pub(crate) struct WorkerHandle {
    keeper: LeaseKeeper,
    applicant: JoiningWorker,
    address: Address,
}

impl WorkerHandle {
    fn apply(&self, engine: &Postgres) -> Result<(), StoreError> {
        schema::check(engine.link(), &self.address)?;
        register(engine.link(), &self.applicant)
    }
}

fn session_of(name: &str) -> String {
    format!("{name} {} {:032x}", std::process::id(), uuid::Uuid::new_v4().as_u128())
}

impl Store {
    /// Returns this process's leases. Returns `None` if the store is not shared or is only read.
    #[must_use]
    pub fn leases(&self) -> Option<&Leases> {
        self.distributed.as_ref().and_then(Postgres::leases)
    }

    /// Whether many processes share the store.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.distributed.is_some()
    }

    /// Returns the partition of a URL's host.
    #[must_use]
    pub fn partition_of_url(&self, url: &CanonicalUrl) -> PartitionId {
        PartitionId(self.partitions.of_url(url))
    }

    /// Returns the partition of a host.
    #[must_use]
    pub fn partition_of(&self, host: HostId) -> PartitionId {
        PartitionId(self.partitions.of_host(host))
    }

    /// Returns this process's current lease of a host's partition.
    #[must_use]
    pub fn lease_of(&self, host: HostId) -> Lease {
        self.lease(PartitionId(self.partitions.of_host(host)))
    }

    /// Returns this process's current lease of a partition.
    #[must_use]
    pub fn lease(&self, PartitionId(partition): PartitionId) -> Lease {
        self.leases().map_or(Lease::UNLIMITED, |leases| leases.lease(partition))
    }

    /// Returns the partitions that this process owns. A store that is not shared is one partition.
    #[must_use]
    pub fn held_partitions(&self) -> Vec<PartitionId> {
        self.partitions.held().into_iter().map(PartitionId).collect()
    }

    /// Returns the workers that sent a heartbeat within this time. A store that is not shared has no workers.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn workers(&self, within: Duration) -> Result<Vec<WorkerStatus>, StoreError> {
        self.distributed
            .as_ref()
            .map_or_else(|| Ok(Vec::new()), |engine| engine.workers(within.as_secs_f64()))
    }

    /// Whether every partition has a worker and all workers are idle. Always `true` if the store is not
    /// shared.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub fn are_all_idle(&self) -> Result<bool, StoreError> {
        self.distributed.as_ref().map_or(Ok(true), Postgres::are_all_idle)
    }
}

impl Writer {
    /// Flushes all committed changes, then releases partitions to other workers.
    ///
    /// # Errors
    /// The store cannot be written.
    pub fn release(&mut self, partitions: &[PartitionId]) -> Result<(), StoreError> {
        self.flush()?;
        let partitions: Vec<_> = partitions.iter().map(|PartitionId(partition)| *partition).collect();
        self.store().distributed.as_ref().map_or(Ok(()), |engine| engine.release(&partitions))
    }

    /// Registers again after other workers considered this process dead. Drops all unflushed changes and all
    /// leases, as after a crash.
    ///
    /// # Errors
    /// The running workers have other settings, the tables have another version, or the database cannot be
    /// reached.
    pub fn rejoin(&mut self) -> Result<(), StoreError> {
        let store = self.store();
        let (Some(engine), Some(worker)) = (&store.distributed, &store.worker) else { return Ok(()) };
        warn!(
            "another worker has taken over; unflushed changes are dropped, and their pages will be fetched again"
        );
        worker.apply(engine)?;
        // The records that were appended to the archive belong to the dropped changes, so they are dropped too.
        self.archive_target = None;
        engine.forget();
        let Some(leases) = engine.leases() else { return Ok(()) };
        // This worker is not idle until it has processed the pages of its partitions again.
        leases.report(0, false);
        leases.forget();
        worker.keeper.beat()
    }

    /// Ends the wait for a crawl. Registers the worker again, because other workers may have joined, and
    /// takes this process's share of the partitions. Does nothing if the store is not shared.
    ///
    /// # Errors
    /// The running workers have other settings, the tables have another version, or the database cannot be
    /// reached.
    pub fn work(&mut self) -> Result<(), StoreError> {
        let store = self.store();
        if let (Some(engine), Some(worker)) = (&store.distributed, &store.worker) {
            worker.apply(engine)?;
        }
        self.wait(false)
    }

    /// Releases all partitions to other workers, and takes none until [`Writer::work`]. Returns immediately.
    /// Does nothing if the store is not shared.
    ///
    /// # Errors
    /// The database cannot be reached. In this case, a later heartbeat or the end of the leases releases the
    /// partitions.
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
}
