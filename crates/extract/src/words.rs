//! The definition of a word, for every method that counts or compares words.
//!
//! A word is a maximal run of letters, digits and `_`. Each Han, Hiragana or Katakana character is a word by
//! itself: Chinese and Japanese put no spaces between words, so a paragraph would otherwise count as one
//! word. Vietnamese syllables count as words. Punctuation does not, so that a bar of links separated by `|`
//! does not look like prose. The papers write only "word" or "term".

/// Returns the words of a text in order, as written.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(in_word)?;
        rest = &rest[start..];
        let length = match rest.chars().next() {
            Some(first) if stands_alone(first) => first.len_utf8(),
            _ => rest.find(|c| !in_word(c) || stands_alone(c)).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(length);
        rest = behind;
        Some(word)
    })
}

/// Returns the number of words in a text, as defined by [`words`].
#[must_use]
pub fn count_words(text: &str) -> usize {
    let (mut count, mut is_within) = (0, false);
    for c in text.chars() {
        let alone = stands_alone(c);
        let is_word = alone || in_word(c);
        count += usize::from(alone || (is_word && !is_within));
        is_within = is_word && !alone;
    }
    count
}

/// Whether a text contains a word. Punctuation and white space are not words.
#[must_use]
pub fn has_word(text: &str) -> bool {
    text.contains(in_word)
}

#[inline]
fn in_word(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric() || c == '_';
    }
    match c {
        // A fast path for the most common letters.
        '\u{1EA0}'..='\u{1EF9}' | '\u{430}'..='\u{44F}' | '\u{4E00}'..='\u{9FEF}' => true,
        '\u{C0}'..='\u{24F}' => !matches!(c, '×' | '÷'),
        '\u{391}'..='\u{3A1}' | '\u{3A3}'..='\u{3CE}' => true,
        '\u{2000}'..='\u{206F}' | '\u{3000}'..='\u{3004}' | '\u{FF01}'..='\u{FF0F}' => false,
        c => c.is_alphanumeric(),
    }
}

#[inline]
fn stands_alone(c: char) -> bool {
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
        let cases: [(&str, &[&str]); 6] = [
            ("", &[]),
            (" | · — ", &[]),
            ("don't stop_me 24h", &["don", "t", "stop_me", "24h"]),
            ("Hà Nội, Việt Nam.", &["Hà", "Nội", "Việt", "Nam"]),
            ("新华社2012年", &["新", "华", "社", "2012", "年"]),
            ("abc中文def", &["abc", "中", "文", "def"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text).collect::<Vec<_>>(), expected, "{text}");
            assert_eq!(count_words(text), expected.len(), "{text}");
            assert_eq!(has_word(text), !expected.is_empty(), "{text}");
        }
    }
}
