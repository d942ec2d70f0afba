//! Errors of an export.

use std::io;
use std::path::PathBuf;

/// An error and the file concerned.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file cannot be written, or not flushed to disk.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file of an earlier start cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The target of the export already exists.
    #[error("{} is there already: name a new folder", path.display())]
    Exists {
        /// The target.
        path: PathBuf,
    },
    /// The target is `/`, `..` or the like.
    #[error("\"{}\" has no name of its own: name a new folder", path.display())]
    Nameless {
        /// The requested path.
        path: PathBuf,
    },
    /// The folder has an interrupted export of another command.
    #[error(
        "{} was left by another export ({command}, gleaner {version}): repeat that one, or remove the folder",
        path.display()
    )]
    Other {
        /// The folder of the interrupted export.
        path: PathBuf,
        /// Its command.
        command: String,
        /// The version that wrote it.
        version: String,
    },
    /// The file to be read has an unknown form.
    #[error("{} is no shard: names of shards end in .jsonl, .jsonl.gz, .jsonl.zst or .parquet", path.display())]
    NoShard {
        /// The file.
        path: PathBuf,
    },
    /// The folder to be read is empty.
    #[error("no shards in {}: names of shards end in .jsonl, .jsonl.gz, .jsonl.zst or .parquet", path.display())]
    NoShards {
        /// The folder.
        path: PathBuf,
    },
    /// The folder to be read has an unfinished export.
    #[error("{} is an unfinished export: finish it first", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// A shard has no text column with this name.
    #[error("{}: no column {field} that holds text", path.display())]
    Lacks {
        /// The shard.
        path: PathBuf,
        /// The column.
        field: &'static str,
    },
    /// A file of an earlier start is damaged.
    #[error("{}: {reason}; remove {} and export again", path.display(), folder.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
        /// The folder of the interrupted export.
        folder: PathBuf,
    },
}

impl ExportError {
    pub(crate) fn writing(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Write { path, source }
    }

    pub(crate) fn reading(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Read { path, source }
    }

    /// The underlying system error, if there is one.
    #[must_use]
    pub const fn io(&self) -> Option<&io::Error> {
        match self {
            Self::Write { source, .. } | Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
