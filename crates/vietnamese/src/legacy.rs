//! Decodes Vietnamese encodings older than Unicode: VISCII, TCVN3 (ABC) and VNI.
//!
//! * VISCII (RFC 1456) has one byte for each letter with its marks. Some of these bytes are control codes in
//!   ASCII.
//! * TCVN3 is the encoding of the ABC fonts (TCVN 5712, VN3), with one byte for each lower-case letter with
//!   its marks. Capitals with tones need a separate font (`.VnTimeH`), so they are decoded as lower case.
//! * VNI-Windows writes a vowel, followed by one byte for all its marks: `aù` is `á`.
//!
//! Pages in TCVN3 or VNI declare windows-1252 or no encoding, and rely on a font to show the letters.
//! [`detect`] detects the encodings. It chooses an encoding if most words with non-ASCII characters are
//! Vietnamese syllables after decoding, but not before.
//!
//! Limitation: detection needs 16 words with non-ASCII characters. TCVN3 capitals with tones become lower
//! case.

use crate::Syllable;

/// A Vietnamese encoding older than Unicode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LegacyEncoding {
    /// VISCII (RFC 1456).
    Viscii,
    /// The encoding of the ABC fonts.
    Tcvn3,
    /// The encoding of the VNI fonts for Windows.
    Vni,
}

impl LegacyEncoding {
    /// All encodings.
    pub const ALL: [Self; 3] = [Self::Viscii, Self::Tcvn3, Self::Vni];

    /// Returns the encoding of a label such as `viscii` or `x-viet-tcvn5712`, or `None` if the label is
    /// unknown.
    #[must_use]
    pub fn for_label(label: &str) -> Option<Self> {
        let label = label.trim().to_ascii_lowercase();
        let name = label.strip_prefix("x-viet-").unwrap_or(&label);
        Some(match name {
            "viscii" | "csviscii" | "viscii1.1-1" => Self::Viscii,
            "tcvn" | "tcvn3" | "tcvn5712" | "tcvn-5712" | "tcvn5712-1" | "abc" => Self::Tcvn3,
            "vni" | "vni-win" => Self::Vni,
            _ => return None,
        })
    }

    /// Returns the encoding's name, such as `viscii`.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Viscii => "viscii",
            Self::Tcvn3 => "tcvn3",
            Self::Vni => "vni",
        }
    }

    /// Decodes bytes in this encoding.
    ///
    /// ```
    /// use gleaner_vietnamese::legacy::LegacyEncoding;
    ///
    /// assert_eq!(LegacyEncoding::Viscii.decode(b"Vi\xaet Nam"), "Việt Nam");
    /// assert_eq!(LegacyEncoding::Tcvn3.decode(b"Vi\xd6t Nam"), "Việt Nam");
    /// assert_eq!(LegacyEncoding::Vni.decode(b"Vie\xe4t Nam"), "Việt Nam");
    /// ```
    #[must_use]
    pub fn decode(self, bytes: &[u8]) -> String {
        let mut out = String::with_capacity(bytes.len() * 5 / 4);
        let mut rest = bytes;
        while let Some((&byte, behind)) = rest.split_first() {
            rest = behind;
            if self == Self::Vni
                && let Some((letter, length)) = vni(byte, behind)
            {
                out.push(letter);
                rest = &behind[length..];
                continue;
            }
            out.push(self.letter(byte));
        }
        out
    }

    fn letter(self, byte: u8) -> char {
        let table = match self {
            Self::Viscii => VISCII,
            Self::Tcvn3 => TCVN3,
            Self::Vni => return as_windows_1252(byte),
        };
        match (self, byte) {
            (Self::Viscii, 0x02) => 'Ẳ',
            (Self::Viscii, 0x05) => 'Ẵ',
            (Self::Viscii, 0x06) => 'Ẫ',
            (Self::Viscii, 0x14) => 'Ỷ',
            (Self::Viscii, 0x19) => 'Ỹ',
            (Self::Viscii, 0x1E) => 'Ỵ',
            (_, 0..0x80) => char::from(byte),
            _ => table
                .chars()
                .nth(usize::from(byte - 0x80))
                .filter(|c| *c != '·')
                .unwrap_or_else(|| as_windows_1252(byte)),
        }
    }

    /// Corrects a text in this encoding that was decoded as windows-1252. Characters that windows-1252 lacks
    /// stay unchanged.
    #[must_use]
    pub fn undo_windows_1252(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut bytes = Vec::new();
        for c in text.chars() {
            match to_windows_1252(c) {
                Some(byte) => bytes.push(byte),
                None => {
                    out.push_str(&self.decode(&bytes));
                    bytes.clear();
                    out.push(c);
                }
            }
        }
        out.push_str(&self.decode(&bytes));
        out
    }
}

