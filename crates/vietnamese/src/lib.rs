//! Vietnamese: its syllables, its tones, and how it was written before Unicode.
//!
//! | file | question |
//! |---|---|
//! | [`syllable`] | Is this a Vietnamese syllable, with marks or without? |
//! | [`tones`] | Where does the tone mark stand: `hòa` or `hoà`? |
//! | [`legacy`] | Which text is this, written in VISCII, TCVN3 or VNI? |
//!
//! No IO, no clock; nothing here fails.

pub mod legacy;
pub mod syllable;
pub mod tones;

pub use syllable::Syllable;
pub use tones::Placement;
