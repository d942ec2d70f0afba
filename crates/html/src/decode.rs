//! Determines the encoding of a page and decodes its bytes.
//!
//! The encoding is determined in this order:
//!
//! 1. a byte order mark (UTF-8, UTF-16);
//! 2. UTF-8, if the bytes are valid UTF-8, even if another encoding is declared. Text in other encodings is
//!    hardly ever valid UTF-8, and many UTF-8 pages declare ISO-8859-1. There is an exception: if ISO-2022-JP
//!    or UTF-16 is declared and the bytes are valid in it, the declared encoding is used, because such bytes
//!    may also be valid UTF-8;
//! 3. the charset of the header `Content-Type`;
//! 4. the charset of the first `<meta>` or XML declaration in the first 4,096 bytes;
//! 5. detection from the bytes (chardetng).
//!
//! A declared encoding is rejected if more than one character in 200 is an error. For UTF-8, the limit is one
//! in 100, because text in other encodings does not look like damaged UTF-8. An encoding that decodes every
//! byte (windows-1252 and similar) is always accepted.
//!
//! UTF-8 text that was read as Latin-1 and encoded again (`itâ\u{80}\u{99}s`) is restored if there is enough
//! evidence of this error on the page (`twice`).
//!
//! Vietnamese encodings older than Unicode (VISCII, TCVN3, VNI) are used if they are declared. But pages in
//! these encodings often declare windows-1252 or no encoding, and rely on a font. Therefore every decoded
//! text is checked for these encodings ([`gleaner_vietnamese::legacy`]).
//!
//! Limitation: a page stays unchanged if only a part of it was encoded twice, or if its Vietnamese text in an
//! older encoding consists of character references. The detector needs enough text to recognize windows-1258.

mod twice;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED,
};
use gleaner_vietnamese::legacy::{self, LegacyEncoding};

/// Number of bytes at the beginning of a page that are searched for a declaration.
const PRESCAN: usize = 4096;

/// A page's text and its encoding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedText<'a> {
    /// The text without a byte order mark. U+FFFD replaces undecodable bytes. The text is borrowed if the
    /// bytes are UTF-8 and need no repair.
    pub text: Cow<'a, str>,
    /// The encoding's name in the Encoding Standard, such as `windows-1258`, or the label of a
    /// [`LegacyEncoding`], such as `viscii`.
    pub encoding: &'static str,
    /// Whether some bytes could not be decoded.
    pub lossy: bool,
}

/// Decodes a page. `content_type` is the value of the header `Content-Type`, such as `text/html;
/// charset=utf-8`, or `None` if it is unknown. Decoding never fails: U+FFFD replaces bytes that cannot be
/// decoded.
#[must_use]
pub fn decode<'a>(bytes: &'a [u8], content_type: Option<&str>) -> DecodedText<'a> {
    let decoded = decoded(bytes, content_type);
    match legacy::detect(&decoded.text) {
        Some(legacy) => {
            let text = legacy.undo_windows_1252(&decoded.text).into();
            DecodedText { text, encoding: legacy.label(), ..decoded }
        }
        None => decoded,
    }
}

fn decoded<'a>(bytes: &'a [u8], content_type: Option<&str>) -> DecodedText<'a> {
    if let Some((encoding, _)) = Encoding::for_bom(bytes) {
        let decoded = with(encoding, bytes);
        let text = twice::once(&decoded.text).map_or(decoded.text, Cow::Owned);
        return DecodedText { text, ..decoded };
    }
    let declared = [content_type.and_then(of_content_type), declared_inside(bytes)];
    if let Some(found) = declared.iter().flatten().find_map(|e| ascii_on_the_wire(e, bytes)) {
        return found;
    }
    // This is faster than `std::str::from_utf8`.
    if let Some(text) = UTF_8.decode_without_bom_handling_and_without_replacement(bytes) {
        let text = twice::once(&text).map_or(text, Cow::Owned);
        return DecodedText { text, encoding: UTF_8.name(), lossy: false };
    }
    if let Some(legacy) = declared_legacy(bytes, content_type) {
        return DecodedText { text: legacy.decode(bytes).into(), encoding: legacy.label(), lossy: false };
    }
    for encoding in declared.into_iter().flatten() {
        let decoded = with(encoding, bytes);
        let bearable = if encoding == UTF_8 { 100 } else { 200 };
        if !decoded.lossy || errors(&decoded.text) * bearable <= decoded.text.chars().count() {
            return decoded;
        }
    }
    detect(bytes)
}

