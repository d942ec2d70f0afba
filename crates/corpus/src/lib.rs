//! Documents (identity, hashes, language, quality) and near-duplicate detection ([`dedup`]).
//!
//! A document is the text of one article with its provenance. The URL under which its text was first
//! seen identifies it; other URLs with the same normalised text are its aliases. This crate does no IO.

mod admission;
pub mod condition;
pub mod dedup;
mod distinct;
mod document;
mod insert;
pub mod language;
mod normal;
pub mod quality;
mod template_method;
mod tones;

pub use admission::{Admission, Refusal, with_tones};
pub use condition::Condition;
pub use distinct::Distinct;
pub use document::{Document, DocumentId};
pub use insert::Insert;
pub use language::{Language, language};

pub use normal::{ContentHash, each_word, words};
pub use quality::Quality;
pub use template_method::TemplateMethod;
pub use tones::{Tones, unified};
