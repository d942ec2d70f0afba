//! Exports the corpus: selects documents and writes them in several formats.
//!
//! | file | content |
//! |---|---|
//! | [`record`] | defines the fields of an exported document and their order |
//! | [`filter`] | selects documents, and counts the excluded documents by filter |
//! | [`sample`] | selects documents at random |
//! | `tokens` | splits lines into sentences and tokens |
//! | [`tagger`] | takes the tokens of an external program instead |
//! | [`repeated_paragraphs`] | removes paragraphs that the corpus repeats |
//! | [`format`](mod@format) | renders records in each format |
//! | [`single_file`] | writes one file atomically |
//! | [`document_file`] | writes documents to Parquet files of a store, and reads them again |
//! | [`folder`] | writes many files atomically, and resumes an interrupted export |
//! | [`manifest`] | lists the written files with checksums |
//! | [`dataset_card`] | writes the files that other programs expect, such as a dataset card |
//!
//! docs/corpus.md describes records, formats and guarantees for users.
//!
//! Limitation: an export reads the current corpus. If documents change during an interruption, earlier files
//! contain the old versions, and later files contain the new versions.

pub mod dataset_card;
pub mod document_file;
mod error;
pub mod filter;
pub mod folder;
pub mod format;
pub mod manifest;
pub mod record;
pub mod repeated_paragraphs;
pub mod sample;
pub mod single_file;
pub mod tagger;
mod tokens;

pub use error::ExportError;
pub use filter::{Filter, FilterCounts, Property, Selection, SelectionRequest, TextFilter, UrlPatterns};
pub use folder::{ExportRequest, FolderExport};
pub use format::csv::CsvVariant;
pub use format::{Compression, FORMATS, Format, FormatKind};
pub use manifest::{DataFile, Manifest, UnreadableText};
pub use record::{Fields, Record, RecordContext};
pub use repeated_paragraphs::RepeatedParagraphs;
pub use sample::{Sample, Sampler};
pub use single_file::{FileExport, StreamExport};
pub use tagger::Tagger;
