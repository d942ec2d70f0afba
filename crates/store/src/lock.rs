//! Locks a data folder: one process per folder, and one writer in that process.
//!
//! The operating system removes the lock when the process ends, even after a crash. The lock file contains
//! the owner's command and process number, for error messages of other processes. The owner serves the
//! records to processes that only read ([`crate::engine::remote`]).

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gleaner_retry::wait_for_descriptor;
use tracing::warn;

use crate::StoreError;
use crate::engine::Engine;
use crate::engine::remote::Server;

const TRIES: u32 = 10;
/// Maximum length in bytes of the command-line arguments in the lock file.
const LONGEST: usize = 80;
const MOMENT: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Lock {
    /// The server for readers. It ends before the lock is released.
    server: OnceLock<Server>,
    #[expect(dead_code, reason = "the open file is the lock")]
    file: Option<File>,
    writing: AtomicBool,
}

/// Tries for 200 ms to lock the file. A child process inherits all open files until its own program starts.
/// Therefore a child process may still hold a lock that was just released.
fn lock(file: &File) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(MOMENT),
            other => return other,
        }
    }
    file.try_lock()
}

/// Returns this process's command line and process ID. Shortens a long command line. Omits arguments with
/// addresses, which may contain passwords.
fn owner() -> String {
    let mut command = String::new();
    for argument in std::env::args().skip(1).filter(|argument| !argument.contains("://")) {
        if command.len() + argument.len() > LONGEST {
            command.push_str(" ...");
            break;
        }
        command.push(' ');
        command.push_str(&argument);
    }
    format!("`gleaner{command}` (process {})", std::process::id())
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
        writeln!(file, "{}", owner()).map_err(&wrong)?;
        Ok(Self { server: OnceLock::new(), file: Some(file), writing: AtomicBool::new(false) })
    }

    pub(crate) fn serve(&self, folder: &Path, engine: &Arc<dyn Engine>) {
        match Server::start(folder, Arc::downgrade(engine)) {
            Ok(server) => drop(self.server.set(server)),
            Err(error) => warn!(%error, "other processes cannot read the corpus while this one runs"),
        }
    }

    /// Returns a lock without a file, for a store without a writer.
    pub(crate) const fn none() -> Self {
        Self { server: OnceLock::new(), file: None, writing: AtomicBool::new(true) }
    }

    pub(crate) fn begin_writing(&self) -> bool {
        !self.writing.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn end_writing(&self) {
        self.writing.store(false, Ordering::Release);
    }
}
