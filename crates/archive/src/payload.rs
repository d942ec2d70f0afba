//! Decodes the transfer and content codings of bodies.
//!
//! Archives of other crawlers contain bodies as transferred: chunked, and compressed with gzip, deflate,
//! brotli or zstd (RFC 9110, 8.4.1; RFC 9112, 7.1). Some crawlers decode a body but keep its headers.
//! Therefore a body that does not have the coding stated in its headers is used unchanged.
//!
//! If the coded data are incomplete, the decoded part is returned, and [`Payload::cut`] or [`Payload::end`] says
//! so. It is not known whether the server or the archive lost the rest. `gleaner_http::coding::is_complete` decides
//! whether the body is complete nevertheless.

use gleaner_http::coding::{Coding, CodingEnd, DecodeError, Decoder, gunzip};

/// Maximum number of codings to decode. If there are more, the payload is marked as cut.
const MAX_CODINGS: usize = 4;

/// A decoded body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Payload {
    /// The decoded bytes.
    pub body: Vec<u8>,
    /// How the compressed data end.
    pub end: CodingEnd,
    /// Why a part of the body is missing, apart from [`Self::end`]. `None` if no part is missing.
    pub cut: Option<Truncation>,
}

/// Why a part of a body is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truncation {
    /// The body is longer than the limit.
    Limit,
    /// Compressed data are damaged, or there are too many codings.
    Coding,
    /// The last chunk is missing.
    Chunks,
}

/// Decodes the transfer codings and then the content codings, each in the reverse of their listed order.
/// `limit` is the maximum number of bytes of the result, and of the output of each decompression.
#[must_use]
pub fn decode(coded: &[u8], transfer: &[String], content: &[String], limit: usize) -> Payload {
    let codings = transfer.iter().rev().chain(content.iter().rev());
    // If there are too many codings, some are not decoded. Then the bytes are not a complete body.
    let is_too_deep = transfer.len() + content.len() > MAX_CODINGS;
    let cut = is_too_deep.then_some(Truncation::Coding);
    let mut payload = Payload { body: coded.to_vec(), end: CodingEnd::None, cut };
    for coding in codings.take(MAX_CODINGS) {
        let step = match coding.as_str() {
            "chunked" => dechunked(&payload.body),
            name => Coding::from_name(name).and_then(|coding| decode_coding(coding, &payload.body, limit)),
        };
        // If decoding failed, the archive's writer had already decoded the body.
        if let Some(step) = step {
            let cut = payload.cut.filter(|cut| *cut != Truncation::Chunks).or(step.cut).or(payload.cut);
            payload = Payload { cut, end: payload.end.max(step.end), ..step };
        }
    }
    payload.bounded(limit)
}

impl Payload {
    fn bounded(mut self, limit: usize) -> Self {
        if self.body.len() > limit {
            self.body.truncate(limit);
            self.cut = Some(Truncation::Limit);
        }
        self
    }
}

/// Decodes up to the first error or the limit. Returns `None` if decoding failed without output and the data
/// are not gzip.
fn decode_coding(coding: Coding, coded: &[u8], limit: usize) -> Option<Payload> {
    if coding == Coding::Gzip
        && let Some(body) = gunzip(coded, limit)
    {
        return Some(Payload { body, end: CodingEnd::Whole, cut: None });
    }
    let (mut decoder, mut body) = (Decoder::new(&[coding]), Vec::new());
    let cut = match decoder.push(coded, &mut body, limit) {
        Ok(()) => None,
        Err(DecodeError::Full) => Some(Truncation::Limit),
        Err(DecodeError::Broken(_)) => Some(Truncation::Coding),
    };
    let end = decoder.end(coded, &body);
    let is_whole = cut.is_none() && end != CodingEnd::Cut;
    let is_gzip = coding == Coding::Gzip && coded.starts_with(&[0x1f, 0x8b]);
    (!body.is_empty() || is_whole || is_gzip).then_some(Payload { body, end, cut })
}

fn dechunked(coded: &[u8]) -> Option<Payload> {
    let mut body = Vec::new();
    let mut rest = coded;
    let (mut length, mut behind) = chunk(rest)?;
    loop {
        if length == 0 {
            return Some(Payload { body, ..Payload::default() });
        }
        rest = &rest[behind..];
        body.extend_from_slice(&rest[..length.min(rest.len())]);
        rest = rest.get(length..).unwrap_or_default();
        rest = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n")).unwrap_or(rest);
        let Some(next) = chunk(rest) else {
            return Some(Payload { body, cut: Some(Truncation::Chunks), ..Payload::default() });
        };
        (length, behind) = next;
    }
}