/// Decodes ISO-2022-JP (which consists of ASCII bytes) or UTF-16 (in which often every second byte is ASCII).
/// Both may look like UTF-8. Returns `None` for any other encoding, and for bytes that are not in this
/// encoding.
fn ascii_on_the_wire<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> Option<DecodedText<'a>> {
    let fits = match encoding {
        e if e == ISO_2022_JP => bytes.contains(&0x1B),
        e if e == UTF_16LE || e == UTF_16BE => {
            bytes.iter().take(PRESCAN).filter(|b| **b == 0).count() * 4 >= bytes.len().min(PRESCAN)
        }
        _ => false,
    };
    fits.then(|| with(encoding, bytes)).filter(|d| !d.lossy)
}

fn with<'a>(encoding: &'static Encoding, bytes: &'a [u8]) -> DecodedText<'a> {
    let (text, used, lossy) = encoding.decode(bytes);
    DecodedText { text, encoding: used.name(), lossy }
}

fn errors(text: &str) -> usize {
    text.chars().filter(|c| *c == '\u{FFFD}').count()
}

/// Detects the encoding of bytes that are not valid UTF-8. UTF-8 with a few bad bytes is recognized too.
fn detect(bytes: &[u8]) -> DecodedText<'_> {
    let utf8 = with(UTF_8, bytes);
    let multibyte = utf8.text.chars().filter(|c| !c.is_ascii()).count();
    if errors(&utf8.text) * 20 <= multibyte {
        return utf8;
    }
    if let Some(encoding) = bare_utf16(bytes) {
        return with(encoding, bytes);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(bytes, true);
    with(detector.guess(None, Utf8Detection::Deny), bytes)
}

/// Detects undeclared UTF-16: its markup has zero bytes only at even positions or only at odd positions.
fn bare_utf16(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN)];
    let zeros = |from: usize| head.iter().skip(from).step_by(2).filter(|b| **b == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    match head.len() / 2 {
        0 => None,
        half if odd * 10 > half && even * 50 < odd => Some(UTF_16LE),
        half if even * 10 > half && odd * 50 < even => Some(UTF_16BE),
        _ => None,
    }
}

/// Returns the encoding of a label. The label `replacement` is ignored, because it decodes to nothing.
/// `x-user-defined` means windows-1252, as the HTML standard requires for `<meta>`.
fn of_label(label: &[u8]) -> Option<&'static Encoding> {
    match Encoding::for_label(label)? {
        e if e == REPLACEMENT => None,
        e if e == X_USER_DEFINED => Some(WINDOWS_1252),
        e => Some(e),
    }
}

fn declared_legacy(bytes: &[u8], content_type: Option<&str>) -> Option<LegacyEncoding> {
    let head = bytes[..bytes.len().min(PRESCAN)].to_ascii_lowercase();
    let labels = [content_type.and_then(|value| after_charset(value.as_bytes())), after_charset(&head)];
    labels.into_iter().flatten().find_map(|label| LegacyEncoding::for_label(std::str::from_utf8(label).ok()?))
}

fn of_content_type(value: &str) -> Option<&'static Encoding> {
    of_label(after_charset(value.as_bytes())?)
}

