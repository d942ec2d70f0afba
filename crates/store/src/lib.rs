//! What is kept and how it survives a crash: the only crate that names sled and PostgreSQL.
//!
//! All is records under keys (`keys.rs`) in an ordered map, which an engine keeps
//! (`engine/`): sled in a folder ([`open`](fn@open)), or a database that many processes share
//! ([`join`]). A change is a [`Change`]: it reads through its own writes and takes effect as
//! a whole, so that after a crash all of it is there or none.
//!
//! One [`Writer`] exists in a process, and for a data folder across processes too (a lock file
//! names the one that has it); any number of [`Store`] handles read beside it. Where many
//! processes share a store, each writes the partitions that it has leases of (`partitions.rs`,
//! `leases.rs`), and tells the others what is theirs to do (`messages.rs`).
//!
//! The writer has the archive, too (`archive.rs`): there is no flush without it.
//!
//! Nothing is lost at `kill -9`: a change that had not been flushed is gone as if
//! it had never been made, its URL is still in the frontier and is fetched again.

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
mod patience;
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
pub use read::Store;
pub use records::{
    ArchiveEnd, Archived, Counts, HostId, HostRecord, RawPage, Reextracted, Run, Totals, UrlRecord, UrlState,
    Wait,
};
pub use verify::{Examiner, Looked};
pub use workers::{Membership, WorkerStatus, join, visit};
