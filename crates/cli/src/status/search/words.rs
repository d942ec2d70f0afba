//! Splits texts into words and normalizes them for search.
//!
//! Each word has a *key*: the word in lower case, decomposed (NFD), with the tone mark moved to the end.
//! Therefore `hoà` and `hòa` have the same key. A word with diacritics also has a form without them:
//! `hoa`. The index stores both forms at the same position. A query word with diacritics matches only its
//! key. A query word without diacritics matches all words with that form.
//!
//! Limitation: each syllable counts as a word, as everywhere in gleaner. In text without spaces, such as
//! Chinese and Thai, a query must contain a whole sequence of letters.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The combining tone marks of Vietnamese: grave, acute, tilde, hook above, dot below.
const TONES: [char; 5] = ['\u{300}', '\u{301}', '\u{303}', '\u{309}', '\u{323}'];

const MAX_WORD_BYTES: usize = 60;

pub(crate) fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    all(text).filter(|range| range.len() <= MAX_WORD_BYTES)
}

/// Whether a text contains a word that the index omits because it is too long.
pub(crate) fn is_too_long(text: &str) -> bool {
    all(text).any(|range| range.len() > MAX_WORD_BYTES)
}

fn all(text: &str) -> impl Iterator<Item = Range<usize>> {
    let is_of_word = |c: char| c.is_alphanumeric() || is_combining_mark(c);
    let mut from = 0;
    std::iter::from_fn(move || {
        let begin = from + text[from..].find(is_of_word)?;
        let end = text[begin..].find(|c| !is_of_word(c)).map_or(text.len(), |length| begin + length);
        from = end;
        Some(begin..end)
    })
}

pub(crate) fn key(word: &str) -> String {
    let (mut out, mut tones) = (String::new(), String::new());
    for c in word.chars().flat_map(char::to_lowercase).nfd() {
        if TONES.contains(&c) { tones.push(c) } else { out.push(c) }
    }
    out + &tones
}

/// Whether a word begins with a prefix, given the keys of both. Tone marks count for the whole word: `mừ`
/// begins `mừng`, but not `mưng`. A prefix without diacritics is compared with words without diacritics.
pub(crate) fn begins_with(word: &str, prefix: &str) -> bool {
    let (letters, tones) = letters_and_tones(word);
    let (first_letters, first_tones) = letters_and_tones(prefix);
    let is_plain = without_diacritics(prefix) == prefix;
    let has_form = !is_plain || without_diacritics(word) == word;
    let rest = letters.strip_prefix(first_letters);
    has_form
        && tones.starts_with(first_tones)
        && rest.is_some_and(|rest| !rest.starts_with(is_combining_mark))
}

/// Splits a key into its letters and the tone marks at its end.
pub(crate) fn letters_and_tones(key: &str) -> (&str, &str) {
    key.split_at(key.find(TONES).unwrap_or(key.len()))
}

/// Removes the diacritics from a key. `đ` becomes `d`.
pub(crate) fn without_diacritics(key: &str) -> String {
    key.chars().filter(|c| !is_combining_mark(*c)).map(|c| if c == 'đ' { 'd' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_folded_as_they_are_typed() {
        let cases = [
            ("Hoà", "hòa", "hoa"),
            ("BÌNH", "bình", "binh"),
            ("Đường", "đường", "duong"),
            ("rain", "Rain", "rain"),
        ];
        for (one, other, expected) in cases {
            assert_eq!(key(one), key(other), "{one}");
            assert_eq!(without_diacritics(&key(one)), expected);
        }
        assert_ne!(key("hòa"), key("hóa"));
        assert_eq!(key("ho\u{0061}\u{0300}"), key("hòa"));
    }

    #[test]
    fn overlong_words_are_recognized() {
        assert!(is_too_long(&format!("mưa {}", "z".repeat(MAX_WORD_BYTES + 1))));
        assert!(!is_too_long(&format!("mưa {}", "z".repeat(MAX_WORD_BYTES))));
    }

    #[test]
    fn a_prefix_has_the_marks_of_its_word() {
        for (word, prefix, expected) in [
            ("mừng", "mừ", true),
            ("mừng", "mư", true),
            ("mưng", "mừ", false),
            ("mừng", "mu", false),
            ("mung", "mu", true),
            ("hoà", "hò", true),
            ("đơn", "đo", false),
            ("đon", "đo", true),
            ("rainy", "rain", true),
            ("rai", "rain", false),
        ] {
            assert_eq!(begins_with(&key(word), &key(prefix)), expected, "{word} {prefix}");
        }
    }

    #[test]
    fn words_have_their_positions() {
        let text = "«Hòa Bình», 2026: it's";
        let found: Vec<&str> = words(text).map(|range| &text[range]).collect();
        assert_eq!(found, ["Hòa", "Bình", "2026", "it", "s"]);
        assert_eq!(words(&"x".repeat(MAX_WORD_BYTES + 1)).count(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_text_has_words(text in "\\PC*") {
            for range in words(&text) {
                let key = key(&text[range]);
                prop_assert_eq!(without_diacritics(&without_diacritics(&key)), without_diacritics(&key));
            }
        }
    }
}
