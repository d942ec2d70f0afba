//! Reads a store in a folder that cannot be written: a read-only disk, a full disk, or missing permission.
//!
//! sled writes into its folder when it opens it. Therefore its files are copied to a temporary folder, and the copy
//! is opened. The files of texts, which are larger, are read where they are. The copy is removed at the end.
//!
//! Limitation: a process that is killed leaves its copy behind (`gleaner-read-…` in the temporary folder).

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use uuid::Uuid;

use crate::engine::embedded::{Embedded, is_unfinished};
use crate::lock::Lock;
use crate::{Store, StoreError};

/// Free space that remains in the temporary folder.
const ROOM: u64 = 16 << 20;

/// Whether an error of the system means that a folder cannot be written.
pub(crate) fn is_unwritable(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | StorageFull | QuotaExceeded)
}

/// Whether a store could not be opened because its folder cannot be written.
pub(crate) fn is_of_unwritable(error: &StoreError) -> bool {
    match error {
        StoreError::Folder { source, .. } | StoreError::Full { source, .. } => is_unwritable(source),
        StoreError::Sled { source: sled::Error::Io(source), .. } => is_unwritable(source),
        _ => false,
    }
}

/// Opens a store for reading without writing into its folder. `error` says why the folder cannot be opened
/// otherwise. Returns it if the folder has no store, or if no temporary folder has room for the copy.
pub(crate) fn read(folder: &Path, cache: u64, error: StoreError) -> Result<Store, StoreError> {
    let path = folder.join("sled");
    if !path.exists() {
        return Err(error);
    }
    let lock = Lock::share(folder)?;
    let Some(copy) = files_of(&path).ok().and_then(|files| temporary_folder(&files)) else {
        return Err(error);
    };
    let lock = Arc::new(lock.with_copy(copy.clone()));
    copied(&path, &copy).map_err(StoreError::folder(&copy))?;
    let engine = Arc::new(Embedded::open_at(&copy, path.join("texts"), folder, cache)?);
    let store = Store::whole(engine, folder, lock);
    store.check_known_format()?;
    Ok(store)
}

/// Returns the files of sled, relative to its folder, with their sizes.
fn files_of(path: &Path) -> io::Result<Vec<(PathBuf, u64)>> {
    let mut files = Vec::new();
    for (folder, is_optional) in [("", false), ("blobs", true)] {
        let entries = match fs::read_dir(path.join(folder)) {
            Err(error) if is_optional && error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let metadata = entry.metadata()?;
            if metadata.is_file() && !is_unfinished(&entry.path()) {
                files.push((Path::new(folder).join(entry.file_name()), metadata.len()));
            }
        }
    }
    Ok(files)
}

/// Creates a folder in the first place for temporary files that has room. Only this user can read it, and nobody can
/// know its name before.
fn temporary_folder(files: &[(PathBuf, u64)]) -> Option<PathBuf> {
    let bytes: u64 = files.iter().map(|(_, length)| length).sum();
    let has_room = |place: &PathBuf| fs4::available_space(place).is_ok_and(|free| free > bytes + ROOM);
    let places = [std::env::temp_dir(), "/tmp".into(), "/dev/shm".into(), "/var/tmp".into()];
    let made = |place: PathBuf| {
        let folder = place.join(format!("gleaner-read-{}", Uuid::new_v4()));
        private_folder(&folder).and_then(|()| private_folder(&folder.join("blobs"))).ok()?;
        Some(folder)
    };
    places.into_iter().filter(has_room).find_map(made)
}

/// Creates a folder that does not exist yet.
fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn copied(path: &Path, copy: &Path) -> io::Result<()> {
    for (file, _) in files_of(path)? {
        // `fs::copy` would also copy the permissions, and sled needs to write.
        io::copy(&mut File::open(path.join(&file))?, &mut File::create(copy.join(&file))?)?;
    }
    Ok(())
}
