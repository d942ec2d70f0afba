//! Recognizes Vietnamese syllables, and decodes encodings older than Unicode.
//!
//! | file | question |
//! |---|---|
//! | [`syllable`] | Is this a Vietnamese syllable, with or without marks? |
//! | [`legacy`] | Which text is this in VISCII, TCVN3 or VNI? |
//!
//! No IO, no clock; nothing here fails.

pub mod legacy;
pub mod syllable;

pub use syllable::Syllable;
