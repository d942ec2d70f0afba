//! Folds a character for comparison: converts it to lower case and separates its Vietnamese tone.
//!
//! Vietnamese has two conventions for the vowel that carries a syllable's tone mark (hoà, hòa). If the tone
//! is separated, both spellings become h, o, a, grave. The letters ă, â, đ, ê, ô, ơ, ư keep their marks.
//!
//! Limitation: accents of other languages are separated too, so Spanish "término" and "terminó" are the same
//! token. Such words are rare and hardly affect the comparison of two texts.

use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;

use crate::characters::is_alphanumeric;

/// The characters below this one have an entry in the table: those of most alphabets.
const TABLE_END: u32 = 0x2000;
/// Latin letters, also those of Vietnamese. Only their tones are separated.
const LATIN: [std::ops::Range<u32>; 2] = [0..0x250, 0x1e00..0x1f00];

/// The tones, numbered from 1: grave, acute, tilde, hook above, dot below.
const TONES: [char; 5] = ['\u{300}', '\u{301}', '\u{303}', '\u{309}', '\u{323}'];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folded {
    /// A character that is not part of a word.
    Outside,
    /// A decimal digit.
    Digit(u32),
    /// A lower-case letter or a numeral, and its tone (0 for none).
    Letter(u32, u32),
    /// A character that is a separate token (Han, kana).
    Alone(u32),
}

static TABLE: LazyLock<Vec<Folded>> = LazyLock::new(|| {
    (0..TABLE_END).map(|code| char::from_u32(code).map_or(Folded::Outside, computed)).collect()
});

#[inline]
pub(crate) fn fold(c: char) -> Folded {
    TABLE.get(c as usize).copied().unwrap_or_else(|| computed(c))
}

fn computed(c: char) -> Folded {
    let code = u32::from(c);
    match c {
        '_' => Folded::Letter(code, 0),
        _ if !is_alphanumeric(c) => Folded::Outside,
        '0'..='9' => Folded::Digit(code),
        _ if LATIN.iter().any(|range| range.contains(&code)) => without_tone(c),
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}' => Folded::Alone(code),
        // Digits of other scripts keep their own codes.
        _ if c.is_numeric() => Folded::Digit(code),
        _ => Folded::Letter(c.to_lowercase().next().unwrap_or(c) as u32, 0),
    }
}

fn without_tone(c: char) -> Folded {
    // "İ" stays unchanged, because its lower case has two characters.
    let lower = c.to_lowercase().next().filter(|_| c.to_lowercase().count() == 1).unwrap_or(c);
    let parts: Vec<char> = std::iter::once(lower).nfd().collect();
    let tone = parts.iter().find_map(|part| TONES.iter().position(|tone| tone == part));
    let letter: Vec<char> = parts.into_iter().filter(|part| !TONES.contains(part)).nfc().collect();
    match (letter.as_slice(), tone) {
        ([letter], Some(tone)) => Folded::Letter(u32::from(*letter), tone as u32 + 1),
        _ => Folded::Letter(u32::from(lower), 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_lower_and_without_their_tone() {
        let letter = |c: char, tone| Folded::Letter(c as u32, tone);
        let cases = [
            ('A', letter('a', 0)),
            ('à', letter('a', 1)),
            ('Ấ', letter('â', 2)),
            ('ẵ', letter('ă', 3)),
            ('Ở', letter('ơ', 4)),
            ('ự', letter('ư', 5)),
            ('Đ', letter('đ', 0)),
            ('ơ', letter('ơ', 0)),
            ('ü', letter('ü', 0)),
            ('_', letter('_', 0)),
            ('Ж', letter('ж', 0)),
            ('7', Folded::Digit('7' as u32)),
            ('新', Folded::Alone('新' as u32)),
            (',', Folded::Outside),
            ('\u{a0}', Folded::Outside),
            ('\u{2014}', Folded::Outside),
        ];
        for (c, expected) in cases {
            assert_eq!(fold(c), expected, "{c}");
        }
    }

    #[test]
    fn every_vietnamese_vowel_has_six_forms() {
        for vowel in "aăâeêioôơuưy".chars() {
            let forms = TONES.iter().map(|tone| [vowel, *tone].into_iter().nfc().collect::<Vec<_>>());
            for (at, form) in forms.enumerate() {
                assert_eq!(form.len(), 1);
                assert_eq!(fold(form[0]), Folded::Letter(vowel as u32, at as u32 + 1), "{form:?}");
            }
        }
    }
}
