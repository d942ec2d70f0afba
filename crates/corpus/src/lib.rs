//! Documents: identity, hashes, language, records, export.
//!
//! A document is the text of one article with its provenance. It is named by the
//! URL under which its text was first seen; other URLs that carried the same
//! normalised text are its aliases. Nothing here does IO except `export`, which
//! writes to what it is handed.

mod document;
mod export;
mod language;
mod normal;

pub use document::{Document, DocumentId};
pub use export::{Filter, JsonLines};
pub use language::language;
pub use normal::{ContentHash, words};
