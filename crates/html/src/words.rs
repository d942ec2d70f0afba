//! Defines words, for every method that counts or compares them.
//!
//! A word is a maximal run of letters, digits and `_`. Each Han, Hiragana or Katakana character is a separate
//! word. Chinese and Japanese put no spaces between words, so a whole paragraph would otherwise be one word.
//! Vietnamese syllables are words. Punctuation marks are not words, so a bar of links separated by `|` does
//! not look like prose. The papers do not define "word" or "term".
//!
//! Thai, Lao, Burmese and Khmer put no spaces between words either. In these languages, five letters count as
//! one word, because five is the mean length of an English word. A paragraph then has about as many words as
//! its translation.

/// Returns the words of a text in order, as written.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = &rest[find(rest, in_word)?..];
        let length = match rest.chars().next() {
            Some(first) if is_own_word(first) => first.len_utf8(),
            Some(first) if is_unspaced(first) => piece(rest),
            _ => find(rest, |c| !in_word(c) || is_own_word(c) || is_unspaced(c)).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(length);
        rest = behind;
        Some(word)
    })
}

/// Returns the same result as `text.find(is)`. It is faster, because most characters are one byte, which
/// needs no decoding.
#[inline]
fn find(text: &str, is: impl Fn(char) -> bool) -> Option<usize> {
    let mut at = 0;
    loop {
        let byte = *text.as_bytes().get(at)?;
        let c = if byte.is_ascii() { char::from(byte) } else { text[at..].chars().next()? };
        if is(c) {
            return Some(at);
        }
        at += c.len_utf8();
    }
}

/// Returns the number of [`words`] in a text.
#[must_use]
pub fn count_words(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut is_within, mut letters, mut at) = (0, false, 0, 0);
    while let Some(byte) = bytes.get(at) {
        // Most characters are one byte, which needs no decoding.
        if byte.is_ascii() {
            let is_word = in_word(char::from(*byte));
            count += usize::from(is_word && !is_within);
            (is_within, letters, at) = (is_word, 0, at + 1);
            continue;
        }
        let Some(c) = text[at..].chars().next() else { break };
        at += c.len_utf8();
        if is_unspaced(c) {
            let is_letter = in_word(c);
            count += usize::from(is_letter && letters % PIECE == 0);
            letters += usize::from(is_letter);
            is_within = false;
            continue;
        }
        letters = 0;
        let alone = is_own_word(c);
        let is_word = alone || in_word(c);
        count += usize::from(alone || (is_word && !is_within));
        is_within = is_word && !alone;
    }
    count
}

/// Minimum number of words of a sentence in Thai or Lao. These languages have no full stop, and a headline
/// rarely has more than 80 letters.
pub const UNMARKED_SENTENCE: usize = 16;

/// Whether a character is a letter or a mark of Thai or Lao. These languages have no full stop, and put a
/// space where other languages put a comma.
#[must_use]
#[inline]
pub fn is_of_unmarked_script(c: char) -> bool {
    ('\u{E01}'..='\u{EDF}').contains(&c) && is_unspaced(c)
}

/// Number of letters that count as one word in a script without spaces.
const PIECE: usize = 5;

/// Returns the length in bytes of the first `PIECE` letters of a script without spaces, including their
/// marks.
fn piece(text: &str) -> usize {
    let mut letters = 0;
    let is_behind = |c: char| {
        letters += usize::from(in_word(c));
        !is_unspaced(c) || letters > PIECE
    };
    text.find(is_behind).unwrap_or(text.len())
}

/// Whether a character is a letter or a mark of Thai, Lao, Burmese or Khmer.
#[inline]
fn is_unspaced(c: char) -> bool {
    c >= '\u{E01}'
        && matches!(c, '\u{E01}'..='\u{E3E}' | '\u{E40}'..='\u{E4E}' | '\u{E81}'..='\u{ECE}'
            | '\u{EDC}'..='\u{EDF}' | '\u{1000}'..='\u{103F}' | '\u{1050}'..='\u{108F}' | '\u{1780}'..='\u{17D3}')
}

/// Whether a text contains a word, not only punctuation and white space.
#[must_use]
pub fn has_word(text: &str) -> bool {
    text.contains(in_word)
}

#[inline]
fn in_word(c: char) -> bool {
    if c.is_ascii() {
        // Each bit of a digit, a letter or `_` is set.
        const WORD: u128 = 0x07ff_fffe_87ff_fffe_03ff_0000_0000_0000;
        return WORD >> u32::from(c) & 1 == 1;
    }
    match c {
        // These ranges contain the most common letters.
        '\u{1EA0}'..='\u{1EF9}' | '\u{430}'..='\u{44F}' | '\u{4E00}'..='\u{9FEF}' => true,
        '\u{C0}'..='\u{24F}' => !matches!(c, '×' | '÷'),
        '\u{391}'..='\u{3A1}' | '\u{3A3}'..='\u{3CE}' => true,
        '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{3004}' | '\u{FF01}'..='\u{FF0F}' => false,
        c => c.is_alphanumeric(),
    }
}

#[inline]
fn is_own_word(c: char) -> bool {
    c >= '\u{3040}'
        && matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        && c.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_digits_and_underscores_are_in_words() {
        for c in '\0'..=char::MAX {
            assert_eq!(in_word(c), c.is_alphanumeric() || c == '_', "{c:?}");
        }
    }

    #[test]
    fn words_are_runs_and_single_han_characters() {
        let cases: [(&str, &[&str]); 9] = [
            ("", &[]),
            (" | · — ", &[]),
            ("don't stop_me 24h", &["don", "t", "stop_me", "24h"]),
            ("Hà Nội, Việt Nam.", &["Hà", "Nội", "Việt", "Nam"]),
            ("新华社2012年", &["新", "华", "社", "2012", "年"]),
            ("abc中文def", &["abc", "中", "文", "def"]),
            ("น้ำท่วมเชียงใหม่ 24 ชั่วโมง", &["น้ำท่วม", "เชียง", "ใหม่", "24", "ชั่วโม", "ง"]),
            ("ทีมabc", &["ทีม", "abc"]),
            ("abcทีม", &["abc", "ทีม"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
            assert_eq!(count_words(text), expected.len(), "{text}");
            assert_eq!(has_word(text), !expected.is_empty(), "{text}");
        }
    }
}
