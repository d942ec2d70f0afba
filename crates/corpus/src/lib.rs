//! Documents: identity, hashes, language, quality.
//!
//! A document is the text of one article with its provenance. It is named by the
//! URL under which its text was first seen; other URLs that carried the same
//! normalised text are its aliases. Nothing here does IO.

mod distinct;
mod document;
mod language;
mod normal;
pub mod quality;

pub use distinct::Distinct;
pub use document::{Document, DocumentId};
pub use language::language;
pub use normal::{ContentHash, each_word, words};
pub use quality::Quality;
