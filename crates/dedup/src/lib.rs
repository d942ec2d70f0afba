//! When two texts are nearly the same, and which paragraphs a site repeats.
//!
//! A new text goes through these files in this order: [`tokens`], [`signature`],
//! [`bands`], [`index`], [`alignment`], [`verdict`] (joined in [`ask`](mod@ask)); what is
//! a duplicate becomes a member of a cluster ([`clusters`]). [`paragraphs`] stands by
//! itself. Nothing here does IO, reads a clock or depends on the machine: a signature
//! that was kept means the same for ever.
//!
//! Limitation: what "the same article" is nobody has defined. docs/dedup.md says
//! what was measured, on which pairs, and what is missed.

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
pub use clusters::{Contender, Head};
pub use index::{Candidate, Exact, Index, Number, Table};
pub use signature::Signature;
pub use tokens::Tokens;
pub use verdict::{Differing, Params, Verdict};
