//! Computes hashes of words, texts and DOM paths, for fast comparison and for storage in templates.
//!
//! Limitation: two texts may have the same hash. With 64 bits, this becomes likely for some billions of
//! texts. In such a case, one line may be misclassified.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};

use gleaner_html::words::words;

/// Replaces every run of digits by one `#`: `post-17` becomes `post-#`.
pub(super) fn masked(name: &str) -> impl Iterator<Item = char> {
    let mut is_masked = false;
    name.trim().chars().filter_map(move |c| {
        let goes_on = is_masked && c.is_ascii_digit();
        let c = if c.is_ascii_digit() { '#' } else { c };
        is_masked = c == '#';
        (!goes_on).then_some(c)
    })
}

pub(super) fn hash_with_masked(first: impl Hash, name: &str) -> u64 {
    let mut hasher = Fnv(FNV_START);
    first.hash(&mut hasher);
    hasher.characters(masked(name));
    hasher.finish()
}

/// Returns a hash that templates store. It is the same on all machines and in all versions.
pub(super) fn hash(of: &impl Hash) -> u64 {
    let mut hasher = Fnv(FNV_START);
    of.hash(&mut hasher);
    hasher.finish()
}

pub(super) const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

pub(super) fn fnv_1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The hash function FNV-1a with a final mixing step, which makes all bits depend on all bytes.
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

