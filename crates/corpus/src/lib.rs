//! Defines documents (identity, hashes, language, quality), and detects near-duplicates ([`dedup`]).
//!
//! A document is the text of one article with its provenance. The URL under which its text was first stored
//! identifies the document. Other URLs with the same normalized text are aliases. This crate does no I/O.

mod admission;
mod characters;
pub mod condition;
pub mod dedup;
mod distinct;
mod document;
mod extra;
mod fields;
mod host;
mod insert;
pub mod language;
mod method;
pub mod near;
mod normal;
mod per_site;
pub mod quality;
pub mod query;
mod search_text;
mod tones;
mod usage;
mod version;

pub use admission::{Admission, AdmissionRefusal, SiteAdmission, with_tones};
pub use condition::Condition;
pub use distinct::DistinctCounter;
pub use document::{Document, DocumentId, Share};
pub use extra::{Extra, Extras};
pub use host::{is_of_host, without_port};
pub use insert::Insert;
pub use language::{Language, language};

pub use method::Method;
pub use normal::{ContentHash, each_word, folded, words};
pub use per_site::PerSite;
pub use quality::Quality;
pub use query::Query;
pub use search_text::SearchText;
pub use tones::{Tones, unify_tone_marks};
pub use usage::{Preference, Purpose, Source, Statement, Usage};
pub use version::{CorpusVersion, VersionHasher};
