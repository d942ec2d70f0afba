//! Defines the errors that end a crawl.

use std::path::PathBuf;

use crate::render::text::bytes;
use crate::settings::{ByteSize, ConfigError};
use gleaner_archive::ArchiveError;
use gleaner_fetch::ClientError;
use gleaner_store::StoreError;
use thiserror::Error;

/// Why a crawl could not begin or continue. Committed changes are kept.
#[derive(Debug, Error)]
pub enum CrawlError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive cannot be read or written.
    #[error(
        "{0}{hint}",
        hint = if .0.is_full() { "; make room, then run the same command to go on" } else { "" }
    )]
    Archive(#[from] ArchiveError),
    /// A file to replay cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// All worker threads have ended, which is a bug in gleaner.
    #[error("no worker thread is left; please report this")]
    NoWorkerLeft,
    /// The settings of a site are invalid.
    #[error(transparent)]
    Settings(#[from] ConfigError),
    /// The HTTP client cannot be created.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The disk is nearly full.
    #[error(
        "the disk has {} free, less than store.min_free_disk = {floor}; make room, then run the same command to go on",
        bytes(*free)
    )]
    DiskFull {
        /// Free bytes on the disk.
        free: u64,
        /// The value of `store.min_free_disk`.
        floor: ByteSize,
    },
    /// A worker thread cannot be started.
    #[error("no worker thread could be started: {0}")]
    NoWorkers(std::io::Error),
}
