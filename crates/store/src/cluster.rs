//! A store that many processes share: opened, watched, left.
//!
//! [`join`] makes a process a worker: it agrees on settings with those that are there, takes its
//! share of the parts and keeps it. [`visit`] reads only. What a worker does beside reading
//! and writing is here: it learns which parts have come, gives parts up, and begins anew
//! when it was taken for dead.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::CanonicalUrl;
use gleaner_objects::Objects;
use tracing::warn;

use crate::engine::postgres::leases::Keeper;
pub use crate::engine::postgres::leases::WorkerStatus;
use crate::engine::postgres::settings::{Applicant, Settings, register};
use crate::engine::postgres::{Address, Patience, Postgres, schema};
use crate::exceptions;
use crate::lock::Lock;
use crate::parts::Parts;
use crate::tenure::{Lease, PartId, Tenure};
use crate::{HostId, HostRecord, Store, StoreError, Writer};

/// Seconds by which the clocks of a worker and of the database may differ.
const CLOCKS: f64 = 60.0;

/// How a worker comes to a cluster.
#[derive(Clone)]
pub struct Membership {
    /// The database: `postgres://user@host/database`.
    pub address: String,
    /// Where files go.
    pub objects: Objects,
    /// The worker's name, for people.
    pub name: String,
    /// How long a lease lives that is not renewed.
    pub lease: Duration,
    /// How long is gone on trying while the database is away.
    pub patience: Duration,
    /// Asked meanwhile: whether the process is to end.
    pub give_up: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Settings in which all workers must agree, by name.
    pub settings: Settings,
    /// Whether it waits for its crawl, without parts, until [`Writer::work`].
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
        Patience { at_most: self.patience, give_up: Arc::clone(&self.give_up) }
    }
}

/// Makes this process a worker. `folder` has what is its alone: reports, caches.
///
/// # Errors
/// The database or the storage cannot be reached or refuses; the tables are newer than this
/// program; the settings are not those of the workers that are there; the clocks differ by
/// more than a minute; the folder cannot be used or is another process's.
pub fn join(folder: &Path, membership: &Membership) -> Result<Writer, StoreError> {
    std::fs::create_dir_all(folder).map_err(StoreError::folder(folder))?;
    let lock = Lock::take(folder)?;
    let address = Address::parse(&membership.address)?;
    let tenure = Tenure::new(session_of(&membership.name));
    tenure.set_waiting(membership.waits);
    let engine = Postgres::open(
        address.clone(),
        membership.objects.clone(),
        Some(tenure.clone()),
        membership.patience(),
    )?;
    schema::migrate(engine.link(), &address)?;
    let ahead = engine.clock_ahead()?;
    if ahead.abs() > CLOCKS {
        return Err(StoreError::Clocks { ahead });
    }
    let applicant = Applicant {
        session: tenure.session().to_owned(),
        name: membership.name.clone(),
        version: env!("CARGO_PKG_VERSION"),
        settings: membership.settings.clone(),
        life: membership.lease.as_secs_f64(),
    };
    register(engine.link(), &applicant)?;
    // Whoever is refused is not there for others.
    engine.claim_objects(&applicant.session, applicant.life).inspect_err(|_| drop(engine.resign()))?;
    let exceptions = exceptions::brought_up_to_date(&engine).inspect_err(|_| drop(engine.resign()))?;
    let keeper = Keeper::begin(engine.clone(), tenure.clone(), membership.lease)?;
    let post = Arc::new(Post { keeper, applicant, address });
    let store = Store {
        engine: Arc::new(engine.clone()),
        parts: Parts::Cut(Some(tenure), exceptions),
        folder: folder.into(),
        lock: Arc::new(lock),
        cluster: Some(engine),
        post: Some(post),
    };
    Ok(Writer::from_store(&store).expect("nobody else has this store yet"))
}

/// Opens a cluster's store for reading. `folder` is where reports and caches are.
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
    let patience = Patience { at_most: patience, give_up: Arc::new(|| false) };
    let engine = Postgres::open(address.clone(), objects, None, patience)?;
    schema::check(engine.link(), &address)?;
    let exceptions = exceptions::known(&engine)?;
    Ok(Store {
        engine: Arc::new(engine.clone()),
        parts: Parts::Cut(None, exceptions),
        folder: folder.into(),
        lock: Arc::new(Lock::none()),
        cluster: Some(engine),
        post: None,
    })
}

/// A worker's place among the others. It is given up when this is dropped.
#[derive(Debug)]
pub(crate) struct Post {
    keeper: Keeper,
    /// As what it came.
    applicant: Applicant,
    address: Address,
}

impl Post {
    /// Comes to those who are there by now.
    fn apply(&self, engine: &Postgres) -> Result<(), StoreError> {
        schema::check(engine.link(), &self.address)?;
        register(engine.link(), &self.applicant)
    }
}

