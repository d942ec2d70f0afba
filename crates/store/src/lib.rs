//! Stores all records of a corpus so that they survive a crash. Only this crate names sled and PostgreSQL.
//!
//! Records lie under keys (`keys.rs`) in an ordered map, which an engine (`engine/`) provides: sled in a
//! folder ([`open`](fn@open)), or a database that many processes share ([`join`]). A [`Change`] reads its own
//! writes and takes effect as a whole: after a crash all of it is present, or none.
//!
//! A process has one [`Writer`]. A lock file makes it the only one of a data folder, across processes, and
//! names its owner. Any number of [`Store`] handles can read at the same time. In a shared store each process
//! writes the partitions that it has leases of (`partitions.rs`, `leases.rs`), and sends messages for changes
//! in others (`messages.rs`).
//!
//! The writer also owns the archive (`archive.rs`), which every flush writes first.
//!
//! `kill -9` loses no URL: a change that was not flushed is gone as a whole, so its URL is still in the
//! frontier and is fetched again.

mod archive;
mod change;
mod clock;
mod clusters;
mod documents;
mod engine;
mod error;
mod exceptions;
mod files;
mod flushed;
mod frontier;
mod history;
mod keys;
mod leases;
mod likeness;
mod lock;
mod messages;
mod migrate;
mod near;
pub mod objects;
mod open;
mod packed;
mod partitions;
mod read;
mod records;
mod runs;
mod verify;
mod workers;

pub use change::Change;
pub use documents::Placement;
pub use engine::postgres::shown_address;
pub use error::StoreError;
pub use files::{ARCHIVE_FOLDER, FileRecord};
pub use frontier::Turn;
pub use history::History;
pub use leases::{Gained, Lease, Leases, PartitionId};
pub use likeness::{Cluster, Likeness, Member};
pub use messages::{Received, RobotsFound, RobotsWanted};
pub use migrate::{MigrateError, Migration, Moved, join_alone};
pub use near::{Duplicates, Levels};
pub use open::{Options, Writer, open, set_aside};
pub use packed::{PackedDocument, PackedPage};
pub use partitions::PARTITIONS;
pub use read::Store;
pub use records::{
    ArchiveEnd, Archived, Counts, HostId, HostRecord, RawPage, Reextracted, Run, Totals, UrlRecord, UrlState,
    Wait,
};
pub use verify::{Examiner, Looked};
pub use workers::{Membership, WorkerStatus, join, visit};
