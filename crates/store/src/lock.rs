//! Locks a data folder: one process per folder, and one writer in that process.
//!
//! The operating system removes the lock when the process ends, even after a crash. The lock file contains
//! the owner's command and process number, for error messages of other processes. The owner serves the
//! records to processes that only read ([`crate::engine::remote`]).

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gleaner_archive::files::new_file;
use gleaner_http::retry::wait_for_descriptor;
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
    /// A copy of the store that is removed when the lock is released.
    copy: Option<PathBuf>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some(copy) = &self.copy {
            let _ = fs::remove_dir_all(copy);
        }
    }
}

/// Tries for 200 ms to lock the file with `try_lock`. A child process inherits all open files until its own program starts.
/// Therefore a child process may still hold a lock that was just released.
fn lock(try_lock: impl Fn() -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    for _ in 0..TRIES {
        match try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(MOMENT),
            other => return other,
        }
    }
    try_lock()
}

/// Returns this process's command line and process ID, for the messages of other processes. The program is gleaner, or
/// the interpreter of a Python program.
fn owner() -> String {
    let program = std::env::args_os().next().unwrap_or_default();
    let program = Path::new(&program).file_name().unwrap_or_else(|| "gleaner".as_ref()).to_string_lossy();
    let arguments = std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    format!("`{program}{}` (process {})", shown_arguments(arguments), std::process::id())
}

/// Joins the arguments of a command line. Shortens a long command line. Hides arguments with addresses, which may
/// contain passwords.
fn shown_arguments(arguments: impl Iterator<Item = String>) -> String {
    let mut command = String::new();
    for argument in arguments {
        let shown = if argument.contains("://") { "..." } else { &argument };
        if command.len() + shown.len() > LONGEST {
            command.push_str(" ...");
            break;
        }
        command.push(' ');
        command.push_str(shown);
    }
    command
}

fn busy(folder: &Path, file: &mut File) -> StoreError {
    let mut holder = String::new();
    let named = file.read_to_string(&mut holder).is_ok() && !holder.trim().is_empty();
    let holder = if named { holder.trim().into() } else { "another process".into() };
    StoreError::Busy { path: folder.into(), holder }
}

impl Lock {
    pub(crate) fn take(folder: &Path) -> Result<Self, StoreError> {
        let wrong = StoreError::folder(folder);
        let path = folder.join("lock");
        let mut options = new_file();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = wait_for_descriptor(|| options.open(&path)).map_err(&wrong)?;
        match lock(|| file.try_lock()) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(busy(folder, &mut file)),
            Err(TryLockError::Error(source)) => return Err(wrong(source)),
        }
        file.set_len(0).and_then(|()| file.rewind()).map_err(&wrong)?;
        writeln!(file, "{}", owner()).map_err(&wrong)?;
        Ok(Self { server: OnceLock::new(), file: Some(file), writing: AtomicBool::new(false), copy: None })
    }

    /// Locks a folder that cannot be written, for reading. Other readers may lock it too. Without a lock file, nobody
    /// has written there.
    pub(crate) fn share(folder: &Path) -> Result<Self, StoreError> {
        let wrong = StoreError::folder(folder);
        let file = match wait_for_descriptor(|| File::open(folder.join("lock"))) {
            Ok(mut file) => match lock(|| file.try_lock_shared()) {
                Ok(()) => Some(file),
                Err(TryLockError::WouldBlock) => return Err(busy(folder, &mut file)),
                Err(TryLockError::Error(source)) => return Err(wrong(source)),
            },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(wrong(error)),
        };
        Ok(Self { server: OnceLock::new(), file, writing: AtomicBool::new(true), copy: None })
    }

    /// Removes `copy`, a copy of the store, when the lock is released.
    pub(crate) fn with_copy(mut self, copy: PathBuf) -> Self {
        self.copy = Some(copy);
        self
    }

    pub(crate) fn serve(&self, folder: &Path, engine: &Arc<dyn Engine>) {
        match Server::start(folder, Arc::downgrade(engine)) {
            Ok(server) => drop(self.server.set(server)),
            Err(error) => warn!(%error, "other processes cannot read the corpus while this one runs"),
        }
    }

    /// Returns a lock without a file, for a store without a writer.
    pub(crate) const fn none() -> Self {
        Self { server: OnceLock::new(), file: None, writing: AtomicBool::new(true), copy: None }
    }

    pub(crate) fn begin_writing(&self) -> bool {
        !self.writing.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn end_writing(&self) {
        self.writing.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hidden_argument_leaves_a_mark() {
        let shown = |line: &str| shown_arguments(line.split(' ').map(str::to_owned));
        let line = "crawl --set fetch.proxy=http://me:secret@proxy.example --data corpus";
        assert_eq!(shown(line), " crawl --set ... --data corpus");
        assert!(shown(&"long-argument ".repeat(20)).ends_with(" ..."));
    }
}
