//! Writes to standard output: results for people, and data for programs.
//!
//! Only this module writes to standard output, and only `messages` to standard error. A lint forbids other
//! uses (`.clippy.toml`), so no command can forget to make control characters visible
//! ([`gleaner_crawl::render::visible`]).

use std::io::{self, IsTerminal, Stdout, Write};

use gleaner_crawl::render::visible::visible;

use crate::CommandResult;
use crate::failure::Failure;

/// Prints a command's results. Control characters become visible. JSON keeps its values.
pub(crate) fn print(text: &str) -> CommandResult {
    print_exactly(&visible(text))
}

/// Prints data of one page or document: on a terminal as [`print()`] does, otherwise unchanged.
pub(crate) fn print_data(text: &str) -> CommandResult {
    if is_terminal() { print(text) } else { print_exactly(text) }
}

#[expect(clippy::disallowed_methods, reason = "this module writes to standard output")]
fn print_exactly(text: &str) -> CommandResult {
    io::stdout().lock().write_all(text.as_bytes()).map_err(Failure::writing("standard output"))
}

/// Prints the bytes of a file, such as a script for a shell.
#[expect(clippy::disallowed_methods, reason = "this module writes to standard output")]
pub(crate) fn print_bytes(bytes: &[u8]) -> CommandResult {
    io::stdout().lock().write_all(bytes).map_err(Failure::writing("standard output"))
}

/// Whether standard output is a terminal.
#[expect(clippy::disallowed_methods, reason = "this module writes to standard output")]
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Returns a writer for a stream of data, such as an export. On a terminal, control characters become
/// visible. Otherwise, the bytes are unchanged.
#[expect(clippy::disallowed_methods, reason = "this module writes to standard output")]
pub(crate) fn data() -> DataWriter<Stdout> {
    DataWriter::new(io::stdout(), is_terminal())
}

/// See [`data`].
#[derive(Debug)]
pub(crate) struct DataWriter<W> {
    out: W,
    makes_visible: bool,
    /// The first bytes of a character or of a line end whose other bytes were not written yet.
    rest: Vec<u8>,
}

impl<W: Write> DataWriter<W> {
    const fn new(out: W, makes_visible: bool) -> Self {
        Self { out, makes_visible, rest: Vec::new() }
    }
}

impl<W: Write> Write for DataWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.makes_visible {
            return self.out.write(bytes);
        }
        self.rest.extend_from_slice(bytes);
        let complete = match str::from_utf8(&self.rest) {
            // The last character is incomplete.
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) | Ok(_) => self.rest.len() - usize::from(self.rest.ends_with(b"\r")),
        };
        let bytes_of_text: Vec<u8> = self.rest.drain(..complete).collect();
        // A line of CSV ends in CRLF.
        let text = String::from_utf8_lossy(&bytes_of_text).replace("\r\n", "\n");
        self.out.write_all(visible(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, makes_visible: bool, size: usize) -> String {
        let mut out = DataWriter::new(Vec::new(), makes_visible);
        text.as_bytes().chunks(size).for_each(|chunk| out.write_all(chunk).unwrap());
        String::from_utf8(out.out).unwrap()
    }

    #[test]
    fn data_on_a_terminal_has_no_control_characters() {
        let text = "Hòa Bình\u{1b}[2J 中\u{9b}文\r😀\r\n";
        for size in 1..=text.len() {
            assert_eq!(written(text, true, size), "Hòa Bình\\u001b[2J 中\\u009b文\\u000d😀\n", "{size}");
        }
    }

    #[test]
    fn data_elsewhere_is_unchanged() {
        let text = "Hòa Bình\u{1b}[2J\r\n";
        assert_eq!(written(text, false, 3), text);
    }

    #[test]
    fn invalid_bytes_do_not_reach_a_terminal() {
        let mut out = DataWriter::new(Vec::new(), true);
        out.write_all(b"a\x9b31mb").unwrap();
        assert_eq!(out.out, "a\u{fffd}31mb".as_bytes());
    }
}
