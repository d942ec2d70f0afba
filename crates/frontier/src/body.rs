//! Reads a body as a text stream: decompresses it, limits its size, decodes it.
//!
//! gzip is detected by its first bytes, because file names that end in `.gz` are unreliable. The limit counts
//! decompressed bytes, so a decompression bomb stops at the limit. The byte order mark or the XML declaration
//! determines the encoding. The default is UTF-8. U+FFFD replaces malformed bytes. After a failure the stream
//! ends, and [`TextStream::flaw`] returns the reason.

use encoding_rs::{CoderResult, Decoder, Encoding, UTF_8};
use flate2::read::MultiGzDecoder;
use std::io::{BufRead, Error, ErrorKind, Read};
use thiserror::Error;

/// Limits for reading a sitemap or a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReadLimits {
    /// Maximum number of bytes to read, after decompression.
    pub bytes: u64,
    /// Maximum number of entries to keep. Further entries are only counted.
    pub entries: usize,
}

impl Default for ReadLimits {
    /// The limits of the sitemap protocol: 50 MiB and 50,000 entries.
    fn default() -> Self {
        Self { bytes: 50 << 20, entries: 50_000 }
    }
}

/// Why a sitemap or a feed was not read to its end. The entries before the error are kept.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IncompleteReason {
    /// The markup is broken, and the parser cannot continue.
    #[error("the XML is broken at byte {at}: {reason}")]
    Broken {
        /// Number of bytes of decoded text before the error.
        at: u64,
        /// The parser's message.
        reason: String,
    },
    /// The end of the document is missing.
    #[error("the document breaks off")]
    Truncated,
    /// The document exceeds the limit, after decompression.
    #[error("it is larger than {limit} bytes; the rest was not read")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// The compressed data are damaged.
    #[error("it cannot be decompressed to its end: {reason}")]
    Gzip {
        /// The decoder's message.
        reason: String,
    },
}

const CHUNK: usize = 16 << 10;

pub(crate) struct TextStream<'a> {
    source: Box<dyn Read + 'a>,
    left: u64,
    limit: u64,
    decoder: Decoder,
    raw: Vec<u8>,
    raw_at: usize,
    text: Vec<u8>,
    text_at: usize,
    source_ended: bool,
    decoder_ended: bool,
    flaw: Option<IncompleteReason>,
}

impl<'a> TextStream<'a> {
    pub(crate) fn new(bytes: &'a [u8], limit: u64) -> Self {
        let source: Box<dyn Read + 'a> = if bytes.starts_with(&[0x1f, 0x8b]) {
            Box::new(MultiGzDecoder::new(bytes))
        } else {
            Box::new(bytes)
        };
        let mut stream = Self {
            source,
            left: limit,
            limit,
            decoder: UTF_8.new_decoder(),
            raw: Vec::with_capacity(CHUNK),
            raw_at: 0,
            text: Vec::new(),
            text_at: 0,
            source_ended: false,
            decoder_ended: false,
            flaw: None,
        };
        stream.refill();
        // When decoding begins, a byte order mark overrides this encoding.
        stream.decoder = declared_encoding(&stream.raw).new_decoder();
        stream
    }

    pub(crate) fn flaw(&self) -> Option<&IncompleteReason> {
        self.flaw.as_ref()
    }

    /// Skips leading whitespace and returns the next text without consuming it. The text is empty at the end.
    pub(crate) fn first_text(&mut self) -> String {
        loop {
            self.decode();
            let text = &self.text[self.text_at..];
            let blank = text.len() - text.trim_ascii_start().len();
            if blank < text.len() || text.is_empty() {
                let first = String::from_utf8_lossy(&text[blank..]).into_owned();
                self.consume(blank);
                return first;
            }
            self.consume(blank);
        }
    }

    fn refill(&mut self) {
        self.raw.clear();
        self.raw_at = 0;
        let mut chunk = [0; CHUNK];
        while !self.source_ended && self.raw.len() < CHUNK {
            let room = CHUNK - self.raw.len();
            match self.source.read(&mut chunk[..room]) {
                Ok(0) => self.source_ended = true,
                Ok(count) => self.take(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.flaw = Some(IncompleteReason::Gzip { reason: error.to_string() });
                    self.source_ended = true;
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        let allowed = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        self.raw.extend_from_slice(&bytes[..allowed]);
        self.left -= u64::try_from(allowed).expect("a chunk fits 64 bits");
        if allowed < bytes.len() {
            self.flaw = Some(IncompleteReason::TooLarge { limit: self.limit });
            self.source_ended = true;
        }
    }

    fn decode(&mut self) {
        while self.text_at == self.text.len() && !self.decoder_ended {
            if self.raw_at == self.raw.len() && !self.source_ended {
                self.refill();
            }
            self.text.resize(2 * CHUNK, 0);
            let (result, read, written, _) =
                self.decoder.decode_to_utf8(&self.raw[self.raw_at..], &mut self.text, self.source_ended);
            self.raw_at += read;
            self.text.truncate(written);
            self.text_at = 0;
            self.decoder_ended = self.source_ended && result == CoderResult::InputEmpty;
        }
    }
}

impl BufRead for TextStream<'_> {
    fn fill_buf(&mut self) -> Result<&[u8], Error> {
        self.decode();
        Ok(&self.text[self.text_at..])
    }

    fn consume(&mut self, count: usize) {
        self.text_at = self.text.len().min(self.text_at + count);
    }
}

impl Read for TextStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, Error> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

/// Returns the encoding that an XML declaration names (XML 1.0, appendix F), or UTF-8.
fn declared_encoding(head: &[u8]) -> &'static Encoding {
    let find = || {
        let head = head.trim_ascii_start().strip_prefix(b"<?xml")?;
        let end = head.iter().take(256).position(|byte| *byte == b'>')?;
        let declaration = std::str::from_utf8(&head[..end]).ok()?;
        let value = declaration.split_once("encoding")?.1.trim_start().strip_prefix('=')?.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        Encoding::for_label(value[1..].split(quote).next()?.as_bytes())
    };
    // If the declaration is readable as ASCII, the text cannot be in UTF-16, even if the declaration names
    // it.
    find().filter(|encoding| encoding.is_ascii_compatible()).unwrap_or(UTF_8)
}

