//! Defines how a command fails: its error message and its exit code.

use std::fmt::Display;
use std::io;
use std::process::ExitCode;

use crate::messages::print_message;

#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line, the configuration or a seed file is invalid.
    Usage(String),
    Work(String),
    /// The command succeeded, but the result needs attention: findings, or partitions without a worker.
    Unusual,
    /// The user stopped the command. All finished work is stored.
    Interrupted,
    /// The reader of standard output closed the pipe, as in `gleaner export | head`.
    OutputClosed,
}

impl Failure {
    pub(crate) fn usage(error: impl Display) -> Self {
        Self::Usage(error.to_string())
    }

    pub(crate) fn work(error: impl Display) -> Self {
        Self::Work(error.to_string())
    }

    /// Converts an error while writing to `target`, for use in `map_err`. A closed pipe becomes
    /// [`Failure::OutputClosed`].
    pub(crate) fn writing(target: impl Display) -> impl FnOnce(io::Error) -> Self {
        move |error| match error.kind() {
            io::ErrorKind::BrokenPipe => Self::OutputClosed,
            io::ErrorKind::NotFound => Self::Work(format!(
                "cannot write {target}: its folder does not exist; create the folder first"
            )),
            _ => Self::Work(format!("cannot write {target}: {error}")),
        }
    }

    pub(crate) fn message(&self) -> &str {
        match self {
            Self::Usage(message) | Self::Work(message) => message,
            Self::Unusual | Self::Interrupted | Self::OutputClosed => "",
        }
    }

    pub(crate) fn report(self) -> ExitCode {
        match self {
            Self::Usage(message) => {
                print_message(format_args!("gleaner: {message}"));
                ExitCode::from(2)
            }
            Self::Work(message) => {
                print_message(format_args!("gleaner: {message}"));
                ExitCode::FAILURE
            }
            Self::Unusual => ExitCode::from(3),
            Self::Interrupted => ExitCode::from(130),
            Self::OutputClosed => ExitCode::SUCCESS,
        }
    }
}
