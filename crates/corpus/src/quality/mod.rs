//! Computes measured values of a text (figures) that indicate its quality.
//!
//! These functions do not exclude documents. `export` filters documents by the user's conditions, and counts
//! the excluded documents. The figures for repeated lines, symbols and stop words follow Rae et al., "Scaling
//! Language Models" (2021), appendix A.1.1. The paper requires two of eight English words. This module
//! computes a share of stop words instead.
//!
//! Limitation: stop-word lists exist only for Vietnamese and English ([`STOP_WORD_LANGUAGES`]). Sentences are
//! split at punctuation marks, and only a few abbreviations are known. The share of words in links is not
//! computed, because a document does not record which lines were links.

mod sentences;
pub(crate) mod stop_words;

use std::collections::HashSet;

use unicode_normalization::char::is_combining_mark;

use crate::each_word;

pub use sentences::sentences;
pub use stop_words::STOP_WORD_LANGUAGES;

/// The quality figures of a text. Shares are 0 to 1, rounded to four decimals, so that all export formats
/// contain the same number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quality {
    /// Number of words ([`crate::words`]). A Vietnamese syllable is a word.
    pub words: u64,
    /// Mean number of words per sentence. Sentences without words are not counted. 0 if the text has no
    /// words.
    pub sentence_length: f64,
    /// Share of words that are stop words of the text's language. `None` if there is no list for the
    /// language, or if the text has no words.
    pub stop_word_share: Option<f64>,
    /// Share of non-empty lines that repeat an earlier line.
    pub repeated_line_share: f64,
    /// Share of visible characters that are not letters, digits or combining marks.
    pub symbol_share: f64,
}

impl Quality {
    /// Computes the figures of a text with one paragraph per line, in linear time. `language` is a primary
    /// BCP 47 tag.
    ///
    /// ```
    /// let quality = gleaner_corpus::Quality::new("The rain came. It stayed.\nThe rain came. It stayed.", "en");
    /// assert_eq!((quality.words, quality.sentence_length), (10, 2.5));
    /// assert_eq!(quality.stop_word_share, Some(0.4)); // the, it, the, it
    /// assert_eq!(quality.repeated_line_share, 0.5);
    /// assert_eq!(quality.symbol_share, 0.0952); // four full stops of 42 characters
    /// ```
    #[must_use]
    pub fn new(text: &str, language: &str) -> Self {
        let words = crate::words(text);
        let sentences = text.lines().flat_map(sentences).filter(|one| each_word(one).next().is_some());
        Self {
            words,
            sentence_length: share(words, sentences.count() as u64),
            stop_word_share: stop_words::for_language(language).filter(|_| words > 0).map(|list| {
                let is_stop = |word: &&str| list.contains(word.to_lowercase().as_str());
                share(each_word(text).filter(is_stop).count() as u64, words)
            }),
            repeated_line_share: repeated_lines(text),
            symbol_share: symbols(text),
        }
    }
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { (part as f64 / whole as f64 * 1e4).round() / 1e4 }
}

fn repeated_lines(text: &str) -> f64 {
    let mut seen = HashSet::new();
    let (mut lines, mut repeated) = (0, 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        lines += 1;
        repeated += u64::from(!seen.insert(line));
    }
    share(repeated, lines)
}

fn symbols(text: &str) -> f64 {
    let (mut all, mut symbols) = (0, 0);
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        all += 1;
        symbols += u64::from(!c.is_alphanumeric() && !is_combining_mark(c));
    }
    share(symbols, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vietnamese_prose_has_stop_words_and_a_list_of_names_has_none() {
        let prose = Quality::new("Bà con bán rau ở chợ và họ muốn về trước khi trời mưa.", "vi");
        let names = Quality::new("Hà Nội, Huế, Đà Nẵng, Quy Nhơn", "vi");
        assert!(prose.stop_word_share > Some(0.25), "{prose:?}");
        assert_eq!(names.stop_word_share, Some(0.0));
        assert_eq!(Quality::new("Οι παραγωγοί", "el").stop_word_share, None);
    }

    #[test]
    fn case_does_not_hide_a_stop_word() {
        assert_eq!(Quality::new("THE Và", "en").stop_word_share, Some(0.5));
        assert_eq!(Quality::new("THE VÀ", "vi").stop_word_share, Some(0.5));
    }

    #[test]
    fn nothing_gives_figures_too() {
        for text in ["", "\n\n", " \u{a0}", "…"] {
            let quality = Quality::new(text, "en");
            assert_eq!((quality.words, quality.sentence_length), (0, 0.0), "{text:?}");
            assert_eq!((quality.stop_word_share, quality.repeated_line_share), (None, 0.0), "{text:?}");
        }
        assert_eq!(Quality::new("…", "en").symbol_share, 1.0);
    }

    #[test]
    fn repeated_lines_are_those_after_the_first() {
        for (text, share) in
            [("a\nb", 0.0), ("a\n\n a \nb", 0.3333), ("a\na\na\na", 0.75), ("a", 0.0), ("A\na", 0.0)]
        {
            assert_eq!(Quality::new(text, "en").repeated_line_share, share, "{text:?}");
        }
    }

    #[test]
    fn marks_of_letters_are_no_symbols() {
        assert_eq!(Quality::new("हिन्दी", "hi").symbol_share, 0.0);
        assert_eq!(Quality::new("a #1 $", "en").symbol_share, 0.5);
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn shares_are_shares(text in "[\\PCa.!? \n\u{300}]{0,200}") {
            let quality = Quality::new(&text, "en");
            for share in [quality.repeated_line_share, quality.symbol_share, quality.stop_word_share.unwrap_or(0.0)] {
                proptest::prop_assert!((0.0..=1.0).contains(&share), "{quality:?}");
            }
            proptest::prop_assert_eq!(quality.sentence_length > 0.0, quality.words > 0);
        }
    }
}
