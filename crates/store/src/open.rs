//! Opening a data folder: one writer, any number of readers beside it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gleaner_frontier::UrlKey;
use tracing::{info, warn};

use crate::lock::Lock;
use crate::records::{decode, encode};
use crate::{Change, PackedPage, Store, StoreError, UrlRecord, UrlState, flushed, keys};

/// The format that this version writes.
const FORMAT: u32 = 1;

/// How a store is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Memory for sled's page cache, in bytes.
    pub cache: u64,
    /// Make the folder and the store where there is none.
    pub create: bool,
}

/// The one who may change a store.
#[derive(Debug)]
pub struct Writer {
    store: Store,
    /// Number of the last flush.
    flushes: u64,
}

/// Opens the store in `folder`.
///
/// # Errors
/// The folder cannot be used, another process has it, there is no store in it and
/// none is to be made, or what is there cannot be read.
pub fn open(folder: &Path, options: &Options) -> Result<Writer, StoreError> {
    let path = folder.join("sled");
    if options.create {
        std::fs::create_dir_all(folder).map_err(StoreError::folder(folder))?;
    } else if !path.exists() {
        return Err(StoreError::Nothing { path: folder.into() });
    }
    let lock = Lock::take(folder)?;
    if !path.exists() {
        flushed::forget(folder)?;
    }
    let database = open_database(&path, options)?;
    let records = database.open_tree("records").map_err(StoreError::sled("opening its records"))?;
    let pages = database.open_tree("pages").map_err(StoreError::sled("opening its pages"))?;
    let store = Store { records, pages, database, folder: folder.into(), lock: Arc::new(lock) };
    let writer = Writer::of(&store)?.expect("nobody else has this store yet");
    flushed::check(folder, writer.flushes)?;
    writer.check_format(folder)?;
    writer.sweep()?;
    Ok(writer)
}

/// Puts the store in `folder` aside, so that another can be made in its place. Gives where
/// it is now; `None`: there was none.
///
/// # Errors
/// The folder cannot be used, or another process has it.
pub fn set_aside(folder: &Path) -> Result<Option<PathBuf>, StoreError> {
    let wrong = |source| StoreError::Folder { path: folder.into(), source };
    std::fs::create_dir_all(folder).map_err(wrong)?;
    let _lock = Lock::take(folder)?;
    let path = folder.join("sled");
    if !path.exists() {
        return Ok(None);
    }
    let mut names = (1..).map(|number: u32| folder.join(format!("sled.old-{number}")));
    let aside = names.find(|name| !name.exists()).expect("numbers do not end");
    std::fs::rename(&path, &aside).map_err(wrong)?;
    flushed::forget(folder)?;
    Ok(Some(aside))
}

/// sled's own lock can outlive a killed process for a moment.
fn open_database(path: &Path, options: &Options) -> Result<sled::Db, StoreError> {
    let config = sled::Config::new().path(path).cache_capacity(options.cache).flush_every_ms(None);
    let mut last = None;
    for pause in [0, 100, 200, 400, 800, 1600] {
        std::thread::sleep(Duration::from_millis(pause));
        // sled panics on some damages.
        match catch_unwind(AssertUnwindSafe(|| config.open())) {
            Ok(Ok(database)) => return Ok(database),
            Ok(Err(sled::Error::Io(error))) => last = Some(sled::Error::Io(error)),
            Ok(Err(error)) => return Err(StoreError::sled("opening")(error)),
            Err(_) => {
                return Err(StoreError::Damaged {
                    what: "the database",
                    reason: "sled cannot open it".into(),
                });
            }
        }
    }
    let error = last.expect("the loop ends early unless there was an error");
    Err(StoreError::sled("opening")(error))
}

impl Writer {
    /// The writer of an open store; `None` while there is one.
    pub(crate) fn of(store: &Store) -> Result<Option<Self>, StoreError> {
        if !store.lock.begin_writing() {
            return Ok(None);
        }
        // From here on its drop makes room for another.
        let mut writer = Self { store: store.clone(), flushes: 0 };
        writer.flushes = store.get("the number of flushes", &keys::meta("flushes"))?.unwrap_or(0);
        Ok(Some(writer))
    }

    /// A handle for reading; cheap to clone and to send to other threads.
    #[must_use]
    pub fn store(&self) -> Store {
        self.store.clone()
    }

