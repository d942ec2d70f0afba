//! Exports the corpus: selects documents and writes them in several formats.
//!
//! | file | content |
//! |---|---|
//! | [`record`] | an exported document: its fields and their order |
//! | [`filter`] | selects the exported documents, and counts the others by reason |
//! | [`sample`] | a random sample of documents |
//! | `tokens` | sentences and tokens of a line |
//! | [`repeated`] | removes paragraphs that the corpus repeats |
//! | [`format`](mod@format) | the formats of a record |
//! | [`single`] | one file, written atomically |
//! | [`folder`] | many files, written atomically, and resumed after an interruption |
//! | [`manifest`] | the list of written files, with checksums |
//! | [`card`] | files for other programs: a card and a registry file |
//!
//! docs/corpus.md describes record, formats and guarantees for users.
//!
//! Limitation: an export reads the current corpus. If documents are removed or extracted again during an
//! interruption, earlier shards have the old state and later ones the new state.

pub mod card;
mod error;
pub mod filter;
pub mod folder;
pub mod format;
pub mod manifest;
pub mod record;
pub mod repeated;
pub mod sample;
pub mod single;
mod tokens;

pub use error::ExportError;
pub use filter::{Filter, Property, Selection, Tally, TextFilter};
pub use folder::{Folder, Request};
pub use format::{Compression, Format};
pub use manifest::{DataFile, Manifest};
pub use record::{Fields, Record, RecordContext};
pub use repeated::Repeats;
pub use sample::{Sample, Sampler};
pub use single::{Single, Stream};
