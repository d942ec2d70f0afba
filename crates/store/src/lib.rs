//! What is kept and how it survives a crash: the only crate that names sled.
//!
//! Two trees. `records` holds everything small, told apart by the first byte of
//! its keys (see `keys.rs`); `pages` holds the raw pages of hosts that have no
//! template yet, and those that looked unlike their template. A change is a
//! [`Change`]: it reads through its own writes and becomes one sled batch in one
//! tree, so that after a crash all of it is there or none. A raw page is written
//! before the change that names it.
//!
//! One [`Writer`] exists for a data folder, across processes too (a lock file
//! names the one that has it); any number of [`Store`] handles read beside it.
//!
//! Nothing is lost at `kill -9`: a change that had not been flushed is gone as if
//! it had never been made, its URL is still in the frontier and is fetched again.
//!
//! The awkward truth: sled 0.34 is a beta that its author no longer develops.
//! docs/architecture.md tells what is done about that.

mod change;
mod clock;
mod clusters;
mod documents;
mod error;
mod flushed;
mod frontier;
mod history;
mod keys;
mod likeness;
mod lock;
mod near;
mod open;
mod packed;
mod read;
mod records;
mod verify;

pub use change::Change;
pub use documents::Placement;
pub use error::StoreError;
pub use frontier::Turn;
pub use history::History;
pub use likeness::{Cluster, Likeness, Member};
pub use near::{Duplicates, Levels};
pub use open::{Options, Writer, open, set_aside};
pub use packed::{PackedDocument, PackedPage};
pub use read::Store;
pub use records::{
    ArchiveEnd, Archived, Counts, HostId, HostRecord, RawPage, Run, Totals, UrlRecord, UrlState, Wait,
};
pub use verify::{Examiner, Looked};
