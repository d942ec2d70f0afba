//! Decides whether two texts are near-duplicates, and which paragraphs sites repeat.
//!
//! A new text passes through these modules in order: [`tokens`], [`signature`], [`bands`], [`index`],
//! [`alignment`], [`relation`]. [`find_similar`](mod@search) combines them. A near-duplicate becomes a member
//! of a cluster ([`clusters`]). [`paragraphs`] is independent. No module does I/O, reads a clock or depends
//! on the machine, so stored signatures stay comparable.
//!
//! Limitation: there is no agreed definition of "the same article". docs/dedup.md describes the measurements,
//! the pairs of texts that were used, and the errors.

pub mod alignment;
pub mod bands;
pub mod clusters;
mod fold;
pub mod index;
mod mix;
pub mod paragraphs;
pub mod relation;
pub mod search;
pub mod signature;
pub mod tokens;

pub use alignment::{Alignment, Numerals};
pub use bands::{BANDS, BandKeys, ROWS};
pub use clusters::{Representative, RepresentativeCandidate};
pub use index::{BandIndex, BandTable, Bucket, Candidate, DocumentNumber, ExactBandIndex, KeyPlace};
pub use relation::{DifferingNumbers, Relation, SimilarityParams};
pub use search::{DocumentReader, SignedText, SimilarDocument, find_similar};
pub use signature::Signature;
pub use tokens::Tokens;