/// Returns the declared encoding. UTF-16 becomes UTF-8, because the declaration was readable as ASCII.
fn declared_inside(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = bytes[..bytes.len().min(PRESCAN)].to_ascii_lowercase();
    let encoding = xml_declaration(&head).or_else(|| meta(&head))?;
    Some(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

fn xml_declaration(head: &[u8]) -> Option<&'static Encoding> {
    let inside = head.trim_ascii_start().strip_prefix(b"<?xml")?;
    let inside = &inside[..find(inside, b">")?];
    of_label(value(&inside[find(inside, b"encoding")? + 8..])?)
}

fn meta(head: &[u8]) -> Option<&'static Encoding> {
    let mut rest = head;
    loop {
        rest = &rest[find(rest, b"<")?..];
        if rest.starts_with(b"<!--") {
            rest = &rest[find(rest, b"-->")? + 3..];
        } else if rest.starts_with(b"<meta") {
            let tag = &rest[..find(rest, b">").unwrap_or(rest.len())];
            if let Some(encoding) = after_charset(tag).and_then(of_label) {
                return Some(encoding);
            }
            rest = &rest[5..];
        } else {
            rest = &rest[1..];
        }
    }
}

fn after_charset(text: &[u8]) -> Option<&[u8]> {
    let lower = text.to_ascii_lowercase();
    let mut from = 0;
    while let Some(at) = find(&lower[from..], b"charset") {
        from += at + 7;
        if let Some(label) = value(&text[from..]) {
            return Some(label);
        }
    }
    None
}

