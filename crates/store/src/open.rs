//! Opens a data folder for one writer and any number of readers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use gleaner_archive::files::make_folder;
use tracing::{info, warn};

use crate::archive::ArchiveTarget;
use crate::engine::embedded::Embedded;
use crate::engine::remote::Remote;
use crate::engine::{Batch, Engine, KeyValue, LostClaim, Write};
use crate::lock::Lock;
use crate::near::Duplicates;
use crate::partitions::Partition;
use crate::records::{decode, encode};
use crate::{Change, Store, StoreError, UrlState, compaction, flushed, keys, rebuild, removal, unwritable};

/// The format of the store. Texts and signatures are in sled in format 1, and in files in format 2. In format 3, templates are
/// compressed.
const FORMAT: u32 = 3;

/// Number of attempts of a reader to connect to the process that has the folder open.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(100);

/// Number of bytes of records that a copy of a store reads before it writes them.
const COPIED_AT_ONCE: usize = 4 << 20;

/// Options for opening a store.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Memory for sled's page cache, in bytes.
    pub cache: u64,
    /// Whether to create the folder and the store if they are missing.
    pub create: bool,
}

/// The only handle that can change a store.
#[derive(Debug)]
pub struct Writer {
    pub(crate) store: Store,
    pub(crate) archive_target: Option<ArchiveTarget>,
    pub(crate) duplicates: Duplicates,
    /// The number of the last change in the archive. `None` if the changes are not written to it.
    pub(crate) logged: Option<u64>,
}

/// Opens the store in `folder`.
///
/// # Errors
/// The folder cannot be used, another process has it open, or the store cannot be read. Also fails if the
/// folder has no store and `options.create` is false.
pub fn open(folder: &Path, options: &StoreOptions) -> Result<Writer, StoreError> {
    let path = folder.join("sled");
    if options.create {
        make_folder(folder).map_err(StoreError::folder(folder))?;
    } else if !path.try_exists().map_err(StoreError::folder(folder))?
        && !folder.join("rebuild/complete").exists()
    {
        return Err(StoreError::Nothing { path: folder.into() });
    }
    let lock = Arc::new(Lock::take(folder)?);
    rebuild::finish(folder)?;
    open_locked(folder, options, lock)
}

/// Opens the store in a folder whose lock this process has.
pub(crate) fn open_locked(
    folder: &Path,
    options: &StoreOptions,
    lock: Arc<Lock>,
) -> Result<Writer, StoreError> {
    let path = folder.join("sled");
    if !path.exists() {
        flushed::forget(folder)?;
    }
    let engine = Arc::new(Embedded::open(&path, folder, options.cache)?);
    let store = Store::whole(Arc::<Embedded>::clone(&engine), folder, lock);
    let mut writer = Writer::from_store(&store).expect("no other writer exists");
    writer.check_format()?;
    removal::finish_rewrite(&mut writer)?;
    engine.move_texts()?;
    writer.sweep()?;
    store.lock.serve(folder, &store.engine);
    Ok(writer)
}

