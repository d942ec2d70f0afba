//! A stream with optional compression.
//!
//! The output is deterministic: gzip gets no time and no name. zstd ends with a checksum, as gzip
//! does.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use super::Compression;

/// zstd's default; higher levels cost more time than they save space.
const ZSTD_LEVEL: i32 = 3;

/// A writer of plain or compressed bytes.
#[expect(missing_docs, reason = "its parts are nobody's to touch")]
pub enum Packed<W: Write> {
    None(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> std::fmt::Debug for Packed<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Packed")
    }
}

impl<W: Write> Packed<W> {
    /// Compresses into `out`.
    ///
    /// # Errors
    /// If the compressor cannot be set up.
    pub fn new(out: W, compression: Compression) -> io::Result<Self> {
        Ok(match compression {
            Compression::None => Self::None(out),
            Compression::Gzip => Self::Gzip(GzEncoder::new(out, flate2::Compression::default())),
            Compression::Zstd => {
                let mut encoder = zstd::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Self::Zstd(encoder)
            }
        })
    }

    /// The inner writer.
    pub fn inner(&self) -> &W {
        match self {
            Self::None(out) => out,
            Self::Gzip(encoder) => encoder.get_ref(),
            Self::Zstd(encoder) => encoder.get_ref(),
        }
    }

    /// Ends the compressed stream.
    ///
    /// # Errors
    /// Those of the inner writer.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::None(out) => Ok(out),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::None(out) => out.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::None(out) => out.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}