/// A name that no other life of a process has.
fn session_of(name: &str) -> String {
    format!("{name} {} {:032x}", std::process::id(), uuid::Uuid::new_v4().as_u128())
}

impl Store {
    /// What this process knows of its leases; `None`: the store is its alone, or only read.
    #[must_use]
    pub fn tenure(&self) -> Option<&Tenure> {
        self.cluster.as_ref().and_then(Postgres::tenure)
    }

    /// Whether many processes share the store.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.cluster.is_some()
    }

    /// The part of a URL's host.
    #[must_use]
    pub fn part_of_url(&self, url: &CanonicalUrl) -> PartId {
        PartId(self.parts.of_url(url))
    }

    /// The part of a host.
    #[must_use]
    pub fn part_of(&self, host: HostId) -> PartId {
        PartId(self.parts.of_host(host))
    }

    /// This process's lease of a host's part, as it is from now on.
    #[must_use]
    pub fn lease_of(&self, host: HostId) -> Lease {
        self.lease(PartId(self.parts.of_host(host)))
    }

    /// The same of a part.
    #[must_use]
    pub fn lease(&self, PartId(part): PartId) -> Lease {
        self.tenure().map_or(Lease::UNLIMITED, |tenure| tenure.lease(part))
    }

    /// The hosts of these parts.
    pub fn hosts_of_parts(
        &self,
        parts: Vec<PartId>,
    ) -> impl Iterator<Item = Result<HostRecord, StoreError>> + use<> {
        self.hosts_of(parts.into_iter().map(|PartId(part)| part).collect())
    }

    /// The parts that this process has: a single one where the store is its alone.
    #[must_use]
    pub fn held_parts(&self) -> Vec<PartId> {
        self.parts.held().into_iter().map(PartId).collect()
    }

    /// The workers that were alive within this time. None where the store is one process's.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn workers(&self, within: Duration) -> Result<Vec<WorkerStatus>, StoreError> {
        self.cluster.as_ref().map_or_else(|| Ok(Vec::new()), |engine| engine.workers(within.as_secs_f64()))
    }

    /// Whether no worker has anything to do, and no part is without one. Always so where the
    /// store is one process's.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn is_all_quiet(&self) -> Result<bool, StoreError> {
        self.cluster.as_ref().map_or(Ok(true), Postgres::is_all_quiet)
    }
}

impl Writer {
    /// Gives parts up, which others take. All that was committed of them is flushed before.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn release(&mut self, parts: &[PartId]) -> Result<(), StoreError> {
        self.flush()?;
        let parts: Vec<_> = parts.iter().map(|PartId(part)| *part).collect();
        self.store().cluster.as_ref().map_or(Ok(()), |engine| engine.release(&parts))
    }

    /// Forgets all that was not flushed and all leases, as after a crash: this process was
    /// taken for dead. It comes anew to those who are there by now.
    ///
    /// # Errors
    /// They work with other settings or other tables; the database cannot be reached.
    pub fn begin_anew(&mut self) -> Result<(), StoreError> {
        let store = self.store();
        let (Some(engine), Some(post)) = (&store.cluster, &store.post) else { return Ok(()) };
        warn!(
            "another worker has taken over; what was not yet written is dropped, and its pages are due again"
        );
        post.apply(engine)?;
        // What was appended belongs to what is dropped.
        self.shelf = None;
        engine.forget();
        engine.tenure().inspect(|tenure| tenure.forget());
        Ok(())
    }

    /// Takes this process's share of the parts, if it waited: others may have come since it did,
    /// and it comes to them anew. Nothing where there are no others.
    ///
    /// # Errors
    /// They work with other settings or other tables; the database cannot be reached.
    pub fn work(&mut self) -> Result<(), StoreError> {
        let store = self.store();
        if let (Some(engine), Some(post)) = (&store.cluster, &store.post) {
            post.apply(engine)?;
        }
        self.wait(false)
    }

    /// Waits for the next crawl: gives all parts up, and takes none until [`Writer::work`], so
    /// that others have them meanwhile. Nothing where there are no others.
    ///
    /// # Errors
    /// When the database cannot be reached; the parts are given up when it can be, or end by
    /// themselves.
    pub fn rest(&mut self) -> Result<(), StoreError> {
        self.wait(true)
    }

    fn wait(&self, waits: bool) -> Result<(), StoreError> {
        let store = self.store();
        let (Some(tenure), Some(post)) = (store.tenure(), &store.post) else { return Ok(()) };
        tenure.report(0, waits);
        tenure.set_waiting(waits);
        post.keeper.beat()
    }

    /// Forgets near-duplicates of more than so many days ago.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub fn forget_near(&self, days: u32) -> Result<(), StoreError> {
        self.store().cluster.as_ref().map_or(Ok(()), |engine| engine.forget_bands(days))
    }
}
