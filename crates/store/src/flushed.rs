//! How far the store was flushed, said beside it.
//!
//! sled opens a file that has lost its end, or a part of its middle, at some older state,
//! and says nothing. So each flush has a number. It is in the store, and once it is on disk
//! it is in the file `flushed` beside it. A store with a smaller number than its file's has
//! lost what was acknowledged.
//!
//! Limitation: what is lost without a flush being lost with it is not noticed here;
//! `gleaner verify` looks at every record.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::patience::patiently;

fn file(folder: &Path) -> PathBuf {
    folder.join("flushed")
}

/// Says that the flush of this number is on disk.
pub(crate) fn note(folder: &Path, number: u64) -> Result<(), StoreError> {
    let part = folder.join("flushed.part");
    patiently(|| fs::write(&part, format!("{number}\n")))
        .and_then(|()| fs::rename(&part, file(folder)))
        .map_err(StoreError::folder(folder))
}

/// Forgets what was said: another store comes into the place of this one.
pub(crate) fn forget(folder: &Path) -> Result<(), StoreError> {
    match fs::remove_file(file(folder)) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(StoreError::folder(folder)(source)),
        _ => Ok(()),
    }
}

/// Holds the store's number against the file's. A file that is missing or was torn by a
/// crash says nothing.
pub(crate) fn check(folder: &Path, number: u64) -> Result<(), StoreError> {
    let said = fs::read_to_string(file(folder)).ok().and_then(|text| text.trim().parse().ok());
    match said {
        Some(said) if number < said => Err(StoreError::Damaged {
            what: "its newest part",
            reason: format!("it was flushed {said} times and ends with flush {number}"),
        }),
        _ => Ok(()),
    }
}