/// Maximum number of words with non-ASCII characters that are checked.
const LOOKED_AT: usize = 400;

/// Minimum number of words with non-ASCII characters for a decision.
const MIN: usize = 16;

/// Minimum share of the words with non-ASCII characters that are syllables after decoding.
const ENOUGH: f32 = 0.85;

/// Maximum share of the words with non-ASCII characters that are syllables before decoding.
const ALREADY: f32 = 0.4;

/// Detects the encoding of a text that was decoded as windows-1252. Returns `None` if the text is in none of
/// these encodings, or has too few words for a decision.
///
/// This is fast for most texts: ASCII is skipped, and the search ends at the first character that
/// windows-1252 lacks, such as most Vietnamese letters in Unicode and letters of other scripts.
#[must_use]
pub fn detect(text: &str) -> Option<LegacyEncoding> {
    let words = words_beyond_ascii(text)?;
    if words.len() < MIN {
        return None;
    }
    let share = |syllables: usize| syllables as f32 / words.len() as f32;
    let now = share(words.iter().filter(|word| Syllable::from_word(word).is_some()).count());
    if now > ALREADY {
        return None;
    }
    let undone = |legacy: LegacyEncoding| {
        let is_syllable = |word: &&&str| Syllable::from_word(&legacy.undo_windows_1252(word)).is_some();
        share(words.iter().filter(is_syllable).count())
    };
    let (best, share) = LegacyEncoding::ALL
        .into_iter()
        .map(|legacy| (legacy, undone(legacy)))
        .max_by(|a, b| a.1.total_cmp(&b.1))?;
    (share >= ENOUGH).then_some(best)
}

/// Returns the first words with a non-ASCII character, or `None` if one of them is not in windows-1252.
fn words_beyond_ascii(text: &str) -> Option<Vec<&str>> {
    let ends = |byte: u8| byte.is_ascii() && !byte.is_ascii_alphabetic();
    let bytes = text.as_bytes();
    let (mut words, mut at) = (Vec::new(), 0);
    while words.len() < LOOKED_AT
        && let Some(found) = beyond_ascii(bytes, at)
    {
        let from = bytes[at..found].iter().rposition(|byte| ends(*byte)).map_or(at, |before| at + before + 1);
        let end = bytes[found..].iter().position(|byte| ends(*byte)).map_or(bytes.len(), |end| found + end);
        let word = &text[from..end];
        if word.chars().any(|c| to_windows_1252(c).is_none()) {
            return None;
        }
        // Removes quotation marks and dashes, which may also be non-ASCII.
        let word = word.trim_matches(|c| c > '\u{FF}');
        if word.chars().any(|c| c > '\u{A0}') {
            words.push(word);
        }
        at = end;
    }
    Some(words)
}

fn beyond_ascii(bytes: &[u8], from: usize) -> Option<usize> {
    const STRIDE: usize = 64;
    let mut at = from;
    while bytes.get(at..at + STRIDE).is_some_and(<[u8]>::is_ascii) {
        at += STRIDE;
    }
    bytes[at..].iter().position(|byte| !byte.is_ascii()).map(|found| at + found)
}

/// The letters from byte 0x80 on (RFC 1456).
const VISCII: &str = "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲÕắằặấầẩậẽẹếềểễệốồổỗỠƠộờởịỰỨỪỬơớƯÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳĐứÒÓÔạỷừửÙÚỹỵÝỡưàáâãảăữẫèéêẻìíĩỉđựòóôõỏọụùúũủýợỮ";

/// The letters from byte 0x80 on, with `·` where the ABC fonts have no letter.
const TCVN3: &str = "·································ĂÂÊÔƠƯĐăâêôơưđ······àảãáạ·ằẳẵắ·······ặầẩẫấậè·ẻẽéẹềểễếệìỉ···ĩíịò·ỏõóọồổỗốộờởỡớợù·ủũúụừửữứựỳỷỹýỵ·";

