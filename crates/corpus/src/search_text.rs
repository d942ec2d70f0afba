//! Finds a text in metadata by the rules of the word search.
//!
//! Upper and lower case, and the two positions of a tone mark (`hòa`, `hoà`), are the same. A text without
//! diacritics also finds letters with them: `ha noi` finds `Hà Nội`. A text with diacritics finds only these.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::{Tones, unify_tone_marks};

/// A text that is looked for.
///
/// ```
/// use gleaner_corpus::SearchText;
/// assert!(SearchText::new("ha noi").is_in("Mưa ở Hà Nội"));
/// assert!(!SearchText::new("hà noi").is_in("Mưa ở Hà Nội"));
/// assert!(SearchText::new("HOÀ BÌNH").equals("Hòa Bình"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText {
    text: String,
    has_diacritics: bool,
}

impl SearchText {
    /// Returns a text to look for.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let text = marked(text);
        let has_diacritics = unmarked(&text) != text;
        Self { text, has_diacritics }
    }

    /// Whether `value` contains the text.
    #[must_use]
    pub fn is_in(&self, value: &str) -> bool {
        self.folded(value).contains(&self.text)
    }

    /// Whether `value` is the text.
    #[must_use]
    pub fn equals(&self, value: &str) -> bool {
        self.folded(value) == self.text
    }

    fn folded(&self, value: &str) -> String {
        if self.has_diacritics { marked(value) } else { unmarked(&marked(value)) }
    }
}

fn marked(text: &str) -> String {
    unify_tone_marks(&text.to_lowercase(), Tones::New)
}

fn unmarked(text: &str) -> String {
    text.nfd().filter(|c| !is_combining_mark(*c)).map(|c| if c == 'đ' { 'd' } else { c }).nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_with_and_without_diacritics() {
        for (wanted, value, is_in, equals) in [
            ("gia vang", "Giá vàng tăng", true, false),
            ("giá vàng", "GIÁ VÀNG", true, true),
            ("giá vàng", "gia vang", false, false),
            ("giá vang", "giá vàng", false, false),
            ("duong", "Đường", true, true),
            ("khoẻ", "sức KHỎE", true, false),
            ("cho\u{323}", "chọn", true, false),
            ("rain", "Rain", true, true),
            ("", "anything", true, false),
        ] {
            let text = SearchText::new(wanted);
            assert_eq!((text.is_in(value), text.equals(value)), (is_in, equals), "{wanted} in {value}");
        }
    }
}
