//! Defines the errors of an export.

use std::io;
use std::path::PathBuf;

/// Names the next step if a folder is missing.
fn reason(source: &io::Error) -> String {
    match source.kind() {
        io::ErrorKind::NotFound => "its folder does not exist; create the folder first".into(),
        _ => source.to_string(),
    }
}

/// Why an export failed, with the path of the file.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file cannot be written or flushed to disk.
    #[error("cannot write {}: {}", path.display(), reason(source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file or folder cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The external tagger failed.
    #[error("the tagger `{command}` {reason}")]
    Tagger {
        /// The command.
        command: String,
        /// What it did.
        reason: String,
    },
    /// The target of the export already exists.
    #[error("{} is there already: name a new folder", path.display())]
    Exists {
        /// The target.
        path: PathBuf,
    },
    /// Another process is exporting into the same folder.
    #[error("another export is writing {}: wait for it, or name another folder", path.display())]
    Busy {
        /// The target.
        path: PathBuf,
    },
    /// An export without documents would replace a file that contains documents.
    #[error("no document matches: {} stays as it is; remove it first if it must be empty", path.display())]
    WouldEmpty {
        /// The target.
        path: PathBuf,
    },
    /// The target is `/`, `..` or similar.
    #[error("\"{}\" has no name of its own: name a new folder", path.display())]
    Nameless {
        /// The requested path.
        path: PathBuf,
    },
    /// The folder contains an interrupted export of another command or version.
    #[error(
        "{} was left by another export ({command}, gleaner {version}): repeat that one, or remove the folder",
        path.display()
    )]
    Other {
        /// The folder of the interrupted export.
        path: PathBuf,
        /// The command of the interrupted export.
        command: String,
        /// The version of gleaner that wrote it.
        version: String,
    },
    /// A file of the interrupted export is damaged.
    #[error("{}: {reason}; remove {} and export again", path.display(), folder.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How the file is damaged.
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

    /// Returns the underlying system error, if any.
    #[must_use]
    pub const fn io(&self) -> Option<&io::Error> {
        match self {
            Self::Write { source, .. } | Self::Read { source, .. } => Some(source),
            _ => None,
        }
    }
}