/// The bytes of the VNI vowels, each with the letters that it forms with the marks, in the order of
/// [`VNI_MARKS`]. `·` means no letter.
const VNI_VOWELS: [(u8, &str); 14] = [
    (b'a', "áàảãạăắằẳẵặâấầẩẫậ"),
    (b'A', "ÁÀẢÃẠĂẮẰẲẴẶÂẤẦẨẪẬ"),
    (b'e', "éèẻẽẹ······êếềểễệ"),
    (b'E', "ÉÈẺẼẸ······ÊẾỀỂỄỆ"),
    (b'o', "óòỏõọ······ôốồổỗộ"),
    (b'O', "ÓÒỎÕỌ······ÔỐỒỔỖỘ"),
    (b'u', "úùủũụ············"),
    (b'U', "ÚÙỦŨỤ············"),
    (b'y', "ýỳỷỹ·············"),
    (b'Y', "ÝỲỶỸ·············"),
    (0xF4, "ớờởỡợ············"),
    (0xD4, "ỚỜỞỠỢ············"),
    (0xF6, "ứừửữự············"),
    (0xD6, "ỨỪỬỮỰ············"),
];

/// The bytes of the marks, in lower case and as capitals, in the order of the letters in [`VNI_VOWELS`]: sắc,
/// huyền, hỏi, ngã, nặng; breve, alone and with these five tones; circumflex, alone and with these five
/// tones.
const VNI_MARKS: [(u8, u8); 17] = [
    (0xF9, 0xD9),
    (0xF8, 0xD8),
    (0xFB, 0xDB),
    (0xF5, 0xD5),
    (0xEF, 0xCF),
    (0xEA, 0xCA),
    (0xE9, 0xC9),
    (0xE8, 0xC8),
    (0xFA, 0xDA),
    (0xFC, 0xDC),
    (0xEB, 0xCB),
    (0xE2, 0xC2),
    (0xE1, 0xC1),
    (0xE0, 0xC0),
    (0xE5, 0xC5),
    (0xE3, 0xC3),
    (0xE4, 0xC4),
];

const VNI_LETTERS: [(u8, char); 16] = [
    (0xF1, 'đ'),
    (0xD1, 'Đ'),
    (0xED, 'í'),
    (0xCD, 'Í'),
    (0xEC, 'ì'),
    (0xCC, 'Ì'),
    (0xE6, 'ỉ'),
    (0xC6, 'Ỉ'),
    (0xF3, 'ĩ'),
    (0xD3, 'Ĩ'),
    (0xF2, 'ị'),
    (0xD2, 'Ị'),
    (0xF4, 'ơ'),
    (0xD4, 'Ơ'),
    (0xF6, 'ư'),
    (0xD6, 'Ư'),
];

/// Returns the letter that begins with `byte`, and the number of its bytes in `behind`. Returns `None` if no
/// letter begins here.
fn vni(byte: u8, behind: &[u8]) -> Option<(char, usize)> {
    if let Some((_, letters)) = VNI_VOWELS.iter().find(|(vowel, _)| *vowel == byte)
        && let Some(mark) = behind.first()
        && let Some(at) = VNI_MARKS.iter().position(|(small, capital)| mark == small || mark == capital)
        && let Some(letter) = letters.chars().nth(at).filter(|letter| *letter != '·')
    {
        return Some((letter, 1));
    }
    if matches!(byte, 0xEE | 0xCE) {
        return Some((if byte == 0xEE { 'ỵ' } else { 'Ỵ' }, 0));
    }
    VNI_LETTERS.iter().find(|(code, _)| *code == byte).map(|(_, letter)| (*letter, 0))
}

/// The characters of windows-1252 for the bytes 0x80 to 0x9F, as in the Encoding Standard.
const C1: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ";

fn as_windows_1252(byte: u8) -> char {
    match byte {
        0x80..=0x9F => C1.chars().nth(usize::from(byte - 0x80)).unwrap_or(char::from(byte)),
        byte => char::from(byte),
    }
}

