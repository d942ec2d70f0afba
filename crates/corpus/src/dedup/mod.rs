//! Decides whether two texts are near-duplicates, and which paragraphs sites repeat.
//!
//! A new text passes through these modules in order: [`tokens`], [`signature`], [`bands`], [`index`],
//! [`alignment`], [`verdict`]. [`ask`](mod@ask) combines them. A near-duplicate becomes a member of a cluster
//! ([`clusters`]). [`paragraphs`] is independent. No module does I/O, reads a clock or depends on the
//! machine, so stored signatures stay comparable.
//!
//! Limitation: there is no agreed definition of "the same article". docs/dedup.md describes the measurements,
//! the pairs of texts for them, and the errors.

pub mod alignment;
pub mod ask;
pub mod bands;
pub mod clusters;
mod fold;
pub mod index;
mod mix;
pub mod paragraphs;
pub mod signature;
pub mod tokens;
pub mod verdict;

pub use alignment::{Alignment, Numerals};
pub use ask::{Documents, Like, Signed, ask};
pub use bands::{BANDS, Keys, ROWS};
pub use clusters::{Contender, Representative};
pub use index::{Candidate, Exact, Index, Number, Table};
pub use signature::Signature;
pub use tokens::Tokens;
pub use verdict::{Differing, SimilarityParams, Verdict};
