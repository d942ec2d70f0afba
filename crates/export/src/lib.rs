//! How the corpus leaves: which documents, in which form, in which files.
//!
//! | file | question |
//! |---|---|
//! | [`record`] | Which fields does an exported document have, in which order? |
//! | [`filter`] | Which documents are asked for, and what held the others back? |
//! | [`repeated`] | Which paragraphs does the corpus repeat, and what is a text without them? |
//! | [`format`](mod@format) | How is a record written: JSON Lines, Parquet, vertical, text? |
//! | [`single`] | How is one file whole or not there? |
//! | [`folder`] | How are many files whole, and how does an interrupted export go on? |
//! | [`manifest`] | What was written, and how can it be checked? |
//! | [`reading`] | How is what was exported read again, whole or in part? |
//! | [`card`] | What do other programs need beside the data: a card, a registry file? |
//!
//! docs/corpus.md describes record, formats and guarantees for people.
//!
//! Limitation: an export reads the corpus as it is. What is taken out of the corpus
//! between an interruption and the second start, or extracted anew, is in the shards
//! before as it was and in those after as it is.

pub mod card;
mod error;
pub mod filter;
pub mod folder;
pub mod format;
pub mod manifest;
pub mod reading;
pub mod record;
pub mod repeated;
pub mod single;

pub use error::ExportError;
pub use filter::{Filter, Selection, Tally};
pub use folder::{Folder, Request};
pub use format::{Compression, Format};
pub use manifest::{DataFile, Manifest};
pub use record::{Beside, Record};
pub use repeated::Repeats;
pub use single::{Single, Stream};