#[cfg(test)]
mod tests {
    use super::{IncompleteReason, TextStream};
    use flate2::{Compression, write::GzEncoder};
    use std::io::{Read, Write};

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn read(bytes: &[u8], limit: u64) -> (String, Option<IncompleteReason>) {
        let mut stream = TextStream::new(bytes, limit);
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        (text, stream.flaw().cloned())
    }

    #[test]
    fn decoded_by_mark_and_declaration() {
        let utf16: Vec<u8> =
            [0xff, 0xfe].into_iter().chain("<a>ế</a>".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        for (bytes, expected) in [
            ("<a>ế</a>".as_bytes(), "<a>ế</a>"),
            ("\u{feff}<a/>".as_bytes(), "<a/>"),
            (&utf16, "<a>ế</a>"),
            (b"<a>\xff</a>", "<a>\u{fffd}</a>"),
            (
                b"<?xml version='1.0' encoding = 'windows-1258'?>\xd0",
                "<?xml version='1.0' encoding = 'windows-1258'?>Đ",
            ),
            ("<?xml encoding=\"utf-16\"?>ế".as_bytes(), "<?xml encoding=\"utf-16\"?>ế"),
            ("<?xml encoding=\"nonsense\"?>ế".as_bytes(), "<?xml encoding=\"nonsense\"?>ế"),
            (b"", ""),
        ] {
            assert_eq!(read(bytes, 1_000), (expected.to_owned(), None));
        }
    }

    #[test]
    fn long_texts_come_whole() {
        let long = "tiếng Việt ".repeat(20_000);
        assert_eq!(read(long.as_bytes(), u64::MAX), (long.clone(), None));
        assert_eq!(read(&gzip(long.as_bytes()), u64::MAX), (long, None));
    }

    #[test]
    fn a_bomb_ends_at_the_limit() {
        let bomb = gzip(&vec![b'a'; 8 << 20]);
        assert!(bomb.len() < 64 << 10);
        let (text, flaw) = read(&bomb, 100_000);
        assert_eq!((text.len(), flaw), (100_000, Some(IncompleteReason::TooLarge { limit: 100_000 })));
        assert_eq!(read(b"abc", 3), ("abc".to_owned(), None), "the limit itself is allowed");
    }

    #[test]
    fn damaged_gzip_gives_what_could_be_read() {
        let whole = gzip("abc ".repeat(50_000).as_bytes());
        let (text, flaw) = read(&whole[..whole.len() / 2], u64::MAX);
        assert!(text.starts_with("abc "), "{} bytes", text.len());
        assert!(matches!(flaw, Some(IncompleteReason::Gzip { .. })), "{flaw:?}");
    }
}
