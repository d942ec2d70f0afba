//! One process a data folder, and one writer within it.
//!
//! The lock is the operating system's, so it is gone with the process, however
//! that ends. The file's text names the holder for whoever is refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::StoreError;

/// The lock on a data folder, held as long as this lives.
#[derive(Debug)]
pub(crate) struct Lock {
    #[expect(dead_code, reason = "the open file is the lock")]
    file: File,
    /// Whether there is a writer.
    writing: AtomicBool,
}

impl Lock {
    /// Takes the lock of `folder`.
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        let wrong = StoreError::folder(folder);
        let path = folder.join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(&wrong)?;
        match file.try_lock() {
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
        Ok(Self { file, writing: AtomicBool::new(false) })
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
