//! Splits a text into tokens, which are words or, in Vietnamese, syllables. Each token is stored as a hash.
//!
//! A token is a maximal sequence of letters, digits and `_`. A Han or kana character is a separate token.
//! Tokens do not depend on case or the position of a Vietnamese tone mark, but depend on diacritics
//! (`fold.rs`). A number with the separators between its digits is one token: 80.5, 21/11/2026, 19:30. Text
//! with combining marks is converted to NFC.
//!
//! Limitation: a number written in words is not a number token. "1.000" and "1,000" are the same token,
//! although their values may be 1 and 1000.
//!
//! Cost: linear time, 8 bytes per token. At most [`Tokens::MOST`] tokens of a text are read.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::dedup::fold::{Folded, fold};
use crate::dedup::mix::{mix, step};

/// The tokens of a text in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    hashes: Vec<u64>,
}

/// Set in the hash of a token that contains a digit.
const NUMERAL: u64 = 1;

/// All separators within numbers have this code, so that they are equal.
const SEPARATOR: u64 = '.' as u64;

impl Tokens {
    /// Maximum number of tokens read from a text. The rest is ignored.
    pub const MOST: usize = 200_000;

    /// Returns the tokens of `text`, which may be in any Unicode normal form.
    ///
    /// ```
    /// use gleaner_corpus::dedup::Tokens;
    /// let tokens = Tokens::from_text("Hoà Bình, 21/11: 80.5 triệu");
    /// assert_eq!((tokens.len(), tokens.numerals().count()), (5, 2));
    /// assert_eq!(tokens, Tokens::from_text("hòa bình 21/11 80.5 TRIỆU"));
    /// assert_ne!(tokens, Tokens::from_text("hoa binh 21/11 80.5 trieu"));
    /// ```
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        let text = composed(text);
        let mut hashes = Vec::with_capacity((text.len() / 5).min(Self::MOST));
        let mut token = Token::default();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match fold(c) {
                Folded::Letter(letter, tone) => token.letter(letter, tone),
                Folded::Digit(digit) => token.digit(digit),
                Folded::Outside
                    if token.ends_in_digit && is_separator(c) && begins_with_digit(rest.as_str()) =>
                {
                    token.add(SEPARATOR);
                }
                Folded::Outside => token.end(&mut hashes),
                Folded::Alone(c) => {
                    token.end(&mut hashes);
                    token.letter(c, 0);
                    token.end(&mut hashes);
                }
            }
            if hashes.len() >= Self::MOST {
                return Self { hashes };
            }
        }
        token.end(&mut hashes);
        Self { hashes }
    }

    /// Returns the number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// Returns a hash of each token, in order.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Returns the positions of the tokens with a digit.
    pub fn numerals(&self) -> impl Iterator<Item = usize> {
        let places = self.hashes.iter().enumerate();
        places.filter(|(_, hash)| is_numeral(**hash)).map(|(at, _)| at)
    }
}

pub(crate) const fn is_numeral(hash: u64) -> bool {
    hash & NUMERAL != 0
}

fn composed(text: &str) -> Cow<'_, str> {
    // U+0300 to U+037F begin with these bytes.
    match text.bytes().any(|byte| byte == 0xcc || byte == 0xcd) {
        true => text.nfc().collect::<String>().into(),
        false => text.into(),
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, '.' | ',' | ':' | '/' | '-')
}

fn begins_with_digit(rest: &str) -> bool {
    rest.chars().next().is_some_and(|c| matches!(fold(c), Folded::Digit(_)))
}

#[derive(Default)]
struct Token {
    hash: u64,
    tones: u64,
    is_open: bool,
    is_numeral: bool,
    ends_in_digit: bool,
}

impl Token {
    fn add(&mut self, part: u64) {
        self.hash = step(self.hash, part);
        self.is_open = true;
        self.ends_in_digit = false;
    }

    fn letter(&mut self, letter: u32, tone: u32) {
        self.add(letter.into());
        if tone != 0 {
            self.tones = self.tones << 3 | u64::from(tone);
        }
    }

    fn digit(&mut self, digit: u32) {
        self.add(digit.into());
        self.is_numeral = true;
        self.ends_in_digit = true;
    }

    fn end(&mut self, hashes: &mut Vec<u64>) {
        if self.is_open {
            let hash = mix(step(self.hash, self.tones << 32)) & !NUMERAL;
            hashes.push(hash | if self.is_numeral { NUMERAL } else { 0 });
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> (usize, usize) {
        let tokens = Tokens::from_text(text);
        (tokens.len(), tokens.numerals().count())
    }

    #[test]
    fn words_syllables_numbers_and_single_characters() {
        let cases = [
            ("", (0, 0)),
            (" — | ·", (0, 0)),
            ("don't stop_me", (3, 0)),
            ("Hà Nội, Việt Nam.", (4, 0)),
            ("80.5 triệu, 21/11/2026 - 19:30.", (4, 3)),
            ("5. 6", (2, 2)),
            ("U23 20h30 covid-19", (4, 3)),
            ("新华社2012年", (5, 1)),
            ("abc中文def", (4, 0)),
            ("\0\0", (0, 0)),
        ];
        for (text, expected) in cases {
            assert_eq!(count(text), expected, "{text}");
        }
    }

    #[test]
    fn form_case_and_place_of_the_tone_do_not_count() {
        for (one, other) in [
            ("Hòa Bình", "hoà bình"),
            ("chợ quê", "cho\u{31b}\u{323} que\u{302}"),
            ("quý khoẻ thuỷ", "quý khỏe thủy"),
            ("ĐƯỜNG", "đường"),
            ("Москва", "МОСКВА"),
            ("1.000", "1,000"),
        ] {
            assert_eq!(Tokens::from_text(one), Tokens::from_text(other), "{one}");
        }
    }

    #[test]
    fn diacritics_and_digits_count() {
        for (one, other) in [
            ("hoa", "hoà"),
            ("hoá", "hoà"),
            ("ma", "mâ"),
            ("đa", "da"),
            ("80", "81"),
            ("12 3", "1 23"),
            ("ab c", "a bc"),
            ("a", "a a"),
        ] {
            assert_ne!(Tokens::from_text(one), Tokens::from_text(other), "{one}");
        }
    }

    #[test]
    fn a_text_of_any_length_is_bounded() {
        let tokens = Tokens::from_text(&"a ".repeat(Tokens::MOST + 5));
        assert_eq!(tokens.len(), Tokens::MOST);
        assert_eq!(Tokens::from_text(&"a".repeat(1 << 20)).len(), 1);
        assert_eq!(Tokens::from_text(&"中".repeat(Tokens::MOST + 5)).len(), Tokens::MOST);
    }

    #[test]
    fn hashes_are_those_that_were_kept() {
        assert_eq!(
            Tokens::from_text("chợ 7").hashes(),
            [12_367_807_124_378_325_078, 16_402_914_435_058_076_477]
        );
    }
}
