//! Stores all records of a corpus durably. No other crate accesses sled or PostgreSQL.
//!
//! Records are stored under keys (`keys.rs`) in an ordered map. An engine (`engine/`) implements the map:
//! sled in a folder ([`open`](fn@open)), or a PostgreSQL database that many processes share ([`join`]). A
//! [`Change`] reads its own writes and is atomic: after a crash, the store contains all writes of a change or
//! none.
//!
//! A process has one [`Writer`] for a store. A lock file keeps other writers out of a data folder, and names
//! the process that has the folder open. Other processes [`read`](fn@read) through that process. Any number of
//! [`Store`] handles can read at the same time. In a shared store, each process writes only the partitions
//! for which it has leases (`partitions.rs`, `leases.rs`). It sends messages to request changes in other
//! partitions (`messages.rs`).
//!
//! The writer also owns the archive (`archive.rs`) and the index of near-duplicates (`near.rs`). Every flush
//! writes the archive to disk before the store.
//!
//! `kill -9` loses no URL. A change that was not flushed is lost as a whole, so its URL is still in the
//! frontier and is fetched again.

mod archive;
mod change;
mod change_log;
mod clock;
mod clusters;
mod compaction;
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
mod lock;
mod messages;
mod migrate;
mod near;
pub mod objects;
mod open;
mod packed;
mod partitions;
mod read;
mod rebuild;
mod record_context;
mod records;
mod removal;
mod repair;
mod runs;
mod seeds;
mod shrink;
mod similarity;
mod unwritable;
mod verify;
mod waiting;
mod workers;

pub use change::Change;
pub use change_log::{CHANGES_TYPE, ChangeLog, is_of_changes};
pub use compaction::{Compacted, Extent};
pub use engine::postgres::redacted_address;
pub use error::StoreError;
pub use files::{ARCHIVE_FOLDER, DOCUMENTS_FOLDER, FileRecord};
pub use frontier::QueuePosition;
pub use history::History;
pub use leases::{GainedPartition, Lease, Leases, PartitionId};
pub use messages::{ReceivedMessages, RobotsQuery, RobotsReply};
pub use migrate::{MigrateError, Migration, MovedRecords, join_alone};
pub use near::DuplicateLevels;
pub use open::{StoreOptions, Writer, open, read, read_corpus};
pub use packed::{PackedDocument, PackedPage};
pub use partitions::PARTITIONS;
pub use read::{Store, UrlWithPage};
pub use rebuild::{Replacement, old_stores};
pub use record_context::ContextReader;
pub use records::{
    ArchiveEnd, ArchivePosition, Counts, HostId, HostRecord, RawPage, Reextracted, Run, Totals, UrlRecord,
    UrlState, WaitReason, document_id,
};
pub use removal::{Removal, RemovalPlan, RemovalStep, RemovalTarget, RemovedUrl, RewrittenArchive};
pub use repair::{DamagedRecord, Repairs, StorePart};
pub use shrink::{Shrunk, shrink};
pub use similarity::{Cluster, Member, SimilarityInfo};
pub use verify::{CheckedCounts, Examiner};
pub use workers::{WorkerParams, WorkerStatus, join, visit};
