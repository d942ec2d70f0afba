//! Prints messages for people on standard error: remarks, progress, errors and the log.
//!
//! Only this module and the progress bar write to standard error. A lint forbids other uses (`.clippy.toml`).
//! Control characters become visible, because messages contain texts from sites. `eprintln!` would also panic
//! if standard error cannot be written, and the results would be lost.
//!
//! Limitation: if standard error cannot be written (full disk, closed terminal), the messages are lost.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::panic;
use std::thread;

use console::Term;
use gleaner_crawl::render::visible::visible;

use crate::table::wrapped;

/// Prints a message. Line breaks are kept.
pub(crate) fn print_message(line: impl Display) {
    // The whole line is one write, so that lines of several threads do not mix.
    write(&wrapped(&visible(&format!("{line}\n")), &Term::stderr()));
}

/// Prints a line of the log, which `visible_line` has returned. It may have colors.
pub(crate) fn print_log_line(line: &str) {
    write(line);
}

#[expect(clippy::disallowed_methods, reason = "this module writes to standard error")]
fn write(text: &str) {
    // If the write fails, there is no other place to report the failure.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Whether standard error is a terminal.
#[expect(clippy::disallowed_methods, reason = "this module writes to standard error")]
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

/// Prints the messages of panics as [`print_message`] does. They may quote a page.
pub(crate) fn print_panics() {
    panic::set_hook(Box::new(|panic| {
        let thread = thread::current();
        let name = thread.name().unwrap_or("unnamed");
        let backtrace = Backtrace::capture();
        let trace = match backtrace.status() {
            BacktraceStatus::Captured => backtrace.to_string(),
            _ => "RUST_BACKTRACE=1 shows a backtrace".to_owned(),
        };
        print_message(format_args!("gleaner: thread '{name}' {panic}\n{trace}"));
    }));
}
