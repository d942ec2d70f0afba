//! Reads pages from files, folders and standard input.
//!
//! Limitation: UTF-16 without a byte order mark is detected by the NULs of its markup. UTF-32 is not
//! supported.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use gleaner_html::decode::decode;

use crate::failure::Failure;

const LIMIT: u64 = 64 << 20;

/// Number of bytes at the beginning in which NULs are counted.
const PRESCAN: usize = 4096;

pub(crate) fn source(path: &str) -> Result<String, Failure> {
    let bytes = read(path)?;
    match wide(&bytes) {
        Some(Wide::Utf16(content_type)) => Ok(decode(&bytes, Some(content_type)).text),
        Some(Wide::Utf32) => Err(Failure::Usage(format!(
            "{path} looks like UTF-32, which is not supported: convert it to UTF-8 first"
        ))),
        None => Ok(decode(&bytes, None).text),
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Wide {
    /// With the content type that names the encoding.
    Utf16(&'static str),
    Utf32,
}

/// Detects UTF-16 and UTF-32 by the positions, modulo four, at which most bytes are NUL.
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

/// Reads a page from a file, or from standard input for `-`, and decompresses gzip.
fn read(path: &str) -> Result<Vec<u8>, Failure> {
    let wrong = |error: io::Error| Failure::Usage(format!("cannot read {path}: {error}"));
    let bytes = if path == "-" {
        limited(io::stdin().lock()).map_err(wrong)?
    } else {
        limited(fs::File::open(path).map_err(wrong)?).map_err(wrong)?
    };
    if bytes.starts_with(&[0x1f, 0x8b]) {
        limited(MultiGzDecoder::new(&*bytes)).map_err(wrong)
    } else {
        Ok(bytes)
    }
}

fn limited(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(LIMIT + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LIMIT {
        return Err(io::Error::other(format!("larger than {} MiB", LIMIT >> 20)));
    }
    Ok(bytes)
}

/// Lists the given files, and the HTML files of the given folders sorted by name. A folder without HTML files
/// is an error.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        let wrong = |error: io::Error| Failure::Usage(format!("cannot read {}: {error}", path.display()));
        if !fs::metadata(path).map_err(wrong)?.is_dir() {
            found.push(path.clone());
            continue;
        }
        let entries: Result<Vec<PathBuf>, io::Error> =
            fs::read_dir(path).map_err(wrong)?.map(|entry| entry.map(|entry| entry.path())).collect();
        let mut pages: Vec<PathBuf> =
            entries.map_err(wrong)?.into_iter().filter(|path| is_html(path)).collect();
        if pages.is_empty() {
            return Err(Failure::Usage(format!(
                "{} has no page: no file name ends in .html, .htm or .xhtml, optionally with .gz",
                path.display()
            )));
        }
        pages.sort();
        found.extend(pages);
    }
    Ok(found)
}

fn is_html(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".html", ".htm", ".xhtml"].iter().any(|ending| name.ends_with(ending))
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
}
