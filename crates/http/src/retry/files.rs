//! Waits for a free file descriptor.
//!
//! If a file cannot be opened because no descriptor is free (EMFILE, ENFILE), the crawl need not end. A
//! descriptor is usually free soon, because connections are closed all the time.

use std::io;
use std::thread::sleep;
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(200);
/// Maximum number of attempts. The pauses between them take 30 s in total.
const TRIES: usize = 150;

/// Whether `error` says that the process (EMFILE) or the system (ENFILE) has no free file descriptor. Always
/// false outside Unix.
#[must_use]
pub fn is_out_of_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// Calls `open` every 200 ms until a file descriptor is free, for up to 30 s. Blocks the thread.
///
/// # Errors
/// If `open` fails for any other reason, its error is returned immediately. After 30 s, the last error is
/// returned.
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
