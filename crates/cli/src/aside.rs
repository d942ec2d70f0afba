//! Prints remarks, progress and errors for people on standard error.
//!
//! Limitation: if standard error cannot be written (full disk, closed terminal), these lines are lost.
//! `eprintln!` would panic, and the results would also be lost. So only this function, the log and the
//! progress bar write to standard error.

use std::fmt::Display;
use std::io::{self, Write};

use console::Term;

use crate::table::wrapped;

pub(crate) fn say(line: impl Display) {
    // A single write, so that lines of several threads do not mix.
    let line = wrapped(&format!("{line}\n"), &Term::stderr());
    // A failed write cannot be reported anywhere.
    let _ = io::stderr().lock().write_all(line.as_bytes());
}
