//! What can be asked of a storage.
//!
//! A put is whole and atomic: a reader meets the object before or after it, never a part.
//! In a bucket that is the service's promise for one upload. In a folder the file is
//! written under another name, brought to disk, renamed, and the folder brought to disk.
//!
//! Limitation: an object is in memory as a whole, put or got, and is sent by one
//! request, of which S3 takes 5 GB at most. A folder whose writer was killed keeps the file
//! that it was writing, as `name#1`; it is never listed, and nobody removes it. Whether a
//! folder's file system keeps what it said is on disk is its own matter.

use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt, PutPayload};

use super::address::Address;
use super::engine::Engine;
use super::environment::Environment;
use super::open::{self, Store};
use super::patience::Patience;
use super::storage::{Guard, Part, Storage, is_of_disk};
use super::{ObjectError, name};

/// Requests of [`Objects::get_ranges`] at once.
const AT_ONCE: usize = 8;

/// How long [`Objects::check`] waits for a storage that is away, at most.
const CHECK: Duration = Duration::from_secs(10);

/// How a storage is used.
#[derive(Clone)]
pub struct Options {
    /// How long a call goes on trying while the storage is away. Zero: one try.
    pub patience: Duration,
    /// The longest time of one request, with its body.
    pub timeout: Duration,
    /// Asked between tries: true makes a call that waits for the storage give up. It is
    /// asked on the storage's own thread and must return at once.
    pub give_up: Arc<dyn Fn() -> bool + Send + Sync>,
    /// Keys, endpoint, region.
    pub environment: Environment,
    /// A file in PEM of certificates to trust beside the system's, such as those of a
    /// private store. `None`: what `AWS_CA_BUNDLE` names, if it is set.
    pub certificates: Option<PathBuf>,
    /// Whether a folder that is not there is made.
    pub makes_folder: bool,
}

impl Default for Options {
    /// Two minutes of patience, a minute a request, the process's environment; makes a folder.
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(120),
            timeout: Duration::from_secs(60),
            give_up: Arc::new(|| false),
            environment: Environment::of_process(),
            certificates: None,
            makes_folder: true,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { patience, timeout, give_up: _, environment, certificates, makes_folder } = self;
        f.debug_struct("Options")
            .field("patience", patience)
            .field("timeout", timeout)
            .field("environment", environment)
            .field("certificates", certificates)
            .field("makes_folder", makes_folder)
            .finish_non_exhaustive()
    }
}

/// An object of a list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Its name, without the prefix of the storage's address.
    pub name: String,
    /// Its length in bytes.
    pub size: u64,
    /// When it was written last, by the storage's clock; S3 gives whole seconds.
    pub changed: Timestamp,
}

/// A storage. Clones are the same one.
#[derive(Clone)]
pub struct Objects {
    storage: Arc<Storage>,
    patience: Patience,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects").field("address", &self.storage.address).finish_non_exhaustive()
    }
}

impl Objects {
    /// Opens the storage at an address ([`Address::parse`]). A folder is made where there
    /// is none, if the options say so. A bucket is not asked for anything: [`Objects::check`] does that.
    ///
    /// # Errors
    /// The address is none, a setting is missing or wrong, or the folder cannot be made.
    pub fn open(address: &str, options: Options) -> Result<Self, ObjectError> {
        let parsed = Address::parse(address)?;
        let set = options.environment.clone().with_files()?;
        let store = open::open(&parsed, address, &options, &set)?;
        let engine = Engine::start().map_err(|error| ObjectError::Open {
            address: address.into(),
            why: format!("no thread can be started: {error}"),
        })?;
        let patience = Patience { lasts: options.patience, give_up: options.give_up };
        let (address, secrets) = (address.to_owned(), set.secrets());
        let folder = match parsed {
            Address::Folder(folder) => Some(folder),
            Address::Bucket { .. } => None,
        };
        let guard = Guard { folder, object: OnceLock::new() };
        Ok(Self { storage: Arc::new(Storage { store, address, secrets, engine, guard }), patience })
    }

    /// A folder is away from now on, for all clones, whenever it does not have this object:
    /// it is not mounted. Nothing for a bucket.
    pub fn is_away_without(&self, object: &str) {
        // An error means that it was said before.
        let _ = self.storage.guard.object.set(object.to_owned());
    }