fn to_windows_1252(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ (0..=0x7F | 0xA0..=0xFF) => u8::try_from(code).ok(),
        _ => C1.chars().position(|known| known == c).map(|at| at as u8 + 0x80),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Trời mưa suốt đêm, nước sông dâng cao hơn mọi năm. Bà con thôn Đồng Sậy phải chuyển lúa \
        lên gác, dắt trâu ra đê và thức trắng để canh những đoạn xung yếu. Sáng ra ai cũng mệt nhưng vẫn cười.";

    fn encoded(legacy: LegacyEncoding, text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        for c in text.chars() {
            if c.is_ascii() {
                out.push(c as u8);
                continue;
            }
            let byte =
                (0x80..=0xFF_u8).find(|byte| legacy != LegacyEncoding::Vni && legacy.letter(*byte) == c);
            match byte {
                Some(byte) => out.push(byte),
                None => out.extend(vni_of(c)),
            }
        }
        out
    }

    fn vni_of(c: char) -> Vec<u8> {
        if let Some((byte, _)) = VNI_LETTERS.iter().find(|(_, letter)| *letter == c) {
            return vec![*byte];
        }
        let pair = |(vowel, letters): &(u8, &str)| {
            let at = letters.chars().position(|letter| letter == c)?;
            Some(vec![*vowel, VNI_MARKS[at].0])
        };
        VNI_VOWELS.iter().find_map(pair).unwrap_or_else(|| panic!("VNI has no {c}"))
    }

    #[test]
    fn what_is_written_is_read() {
        for legacy in LegacyEncoding::ALL {
            // The ABC fonts have no capitals with tones.
            let text = if legacy == LegacyEncoding::Tcvn3 {
                TEXT.replace("Đồng", "Dân")
            } else {
                TEXT.to_owned()
            };
            let bytes = encoded(legacy, &text);
            assert_eq!(legacy.decode(&bytes), text, "{legacy:?}");
            let wrong: String = bytes.iter().map(|byte| as_windows_1252(*byte)).collect();
            assert_eq!(legacy.undo_windows_1252(&wrong), text, "{legacy:?}");
            assert_eq!(detect(&wrong), Some(legacy), "{wrong}");
        }
    }

    #[test]
    fn hand_made_samples_are_read() {
        let cases: [(LegacyEncoding, &[u8], &str); 6] = [
            (LegacyEncoding::Viscii, b"\xd0\xdf\xb6ng ph\xaf H\xe0 N\xb5i", "Đường phố Hà Nội"),
            (LegacyEncoding::Viscii, b"\x02\x05\x06\x14\x19\x1e", "ẲẴẪỶỸỴ"),
            (LegacyEncoding::Tcvn3, b"\xa7\xad\xeang ph\xe8 H\xb5 N\xe9i", "Đường phố Hà Nội"),
            (LegacyEncoding::Vni, b"\xd1\xf6\xf4\xf8ng pho\xe1 Ha\xf8 No\xe4i", "Đường phố Hà Nội"),
            (LegacyEncoding::Vni, b"TIE\xc1NG VIE\xc4T \xd1\xd6\xd4\xd8NG", "TIẾNG VIỆT ĐƯỜNG"),
            (LegacyEncoding::Vni, b"k\xe6 nie\xe4m qu\xed l\xee", "kỉ niệm quí lỵ"),
        ];
        for (legacy, bytes, expected) in cases {
            assert_eq!(legacy.decode(bytes), expected);
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        let french = "Les élèves français étaient déjà arrivés à l'école où l'été n'était pas fini, a répété \
            la maîtresse, très étonnée, près de la forêt enneigée où l'on préparait la fête célébrée chaque année.";
        let german = "Die schönen Häuser über dem grünen Hügel gehören fünf Brüdern, die täglich Möhren, Käse, \
            Brötchen, Würste, Äpfel, Öl und süße Knödel für die Gäste des großen Schützenfestes zubereiten müssen.";
        for text in [TEXT, french, german, "", "Hà Nội"] {
            assert_eq!(detect(text), None, "{text}");
        }
    }

    #[test]
    fn tables_are_whole() {
        assert_eq!(VISCII.chars().count(), 128);
        assert_eq!(TCVN3.chars().count(), 128);
        assert_eq!(C1.chars().count(), 32);
        for (_, letters) in VNI_VOWELS {
            assert_eq!(letters.chars().count(), VNI_MARKS.len());
        }
        for label in ["VISCII", "x-viet-tcvn5712", "x-viet-vni"] {
            assert!(LegacyEncoding::for_label(label).is_some());
        }
        assert_eq!(LegacyEncoding::for_label("utf-8"), None);
    }
}