    /// The data folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.store.folder
    }

    /// Begins a change. It takes effect with [`Writer::commit`], or not at all.
    #[must_use]
    pub fn begin(&self) -> Change {
        Change::new(self.store.clone())
    }

    /// Makes a change, all of it at once. It is on disk after [`Writer::flush`].
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn commit(&mut self, change: Change) -> Result<(), StoreError> {
        let (batch, dropped) = change.into_batch();
        self.store.records.apply_batch(batch).map_err(StoreError::sled("writing"))?;
        for url in dropped {
            self.store.pages.remove(url.as_bytes()).map_err(StoreError::sled("removing a page"))?;
        }
        Ok(())
    }

    /// Keeps a raw page. To be called before the change that marks its URL as
    /// gathered or kept is committed; a page that no URL names is removed at the next open.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn keep_page(&mut self, url: UrlKey, page: PackedPage) -> Result<(), StoreError> {
        self.store.pages.insert(url.as_bytes(), page.0).map_err(StoreError::sled("keeping a page"))?;
        Ok(())
    }

    /// Brings everything that was committed to disk.
    ///
    /// # Errors
    /// When the disk cannot be written.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        self.flushes += 1;
        let number = encode(&self.flushes);
        self.store.records.insert(keys::meta("flushes"), number).map_err(StoreError::sled("writing"))?;
        self.store.database.flush().map_err(StoreError::sled("flushing"))?;
        flushed::note(&self.store.folder, self.flushes)
    }

    /// Bytes that are free on the disk of the data folder.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn free_space(&self) -> Result<u64, StoreError> {
        let folder = &self.store.folder;
        fs4::available_space(folder)
            .map_err(|source| StoreError::Folder { path: folder.to_path_buf(), source })
    }

    /// Writes all that was committed into a store of another folder, which is made.
    ///
    /// # Errors
    /// The folder cannot be used or holds a store already, or one of the two fails.
    pub fn copy_to(&self, folder: &Path, options: &Options) -> Result<(), StoreError> {
        let path = folder.join("sled");
        let wrong = |source| StoreError::Folder { path: folder.into(), source };
        if path.exists() {
            return Err(wrong(std::io::Error::other("it holds a store already")));
        }
        std::fs::create_dir_all(folder).map_err(wrong)?;
        let copy = open_database(&path, options)?;
        for (name, from) in [("records", &self.store.records), ("pages", &self.store.pages)] {
            let to = copy.open_tree(name).map_err(StoreError::sled("opening the copy"))?;
            for pair in from {
                let (key, value) = pair.map_err(StoreError::sled("reading for the copy"))?;
                to.insert(key, value).map_err(StoreError::sled("writing the copy"))?;
            }
        }
        copy.flush().map_err(StoreError::sled("flushing the copy"))?;
        Ok(())
    }

    fn check_format(&self, folder: &Path) -> Result<(), StoreError> {
        let key = keys::meta("format");
        match self.store.get("the store's format", &key)? {
            Some(found) if found > FORMAT => {
                Err(StoreError::Newer { path: PathBuf::from(folder), found, known: FORMAT })
            }
            Some(_) => Ok(()),
            None => {
                let format = encode(&FORMAT);
                self.store.records.insert(key, format).map_err(StoreError::sled("writing"))?;
                Ok(())
            }
        }
    }

    /// Removes raw pages that no gathered or kept URL names: left by a crash between
    /// keeping a page and committing its URL, or between learning and removing.
    fn sweep(&self) -> Result<(), StoreError> {
        for key in self.store.pages.iter().keys() {
            let key = key.map_err(StoreError::sled("looking through its pages"))?;
            let Some(url) = keys::last_url(&key) else {
                warn!("a raw page with a key that is none is left alone");
                continue;
            };
            let record = self.store.records.get(keys::url(url)).map_err(StoreError::sled("reading"))?;
            let named = match record {
                Some(bytes) => {
                    let state = decode::<UrlRecord>("a URL", &bytes)?.state;
                    matches!(state, UrlState::Gathered { .. } | UrlState::Kept)
                }
                None => false,
            };
            if !named {
                info!(%url, "removing a raw page that no URL names");
                self.store.pages.remove(&key).map_err(StoreError::sled("removing a page"))?;
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