    /// The address that it was opened with, to be shown; it never has a secret.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.storage.address
    }

    /// Writes an object, in the place of one of that name if there is one.
    ///
    /// # Errors
    /// It is not there then, or as before, or, where the storage went away in the middle,
    /// there.
    pub fn put(&self, name: &str, content: Vec<u8>) -> Result<(), ObjectError> {
        let (path, content) = (name::path(name)?, PutPayload::from(content));
        self.call("write", name, move |store| {
            let (path, content) = (path.clone(), content.clone());
            async move { store.put(&path, content).await.map(drop) }
        })
    }

    /// Reads an object.
    ///
    /// # Errors
    /// [`ObjectError::Missing`] where there is none.
    pub fn get(&self, name: &str) -> Result<Vec<u8>, ObjectError> {
        let path = name::path(name)?;
        self.call("read", name, move |store| {
            let path = path.clone();
            async move { Ok(store.get(&path).await?.bytes().await?.into()) }
        })
    }

    /// Reads a part of an object: `length` bytes from `offset` on. Of no length is read
    /// without asking the storage.
    ///
    /// # Errors
    /// [`ObjectError::Missing`] where there is none, [`ObjectError::TooShort`] where it
    /// ends before that.
    pub fn get_range(&self, name: &str, offset: u64, length: u64) -> Result<Vec<u8>, ObjectError> {
        let ranges = self.get_ranges(&[(name.to_owned(), offset, length)])?;
        Ok(ranges.into_iter().next().expect("one range was asked for"))
    }

    /// Reads parts of objects (name, offset, length), eight at a time; gives them in the
    /// order in which they were asked for.
    ///
    /// # Errors
    /// Of the first that fails; the others are left.
    pub fn get_ranges(&self, ranges: &[(String, u64, u64)]) -> Result<Vec<Vec<u8>>, ObjectError> {
        let parts = ranges.iter().map(|(name, offset, length)| self.storage.part(name, *offset, *length));
        let parts = parts.collect::<Result<Vec<Part>, ObjectError>>()?;
        let (storage, patience) = (Arc::clone(&self.storage), self.patience.clone());
        let reading = async move {
            let read = |part| storage.read(part, &patience);
            stream::iter(parts).map(read).buffered(AT_ONCE).try_collect().await
        };
        self.storage.wait("read", "parts of objects", reading)
    }

    /// The objects below a prefix, which is whole segments (`a/b` or `a/b/`, not `a/b-0`),
    /// in the order of their names as bytes; empty: all.
    ///
    /// # Errors
    /// The storage cannot be read. A prefix that nothing has is an empty list.
    pub fn list(&self, prefix: &str) -> Result<Vec<Entry>, ObjectError> {
        let path = name::prefix(prefix)?;
        let shown = if prefix.is_empty() { "all objects" } else { prefix };
        let mut entries: Vec<Entry> = self.call("list", shown, move |store| {
            let path = path.clone();
            async move { store.list(path.as_ref()).map_ok(Entry::from_meta).try_collect().await }
        })?;
        entries.sort_unstable();
        Ok(entries)
    }

    /// Removes an object. One that is not there is none the less removed.
    ///
    /// # Errors
    /// It is there still, or, where the storage went away in the middle, not.
    pub fn delete(&self, name: &str) -> Result<(), ObjectError> {
        self.delete_paths(name, vec![name::path(name)?])
    }

    /// Removes objects, up to 1,000 by one request where the service can.
    ///
    /// # Errors
    /// As [`Objects::delete`]; some may be removed and others not.
    pub fn delete_many(&self, names: &[String]) -> Result<(), ObjectError> {
        let paths = names.iter().map(|name| name::path(name)).collect::<Result<Vec<Path>, ObjectError>>()?;
        self.delete_paths(&format!("{} objects", names.len()), paths)
    }

    fn delete_paths(&self, shown: &str, paths: Vec<Path>) -> Result<(), ObjectError> {
        self.call("remove", shown, move |store| {
            let paths = stream::iter(paths.clone()).map(Ok).boxed();
            async move {
                let mut removed = store.delete_stream(paths);
                while let Some(result) = removed.next().await {
                    match result {
                        Ok(_) => {}
                        // A bucket's answer of that kind means that the bucket is not there.
                        Err(object_store::Error::NotFound { source, .. }) if is_of_disk(&*source) => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(())
            }
        })
    }

    /// Writes, reads and removes a small object of a name of its own, so that a wrong
    /// bucket, key or endpoint is told at the start. A storage that is away is waited for
    /// for 10 s at most.
    ///
    /// # Errors
    /// What failed, on what, and what to do next.
    pub fn check(&self) -> Result<(), ObjectError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("gleaner-check-{}-{now}", std::process::id());
        let checked = Self {
            patience: Patience { lasts: self.patience.lasts.min(CHECK), ..self.patience.clone() },
            ..self.clone()
        };
        checked.put(&name, name.clone().into_bytes())?;
        let found = checked.get(&name)?;
        checked.delete(&name)?;
        if found == name.as_bytes() {
            return Ok(());
        }
        let why = "what was written there is read as something else; is it a cache that answers?".into();
        Err(ObjectError::Refused { at: self.storage.at("check", &name), why })
    }

    /// Makes tries of one operation on the storage's thread.
    fn call<T: Send + 'static, A>(
        &self,
        doing: &'static str,
        object: &str,
        attempt: impl Fn(Store) -> A + Send + Sync + 'static,
    ) -> Result<T, ObjectError>
    where
        A: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let (at, storage) = (self.storage.at(doing, object), Arc::clone(&self.storage));
        let patience = self.patience.clone();
        let tries =
            async move { storage.tries(&patience, &at, || attempt(Arc::clone(&storage.store))).await };
        self.storage.wait(doing, object, tries)
    }
}

impl Entry {
    fn from_meta(meta: ObjectMeta) -> Self {
        let changed = meta.last_modified;
        let nanoseconds = i32::try_from(changed.timestamp_subsec_nanos()).unwrap_or_default();
        Self {
            name: meta.location.into(),
            size: meta.size,
            changed: Timestamp::new(changed.timestamp(), nanoseconds).unwrap_or_default(),
        }
    }
}
