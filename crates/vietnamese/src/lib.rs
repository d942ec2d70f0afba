//! Recognizes Vietnamese syllables, and decodes Vietnamese encodings older than Unicode.
//!
//! | module | question |
//! |---|---|
//! | [`syllable`] | Is this a Vietnamese syllable, with or without marks? |
//! | [`legacy`] | How is text in VISCII, TCVN3 or VNI recognized and decoded? |
//!
//! The crate does no I/O and uses no clock, and its functions never fail.

pub mod legacy;
pub mod syllable;

pub use syllable::Syllable;
