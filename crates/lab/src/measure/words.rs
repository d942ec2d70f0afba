//! Computes the word measure: how many words two texts share, in any order.
//!
//! Both texts are compared in NFC and lower case. A word is a maximal run of letters, digits and `_`, or a
//! single CJK character (U+3040 to U+30FF, U+3400 to U+9FFF). The overlap is the size of the intersection of
//! the two multisets of words. Precision, recall and F1 are computed from the overlap. They are 0 if no words
//! are shared, even if the gold text has no words.
//!
//! The documentation of the recorded sets defines the measure in the same way. This definition of a word
//! differs from [`gleaner_html::words::words`] in three rare cases. In this module, combining marks (Indic vowel
//! signs) end a word, marks within the kana blocks are words, and compatibility ideographs are letters.
//!
//! Limitation: a text with shuffled words scores 1.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::Ratios;

/// The distinct words of a text, each with its number of occurrences.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WordBag {
    counts: HashMap<String, u64>,
    total: u64,
}

/// The sizes of two multisets of words and of their intersection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Overlap {
    /// The number of extracted words.
    pub extracted: u64,
    /// The number of words in the gold text.
    pub gold: u64,
    /// The size of the intersection.
    pub shared: u64,
}

impl WordBag {
    /// Counts the words of a text.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let mut bag = Self::default();
        for word in words(&normal(text)) {
            bag.total += 1;
            match bag.counts.get_mut(word) {
                Some(count) => *count += 1,
                None => {
                    bag.counts.insert(word.to_owned(), 1);
                }
            }
        }
        bag
    }

    /// Returns the number of words, including repetitions.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Compares this extracted text with `gold`.
    #[must_use]
    pub fn against(&self, gold: &Self) -> Overlap {
        let shared = |(word, count): (&String, &u64)| gold.counts.get(word).map_or(0, |of| *of.min(count));
        Overlap { extracted: self.total, gold: gold.total, shared: self.counts.iter().map(shared).sum() }
    }
}

impl Overlap {
    /// Returns precision, recall and F1.
    #[must_use]
    pub fn ratios(self) -> Ratios {
        Ratios::of_sizes(self.shared, self.extracted, self.gold)
    }
}

/// Returns the text in NFC and lower case, so that words can be compared.
#[must_use]
pub fn normal(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase()
}

/// Splits a text into words, in order and unchanged.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[rest.find(|c| is_own_word(c) || in_word(c))?..];
        let length = match rest.chars().next() {
            Some(first) if is_own_word(first) => first.len_utf8(),
            _ => rest.find(|c| is_own_word(c) || !in_word(c)).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(length);
        rest = behind;
        Some(word)
    })
}

fn is_own_word(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}')
}

/// Whether a character is a letter, a digit or `_`. Vowel signs and circled letters do not count as letters.
fn in_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    let circled = matches!(c, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}');
    c.is_alphanumeric() && !is_combining_mark(c) && !circled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_runs_and_single_cjk_characters() {
        let cases: [(&str, &[&str]); 8] = [
            ("", &[]),
            (" | · — ", &[]),
            ("don't stop_me 24h", &["don", "t", "stop_me", "24h"]),
            ("Hà Nội, Việt", &["Hà", "Nội", "Việt"]),
            ("abc中文def", &["abc", "中", "文", "def"]),
            ("カ・メ", &["カ", "・", "メ"]),
            ("हिन्दी", &["ह", "न", "द"]),
            ("ⓐb ½ Ⅷ", &["b", "½", "Ⅷ"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn overlap_counts_repeated_words_and_nothing_of_order_or_form() {
        let cases = [
            ("the cat the dog", "The THE cat", (4, 3, 3)),
            ("a a a", "a b", (3, 2, 1)),
            ("Ha\u{300} No\u{323}\u{302}i", "nội hà", (2, 2, 2)),
            ("ΟΔΟΣ", "οδος", (1, 1, 1)),
            ("", "a", (0, 1, 0)),
        ];
        for (text, gold, (extracted, of, shared)) in cases {
            let overlap = WordBag::from_text(text).against(&WordBag::from_text(gold));
            assert_eq!(overlap, Overlap { extracted, gold: of, shared }, "{text} against {gold}");
        }
        let third = WordBag::from_text("a a a").against(&WordBag::from_text("a b")).ratios();
        assert!((third.precision - 1.0 / 3.0).abs() < 1e-12 && (third.f1 - 0.4).abs() < 1e-12);
    }
}
