//! Finds near-duplicates across the exports of many corpora, with files instead of an index in memory.
//!
//! ```text
//! sign:0 … sign:N ─► exact ─► band:0 … band:41 ─► clusters ─► write:0 … write:N
//! ```
//!
//! | file | question |
//! |---|---|
//! | `plan` | Which shards and settings are used, and are they unchanged? |
//! | `task` | What are the parts of the work? |
//! | `work` | Which parts are done, and how does a result appear atomically? |
//! | `sign` | What is stored for each document of a shard? |
//! | `table`, `columns` | In which files is it stored? |
//! | `exact` | Which documents are exact duplicates? |
//! | `bands`, `pairs` | Which documents share a band and are similar? |
//! | `clusters` | Which document represents each duplicate? |
//! | `write` | Which documents of a shard are kept? |
//!
//! The decisions are the same as in a crawl: documents are processed in the order in which they were
//! fetched, [`gleaner_corpus::dedup::ask()`] compares each with the representatives, and texts are
//! compared word by word. Duplicates that a crawl's index in memory has dropped are also found.
//! Otherwise the representatives are the same.
//!
//! Each task writes a folder, with a different name until it is complete. There are no locks. Two runs
//! on the same work folder process the tasks in different orders, and a result that both produce is
//! stored once.
//!
//! Limitation: the `clusters` step processes the pairs in order, in one thread, with 4 bytes of memory
//! per document. The work folder takes about 600 bytes per document plus its compressed text.

mod bands;
mod bits;
mod clusters;
mod columns;
mod error;
mod exact;
mod pairs;
pub mod part;
mod plan;
mod sign;
mod table;
pub mod task;
mod work;
mod write;

pub use clusters::{Duplicate, Kind, Outcome};
pub use error::GlobalError;
pub use plan::Settings;
pub use table::Signing;
pub use task::Task;
pub use work::{Event, Options, Work};
