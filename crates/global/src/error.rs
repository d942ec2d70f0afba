//! Why duplicates over many shards were not found.

use std::io;
use std::path::{Path, PathBuf};

use gleaner_export::ExportError;

use crate::Task;

/// What went wrong, with the file or task at which it did.
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
        /// What the system says.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The folder for the work has something else in it.
    #[error("{} is not empty and no work folder of this command: name a new one", path.display())]
    NotWork {
        /// The folder.
        path: PathBuf,
    },
    /// What is written would be read as a shard the next time.
    #[error("{} is within {}, which is read: name a folder elsewhere", path.display(), input.display())]
    Within {
        /// The folder that is written.
        path: PathBuf,
        /// The folder that is read.
        input: PathBuf,
    },
    /// A shard is named by two of the inputs.
    #[error("{} is named twice", path.display())]
    Twice {
        /// The shard.
        path: PathBuf,
    },
    /// The work was begun with other inputs or settings.
    #[error("{} was begun otherwise: {change}; go on as it was begun, or name a new folder", path.display())]
    Other {
        /// The work folder.
        path: PathBuf,
        /// What is not as it was.
        change: String,
    },
    /// A task needs what another one makes.
    #[error("{task} needs {on}, which is not done: run that first")]
    Waits {
        /// The task.
        task: Task,
        /// The first one that it needs.
        on: Task,
    },
    /// There is no such task.
    #[error("no task {name}: {reason}")]
    NoTask {
        /// What was asked for.
        name: String,
        /// Why there is none.
        reason: String,
    },
    /// A shard has lines and no document.
    #[error("{}: none of {lines} lines is a document; line {line}: {reason}", path.display())]
    NoDocument {
        /// The shard.
        path: PathBuf,
        /// How many lines it has.
        lines: u64,
        /// The first of them.
        line: u64,
        /// Why it is none.
        reason: String,
    },
    /// There are more documents than numbers for them.
    #[error("more than {} documents", u32::MAX)]
    TooMany,
}

impl GlobalError {
    /// For `map_err` on writing to `path`.
    pub(crate) fn writing(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { path: path.as_ref().into(), source }
    }

    /// For `map_err` on reading `path`.
    pub(crate) fn reading(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { path: path.as_ref().into(), source }
    }

    /// A file of the work folder that is not as it was written.
    pub(crate) fn damaged(path: impl AsRef<Path>) -> Self {
        Self::reading(path)(io::Error::new(io::ErrorKind::InvalidData, "not as it was written"))
    }
}
