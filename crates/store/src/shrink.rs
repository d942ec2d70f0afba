//! Copies a store to new files when most of its space is unused.
//!
//! sled keeps replaced records until it needs their space, and a file of texts keeps removed texts until half of it is
//! unused. So a store that changed much is several times as large as its records. A copy has only the records.
//!
//! Only a copy shows how much is used. Therefore the size of the last copy is kept (file `copied`), and a store is copied
//! when it is twice as large. A growing store is thus copied once each time that it has doubled, which costs less than
//! writing it.
//!
//! The copy is built in the folder `copy`. After a kill, the old store stays in use, and the next process that opens the
//! folder removes the copy. When the copy is complete, it is renamed to `rebuild` and replaces the store like a rebuild
//! (`rebuild.rs`).

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, chown};
use std::path::Path;

use tracing::{info, warn};

use crate::near;
use crate::rebuild::{COMPLETE, COPY, FOLDER, WITHOUT_CURRENT, remove, sync};
use crate::{Replacement, StoreError, StoreOptions, Writer};

const COPIED: &str = "copied";

/// A store of at most this size in bytes, beyond twice the size of its last copy, is not copied. sled adds 512 KiB when it
/// is opened.
const SMALL: u64 = 768 << 10;

/// The result of [`shrink`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shrunk {
    /// Bytes of the store before.
    pub before: u64,
    /// Bytes of the copy that replaced it.
    pub after: u64,
}

/// Copies the store in `folder` to new files if it is more than twice as large as its last copy. Returns `None` if it was
/// not copied. `cache` is the memory for sled's page cache, in bytes. At least `floor` bytes of the disk stay free. Calls
/// `on_begin` with the bytes of the store before it is copied.
///
/// # Errors
/// The folder cannot be used, another process has it open, or the store cannot be read or written. The old store or its
/// complete copy is in use then.
pub fn shrink(
    folder: &Path,
    cache: u64,
    floor: u64,
    on_begin: &dyn Fn(u64),
) -> Result<Option<Shrunk>, StoreError> {
    let wrong = StoreError::folder(folder);
    let path = folder.join("sled");
    if !is_folder_on_same_disk(&path, folder).map_err(&wrong)? {
        return Ok(None);
    }
    let before = size_of(&path).map_err(&wrong)?;
    let copied = fs::read_to_string(path.join(COPIED)).ok().and_then(|bytes| bytes.trim().parse().ok());
    if before <= copied.unwrap_or(0_u64).saturating_mul(2).saturating_add(SMALL) {
        return Ok(None);
    }
    let (replacement, unreadable) = Replacement::begin(folder, cache)?;
    if let Some(error) = unreadable {
        return Err(error);
    }
    let writer = replacement.old().map(|old| old.writer()).transpose()?.flatten();
    let Some(writer) = writer.filter(|_| !replacement.is_begun()) else { return Ok(None) };
    let free = replacement.free_space()?;
    if free < before.saturating_add(floor) {
        info!(free, needed = before.saturating_add(floor), "the disk has no room for a copy of the store");
        return Ok(None);
    }
    on_begin(before);
    let copy = folder.join(COPY);
    let after = build(&writer, &copy, cache).inspect_err(|_| {
        // If this fails too, the next process that opens the folder removes the copy.
        let _ = remove(&copy);
    })?;
    drop(writer);
    let Some(after) = after else {
        warn!(
            "the store is not copied to new files, because a text cannot be read; `gleaner verify` names it"
        );
        write_synced(&path.join(COPIED), &format!("{before}\n")).map_err(&wrong)?;
        return remove(&copy).map(|()| None);
    };
    fs::rename(&copy, folder.join(FOLDER)).map_err(&wrong)?;
    replacement.finish_complete()?;
    Ok(Some(Shrunk { before, after }))
}

/// Builds the copy, with the file `complete`. Returns its bytes, or `None` if a text cannot be read: the old files may help
/// to restore it.
fn build(writer: &Writer, copy: &Path, cache: u64) -> Result<Option<u64>, StoreError> {
    let (copied, unreadable) = writer.copy(copy, &StoreOptions { cache, create: true })?;
    if unreadable > 0 {
        return Ok(None);
    }
    near::copy_index(&writer.store(), copy, &copied)?;
    drop(copied);
    let (path, old) = (copy.join("sled"), writer.folder().join("sled"));
    let finished = size_of(&path).and_then(|after| {
        write_synced(&path.join(COPIED), &format!("{after}\n"))?;
        set_permissions(&path, &Permissions::of(&old)?)?;
        write_synced(&copy.join(COMPLETE), WITHOUT_CURRENT)?;
        sync(copy)?;
        Ok(Some(after))
    });
    finished.map_err(StoreError::folder(copy))
}

/// Whether a store is a folder of its own on the disk of the data folder. A link or a mount point cannot be replaced by
/// renaming. If there is no store, returns `false`.
fn is_folder_on_same_disk(path: &Path, folder: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        metadata => {
            let metadata = metadata?;
            Ok(metadata.is_dir() && metadata.dev() == fs::metadata(folder)?.dev())
        }
    }
}

/// The permissions of the folders and files of a store.
struct Permissions {
    folders: fs::Permissions,
    files: fs::Permissions,
    group: u32,
}

impl Permissions {
    fn of(store: &Path) -> io::Result<Self> {
        let folder = fs::metadata(store)?;
        let files = fs::metadata(store.join("db"))?.permissions();
        Ok(Self { folders: folder.permissions(), files, group: folder.gid() })
    }
}

/// Sets the permissions and the group of a folder, and of what is in it. The index of near-duplicates has its own.
fn set_permissions(folder: &Path, permissions: &Permissions) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.metadata()?.is_file() {
            set_group(&entry.path(), permissions.group)?;
            fs::set_permissions(entry.path(), permissions.files.clone())?;
        } else if entry.file_name() != near::FOLDER {
            set_permissions(&entry.path(), permissions)?;
        }
    }
    set_group(folder, permissions.group)?;
    fs::set_permissions(folder, permissions.folders.clone())
}

/// Sets the group. A user who is not in the group cannot, and keeps the own group.
fn set_group(path: &Path, group: u32) -> io::Result<()> {
    match chown(path, None, Some(group)) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

fn write_synced(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Returns the bytes of the files of a store, without the index of near-duplicates, which a copy shares.
fn size_of(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_file() {
            bytes += metadata.len();
        } else if entry.file_name() != near::FOLDER {
            bytes += size_of(&entry.path())?;
        }
    }
    Ok(bytes)
}