impl Fnv {
    fn characters(&mut self, characters: impl Iterator<Item = char>) {
        for c in characters {
            self.write(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.end_of_string();
    }

    fn end_of_string(&mut self) {
        self.write(&[0xff]);
    }
}

/// Returns a hash of each word of a text in lower case. The hashes may be different in another version.
pub fn word_hashes(text: &str) -> impl Iterator<Item = u64> {
    words(text).map(hash_in_lower_case)
}

/// Returns a hash of a word in lower case. Templates do not store this hash, so it may change.
pub(super) fn hash_in_lower_case(word: &str) -> u64 {
    if word.is_ascii() {
        return hash_in_eights(word.as_bytes(), |eight| eight.map(|byte| byte.to_ascii_lowercase()));
    }
    let mut lower = [0; 64];
    let mut length = 0;
    for c in word.chars().map(lower_case) {
        // The lower case of some letters is several letters, and that of sigma depends on its position.
        let Some(c) = c.filter(|c| length + c.len_utf8() <= lower.len()) else {
            return hash_in_eights(word.to_lowercase().as_bytes(), |eight| eight);
        };
        length += c.encode_utf8(&mut lower[length..]).len();
    }
    hash_in_eights(&lower[..length], |eight| eight)
}

/// Equals `text.to_lowercase()`, with a fast path for the most common letters.
pub(super) fn to_lower_case(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut lower = String::with_capacity(text.len());
    for c in text.chars() {
        let Some(c) = lower_case(c) else { return text.to_lowercase() };
        lower.push(c);
    }
    lower
}

/// Returns the lower case of a letter, with a fast path for the most common letters. Returns `None` if the
/// lower case is not one letter, or depends on the word.
fn lower_case(c: char) -> Option<char> {
    match c {
        '\0'..='\x7f' => Some(c.to_ascii_lowercase()),
        'ß'..='ÿ' | 'ư' | 'а'..='џ' | 'α'..='ω' | '\u{4E00}'..='\u{9FEF}' => Some(c),
        'А'..='Я' => char::from_u32(u32::from(c) + 32),
        '\u{1EA0}'..='\u{1EF9}' | 'Ă'..='ą' | 'Ơ'..='ơ' => char::from_u32(u32::from(c) | 1),
        'Σ' => None,
        c => {
            let mut lower = c.to_lowercase();
            lower.next().filter(|_| lower.next().is_none())
        }
    }
}

pub(super) fn hash_in_eights(bytes: &[u8], change: impl Fn([u8; 8]) -> [u8; 8]) -> u64 {
    let mix = |hash: u64, eight: [u8; 8]| {
        let product = u128::from(hash ^ u64::from_le_bytes(change(eight))) * 0x9e37_79b9_7f4a_7c15;
        (product >> 64) as u64 ^ product as u64
    };
    let (eights, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    // A product, because the length alone would change the same bits as the first letter.
    let start = FNV_START.wrapping_mul(2 * bytes.len() as u64 + 1);
    mix(eights.iter().fold(start, |hash, eight| mix(hash, *eight)), last)
}

/// Hasher for maps with hashes of this module as keys.
///
/// A hostile page could choose words whose FNV-1a hashes fall into one bucket, which would make the time
/// quadratic. Therefore each map mixes the keys with a secret before folding the upper bits into the lower
/// bits. No code depends on the iteration order of these maps.
#[derive(Debug, Clone)]
pub(super) struct MixedHasherBuilder(u64);

impl Default for MixedHasherBuilder {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for MixedHasherBuilder {
    type Hasher = MixedHasher;

    fn build_hasher(&self) -> MixedHasher {
        MixedHasher(self.0)
    }
}

pub(super) struct MixedHasher(u64);

impl Hasher for MixedHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.write_u64(fnv_1a(FNV_START, bytes));
    }

    fn write_u64(&mut self, key: u64) {
        let product = u128::from(self.0 ^ key) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

pub(super) type ByHash<T> = HashMap<u64, T, MixedHasherBuilder>;

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SortedHashes(Vec<u64>);

impl FromIterator<u64> for SortedHashes {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        let mut hashes: Vec<u64> = hashes.into_iter().collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self(hashes)
    }
}

impl SortedHashes {
    pub(super) fn contains(&self, hash: u64) -> bool {
        self.0.binary_search(&hash).is_ok()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

fn threes(words: &[u64]) -> impl Iterator<Item = u64> {
    let mix = |all: u64, word: &u64| (all ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    words.windows(3).map(move |three| three.iter().fold(0, mix))
}

pub(super) fn trigrams(words: &[u64]) -> SortedHashes {
    threes(words).collect()
}

/// Returns the share of a text's word trigrams that `set` contains, 0 to 1.
pub(super) fn shared(words: &[u64], set: &SortedHashes) -> f32 {
    if set.is_empty() || words.len() < 3 {
        return 0.0;
    }
    let found = threes(words).filter(|three| set.contains(*three)).count();
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
            assert_eq!(masked(name).collect::<String>(), expected);
            assert_eq!(hash_with_masked(7_u64, name), hash(&(7_u64, expected)));
        }
    }

    #[test]
    fn words_are_hashed_as_their_lower_case() {
        for word in ["", "Rain", "MƯA", "Đà", "ΟΔΟΣ", "ΣΑΣ", "İ", "ẞ", "雨", "Ǆ"] {
            assert_eq!(hash_in_lower_case(word), hash_in_lower_case(&word.to_lowercase()), "{word}");
        }
        let long = "Đ".repeat(90);
        assert_eq!(hash_in_lower_case(&long), hash_in_lower_case(&long.to_lowercase()));
        let words = ["", "a", "b", "ab", "a\0", "abcdefgh", "abcdefghi", "abcdefgi", "đ", "đđđđđ", "d"];
        assert_eq!(words.map(hash_in_lower_case).into_iter().collect::<SortedHashes>().len(), words.len());
    }

    #[test]
    fn lower_case_is_that_of_the_standard_library() {
        for c in '\0'..=char::MAX {
            if let Some(lower) = lower_case(c) {
                assert!(c.to_lowercase().eq([lower]), "{c:?}");
            }
        }
    }

    #[test]
    fn a_text_shares_its_trigrams() {
        let words: Vec<u64> = word_hashes("one Two three four").collect();
        let set = trigrams(&word_hashes("ONE two three").collect::<Vec<_>>());
        assert_eq!(shared(&words, &set), 0.5);
        assert_eq!((shared(&words[..2], &set), shared(&words, &SortedHashes::default())), (0.0, 0.0));
    }
}
