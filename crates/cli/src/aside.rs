//! Prints remarks, progress and errors for people on standard error.
//!
//! Limitation: if standard error cannot be written (full disk, closed terminal), these lines are lost.
//! `eprintln!` would panic, and the results would be lost too. Therefore only this function, the log and the
//! progress bar write to standard error.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line; ignores a write error.
pub(crate) fn say(line: impl Display) {
    // A single write, so that lines of several threads do not mix.
    let line = format!("{line}\n");
    // A failed write cannot be reported anywhere.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}
