//! Waits for a free file descriptor.
//!
//! If no descriptor is free to open a file (EMFILE, ENFILE), one is usually free a little later, because
//! connections open and close all the time. The crawl need not end.

use std::io;
use std::thread::sleep;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(200);
/// Maximum number of attempts. With the pauses they take 30 s.
const TRIES: usize = 150;

/// Whether the process (EMFILE) or the system (ENFILE) has no free file descriptor. False outside Unix.
#[must_use]
pub fn is_out_of_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// Calls `open` every 200 ms, for up to 30 s, while there is no free file descriptor. Blocks the thread.
///
/// # Errors
/// The first error of another kind, or the last error after 30 s.
pub fn wait_for_descriptor<T>(open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    with_pauses(PAUSE, open)
}

fn with_pauses<T>(pause: Duration, mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for _ in 1..TRIES {
        match open() {
            Err(error) if is_out_of_files(&error) => sleep(pause),
            done => return done,
        }
    }
    open()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_missing_descriptors_are_waited_for_and_not_forever() {
        for (error, fails, tries, is_opened) in
            [(24, 3, 4, true), (23, 3, 4, true), (24, usize::MAX, TRIES, false), (2, 3, 1, false)]
        {
            let mut tried = 0;
            let opened = with_pauses(Duration::ZERO, || {
                tried += 1;
                if tried <= fails { Err(io::Error::from_raw_os_error(error)) } else { Ok(()) }
            });
            assert_eq!((tried, opened.is_ok()), (tries, is_opened), "{error}");
        }
    }
}