/// Returns the length of the chunk at the beginning of `bytes` and the offset of its data, or `None` if no
/// chunk begins there.
fn chunk(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = bytes.iter().take(100).position(|byte| *byte == b'\n')?;
    let line = std::str::from_utf8(&bytes[..end]).ok()?;
    let digits = line.split(';').next()?.trim();
    // `from_str_radix` also accepts a sign.
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let length = usize::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
    Some((length, end + 1))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const TEXT: &[u8] = b"Rain fell on the valley for the third day in a row.";

    fn named(codings: &[&str]) -> Vec<String> {
        codings.iter().map(ToString::to_string).collect()
    }

    fn gzip(body: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(body).unwrap();
        encoder.finish().unwrap()
    }

    fn chunked(body: &[u8], size: usize) -> Vec<u8> {
        let mut out = Vec::new();
        for part in body.chunks(size) {
            write!(out, "{:x};x=y\r\n", part.len()).unwrap();
            out.extend_from_slice(part);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\n\r\n");
        out
    }

    #[test]
    fn every_coding_is_undone() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(TEXT).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(TEXT).unwrap();
        let mut brotli = brotli::CompressorReader::new(TEXT, 4096, 5, 20);
        let mut br = Vec::new();
        brotli.read_to_end(&mut br).unwrap();
        let cases = [
            (TEXT.to_vec(), vec![], vec![]),
            (chunked(TEXT, 7), vec!["chunked"], vec![]),
            (gzip(TEXT), vec![], vec!["gzip"]),
            (gzip(TEXT), vec![], vec!["x-gzip"]),
            ([gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat(), vec![], vec!["gzip"]),
            ([gzip(TEXT), vec![0; 8]].concat(), vec![], vec!["gzip"]),
            (zlib.finish().unwrap(), vec![], vec!["deflate"]),
            (raw.finish().unwrap(), vec![], vec!["deflate"]),
            (br, vec![], vec!["br"]),
            (zstd::encode_all(TEXT, 1).unwrap(), vec![], vec!["zstd"]),
            (chunked(&gzip(TEXT), 9), vec!["chunked"], vec!["gzip"]),
            (chunked(&gzip(&gzip(TEXT)), 9), vec!["gzip", "chunked"], vec!["gzip"]),
        ];
        for (coded, transfer, content) in cases {
            let payload = decode(&coded, &named(&transfer), &named(&content), 1000);
            let is_plain = content.is_empty() && transfer.iter().all(|name| *name == "chunked");
            let end = if is_plain { CodingEnd::None } else { CodingEnd::Whole };
            let expected = Payload { body: TEXT.to_vec(), end, cut: None };
            assert_eq!(payload, expected, "{transfer:?} {content:?}");
        }
    }

    #[test]
    fn what_was_undone_before_is_taken_as_it_is() {
        for coding in ["gzip", "deflate", "br", "zstd", "identity", "rot13"] {
            let payload = decode(TEXT, &named(&["chunked"]), &named(&[coding]), 1000);
            assert_eq!(payload.body, TEXT, "{coding}");
        }
    }

    #[test]
    fn what_is_cut_says_so() {
        let text = TEXT.repeat(9);
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&text).unwrap();
        let mut raw = DeflateEncoder::new(Vec::new(), Compression::fast());
        raw.write_all(&text).unwrap();
        let bodies = [
            ("gzip", gzip(&text)),
            ("deflate", zlib.finish().unwrap()),
            ("deflate", raw.finish().unwrap()),
            ("chunked", chunked(&text, 20)),
        ];
        for (coding, coded) in bodies {
            for end in coded.len() / 2..coded.len() - 3 {
                let payload = decode(&coded[..end], &named(&[coding]), &[], 1000);
                let missing = match (coding, coded.len() - end) {
                    ("chunked", _) => (Some(Truncation::Chunks), CodingEnd::None),
                    ("gzip", ..=8) => (None, CodingEnd::WithoutTrailer),
                    _ => (None, CodingEnd::Cut),
                };
                assert_eq!((payload.cut, payload.end), missing, "{coding} {end}");
                assert!(text.starts_with(&payload.body), "{coding} {end}");
            }
            let payload = decode(&coded, &named(&[coding]), &[], 20);
            assert_eq!(
                (payload.body.as_slice(), payload.cut),
                (&TEXT[..20], Some(Truncation::Limit)),
                "{coding}"
            );
        }
        let bomb = decode(&gzip(&[b'a'; 100_000]), &[], &named(&["gzip"]), 1000);
        assert_eq!((bomb.body.len(), bomb.cut), (1000, Some(Truncation::Limit)));
        assert_eq!(
            decode(TEXT, &[], &[], 4),
            Payload { body: b"Rain".to_vec(), end: CodingEnd::None, cut: Some(Truncation::Limit) }
        );
    }

    #[test]
    fn all_members_are_the_body_and_what_follows_them_is_not() {
        let (rain, snow) = (gzip(TEXT), gzip(b"Snow."));
        let cases = [
            ([&rain[..], &snow], [TEXT, b"Snow."].concat(), CodingEnd::Whole),
            ([&rain, b"\0\0\0"], TEXT.to_vec(), CodingEnd::Whole),
            ([&rain, &snow[..8]], TEXT.to_vec(), CodingEnd::Cut),
            ([&rain[..8], b""], Vec::new(), CodingEnd::Cut),
        ];
        for (parts, body, end) in cases {
            let payload = decode(&parts.concat(), &[], &named(&["gzip"]), 1000);
            assert_eq!(payload, Payload { body, end, cut: None }, "{parts:?}");
        }
    }

    #[test]
    fn codings_without_end_are_no_body() {
        let mut coded = TEXT.to_vec();
        for depth in 1..=MAX_CODINGS + 1 {
            coded = gzip(&coded);
            let payload = decode(&coded, &[], &vec!["gzip".to_owned(); depth], 1000);
            assert_eq!(
                (payload.body == TEXT, payload.cut.is_none()),
                (depth <= MAX_CODINGS, depth <= MAX_CODINGS)
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_make_it_fail(coded in proptest::collection::vec(any::<u8>(), 0..300)) {
            for coding in ["gzip", "deflate", "br", "zstd", "chunked"] {
                let payload = decode(&coded, &named(&[coding]), &named(&[coding]), 200);
                prop_assert!(payload.body.len() <= 200);
            }
        }
    }
}
