//! Builds a store beside the one in use, and replaces it at the end.
//!
//! The new store is built in the folder `rebuild` of the data folder. Meanwhile this process has the lock of the
//! data folder, and serves the old store to processes that only read. When the new store is complete:
//!
//! 1. The file `rebuild/complete` is written. From here on, the new store replaces the old one, also after a kill.
//! 2. The old store is renamed to `sled.old-N`.
//! 3. The new store is renamed to `sled`, and `rebuild` is removed.
//!
//! After a kill, the next process that opens the data folder does the remaining steps ([`finish`]). Before step 1, the old
//! store stays in use, and the next rebuild continues the new store.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gleaner_archive::files::make_folder;

use crate::lock::Lock;
use crate::open::open_locked;
use crate::{Store, StoreError, StoreOptions, Writer, flushed};

const FOLDER: &str = "rebuild";
const COMPLETE: &str = "complete";

/// A new store that will replace the store of a data folder. Other processes cannot write into the folder
/// while this value exists.
#[derive(Debug)]
pub struct Replacement {
    folder: PathBuf,
    /// The old store. `None` if the folder has no store that can be read.
    old: Option<Store>,
    lock: Arc<Lock>,
}

impl Replacement {
    /// Locks the data folder, and opens the old store for reading. Also returns why the old store cannot be read.
    ///
    /// # Errors
    /// The folder cannot be used, or another process has it open.
    pub fn begin(folder: &Path, cache: u64) -> Result<(Self, Option<StoreError>), StoreError> {
        make_folder(folder).map_err(StoreError::folder(folder))?;
        let lock = Arc::new(Lock::take(folder)?);
        finish(folder)?;
        let options = StoreOptions { cache, create: false };
        let (old, error) = match folder.join("sled").exists() {
            false => (None, None),
            true => match open_locked(folder, &options, Arc::clone(&lock)) {
                Ok(writer) => (Some(writer.store()), None),
                // These errors are no damage, and the new store would have them too.
                Err(
                    error @ (StoreError::Folder { .. } | StoreError::Full { .. } | StoreError::NoFile { .. }),
                ) => return Err(error),
                Err(error) => (None, Some(error)),
            },
        };
        Ok((Self { folder: folder.into(), old, lock }, error))
    }

    /// Returns the old store, or `None` if the folder has no store that can be read.
    #[must_use]
    pub const fn old(&self) -> Option<&Store> {
        self.old.as_ref()
    }

    /// Returns the folder in which the new store is built.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.join(FOLDER)
    }

    /// Whether an interrupted rebuild left an incomplete store, which [`Self::open`] continues.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.folder().join("sled").exists()
    }

    /// Removes the incomplete store of an interrupted rebuild.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn start_over(&self) -> Result<(), StoreError> {
        match fs::remove_dir_all(self.folder()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(StoreError::folder(&self.folder)(error))
            }
            _ => Ok(()),
        }
    }

    /// Opens the new store, which may be incomplete.
    ///
    /// # Errors
    /// The store cannot be created or read.
    pub fn open(&self, cache: u64) -> Result<Writer, StoreError> {
        crate::open(&self.folder(), &StoreOptions { cache, create: true })
    }

    /// Returns the free space in bytes on the disk with the data folder.
    ///
    /// # Errors
    /// The operating system does not report the free space.
    pub fn free_space(&self) -> Result<u64, StoreError> {
        fs4::available_space(&self.folder).map_err(StoreError::folder(&self.folder))
    }

    /// Puts the new store, which must be complete and closed, in the place of the old one. Returns the new path
    /// of the old store.
    ///
    /// # Errors
    /// A file cannot be written or renamed. The next process that opens the folder tries again.
    pub fn finish(self) -> Result<Option<PathBuf>, StoreError> {
        let Self { folder, old, lock } = self;
        // The old store must be closed, because sled writes some of its files by their path.
        drop(old);
        let mark = folder.join(FOLDER).join(COMPLETE);
        let written = fs::File::create(&mark).and_then(|file| file.sync_all());
        written.and_then(|()| sync(&folder.join(FOLDER))).map_err(StoreError::folder(&folder))?;
        let aside = finish(&folder)?;
        drop(lock);
        Ok(aside)
    }
}

fn sync(folder: &Path) -> std::io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Replaces the old store if a complete new store exists. Returns the new path of the old store. The caller must
/// have the lock of the folder.
pub(crate) fn finish(folder: &Path) -> Result<Option<PathBuf>, StoreError> {
    let built = folder.join(FOLDER);
    if !built.join(COMPLETE).exists() {
        return Ok(None);
    }
    let wrong = StoreError::folder(folder);
    let (path, mut aside) = (folder.join("sled"), None);
    if built.join("sled").exists() {
        flushed::forget(folder)?;
        if path.exists() {
            let mut names = (1..).map(|number: u32| folder.join(format!("sled.old-{number}")));
            let name = names.find(|name| !name.exists()).expect("an unused number exists");
            fs::rename(&path, &name).map_err(&wrong)?;
            aside = Some(name);
        }
        fs::rename(built.join("sled"), &path).map_err(&wrong)?;
    }
    flushed::take_over(&built, folder)?;
    sync(folder).map_err(&wrong)?;
    fs::remove_dir_all(&built).map_err(&wrong)?;
    Ok(aside)
}
