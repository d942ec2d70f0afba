//! Writes data with optional compression.
//!
//! The output is deterministic, because the gzip header contains neither a time nor a name. gzip and
//! Zstandard data end with a checksum.

use std::io::{self, Write};

use flate2::write::GzEncoder;

use super::Compression;

/// The default level of zstd. Higher levels take much more time and save little space.
const ZSTD_LEVEL: i32 = 3;

/// A writer of plain or compressed bytes.
#[expect(missing_docs, reason = "variants are internal")]
pub enum CompressedWriter<W: Write> {
    None(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> std::fmt::Debug for CompressedWriter<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CompressedWriter")
    }
}

impl<W: Write> CompressedWriter<W> {
    /// Creates a writer that compresses into `out`.
    ///
    /// # Errors
    /// An error means that the compressor cannot be set up.
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

    /// Returns the inner writer.
    pub fn inner(&self) -> &W {
        match self {
            Self::None(out) => out,
            Self::Gzip(encoder) => encoder.get_ref(),
            Self::Zstd(encoder) => encoder.get_ref(),
        }
    }

    /// Ends the compressed stream and returns the inner writer.
    ///
    /// # Errors
    /// An error means that the inner writer failed.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::None(out) => Ok(out),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for CompressedWriter<W> {
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
