//! Builds a store beside the one in use, and replaces it at the end.
//!
//! The new store is built in the folder `rebuild` of the data folder. Meanwhile this process has the lock of the
//! data folder, and serves the old store to processes that only read. When the new store is complete:
//!
//! 1. The file `rebuild/complete` is written. From here on, the new store replaces the old one, also after a kill.
//! 2. The old store is renamed to `sled.old-N`. After a removal, earlier `sled.old-N` are deleted, and the old store is
//!    renamed to `rebuild/replaced`. If the new store is a copy of the old one (`shrink.rs`), only the latter happens.
//! 3. The new store is renamed to `sled`, and `rebuild` is removed.
//!
//! After a kill, the next process that opens the data folder does the remaining steps ([`finish`]). Before step 1, the old
//! store stays in use, and the next rebuild continues the new store.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gleaner_archive::files::make_folder;

use crate::lock::Lock;
use crate::open::open_locked;
use crate::{ChangeLog, Store, StoreError, StoreOptions, Writer, flushed};

pub(crate) const FOLDER: &str = "rebuild";
pub(crate) const COMPLETE: &str = "complete";

/// The folder in which a copy of the store is built.
pub(crate) const COPY: &str = "copy";

/// The folder in [`FOLDER`] from which a replaced store is removed.
const REPLACED: &str = "replaced";

/// The content of the file `complete` if the old stores are to be removed.
const WITHOUT_OLD: &str = "without old\n";

/// The content of the file `complete` if only the store in use is to be removed.
pub(crate) const WITHOUT_CURRENT: &str = "without current\n";

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
        remove(&self.folder())
    }

    /// Opens the new store, which may be incomplete.
    ///
    /// # Errors
    /// The store cannot be created or read.
    pub fn open(&self, cache: u64) -> Result<Writer, StoreError> {
        crate::open(&self.folder(), &StoreOptions { cache, create: true })
    }

    /// Opens the new store like [`Self::open`], with the removals of the old store or, if it is lost, of the archive.
    ///
    /// # Errors
    /// The store cannot be created or read.
    pub fn open_with_removals(&self, cache: u64, changes: &ChangeLog) -> Result<Writer, StoreError> {
        let mut writer = self.open(cache)?;
        match &self.old {
            Some(old) => writer.copy_removals(old)?,
            None => writer.put_removals(changes.removals()?)?,
        }
        Ok(writer)
    }

    /// Copies the old store to new files, without the data that it does not refer to any more. Then call
    /// [`Self::finish_without_old`]. Returns the number of texts and signatures that cannot be read, also in the copy.
    ///
    /// # Errors
    /// A store cannot be read or written.
    pub fn copy_after(&self, writer: Writer, cache: u64) -> Result<u64, StoreError> {
        self.start_over()?;
        writer.copy_to(&self.folder(), &StoreOptions { cache, create: true })
    }

    /// Puts the new store in the place of the old one, and removes the old one and those of earlier rebuilds.
    ///
    /// # Errors
    /// As in [`Self::finish`].
    pub fn finish_without_old(self) -> Result<(), StoreError> {
        self.end(WITHOUT_OLD).map(drop)
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
        self.end("")
    }

    fn end(self, mark_text: &str) -> Result<Option<PathBuf>, StoreError> {
        let mark = self.folder().join(COMPLETE);
        let written = fs::File::create(&mark).and_then(|mut file| {
            file.write_all(mark_text.as_bytes())?;
            file.sync_all()
        });
        written.and_then(|()| sync(&self.folder())).map_err(StoreError::folder(&self.folder))?;
        self.finish_complete()
    }

    /// Puts the new store, which has the file `complete`, in the place of the old one.
    pub(crate) fn finish_complete(self) -> Result<Option<PathBuf>, StoreError> {
        let Self { folder, old, lock } = self;
        // The old store must be closed, because sled writes some of its files by their path.
        drop(old);
        let aside = finish(&folder)?;
        drop(lock);
        Ok(aside)
    }
}

/// Returns the folders of the old stores that earlier rebuilds kept.
///
/// # Errors
/// The data folder cannot be read.
pub fn old_stores(folder: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(StoreError::folder(folder))? {
        let entry = entry.map_err(StoreError::folder(folder))?;
        if entry.file_name().to_string_lossy().starts_with("sled.old-") {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Removes a folder if it exists. May be repeated.
pub(crate) fn remove(folder: &Path) -> Result<(), StoreError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(StoreError::folder(folder)(error)),
        _ => Ok(()),
    }
}

pub(crate) fn sync(folder: &Path) -> std::io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Removes an unfinished copy of the store. Then replaces the old store if a complete new one exists. Returns the new path
/// of the old store, or `None` if it is not kept. The caller must have the lock of the folder.
pub(crate) fn finish(folder: &Path) -> Result<Option<PathBuf>, StoreError> {
    remove(&folder.join(COPY))?;
    let built = folder.join(FOLDER);
    if !built.join(COMPLETE).exists() {
        // A kill may have left the empty folder. A folder with files is an unfinished rebuild, and stays.
        let _ = fs::remove_dir(&built);
        return Ok(None);
    }
    let wrong = StoreError::folder(folder);
    let (path, mut aside) = (folder.join("sled"), None);
    let mark = fs::read_to_string(built.join(COMPLETE)).map_err(&wrong)?;
    if built.join("sled").exists() {
        flushed::forget(folder)?;
        if mark == WITHOUT_OLD {
            old_stores(folder)?.iter().try_for_each(|old| remove(old))?;
        }
        if mark == WITHOUT_OLD || mark == WITHOUT_CURRENT {
            if path.exists() {
                fs::rename(&path, built.join(REPLACED)).map_err(&wrong)?;
            }
        } else if path.exists() {
            let mut names = (1..).map(|number: u32| folder.join(format!("sled.old-{number}")));
            let name = names.find(|name| !name.exists()).expect("an unused number exists");
            fs::rename(&path, &name).map_err(&wrong)?;
            aside = Some(name);
        }
        fs::rename(built.join("sled"), &path).map_err(&wrong)?;
    }
    flushed::take_over(&built, folder)?;
    sync(folder).map_err(&wrong)?;
    // Its texts may have been removed. So it is removed before the file `complete`.
    remove(&built.join(REPLACED))?;
    fs::remove_dir_all(&built).map_err(&wrong)?;
    Ok(aside)
}
