//! Finds the body text of a page: [`block_model`] classifies every line.
//!
//! The crate does no I/O, reads no clock, is not async and does not return a `Result`: where there is no body
//! text, there are no lines.

pub mod block_model;
mod phrases;

pub use block_model::word_hashes;
pub use phrases::Phrases;
