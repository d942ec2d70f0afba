//! Encodes one page of each paper in an old encoding: windows-1258 in Vietnamese, windows-1252 in English.
//!
//! windows-1258 has letters such as `â` and `ơ`, but represents tones as combining marks after the letter.
//! Therefore NFC text must be partly decomposed. Characters that the encoding lacks are sent as numeric
//! character references, as browsers do.

use crate::paper::Language;
use encoding_rs::{Encoding, WINDOWS_1252, WINDOWS_1258};
use unicode_normalization::UnicodeNormalization;

pub(crate) fn encoding(language: Language) -> &'static Encoding {
    match language {
        Language::Vietnamese => WINDOWS_1258,
        Language::English => WINDOWS_1252,
    }
}

pub(crate) fn encode(language: Language, html: &str) -> Vec<u8> {
    match language {
        Language::Vietnamese => {
            let split: String = html.chars().flat_map(tone_last).collect();
            WINDOWS_1258.encode(&split).0.into_owned()
        }
        Language::English => WINDOWS_1252.encode(html).0.into_owned(),
    }
}

/// Splits a letter with a tone, such as `ậ` into `â` and a combining dot below. Returns other characters
/// unchanged.
fn tone_last(c: char) -> Vec<char> {
    let parts: Vec<char> = std::iter::once(c).nfd().collect();
    let (tones, letter): (Vec<char>, Vec<char>) = parts.into_iter().partition(|c| is_tone(*c));
    letter.into_iter().nfc().chain(tones).collect()
}

/// Whether `c` is a combining tone mark of windows-1258: grave, acute, tilde, hook above, dot below.
fn is_tone(c: char) -> bool {
    matches!(c, '\u{300}' | '\u{301}' | '\u{303}' | '\u{309}' | '\u{323}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vietnamese_survives_the_way_there_and_back() {
        let text = "Thứ sáu, chợ Đình họp sớm; nước lũ rút chậm, ruộng vẫn ngập. ẤẦẨẪẬ ắằẳẵặ ợ ữ ỹ";
        let bytes = encode(Language::Vietnamese, text);
        let (decoded, _, broken) = WINDOWS_1258.decode(&bytes);
        assert!(!broken && !decoded.contains("&#"));
        assert_eq!(decoded.nfc().collect::<String>(), text);
    }

    #[test]
    fn english_keeps_quotes_and_pounds_in_one_byte() {
        let text = "“Twenty £5 notes” – café’s";
        let bytes = encode(Language::English, text);
        assert_eq!(bytes.len(), text.chars().count());
        assert_eq!(WINDOWS_1252.decode(&bytes).0, text);
    }
}
