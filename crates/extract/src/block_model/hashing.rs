//! Words, texts and places as numbers: compared often, and kept in templates.
//!
//! The awkward truth: two texts may have one number. With 64 bits that is likely from
//! some billions of texts on, and costs a line.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use crate::words;

/// A name with every run of digits as one `#`, so that `post-17` is `post-#`.
pub(super) fn masked(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            c if c.is_ascii_digit() && out.ends_with('#') => {}
            c if c.is_ascii_digit() => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

/// A hash that is the same on every machine, run and version: templates hold it.
pub(super) fn hash(of: &impl Hash) -> u64 {
    let mut hasher = Fnv(FNV_START);
    of.hash(&mut hasher);
    hasher.finish()
}

/// What FNV-1a starts from.
pub(super) const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a of 64 bits, over further bytes.
pub(super) fn fnv_1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// FNV-1a, with a last mixing step so that all bits depend on all bytes.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = fnv_1a(self.0, bytes);
    }

    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }
}

/// A text's words in lower case, hashed.
pub(super) fn hashes(text: &str) -> impl Iterator<Item = u64> {
    words(text).map(|word| hash(&word.to_lowercase()))
}

/// Hashes of every three words in a row.
pub(super) fn trigrams(words: &[u64]) -> HashSet<u64> {
    words.windows(3).map(|three| hash(&three)).collect()
}

/// Share of a text's trigrams that a set holds, 0 to 1.
pub(super) fn shared(words: &[u64], set: &HashSet<u64>) -> f32 {
    if set.is_empty() || words.len() < 3 {
        return 0.0;
    }
    let found = words.windows(3).filter(|three| set.contains(&hash(three))).count();
    found as f32 / (words.len() - 2) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_templates_hold() {
        assert_eq!(fnv_1a(FNV_START, b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a(FNV_START, b"a"), 0xaf63_dc4c_8601_ec8c, "as the authors of FNV list it");
        assert_eq!(hash(&"a"), 0xbf3b_33be_a5cc_eadc);
    }

    #[test]
    fn runs_of_digits_are_masked() {
        for (name, expected) in [("post-17", "post-#"), (" a1b22 ", "a#b#"), ("", ""), ("2026", "#")] {
            assert_eq!(masked(name), expected);
        }
    }

    #[test]
    fn a_text_shares_its_trigrams() {
        let words: Vec<u64> = hashes("one Two three four").collect();
        let set = trigrams(&hashes("ONE two three").collect::<Vec<_>>());
        assert_eq!(shared(&words, &set), 0.5);
        assert_eq!((shared(&words[..2], &set), shared(&words, &HashSet::new())), (0.0, 0.0));
    }
}
