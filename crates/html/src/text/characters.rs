//! Normalizes the characters of a line: removes invisible characters and adds missing spaces.
//!
//! Limitation: if only a style sheet separates two words, the missing space is guessed ([`starts_word`]).

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// Marks a position where something visible was omitted. This is Unicode's object replacement character.
pub(super) const OBJECT: char = '\u{FFFC}';

/// Marks the edge of an inline element between two texts. The character has no meaning in page text.
pub(super) const EDGE: char = '\u{FFFB}';

/// Whether a character is a soft hyphen, a zero-width space, a control character (including those for writing
/// direction and annotation) or a noncharacter.
pub(super) fn is_noise(c: char) -> bool {
    match c {
        '\u{AD}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{FEFF}' => true,
        '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FFF9}'..='\u{FFFB}' => true,
        c => (c.is_control() && !c.is_whitespace()) || u32::from(c) & 0xFFFE == 0xFFFE,
    }
}

/// Whether the joiners U+200C and U+200D may affect the display of this character. They affect marks, emoji
/// and letters of scripts that join or stack letters, but not Latin letters.
fn joins(c: char) -> bool {
    c >= '\u{370}' && !('\u{1E00}'..='\u{206F}').contains(&c) && !c.is_whitespace()
}

/// Whether two characters need a space between them after something visible between them was omitted.
fn parts_words(before: char, after: char) -> bool {
    after.is_alphanumeric()
        && (before.is_alphanumeric()
            || matches!(before, '.' | ',' | ';' | ':' | '!' | '?' | '…' | ')' | '”' | '»'))
}

/// Whether the text after an element's edge starts a new word. This is so if the text begins with a capital
/// and the text before the edge ends with one of these: the end of a sentence; a lower-case letter that
/// follows another letter (so `e<b>Bay</b>` is one word); two capitals, if the second letter of the new word
/// is lower case (`<b>TP HCM</b>Rain`).
fn starts_word(before: &str, after: &str) -> bool {
    let (mut back, mut ahead) = (before.chars().rev(), after.chars());
    ahead.next().is_some_and(char::is_uppercase)
        && match back.next() {
            Some('.' | '!' | '?' | '…' | ':' | ';' | ')' | '”' | '»') => true,
            Some(last) if last.is_lowercase() => back.next().is_some_and(char::is_alphabetic),
            Some(last) if last.is_uppercase() => {
                back.next().is_some_and(char::is_uppercase) && ahead.next().is_some_and(char::is_lowercase)
            }
            Some(_) | None => false,
        }
}

/// Whether normalization never changes a character: it is neither white space nor noise, and in NFC.
pub(crate) fn is_plain(c: char) -> bool {
    let is_letter = || {
        matches!(c, '\u{C0}'..='\u{2FF}' | '\u{400}'..='\u{481}' | '\u{1EA0}'..='\u{1EF9}'
            | '\u{2010}'..='\u{2027}' | '\u{4E00}'..='\u{9FEF}')
    };
    let is_mark = || {
        matches!(c, '\u{A1}'..='\u{AC}' | '\u{AE}'..='\u{BF}' | '\u{388}'..='\u{3CE}'
            | '\u{20AC}' | '\u{3001}'..='\u{3002}' | '\u{FF01}'..='\u{FF5E}')
    };
    c.is_ascii_graphic() || (!c.is_ascii() && (is_letter() || is_mark()))
}

/// Returns the length in bytes of the longest prefix that has only plain characters and single spaces.
fn plain_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(0x21..=0x7E) => at += 1,
            Some(b' ') if text[at + 1..].starts_with(is_plain) => at += 1,
            Some(0x80..) => match text[at..].chars().next().filter(|c| is_plain(*c)) {
                Some(c) => at += c.len_utf8(),
                None => return at,
            },
            _ => return at,
        }
    }
}

pub(super) fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut space, mut object, mut edge, mut joiner) = (false, false, false, None);
    let mut is_composed = true;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        match c {
            OBJECT => object = true,
            EDGE => edge = true,
            '\u{200C}' | '\u{200D}' => joiner = Some(c),
            c if c.is_whitespace() => {
                space = true;
                // Sources are indented with many spaces, which need no decoding.
                length += rest[length..].bytes().take_while(u8::is_ascii_whitespace).count();
            }
            c if is_noise(c) => {}
            c => {
                if let Some(before) = out.chars().next_back() {
                    if space || (object && parts_words(before, c)) || (edge && starts_word(&out, rest)) {
                        out.push(' ');
                    } else if let Some(joiner) = joiner
                        && joins(before)
                        && joins(c)
                    {
                        is_composed = false;
                        out.push(joiner);
                    }
                }
                (space, object, edge, joiner) = (false, false, false, None);
                is_composed &= is_plain(c);
                // In most lines, the next characters need no check.
                length += plain_end(&rest[length..]);
                out.push_str(&rest[..length]);
            }
        }
        rest = &rest[length..];
    }
    if is_composed { out } else { composed(out) }
}

pub(super) fn preserve(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in
        text.replace("\r\n", "\n").split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}', '\u{B}', '\u{C}'])
    {
        out.extend(
            line.chars()
                .filter(|c| !is_noise(*c) && *c != OBJECT)
                .map(|c| if c.is_whitespace() && c != '\t' { ' ' } else { c }),
        );
        out.truncate(out.trim_end_matches([' ', '\t']).len());
        out.push('\n');
    }
    let kept = out.trim_end().trim_start_matches('\n');
    composed(kept.to_owned())
}

fn composed(text: String) -> String {
    if is_nfc(&text) { text } else { text.nfc().collect() }
}
