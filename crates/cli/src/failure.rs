//! How a command fails, and what people and scripts see of it.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use crate::aside::say;

/// Why a command ended without success.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line, the configuration or a seed file cannot be used.
    Usage(String),
    /// The work failed.
    Work(String),
    /// The crawl is done, and its report says that something is unusual.
    Unusual,
    /// The user stopped it; everything is kept.
    Interrupted,
    /// Whoever read standard output has gone (`gleaner export | head`).
    NobodyReads,
}

impl Failure {
    /// For `map_err` on what the user wrote.
    pub(crate) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// For `map_err` on work.
    pub(crate) fn work(error: impl Display) -> Self {
        Self::Work(error.to_string())
    }

    /// For `map_err` on writing to `target`.
    pub(crate) fn writing(target: impl Display) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::BrokenPipe => Self::NobodyReads,
            _ => Self::Work(format!("cannot write {target}: {error}")),
        }
    }

    /// Prints it, on one line, and gives the exit code.
    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Usage(message) => {
                say(format_args!("gleaner: {message}"));
                ExitCode::from(2)
            }
            Self::Work(message) => {
                say(format_args!("gleaner: {message}"));
                ExitCode::FAILURE
            }
            Self::Unusual => ExitCode::from(3),
            Self::Interrupted => ExitCode::from(130),
            Self::NobodyReads => ExitCode::SUCCESS,
        }
    }
}
