//! Normalises texts for comparison, and defines words.
//!
//! Two texts are equal if they are the same after Unicode normalization (NFC) and after each run of white
//! space is replaced by one space. Texts that differ in case, punctuation or diacritics are different,
//! because linguists study such differences.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::characters::{composed, is_alphanumeric};

/// The BLAKE3 hash of a normalised text. Exact duplicates have the same hash.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes `text` after normalisation.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let composed = composed(text);
        let mut normalised = String::with_capacity(composed.len());
        for word in composed.split_whitespace() {
            if !normalised.is_empty() {
                normalised.push(' ');
            }
            normalised.push_str(word);
        }
        Self(blake3::hash(normalised.as_bytes()).into())
    }

    /// Returns the hash with these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the hash as bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for ContentHash {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        from_hexadecimal(text)
            .map(Self)
            .ok_or_else(|| format!("\"{text}\" is not a content hash, which has 64 hexadecimal digits"))
    }
}

/// Parses bytes of two hexadecimal digits each.
pub(crate) fn from_hexadecimal<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N || !text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, at) in bytes.iter_mut().zip((0..).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(bytes)
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

/// Returns a text in NFC and lower case, for a search that ignores case.
///
/// ```
/// assert_eq!(gleaner_corpus::folded("CHƠ\u{323}"), "chợ");
/// ```
#[must_use]
pub fn folded(text: &str) -> String {
    text.to_lowercase().nfc().collect()
}

/// Returns the number of words of a text ([`each_word`]).
#[must_use]
pub fn words(text: &str) -> u64 {
    each_word(text).count() as u64
}

/// Returns the words of a text: maximal sequences of letters, digits or `_`, and each Chinese or Japanese
/// character. In Vietnamese, each syllable is a word.
///
/// ```
/// let words: Vec<&str> = gleaner_corpus::each_word("Chợ quê, 2026: 新闻!").collect();
/// assert_eq!(words, ["Chợ", "quê", "2026", "新", "闻"]);
/// ```
pub fn each_word(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let begin = rest.find(|c| is_part(c) || is_ideograph(c))?;
        rest = &rest[begin..];
        let first = rest.chars().next()?;
        let end = if is_ideograph(first) {
            first.len_utf8()
        } else {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        };
        let (word, after) = rest.split_at(end);
        rest = after;
        Some(word)
    })
}

fn is_part(c: char) -> bool {
    !is_ideograph(c) && (is_alphanumeric(c) || c == '_')
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_and_normal_form_do_not_count() {
        let hash = ContentHash::from_text("Chợ quê\nhọp sớm");
        assert_eq!(hash, ContentHash::from_text("  Chợ\u{a0}quê \t họp sớm\n"));
        assert_eq!(hash, ContentHash::from_text("Cho\u{31b}\u{323} que\u{302} ho\u{323}p so\u{31b}\u{301}m"));
    }

    #[test]
    fn words_case_and_punctuation_count() {
        let hash = ContentHash::from_text("one two");
        for other in ["onetwo", "one Two", "one two.", "two one", ""] {
            assert_ne!(hash, ContentHash::from_text(other), "{other}");
        }
    }

    #[test]
    fn words_are_counted_by_the_measure() {
        let cases =
            [("", 0), ("Chợ quê, 2026!", 3), ("a_b c", 2), ("新闻a报", 4), ("it's", 2), ("... \0 ...", 0)];
        for (text, count) in cases {
            assert_eq!(words(text), count, "{text}");
        }
    }
}
