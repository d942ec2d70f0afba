//! Records the number of the last flush in a file beside the store.
//!
//! If the end or a middle part of a sled file is lost, sled opens the file in an older state without
//! reporting an error. Therefore each flush has a number. The number is written to the store and, once the
//! flush is on disk, to the file `flushed`. If the number in the store is smaller than the number in the file,
//! the store has lost flushed data.
//!
//! Limitation: this check detects only a loss of the last flush. `gleaner verify` checks every record.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gleaner_http::retry::wait_for_descriptor;

use crate::StoreError;

fn file(folder: &Path) -> PathBuf {
    folder.join("flushed")
}

pub(crate) fn note(folder: &Path, number: u64) -> Result<(), StoreError> {
    let part = folder.join("flushed.part");
    wait_for_descriptor(|| fs::write(&part, format!("{number}\n")))
        .and_then(|()| fs::rename(&part, file(folder)))
        .map_err(StoreError::folder(folder))
}

pub(crate) fn forget(folder: &Path) -> Result<(), StoreError> {
    match fs::remove_file(file(folder)) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(StoreError::folder(folder)(source)),
        _ => Ok(()),
    }
}

/// Moves the file of the store in `from` to `folder`. Does nothing if `from` has no such file.
pub(crate) fn take_over(from: &Path, folder: &Path) -> Result<(), StoreError> {
    match fs::rename(file(from), file(folder)) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(StoreError::folder(folder)(source)),
        _ => Ok(()),
    }
}

/// Compares `number`, the flush number in the store, with the number in the file. Fails if the number in the
/// store is smaller. Ignores a missing or incomplete file.
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
