//! Restores a store from the changes in its archive. Nothing is extracted again, so the store has the texts that it had,
//! whatever the version of gleaner, the settings and the pins are today.

use std::path::PathBuf;

use gleaner_store::{ChangeLog, Writer};

use crate::archive::archive_folder;
use crate::error::CrawlError;
use crate::settings::Config;

/// The result of [`restore`].
#[derive(Debug, Clone, Default)]
pub struct Restored {
    /// Number of changes in the archive that were applied.
    pub changes: u64,
    /// Parts of the archive that cannot be read: file, offset in bytes, reason.
    pub damaged: Vec<(PathBuf, u64, String)>,
    /// Whether changes are missing, so that the store is not that of any time.
    pub is_incomplete: bool,
    /// Documents in the corpus.
    pub documents: u64,
}

/// Finds the changes in the archive's files. The result is empty if an older version wrote the archive.
///
/// # Errors
/// A file cannot be read.
pub fn changes_in_archive(files: &[PathBuf]) -> Result<ChangeLog, CrawlError> {
    let path = || files.first().cloned().unwrap_or_default();
    ChangeLog::find(files, 0).map_err(|source| CrawlError::Source { path: path(), source })
}

/// Fills an empty store from the changes in the archive that the settings name. `progress` gets the number of changes
/// applied since the last call.
///
/// # Errors
/// The store cannot be written.
pub fn restore(
    config: &Config,
    writer: &mut Writer,
    log: ChangeLog,
    progress: impl FnMut(u64),
) -> Result<Restored, CrawlError> {
    let log = writer.restore(&archive_folder(config), log, progress)?;
    Ok(Restored {
        changes: log.len(),
        is_incomplete: log.is_incomplete,
        damaged: log.damaged,
        documents: writer.store().totals()?.documents(),
    })
}
