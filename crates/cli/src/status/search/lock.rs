//! A lock that lets one process at a time create or update the search index of a corpus.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The lock of an index. Dropping it releases the lock, and so does the end of the process.
pub(super) struct UpdateLock {
    _file: File,
}

impl UpdateLock {
    /// Waits until no other process has the lock. Calls `on_wait` before it waits. Returns `None` if
    /// `is_stopped` becomes true.
    pub(super) fn take(
        data: &Path,
        is_stopped: impl Fn() -> bool,
        on_wait: impl FnOnce(),
    ) -> io::Result<Option<Self>> {
        let file = OpenOptions::new().create(true).append(true).open(data.join("search.lock"))?;
        let mut on_wait = Some(on_wait);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { _file: file })),
                Err(TryLockError::WouldBlock) if is_stopped() => return Ok(None),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
            if let Some(on_wait) = on_wait.take() {
                on_wait();
            }
            thread::sleep(CHECK_INTERVAL);
        }
    }
}
