//! Defines the operations of a storage.
//!
//! A put is complete and atomic: a reader sees either the old object or the new one. A bucket guarantees this
//! for a single upload. A folder writes the file under another name, syncs it and renames it.
//!
//! Limitations: a put needs memory for the whole object, and sends it in one request. S3 allows 5 GB per request.
//! Only [`Objects::join`] sends an object in parts. If the writer of a folder is killed, its unfinished file
//! `name#1` stays and is never listed. Only [`Objects::remove_unfinished`] removes it. Whether synced data is durable depends on the folder's file
//! system.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{StreamExt, TryStreamExt, stream};
use jiff::Timestamp;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectMeta, ObjectStore, ObjectStoreExt, PutPayload};

use super::address::Address;
use super::engine::RuntimeThread;
use super::environment::Environment;
use super::open::{self, Store};
use super::retries::RetryPolicy;
use super::storage::{GuardObject, ObjectPart, Storage, is_of_disk};
use super::{ObjectError, name};

const AT_ONCE: usize = 8;

/// The size of the parts in which a large object is written, in bytes. S3 requires 5 MiB, and allows 10,000 parts.
const PART: usize = 16 << 20;

const CHECK: Duration = Duration::from_secs(10);

/// The options of a storage.
#[derive(Clone)]
pub struct StorageOptions {
    /// How long a call retries while the storage is unavailable. If zero, there is only one attempt.
    pub patience: Duration,
    /// Maximum duration of one request, including its body.
    pub timeout: Duration,
    /// Called while the storage is unavailable. If it returns `true`, the call ends. The function runs on the
    /// storage's own thread and must return at once.
    pub should_stop: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The variables with keys, endpoint and region.
    pub environment: Environment,
    /// Whether to create a missing folder.
    pub makes_folder: bool,
}

impl Default for StorageOptions {
    /// Retries for two minutes, limits each request to one minute, reads the environment of the process, and
    /// creates a missing folder.
    fn default() -> Self {
        Self {
            patience: Duration::from_secs(120),
            timeout: Duration::from_secs(60),
            should_stop: Arc::new(|| false),
            environment: Environment::from_process(),
            makes_folder: true,
        }
    }
}

impl fmt::Debug for StorageOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { patience, timeout, should_stop: _, environment, makes_folder } = self;
        f.debug_struct("Options")
            .field("patience", patience)
            .field("timeout", timeout)
            .field("environment", environment)
            .field("makes_folder", makes_folder)
            .finish_non_exhaustive()
    }
}

/// An object in a list of objects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectEntry {
    /// The name of the object, without the prefix of the storage's address.
    pub name: String,
    /// The length of the object in bytes.
    pub size: u64,
    /// When the object was last written, by the storage's clock. S3 reports whole seconds.
    pub changed: Timestamp,
}

/// An open storage. Clones use the same storage.
#[derive(Clone)]
pub struct Objects {
    storage: Arc<Storage>,
    patience: RetryPolicy,
}

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects").field("address", &self.storage.address).finish_non_exhaustive()
    }
}

impl Objects {
    /// Opens the storage at an address ([`Address::parse`]). Creates a missing folder if
    /// [`StorageOptions::makes_folder`] is true. Sends no request to a bucket, unlike [`Objects::check`].
    ///
    /// # Errors
    /// The address is invalid, a setting is missing or wrong, or the folder cannot be created.
    pub fn open(address: &str, options: StorageOptions) -> Result<Self, ObjectError> {
        let parsed = Address::parse(address)?;
        let set = options.environment.clone().with_files()?;
        let store = open::open(&parsed, address, &options, &set)?;
        let engine = RuntimeThread::start().map_err(|error| ObjectError::Open {
            address: address.into(),
            why: format!("no thread can be started: {error}"),
        })?;
        let patience =
            RetryPolicy { lasts: options.patience, repeats_denied: false, should_stop: options.should_stop };
        let (address, secrets) = (address.to_owned(), set.secrets());
        let folder = match parsed {
            Address::Folder(folder) => Some(folder),
            Address::Bucket { .. } => None,
        };
        let guard = GuardObject { folder, object: OnceLock::new() };
        let has_written = AtomicBool::new(false);
        Ok(Self {
            storage: Arc::new(Storage { store, address, secrets, engine, guard, has_written }),
            patience,
        })
    }

    /// Sets the guard object: from now on, all clones treat a folder without this object as unavailable,
    /// because the folder is probably not mounted. Has no effect on a bucket.
    pub fn require_object(&self, object: &str) {
        // An error means that the guard object was already set.
        let _ = self.storage.guard.object.set(object.to_owned());
    }

