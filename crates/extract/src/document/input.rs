//! Decodes the bytes of a page.
//!
//! Limitations: UTF-16 without a byte order mark is detected only if more than half of its characters are
//! below U+0100, as they are in markup. UTF-32 is not supported.

/// The reason why bytes are not an HTML page. The message names the detected format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotHtml {
    /// The bytes are not text. The field names the detected type of file.
    #[error("is not an HTML page ({0})")]
    Binary(&'static str),
    /// The bytes look like UTF-32, which has four bytes per character.
    #[error("looks like UTF-32, which is not supported: convert it to UTF-8 first")]
    Utf32,
}

/// Number of bytes at the beginning in which NULs are counted.
const PRESCAN: usize = 4096;

/// Decodes a page. Determines the encoding from the byte order mark, the page's declaration and the bytes
/// themselves.
///
/// # Errors
/// [`NotHtml`] if the bytes are an image, an archive or other data, or UTF-32.
///
/// ```
/// use gleaner_extract::{NotHtml, decode};
///
/// assert_eq!(decode(b"<meta charset=windows-1252><p>Caf\xe9")?, "<meta charset=windows-1252><p>Caf\u{e9}");
/// assert_eq!(decode(b"%PDF-1.7"), Err(NotHtml::Binary("PDF document")));
/// # Ok::<(), NotHtml>(())
/// ```
pub fn decode(bytes: &[u8]) -> Result<String, NotHtml> {
    let content_type = match wide(bytes) {
        Some(Wide::Utf16(content_type)) => Some(content_type),
        Some(Wide::Utf32) => return Err(NotHtml::Utf32),
        None => None,
    };
    match binary(bytes).filter(|_| content_type.is_none()) {
        Some(kind) => Err(NotHtml::Binary(kind)),
        None => Ok(gleaner_html::decode::decode(bytes, content_type).text.into_owned()),
    }
}

/// First bytes of files that users may confuse with pages.
const SIGNATURES: [(&[u8], &str); 11] = [
    (b"\x89PNG\r\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF87a", "GIF image"),
    (b"GIF89a", "GIF image"),
    (b"RIFF", "WebP image, audio or video"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive or office document"),
    (b"\x28\xb5\x2f\xfd", "Zstandard file"),
    (b"WARC/", "WARC file: use gleaner ingest"),
    (b"\x1f\x8b", "gzip file: decompress it first"),
    (b"SQLite format 3", "SQLite database"),
];

/// Returns the type of a file that is not text. A file is not text if its first bytes are a known signature,
/// or if more than a tenth of the bytes at its beginning are control characters.
fn binary(bytes: &[u8]) -> Option<&'static str> {
    let known = SIGNATURES.iter().find(|(start, _)| bytes.starts_with(start));
    let prescan = &bytes[..bytes.len().min(PRESCAN)];
    // ESC is excluded, because it begins the escape sequences of ISO-2022-JP.
    let is_control = |byte: &&u8| **byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    let controls = prescan.iter().filter(is_control).count();
    known.map(|(_, kind)| *kind).or((controls * 10 > prescan.len()).then_some("binary file"))
}

#[derive(Debug, PartialEq, Eq)]
enum Wide {
    /// UTF-16, with the content type that names the encoding.
    Utf16(&'static str),
    Utf32,
}

/// Detects UTF-16 and UTF-32 by the positions, modulo four, at which most bytes are zero.
fn wide(bytes: &[u8]) -> Option<Wide> {
    let units = &bytes[..bytes.len().min(PRESCAN)];
    let mostly_nul = |at: usize| {
        let places = || units.iter().skip(at).step_by(4);
        places().filter(|byte| **byte == 0).count() * 2 > places().count()
    };
    match [0, 1, 2, 3].map(mostly_nul) {
        [false, true, false, true] => Some(Wide::Utf16("text/html; charset=utf-16le")),
        [true, false, true, false] => Some(Wide::Utf16("text/html; charset=utf-16be")),
        [false, _, true, true] | [true, true, _, false] => Some(Wide::Utf32),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_encodings_are_known_by_their_nuls() {
        let text = "<html><p>Mưa rơi suốt ngày ở 村</p></html>";
        let of_16 = |to: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(to).collect::<Vec<u8>>();
        let of_32 = |to: fn(u32) -> [u8; 4]| text.chars().flat_map(|c| to(u32::from(c))).collect::<Vec<u8>>();
        let utf_16 =
            |end: &str| match wide(&of_16(if end == "le" { u16::to_le_bytes } else { u16::to_be_bytes })) {
                Some(Wide::Utf16(content_type)) => content_type.ends_with(end),
                _ => false,
            };
        assert!(utf_16("le") && utf_16("be"));
        assert_eq!(wide(&of_32(u32::to_le_bytes)), Some(Wide::Utf32));
        assert_eq!(wide(&of_32(u32::to_be_bytes)), Some(Wide::Utf32));
        for narrow in [&b""[..], b"<", b"\0", b"\0\0\0\0\0\0\0\0", text.as_bytes(), b"<p>a\0b\0\0c"] {
            assert_eq!(wide(narrow), None, "{narrow:?}");
        }
    }

    #[test]
    fn files_that_are_no_pages_are_known() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n"[..], Some("PNG image")),
            (b"%PDF-1.7", Some("PDF document")),
            (b"\x7fELF\x02\x01\x01\0\0\0\0\0", Some("binary file")),
            (b"<html><body>\0", None),
            (b"\x1b$B%a%+\x1b(B", None),
            ("Mưa\tto\r\n".as_bytes(), None),
            (b"", None),
        ] {
            assert_eq!(binary(bytes), expected, "{bytes:?}");
        }
    }
}
