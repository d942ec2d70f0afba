//! Why an export failed.

use std::io;
use std::path::PathBuf;

/// What went wrong, with the file at which it did.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file cannot be written, or not made durable.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// What an earlier start left cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is something under the name that the export is to have.
    #[error("{} is there already: name a new folder", path.display())]
    Exists {
        /// The name.
        path: PathBuf,
    },
    /// The target is `/`, `..` or the like.
    #[error("\"{}\" has no name of its own: name a new folder", path.display())]
    Nameless {
        /// What was asked for.
        path: PathBuf,
    },
    /// What was interrupted there was another export.
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
    /// A file that is to be read is in no form that is known.
    #[error("{} is no shard: names of shards end in .jsonl, .jsonl.gz, .jsonl.zst or .parquet", path.display())]
    NoShard {
        /// The file.
        path: PathBuf,
    },
    /// A folder that is to be read holds nothing.
    #[error("no shards in {}: names of shards end in .jsonl, .jsonl.gz, .jsonl.zst or .parquet", path.display())]
    NoShards {
        /// The folder.
        path: PathBuf,
    },
    /// A folder that is to be read is half an export.
    #[error("{} is an export that has not ended: end it first", path.display())]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// A shard has no column of that name that holds text.
    #[error("{}: no column {field} that holds text", path.display())]
    Lacks {
        /// The shard.
        path: PathBuf,
        /// The column.
        field: &'static str,
    },
    /// What an earlier start left is not as it was left.
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
    /// For `map_err` on writing to `path`.
    pub(crate) fn writing(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Write { path, source }
    }

    /// For `map_err` on reading `path`.
    pub(crate) fn reading(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Read { path, source }
    }

    /// The system's error behind it, if there is one.
    #[must_use]
    pub const fn io(&self) -> Option<&io::Error> {
        match self {
            Self::Write { source, .. } | Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