    /// Returns the address from [`Objects::open`]. It contains no secrets.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.storage.address
    }

    /// Writes an object. Replaces an existing object with that name.
    ///
    /// # Errors
    /// The object was not written. If [`ObjectError::is_unavailable`] is true, this is not certain.
    pub fn put(&self, name: &str, content: Vec<u8>) -> Result<(), ObjectError> {
        let (path, content) = (name::path(name)?, PutPayload::from(content));
        let has_written = &self.storage.has_written;
        let patience =
            RetryPolicy { repeats_denied: has_written.load(Ordering::Relaxed), ..self.patience.clone() };
        self.call_with(patience, "write", name, move |store| {
            let (path, content) = (path.clone(), content.clone());
            async move { store.put(&path, content).await.map(drop) }
        })?;
        has_written.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Writes an object that consists of parts of other objects, in this order. Each part is a name, an offset
    /// and a length in bytes. The new object exists only when it is complete.
    ///
    /// # Errors
    /// A part cannot be read, or the errors of [`Objects::put`].
    pub fn join(&self, name: &str, parts: &[(String, u64, u64)]) -> Result<(), ObjectError> {
        let path = name::path(name)?;
        let part = |(name, offset, length): &(String, u64, u64)| Ok((name::path(name)?, *offset, *length));
        let parts: Arc<[(Path, u64, u64)]> = parts.iter().map(part).collect::<Result<_, ObjectError>>()?;
        self.call("write", name, move |store| {
            let (path, parts) = (path.clone(), Arc::clone(&parts));
            async move { join(&*store, &path, &parts).await }
        })
    }

    /// Reads an object.
    ///
    /// # Errors
    /// [`ObjectError::Missing`] if the object does not exist.
    pub fn get(&self, name: &str) -> Result<Vec<u8>, ObjectError> {
        let path = name::path(name)?;
        self.call("read", name, move |store| {
            let path = path.clone();
            async move { Ok(store.get(&path).await?.bytes().await?.into()) }
        })
    }

    /// Returns the length of an object in bytes.
    ///
    /// # Errors
    /// [`ObjectError::Missing`] if the object does not exist.
    pub fn size(&self, name: &str) -> Result<u64, ObjectError> {
        let path = name::path(name)?;
        self.call("read", name, move |store| {
            let path = path.clone();
            async move { Ok(store.head(&path).await?.size) }
        })
    }

    /// Reads `length` bytes of an object from `offset`. A length of zero sends no request.
    ///
    /// # Errors
    /// [`ObjectError::Missing`] if the object does not exist, [`ObjectError::TooShort`] if it ends too early.
    pub fn get_range(&self, name: &str, offset: u64, length: u64) -> Result<Vec<u8>, ObjectError> {
        let ranges = self.get_ranges(&[(name.to_owned(), offset, length)])?;
        Ok(ranges.into_iter().next().expect("one range was asked for"))
    }

    /// Reads parts of objects, eight at a time. Each range is an object's name, an offset and a length in
    /// bytes. Returns the parts in the order of `ranges`.
    ///
    /// # Errors
    /// The first error of a read. The remaining parts are not read.
    pub fn get_ranges(&self, ranges: &[(String, u64, u64)]) -> Result<Vec<Vec<u8>>, ObjectError> {
        let parts = ranges.iter().map(|(name, offset, length)| self.storage.part(name, *offset, *length));
        let parts = parts.collect::<Result<Vec<ObjectPart>, ObjectError>>()?;
        let (storage, patience) = (Arc::clone(&self.storage), self.patience.clone());
        let reading = async move {
            let read = |part| storage.read(part, &patience);
            stream::iter(parts).map(read).buffered(AT_ONCE).try_collect().await
        };
        self.storage.wait("read", "parts of objects", reading)
    }

    /// Lists the objects below a prefix, sorted by the bytes of their names. A prefix consists of whole
    /// segments: `a/b` or `a/b/` does not include `a/b-0`. An empty prefix lists all objects. An unknown
    /// prefix returns an empty list.
    ///
    /// # Errors
    /// The storage cannot be read.
    pub fn list(&self, prefix: &str) -> Result<Vec<ObjectEntry>, ObjectError> {
        let path = name::prefix(prefix)?;
        let shown = if prefix.is_empty() { "all objects" } else { prefix };
        let mut entries: Vec<ObjectEntry> = self.call("list", shown, move |store| {
            let path = path.clone();
            async move { store.list(path.as_ref()).map_ok(ObjectEntry::from_meta).try_collect().await }
        })?;
        entries.sort_unstable();
        Ok(entries)
    }

    /// Removes an object. A missing object is not an error.
    ///
    /// # Errors
    /// The object was not removed. If [`ObjectError::is_unavailable`] is true, this is not certain.
    pub fn delete(&self, name: &str) -> Result<(), ObjectError> {
        self.delete_paths(name, vec![name::path(name)?])
    }

    /// Removes objects, up to 1,000 per request if the service allows it.
    ///
    /// # Errors
    /// The errors of [`Objects::delete`]. Some objects may have been removed.
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
                        // A missing object in a folder is no error. From a bucket, this error means that the
                        // bucket is missing.
                        Err(object_store::Error::NotFound { source, .. }) if is_of_disk(&*source) => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(())
            }
        })
    }

    /// Removes the unfinished files that killed writers left in a folder. Nothing may write to the folder meanwhile. Does
    /// nothing for a bucket, whose rules should end unfinished uploads.
    ///
    /// # Errors
    /// The folder cannot be read, or a file cannot be removed.
    pub fn remove_unfinished(&self) -> std::io::Result<()> {
        let mut folders = Vec::from_iter(self.storage.guard.folder.clone());
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                } else if name::is_unfinished(&entry.file_name().to_string_lossy()) {
                    std::fs::remove_file(entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// Writes, reads and removes an object with a unique name, to detect a wrong bucket, key or endpoint. Waits
    /// at most 10 s for an unavailable storage.
    ///
    /// # Errors
    /// One of these operations failed. The message names the operation and tells the user what to do.
    pub fn check(&self) -> Result<(), ObjectError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let name = format!("gleaner-check-{}-{now}", std::process::id());
        let checked = Self {
            patience: RetryPolicy { lasts: self.patience.lasts.min(CHECK), ..self.patience.clone() },
            ..self.clone()
        };
        checked.put(&name, name.clone().into_bytes())?;
        let found = checked.get(&name)?;
        checked.delete(&name)?;
        if found == name.as_bytes() {
            return Ok(());
        }
        let why = "the object read differs from the one written; does a cache respond instead?".into();
        Err(ObjectError::Refused { at: self.storage.at("check", &name), why })
    }

    fn call<T: Send + 'static, A>(
        &self,
        doing: &'static str,
        object: &str,
        attempt: impl Fn(Store) -> A + Send + Sync + 'static,
    ) -> Result<T, ObjectError>
    where
        A: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        self.call_with(self.patience.clone(), doing, object, attempt)
    }

    fn call_with<T: Send + 'static, A>(
        &self,
        patience: RetryPolicy,
        doing: &'static str,
        object: &str,
        attempt: impl Fn(Store) -> A + Send + Sync + 'static,
    ) -> Result<T, ObjectError>
    where
        A: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let (at, storage) = (self.storage.at(doing, object), Arc::clone(&self.storage));
        let tries =
            async move { storage.repeat(&patience, &at, || attempt(Arc::clone(&storage.store))).await };
        self.storage.wait(doing, object, tries)
    }
}

