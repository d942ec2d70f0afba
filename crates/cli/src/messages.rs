//! Prints messages for people on standard error: remarks, progress and errors.
//!
//! Only [`print_message`], the log and the progress bar write to standard error. `eprintln!` would panic if
//! standard error cannot be written, and the results would be lost.
//!
//! Limitation: if standard error cannot be written (full disk, closed terminal), the messages are lost.

use std::fmt::Display;
use std::io::{self, Write};

use console::Term;

use crate::table::wrapped;

pub(crate) fn print_message(line: impl Display) {
    // The whole line is one write, so that lines of several threads do not mix.
    let line = wrapped(&format!("{line}\n"), &Term::stderr());
    // If the write fails, there is no other place to report the failure.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}
