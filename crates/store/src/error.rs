//! What can go wrong with a data folder.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A store that cannot be opened, read or written.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The folder cannot be made or read.
    #[error("data folder {}: {source}; choose another with --data DIR", path.display())]
    Folder {
        /// The data folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process has the folder open.
    #[error("data folder {} is in use by {holder}; wait for it, stop it, or choose another with --data DIR", path.display())]
    Busy {
        /// The data folder.
        path: PathBuf,
        /// The process, as it named itself in the lock file.
        holder: String,
    },
    /// There is no corpus in the folder, and none is to be made.
    #[error("no corpus in {}: `gleaner crawl --data DIR` makes one", path.display())]
    Nothing {
        /// The data folder.
        path: PathBuf,
    },
    /// A newer gleaner wrote the store.
    #[error("data folder {} has format {found}, this gleaner reads up to {known}; use a newer gleaner", path.display())]
    Newer {
        /// The data folder.
        path: PathBuf,
        /// The store's format.
        found: u32,
        /// The newest format known here.
        known: u32,
    },
    /// The disk is full.
    #[error("the store failed while {doing}: {source}; make room, then run the same command to go on")]
    Full {
        /// What was being done.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// sled refused.
    #[error("the store failed while {doing}: {source}")]
    Sled {
        /// What was being done.
        doing: &'static str,
        /// What sled said.
        source: sled::Error,
    },
    /// A record that cannot be read back.
    #[error(
        "the store is damaged: {what} cannot be read ({reason}); `gleaner rebuild` makes it anew from the archive and keeps the old one beside it"
    )]
    Damaged {
        /// Which kind of record.
        what: &'static str,
        /// What the decoder said.
        reason: String,
    },
}

impl StoreError {
    /// For `map_err` on what is done in a data folder.
    pub(crate) fn folder(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull => Self::Full { doing: "writing into its folder", source },
            _ => Self::Folder { path: path.into(), source },
        }
    }

    /// For `map_err` on a sled call.
    pub(crate) fn sled(doing: &'static str) -> impl FnOnce(sled::Error) -> Self {
        move |source| match source {
            sled::Error::Corruption { .. } => {
                Self::Damaged { what: "the database", reason: format!("found while {doing}") }
            }
            sled::Error::Io(source) if source.kind() == io::ErrorKind::StorageFull => {
                Self::Full { doing, source }
            }
            source => Self::Sled { doing, source },
        }
    }
}