async fn join(store: &dyn ObjectStore, path: &Path, parts: &[(Path, u64, u64)]) -> object_store::Result<()> {
    let mut upload = store.put_multipart(path).await?;
    let joined = copy(store, parts, &mut *upload).await;
    if joined.is_err() {
        // If an upload is not aborted, the storage removes its parts only if it is configured to do so.
        let _ = upload.abort().await;
    }
    joined
}

async fn copy(
    store: &dyn ObjectStore,
    parts: &[(Path, u64, u64)],
    upload: &mut dyn MultipartUpload,
) -> object_store::Result<()> {
    let mut buffer = Vec::new();
    for (path, offset, length) in parts {
        let end = offset.saturating_add(*length);
        let mut begin = *offset;
        while begin < end {
            let content = store.get_range(path, begin..end.min(begin + PART as u64)).await?;
            begin = begin.saturating_add(PART as u64);
            buffer.extend_from_slice(&content);
            // Some services require that all parts except the last have the same size.
            if buffer.len() >= PART {
                let rest = buffer.split_off(PART);
                upload.put_part(std::mem::replace(&mut buffer, rest).into()).await?;
            }
        }
    }
    upload.put_part(buffer.into()).await?;
    upload.complete().await.map(drop)
}

impl ObjectEntry {
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
