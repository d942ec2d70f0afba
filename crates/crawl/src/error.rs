//! Why a crawl stops.

use std::path::PathBuf;

use gleaner_archive::ArchiveError;
use gleaner_config::Bytes;
use gleaner_fetch::ClientError;
use gleaner_store::StoreError;
use thiserror::Error;

/// Why a crawl could not begin or go on. What it had committed is kept.
#[derive(Debug, Error)]
pub enum CrawlError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive cannot be written or read.
    #[error(
        "{0}{hint}",
        hint = if .0.is_full() { "; make room, then run the same command to go on" } else { "" }
    )]
    Archive(#[from] ArchiveError),
    /// A file that is replayed cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Source {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The worker threads have ended by themselves, which they never should.
    #[error("no worker thread is left; please report this")]
    NoWorkerLeft,
    /// The HTTP client cannot be made.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The disk is nearly full.
    #[error(
        "the disk has {free} bytes free, less than store.min_free_disk = {floor}; make room, then run the same command to go on"
    )]
    DiskFull {
        /// Bytes free.
        free: u64,
        /// The floor.
        floor: Bytes,
    },
    /// A worker thread cannot be started.
    #[error("no worker thread could be started: {0}")]
    NoWorkers(std::io::Error),
}