/// Opens the store in `folder` for reading. If another process has the folder open, reads through that
/// process, and also sees committed changes that are not flushed yet. If the folder cannot be written, reads a
/// copy of the store's records in a temporary folder. `cache` is the memory for sled's page
/// cache, in bytes.
///
/// # Errors
/// The folder cannot be used or has no store, or another process has it open and does not serve reads.
pub fn read(folder: &Path, cache: u64) -> Result<Store, StoreError> {
    let options = StoreOptions { cache, create: false };
    let mut attempt = 0;
    loop {
        attempt += 1;
        match open(folder, &options) {
            Ok(writer) => return Ok(writer.store()),
            // That process may be about to open its store, to replace it, or to end.
            Err(busy @ StoreError::Busy { .. }) => match Remote::connect(folder, cache) {
                Some(engine) => return Ok(Store::whole(Arc::new(engine), folder, Arc::new(Lock::none()))),
                None if attempt >= ATTEMPTS => return Err(busy),
                None => std::thread::sleep(PAUSE),
            },
            Err(error) if unwritable::is_of_unwritable(&error) => {
                return unwritable::read(folder, cache, error);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Opens the corpus in `folder` for reading, like [`read`](fn@read). First applies the changes in the folder `archive`
/// that a crash kept from the store, unless another process has it open.
///
/// # Errors
/// As [`read`](fn@read). Also fails if the archive cannot be read.
pub fn read_corpus(folder: &Path, archive: &Path, cache: u64) -> Result<Store, StoreError> {
    let store = read(folder, cache).map_err(|error| error.beside(archive))?;
    if let Some(mut writer) = store.writer()? {
        writer.recover(archive)?;
    }
    Ok(store)
}

impl Store {
    /// Returns why the corpus is not complete, if a migration or a rebuild did not finish. `place` is the address of
    /// the corpus.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn incomplete_reason(&self, place: &str) -> Result<Option<String>, StoreError> {
        if self.is_migrating()? {
            return Ok(Some(format!(
                "the corpus in {place} is not complete: `gleaner migrate` is running or was interrupted; the same command starts it over"
            )));
        }
        Ok(self.is_rebuilding()?.then(|| {
            format!(
                "the corpus in {place} is not complete, because an older gleaner did not finish a rebuild: `gleaner rebuild` rebuilds it"
            )
        }))
    }

    pub(crate) fn check_known_format(&self) -> Result<Option<u32>, StoreError> {
        match self.get("the store's format", &keys::meta("format"))? {
            Some(found) if found > FORMAT => {
                Err(StoreError::Newer { path: self.folder.to_path_buf(), found, known: FORMAT })
            }
            found => Ok(found),
        }
    }
}

impl Writer {
    pub(crate) fn from_store(store: &Store) -> Option<Self> {
        // When this writer is dropped, `Store::writer` can create the next one.
        store.lock.begin_writing().then(|| Self {
            store: store.clone(),
            archive_target: None,
            duplicates: Duplicates::default(),
            logged: None,
        })
    }

    /// Returns a handle for reading. It is cheap to clone and may be sent to other threads.
    #[must_use]
    pub fn store(&self) -> Store {
        self.store.clone()
    }

    /// Returns the data folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.store.folder
    }

    /// Begins a change. The change takes effect with [`Writer::commit`].
    #[must_use]
    pub fn begin(&self) -> Change {
        Change::new(self.store.clone())
    }

    /// Applies a change as a whole. [`Writer::flush`] writes it to disk.
    ///
    /// # Errors
    /// The store cannot be written. [`StoreError::NotOurs`] if this process does not own a partition that the
    /// change needs.
    pub fn commit(&mut self, change: Change) -> Result<(), StoreError> {
        let (batch, partitions) = change.into_batch()?;
        if !partitions.iter().all(|partition| self.store.partitions.holds(*partition)) {
            return Err(StoreError::NotOurs);
        }
        self.store.engine.commit(batch, partitions)?;
        if self.store.engine.is_full() { self.spill() } else { Ok(()) }
    }

    /// Moves the committed changes from memory to the database, and before that to the archive.
    pub(crate) fn spill(&mut self) -> Result<(), StoreError> {
        self.sync_archive()?;
        self.store.engine.spill()
    }

    /// Writes records durably if `key` still has the value `expected`, like [`crate::engine::Engine::exchange`].
    pub(crate) fn exchange(
        &mut self,
        key: &[u8],
        expected: Option<&[u8]>,
        records: Vec<KeyValue>,
    ) -> Result<bool, StoreError> {
        if self.store.is_shared() {
            return self.store.engine.exchange(key, expected, records);
        }
        // Only one writer exists, so the value cannot change after this check.
        if self.store.engine.get(key)?.as_deref() != expected {
            return Ok(false);
        }
        let mut change = self.begin();
        for (key, value) in records {
            change.put_bytes(key, value);
        }
        self.commit(change)?;
        self.flush()?;
        Ok(true)
    }

    fn put_alone(&self, key: Vec<u8>, write: Write) -> Result<(), StoreError> {
        self.store.engine.commit(Batch { writes: [(key, write)].into() }, [Partition::WHOLE].into())
    }

    /// Writes the archive and then all committed changes to disk. If another worker stored the text of a
    /// document first, the document becomes an alias.
    ///
    /// # Errors
    /// The disk cannot be written.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        self.sync_archive()?;
        while let Some(lost) = Some(self.store.engine.flush()?).filter(|lost| !lost.is_empty()) {
            self.resolve_lost_claims(lost)?;
        }
        self.duplicates.after_flush(&self.store)?;
        if let Some(engine) = &self.store.distributed {
            compaction::after_flush(engine);
        }
        Ok(())
    }

    /// Returns the free space in bytes on the disk with the data folder.
    ///
    /// # Errors
    /// The operating system does not report the free space.
    pub fn free_space(&self) -> Result<u64, StoreError> {
        let folder = &self.store.folder;
        fs4::available_space(folder)
            .map_err(|source| StoreError::Folder { path: folder.to_path_buf(), source })
    }

    /// Copies all committed records to a new store in another folder. Returns the number of texts and
    /// signatures that cannot be read. They cannot be read in the copy either, where they can be repaired.
    ///
    /// # Errors
    /// The folder cannot be used or already has a store, or one of the two stores fails.
    pub fn copy_to(&self, folder: &Path, options: &StoreOptions) -> Result<u64, StoreError> {
        self.copy(folder, options).map(|(_, unreadable)| unreadable)
    }

    /// Copies like [`Self::copy_to`], and also returns the copy.
    pub(crate) fn copy(&self, folder: &Path, options: &StoreOptions) -> Result<(Embedded, u64), StoreError> {
        let path = folder.join("sled");
        let wrong = |source| StoreError::Folder { path: folder.into(), source };
        if path.exists() {
            return Err(wrong(std::io::Error::other("it already has a store")));
        }
        make_folder(folder).map_err(wrong)?;
        let copy = Embedded::open(&path, folder, options.cache)?;
        let (mut unreadable, mut records, mut bytes) = (0, Vec::new(), 0);
        for space in keys::SPACES.into_iter().chain([keys::PAGE]) {
            for pair in self.store.scan([space]) {
                let (key, value) = match pair {
                    Ok(pair) => pair,
                    Err(error) => {
                        unreadable += 1;
                        // An empty value is no record, so it is unreadable in the copy.
                        (error.unreadable_key().ok_or(error)?, Vec::new())
                    }
                };
                bytes += key.len() + value.len();
                records.push((key, value));
                if bytes > COPIED_AT_ONCE {
                    copy.fill(&std::mem::take(&mut records))?;
                    bytes = 0;
                }
            }
        }
        copy.fill(&records)?;
        copy.flush()?;
        Ok((copy, unreadable))
    }

    /// Resolves lost claims: a document of this process whose text another process stored first becomes an
    /// alias of that process's document.
    fn resolve_lost_claims(&mut self, lost: Vec<LostClaim>) -> Result<(), StoreError> {
        for LostClaim { key, ours, theirs } in lost {
            let mut change = self.begin();
            let ours = decode("a content hash", &ours)?;
            let theirs = decode("a content hash", &theirs)?;
            warn!(key = keys::hex(&key), "another worker stored the same text at the same time");
            change.merge_into(theirs, ours, &mut self.duplicates)?;
            self.commit(change)?;
        }
        Ok(())
    }

    fn check_format(&self) -> Result<(), StoreError> {
        match self.store.check_known_format()? {
            Some(FORMAT) => Ok(()),
            Some(_) | None => self.put_alone(keys::meta("format"), Write::Put(encode(&FORMAT))),
        }
    }

    /// Removes raw pages whose URL is neither buffered nor kept. Such a page remains if a crash happens while
    /// raw pages are written or removed.
    fn sweep(&self) -> Result<(), StoreError> {
        for key in self.store.keys([keys::PAGE]) {
            let key = key?;
            let Some(url) = keys::last_url(&key) else {
                warn!("ignoring a raw page with an invalid key");
                continue;
            };
            let state = self.store.url(url)?.map(|record| record.state);
            if !matches!(state, Some(UrlState::Buffered { .. } | UrlState::Kept)) {
                info!(%url, "removing a raw page to which no URL refers");
                self.put_alone(key, Write::Remove)?;
            }
        }
        Ok(())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.store.lock.end_writing();
    }
}
