//! Defines how a command fails: its error message and its exit code.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use crate::output::print_message;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or a set is invalid.
    Usage(String),
    Work(String),
    /// The reader of standard output closed the pipe, as in `gleaner-lab eval ... | head`.
    OutputClosed,
}

impl Failure {
    pub(crate) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// Converts an error while writing to `target`, for use in `map_err`.
    pub(crate) fn writing(target: impl Display) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            _ => Self::Work(format!("cannot write {target}: {error}")),
        }
    }

    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            Self::Usage(message) => (message, ExitCode::from(2)),
            Self::Work(message) => (message, ExitCode::FAILURE),
            Self::OutputClosed => return ExitCode::SUCCESS,
        };
        print_message(format_args!("gleaner-lab: {message}"));
        code
    }
}
