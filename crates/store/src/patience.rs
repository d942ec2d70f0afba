//! Waiting for a file descriptor.
//!
//! Connections come and go by the second, so a file that cannot be opened because the process
//! has no descriptor left (EMFILE, ENFILE) can be opened a little later. A crawl that ended for
//! that would end for nothing. `crates/archive/src/files.rs` does the same for its files.

use std::io;
use std::thread::sleep;
use std::time::Duration;

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(200);
/// Tries; with the pauses 30 s.
const TRIES: usize = 150;

/// Whether the process, or the whole system, has no descriptor left.
pub(crate) fn is_out_of_files(error: &io::Error) -> bool {
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// Opens, and waits while there is no descriptor. Gives the last error when it took too long.
pub(crate) fn patiently<T>(open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
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
    fn only_the_want_of_descriptors_is_waited_for_and_not_for_ever() {
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
