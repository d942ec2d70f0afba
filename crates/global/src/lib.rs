//! Near-duplicates over the exports of many corpora, with files instead of memory.
//!
//! ```text
//! sign:0 … sign:N ─► exact ─► band:0 … band:41 ─► clusters ─► write:0 … write:N
//! ```
//!
//! | file | question |
//! |---|---|
//! | `plan` | Which shards, with which settings, and are they still the same? |
//! | `task` | What are the parts of the work? |
//! | `work` | Which parts are done, and how is one whole or not there? |
//! | `sign` | What is kept of the documents of a shard? |
//! | `table`, `columns` | In which files? |
//! | `exact` | Which texts are there twice, word for word? |
//! | `bands`, `pairs` | Which documents share a band and are alike? |
//! | `clusters` | Who stands for whom? |
//! | `write` | What is left of a shard? |
//!
//! The verdict is the crawl's own: documents come in the order in which they were fetched,
//! each is asked about by [`gleaner_dedup::ask()`] against those that stand for themselves,
//! texts are compared word by word. What a crawl's index in memory forgets is found here;
//! else heads are the same.
//!
//! Each task makes a folder, under another name until it is whole. There are no locks: two
//! runs on one folder take the tasks in different orders, and what both did is there once.
//! A lock that a killed machine leaves would have to be outlived.
//!
//! Limitation: the last step goes through the pairs in order, in one thread, with 4
//! bytes of memory a document; and the work folder takes some 600 bytes a document and its
//! compressed text.

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
