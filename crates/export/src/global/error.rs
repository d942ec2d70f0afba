//! Errors of finding duplicates across many shards.

use std::io;
use std::path::{Path, PathBuf};

use crate::ExportError;
use crate::global::Task;

/// An error, with the file or task that it concerns.
#[derive(Debug, thiserror::Error)]
pub enum GlobalError {
    /// A shard cannot be read or written.
    #[error(transparent)]
    Shard(#[from] ExportError),
    /// A file of the work folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The folder is not empty and is not a work folder or output folder of this command.
    #[error("{} is not empty and no work folder of this command: choose a new one", path.display())]
    NotWork {
        /// The folder.
        path: PathBuf,
    },
    /// The output folder is within an input.
    #[error("{} is within {}, which is read: name a folder elsewhere", path.display(), input.display())]
    Within {
        /// The output folder.
        path: PathBuf,
        /// The input folder.
        input: PathBuf,
    },
    /// Two inputs contain the same shard.
    #[error("{} is named twice", path.display())]
    Twice {
        /// The shard.
        path: PathBuf,
    },
    /// The work was started with other inputs or settings.
    #[error("{} was begun with other settings: {change}; use the same ones, or name a new folder", path.display())]
    Other {
        /// The work folder.
        path: PathBuf,
        /// How the inputs or settings differ.
        change: String,
    },
    /// A task needs the result of another task.
    #[error("{task} needs {on}, which is not done: run that first")]
    Waits {
        /// The task to be run.
        task: Task,
        /// The first task that is missing.
        on: Task,
    },
    /// The task does not exist.
    #[error("no task {name}: {reason}")]
    NoTask {
        /// The requested name.
        name: String,
        /// Why it does not exist.
        reason: String,
    },
    /// A shard has lines but no document.
    #[error("{}: none of {lines} lines is a document; line {line}: {reason}", path.display())]
    NoDocument {
        /// The shard.
        path: PathBuf,
        /// Number of damaged lines.
        lines: u64,
        /// The first damaged line, from 1.
        line: u64,
        /// Why this line is not a document.
        reason: String,
    },
    /// There are more documents than 32-bit numbers.
    #[error("more than {} documents", u32::MAX)]
    TooMany,
}

impl GlobalError {
    pub(crate) fn writing(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { path: path.as_ref().into(), source }
    }

    pub(crate) fn reading(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { path: path.as_ref().into(), source }
    }

    /// Returns the error for an invalid file of the work folder.
    pub(crate) fn damaged(path: impl AsRef<Path>) -> Self {
        Self::reading(path)(io::Error::new(io::ErrorKind::InvalidData, "its content is damaged"))
    }
}
