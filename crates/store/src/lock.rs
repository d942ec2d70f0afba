//! Locks a data folder: one process per folder, and one writer in that process.
//!
//! The operating system removes the lock when the process ends, even after a crash. The lock file contains
//! the name of the owner, for the error messages of other processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gleaner_retry::wait_for_descriptor;

use crate::StoreError;

/// Number of attempts to take a lock that another process has.
const TRIES: u32 = 10;
const MOMENT: Duration = Duration::from_millis(20);

/// The lock on a data folder; dropping it releases the lock.
#[derive(Debug)]
pub(crate) struct Lock {
    #[expect(dead_code, reason = "the open file is the lock")]
    file: Option<File>,
    /// Whether there is a writer.
    writing: AtomicBool,
}

/// Tries to lock the file for 200 ms. A child process inherits all open files until its own program starts,
/// including the lock of a folder that was just released.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(MOMENT),
            other => return other,
        }
    }
    file.try_lock()
}

impl Lock {
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        let wrong = StoreError::folder(folder);
        let path = folder.join("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = wait_for_descriptor(|| options.open(&path)).map_err(&wrong)?;
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let named = file.read_to_string(&mut holder).is_ok() && !holder.trim().is_empty();
                let holder = if named { holder.trim().into() } else { "another process".into() };
                return Err(StoreError::Busy { path: folder.into(), holder });
            }
            Err(TryLockError::Error(source)) => return Err(wrong(source)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(&wrong)?;
        writeln!(file, "process {}", std::process::id()).map_err(&wrong)?;
        Ok(Self { file: Some(file), writing: AtomicBool::new(false) })
    }

    /// Returns a lock without a file, for a store that is only read.
    pub(crate) const fn none() -> Self {
        Self { file: None, writing: AtomicBool::new(true) }
    }

    /// Makes the caller the writer; `false`: another writer exists.
    pub(crate) fn begin_writing(&self) -> bool {
        !self.writing.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn end_writing(&self) {
        self.writing.store(false, Ordering::Release);
    }
}
