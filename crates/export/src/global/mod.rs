//! Finds near-duplicates over the exports of many corpora, with files instead of an index in memory.
//!
//! ```text
//! sign:0 … sign:N ─► exact ─► band:0 … band:41 ─► clusters ─► write:0 … write:N
//! ```
//!
//! | file | question |
//! |---|---|
//! | `plan` | Which shards, with which settings, and are they still the same? |
//! | `task` | What are the parts of the work? |
//! | `work` | Which parts are done, and how does a result appear atomically? |
//! | `sign` | What is stored of the documents of a shard? |
//! | `table`, `columns` | In which files? |
//! | `exact` | Which documents are exact duplicates? |
//! | `bands`, `pairs` | Which documents share a band and are similar? |
//! | `clusters` | Which document represents which? |
//! | `write` | Which documents of a shard remain? |
//!
//! The decisions are those of a crawl: documents are processed in the order in which they were fetched,
//! [`gleaner_corpus::dedup::ask()`] compares each with the representatives, and texts are compared word by word.
//! Duplicates that a crawl's index in memory has dropped are found here; otherwise the representatives are
//! the same.
//!
//! Each task makes a folder, under another name until it is complete. There are no locks: two runs on one
//! folder take the tasks in different orders, and a result that both made is stored once.
//!
//! Limitation: the last step processes the pairs in order, in one thread, with 4 bytes of memory per
//! document; the work folder takes some 600 bytes per document and its compressed text.

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