fn value(text: &[u8]) -> Option<&[u8]> {
    let text = text.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let text = text.strip_prefix(b"\"").or_else(|| text.strip_prefix(b"'")).unwrap_or(text);
    let end = text.iter().position(|b| {
        b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b';' | b'>' | b'/' | b',' | b'?')
    });
    Some(&text[..end.unwrap_or(text.len())]).filter(|label| !label.is_empty())
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|w| w == what)
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{
        BIG5, EUC_KR, GB18030, GBK, ISO_8859_2, KOI8_R, SHIFT_JIS, WINDOWS_1251, WINDOWS_1253, WINDOWS_1258,
    };

    const VIETNAMESE: &str = "Sáng nay, người dân thành phố ra đồng từ rất sớm để kịp vụ gặt, trời không mưa và nước đã rút. Những con đường làng đông vui, tiếng cười nói rộn ràng khắp nơi. ";
    const GREEK: &str =
        "Η βροχή σταμάτησε το πρωί και οι δρόμοι της πόλης γέμισαν πάλι με κόσμο που πήγαινε στην αγορά. ";
    const RUSSIAN: &str =
        "Утром дождь прекратился, и улицы города снова заполнились людьми, которые спешили на рынок. ";
    const POLISH: &str = "Rano deszcz przestał padać i ulice miasta znów zapełniły się ludźmi, którzy śpieszyli na targ, żeby zdążyć. ";
    const CHINESE: &str =
        "早上雨停了，城里的街道上又挤满了赶往市场的人们，孩子们在河边玩耍，老人坐在树下聊天。";
    const TAIWAN: &str =
        "早上雨停了，城裡的街道上又擠滿了趕往市場的人們，孩子們在河邊玩耍，老人坐在樹下聊天。";
    const JAPANESE: &str =
        "朝になって雨がやみ、町の通りは市場へ急ぐ人々でまたいっぱいになった。子どもたちは川で遊んでいた。";
    const KOREAN: &str = "아침에 비가 그치고 도시의 거리는 시장으로 가는 사람들로 다시 가득 찼다. ";
    const FRENCH: &str = "Le matin, la pluie a cessé et les rues de la ville se sont à nouveau remplies de gens pressés d’aller au marché. ";

    fn encoded(encoding: &'static Encoding, text: &str) -> Vec<u8> {
        if encoding == UTF_16LE {
            return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        if encoding == UTF_16BE {
            return text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        }
        let text = if encoding == WINDOWS_1258 { tones_apart(text) } else { text.to_owned() };
        let (bytes, _, bad) = encoding.encode(&text);
        assert!(!bad, "{} cannot hold the test text", encoding.name());
        bytes.into_owned()
    }

    /// Writes tones as combining marks. Letters with circumflex, breve or horn stay composed.
    fn tones_apart(text: &str) -> String {
        use unicode_normalization::UnicodeNormalization;
        let is_tone = |c: &char| matches!(c, '\u{300}' | '\u{301}' | '\u{303}' | '\u{309}' | '\u{323}');
        let apart = |c: char| {
            let (tone, base): (String, String) = std::iter::once(c).nfd().partition(|c| is_tone(c));
            base.nfc().collect::<String>() + &tone
        };
        text.chars().map(apart).collect()
    }

    fn samples() -> Vec<(&'static Encoding, &'static str)> {
        vec![
            (WINDOWS_1258, VIETNAMESE),
            (WINDOWS_1252, FRENCH),
            (GB18030, CHINESE),
            (BIG5, TAIWAN),
            (SHIFT_JIS, JAPANESE),
            (EUC_KR, KOREAN),
            (KOI8_R, RUSSIAN),
            (WINDOWS_1251, RUSSIAN),
            (WINDOWS_1253, GREEK),
            (ISO_8859_2, POLISH),
            (UTF_16LE, VIETNAMESE),
            (UTF_16BE, GREEK),
            (UTF_8, VIETNAMESE),
        ]
    }

    #[track_caller]
    fn check(bytes: &[u8], header: Option<&str>, encoding: &str, text: &str) {
        use unicode_normalization::UnicodeNormalization;
        let decoded = decode(bytes, header);
        assert_eq!((decoded.encoding, decoded.lossy), (encoding, false));
        assert_eq!(decoded.text.nfc().collect::<String>(), text);
    }

    #[test]
    fn declared_in_the_header() {
        for (encoding, text) in samples() {
            let header = format!("text/html; Charset=\"{}\"", encoding.name());
            check(&encoded(encoding, text), Some(&header), encoding.name(), text);
        }
    }

    #[test]
    fn declared_inside() {
        for (encoding, text) in samples() {
            let name = encoding.name();
            let short = [
                format!("<html><META  charset = '{name}'>{text}"),
                format!(
                    "<!-- <meta charset=utf-8> --><meta name=charset><meta http-equiv=content-type content='text/html;charset={name}'>{text}"
                ),
                format!("<?xml version='1.0' encoding='{name}'?><html>{text}"),
            ];
            for page in short {
                check(&encoded(encoding, &page), None, name, &page);
            }
        }
    }

    #[test]
    fn declared_nowhere() {
        for (encoding, text) in samples() {
            let page = format!("<html><body><p>{}</p>", text.repeat(20));
            let name = match encoding {
                e if e == GB18030 => GBK.name(),
                // KOI8-R and KOI8-U agree on all Russian letters.
                e if e == KOI8_R => "KOI8-U",
                e => e.name(),
            };
            check(&encoded(encoding, &page), None, name, &page);
        }
    }

    #[test]
    fn utf_8_wins_over_any_declaration() {
        let page = format!("<meta charset=iso-8859-1>{VIETNAMESE}");
        check(page.as_bytes(), Some("text/html; charset=windows-1252"), "UTF-8", &page);
        check(b"plain", Some("text/html; charset=gbk"), "UTF-8", "plain");
        check(b"<meta charset=utf-16>plain", None, "UTF-8", "<meta charset=utf-16>plain");
        check(b"plain", Some("text/html; charset=utf-16le"), "UTF-8", "plain");
    }

    #[test]
    fn a_mark_wins_over_all() {
        check(b"\xEF\xBB\xBFa", Some("charset=gbk"), "UTF-8", "a");
        check(b"\xFF\xFEa\0", Some("charset=utf-8"), "UTF-16LE", "a");
        check(b"\xFE\xFF\0a", None, "UTF-16BE", "a");
    }

    #[test]
    fn utf_8_with_bad_bytes_stays_utf_8() {
        for header in [Some("text/html; charset=utf-8"), None] {
            let mut bytes = VIETNAMESE.repeat(10).into_bytes();
            bytes.insert(9, 0xFF);
            bytes.truncate(bytes.len() - 6);
            let decoded = decode(&bytes, header);
            assert_eq!((decoded.encoding, decoded.lossy), ("UTF-8", true), "{header:?}");
            assert!(decoded.text.contains("người dân"));
        }
    }

    #[test]
    fn a_wrong_declaration_falls_to_the_next() {
        let page = format!("<meta charset=windows-1251><p>{}", RUSSIAN.repeat(10));
        check(&encoded(WINDOWS_1251, &page), Some("text/html; charset=utf-8"), "windows-1251", &page);
        let page = format!("<meta charset=utf-8><p>{}", JAPANESE.repeat(10));
        check(&encoded(SHIFT_JIS, &page), Some("text/html; charset=nonsense"), "Shift_JIS", &page);
    }

    #[test]
    fn odd_labels() {
        check(b"caf\xE9", Some("text/html; charset=x-user-defined"), "windows-1252", "café");
        check(b"caf\xE9", Some("text/html; charset=iso-2022-kr; charset=latin1"), "windows-1252", "café");
        check(b"\x1B$B$\"\x1B(B", Some("charset=iso-2022-jp"), "ISO-2022-JP", "あ");
        check(b"", Some("text/html; charset="), "UTF-8", "");
    }

    #[test]
    fn binary_is_read_somehow() {
        let bytes: Vec<u8> = (0..=255).cycle().take(70_000).collect();
        assert!(!decode(&bytes, None).text.is_empty());
        assert_eq!(decode(b"a\0b\x01", None).text, "a\0b\x01");
    }

    fn before_unicode(legacy: LegacyEncoding, text: &str) -> Vec<u8> {
        let letters = |byte: u8| legacy.decode(&[byte]);
        let byte = |c: char| (0..=255).find(|byte| letters(*byte) == c.to_string());
        let of = |c: char| if c.is_ascii() { c as u8 } else { byte(c).expect("the encoding has the letter") };
        text.chars().map(of).collect()
    }

    #[test]
    fn vietnamese_from_before_unicode_is_read() {
        let page = |head: &str| {
            format!("<html><head>{head}</head><body><p>{}</p></body>", VIETNAMESE.to_lowercase())
        };
        for legacy in [LegacyEncoding::Viscii, LegacyEncoding::Tcvn3] {
            for head in ["", "<meta charset=windows-1252>", "<meta charset=x-user-defined>"] {
                let bytes = before_unicode(legacy, &page(head));
                let decoded = decode(&bytes, None);
                assert_eq!((&*decoded.text, decoded.encoding), (&*page(head), legacy.label()), "{head}");
            }
            // A short page has too little evidence, so the declaration counts.
            let short = before_unicode(legacy, "<p>đường phố");
            let header = format!("text/html; charset=x-viet-{}", legacy.label());
            assert_eq!(decode(&short, Some(&header)).text, "<p>đường phố");
            let declared = before_unicode(legacy, &format!("<meta charset={}><p>đường phố", legacy.label()));
            assert!(decode(&declared, None).text.ends_with("<p>đường phố"));
            assert_ne!(decode(&short, None).encoding, legacy.label());
        }
        let vni = b"<p>\xd1\xf6\xf4\xf8ng pho\xe1 Ha\xf8 No\xe4i mo\xe4t ng\xe0y m\xf6a";
        assert_eq!(
            decode(vni, Some("text/html; charset=x-viet-vni")).text,
            "<p>Đường phố Hà Nội một ngày mưa"
        );
        // This text was decoded as Latin-1 and then stored as UTF-8.
        let mojibake: String =
            before_unicode(LegacyEncoding::Tcvn3, &page("")).iter().map(|byte| char::from(*byte)).collect();
        assert_eq!(decode(mojibake.as_bytes(), None).text, page(""));
    }
}
