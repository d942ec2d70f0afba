//! Copies a store to new files when most of its space is unused.
//!
//! sled keeps replaced records until it needs their space, and a file of texts keeps removed texts until half of it is
//! unused. So a store that changed much is several times as large as its records. A copy has only the records.
//!
//! Only a copy shows how much is used. Therefore the size of the last copy is kept (file `copied`), and a store is copied
//! when it is twice as large. A growing store is thus copied once each time that it has doubled, which costs less than
//! writing it.
//!
//! The copy is built in the folder `copy`. After a kill, the old store stays in use, and the next call starts over. When the
//! copy is complete, it is renamed to `rebuild` and replaces the store like a rebuild (`rebuild.rs`).

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use tracing::info;

use crate::near;
use crate::rebuild::{COMPLETE, FOLDER, WITHOUT_CURRENT, remove, sync};
use crate::{Replacement, StoreError, StoreOptions};

const COPY: &str = "copy";
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
/// not copied. `cache` is the memory for sled's page cache, in bytes. At least `floor` bytes of the disk stay free.
///
/// # Errors
/// The folder cannot be used, another process has it open, or the store cannot be read or written.
pub fn shrink(folder: &Path, cache: u64, floor: u64) -> Result<Option<Shrunk>, StoreError> {
    let wrong = StoreError::folder(folder);
    let path = folder.join("sled");
    let before = match size_of(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        size => size.map_err(&wrong)?,
    };
    let copied = fs::read_to_string(path.join(COPIED)).ok().and_then(|bytes| bytes.trim().parse().ok());
    if before <= copied.unwrap_or(0_u64).saturating_mul(2).saturating_add(SMALL) {
        return Ok(None);
    }
    let (replacement, unreadable) = Replacement::begin(folder, cache)?;
    if let Some(error) = unreadable {
        return Err(error);
    }
    let has_room = replacement.free_space()? >= before.saturating_add(floor);
    let writer = replacement.old().map(|old| old.writer()).transpose()?.flatten();
    let Some(writer) = writer.filter(|_| has_room && !replacement.is_begun()) else { return Ok(None) };
    info!(bytes = before, "copying the store to new files, because much of its space may be unused");
    let copy = folder.join(COPY);
    remove(&copy)?;
    let (copied, unreadable) = writer.copy(&copy, &StoreOptions { cache, create: true })?;
    if unreadable > 0 {
        // The old files may help to restore a text that cannot be read.
        drop(copied);
        remove(&copy)?;
        return Ok(None);
    }
    near::copy_index(&writer.store(), &copy, &copied)?;
    drop((copied, writer));
    let after = size_of(&copy.join("sled")).map_err(&wrong)?;
    let completed = fs::write(copy.join("sled").join(COPIED), format!("{after}\n"))
        .and_then(|()| write_synced(&copy.join(COMPLETE), WITHOUT_CURRENT))
        .and_then(|()| sync(&copy))
        .and_then(|()| fs::rename(&copy, folder.join(FOLDER)));
    completed.map_err(&wrong)?;
    replacement.finish_complete()?;
    Ok(Some(Shrunk { before, after }))
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
