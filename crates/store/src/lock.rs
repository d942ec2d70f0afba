//! One process a data folder, and one writer within it.
//!
//! The lock is the operating system's, so it is gone with the process, however
//! that ends. The file's text names the holder for whoever is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::{StoreError, patience};

/// Tries to take a lock that another has, and the pause between two.
const TRIES: u32 = 10;
const MOMENT: Duration = Duration::from_millis(20);

/// The lock on a data folder, held as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock {
    #[expect(dead_code, reason = "the open file is the lock")]
    file: Option<File>,
    /// Whether there is a writer.
    writing: AtomicBool,
}

/// Tries for some moments: a program that this process starts has all its open files until it
/// has become itself, and so the lock of a folder that was just given back.
fn patiently(file: &File) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(MOMENT),
            other => return other,
        }
    }
    file.try_lock()
}

impl Lock {
    /// Takes the lock of `folder`.
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        let wrong = StoreError::folder(folder);
        let path = folder.join("lock");
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = patience::patiently(|| options.open(&path)).map_err(&wrong)?;
        match patiently(&file) {
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

    /// Of a store that is only read.
    pub(crate) const fn none() -> Self {
        Self { file: None, writing: AtomicBool::new(true) }
    }

    /// Makes the caller the writer; `false`: there is one.
    pub(crate) fn begin_writing(&self) -> bool {
        !self.writing.swap(true, Ordering::AcqRel)
    }

    /// The writer has gone.
    pub(crate) fn end_writing(&self) {
        self.writing.store(false, Ordering::Release);
    }
}
