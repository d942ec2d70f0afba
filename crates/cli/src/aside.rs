//! What people are told beside the results: remarks, progress and errors, on standard error.
//!
//! Limitation: where standard error cannot be written (a full disk, a closed
//! terminal) nobody is told. `eprintln!` would panic there and take the results with it,
//! so nothing else in this crate writes to it but the log and the bar.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line, if it can be written.
pub(crate) fn say(line: impl Display) {
    // In one piece, so that lines of several threads do not mix.
    let line = format!("{line}\n");
    // There is no better place to say that this one failed.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}
