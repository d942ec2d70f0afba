//! Recognizes Vietnamese syllables, places tones, and decodes encodings older than Unicode.
//!
//! | file | question |
//! |---|---|
//! | [`syllable`] | Is this a Vietnamese syllable, with or without marks? |
//! | [`tones`] | Where is the tone mark: `hòa` or `hoà`? |
//! | [`legacy`] | Which text is this in VISCII, TCVN3 or VNI? |
//!
//! No IO, no clock; nothing here fails.

pub mod legacy;
pub mod syllable;
pub mod tones;

pub use syllable::Syllable;
pub use tones::Placement;
