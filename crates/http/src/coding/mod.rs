//! Decodes the bodies of HTTP responses.
//!
//! A response lists the codings of its body in the order in which they were applied (`Content-Encoding`, RFC
//! 9110, 8.4; `Transfer-Encoding`, RFC 9112, 6.1). They are decoded in the reverse order. [`Decoder`] decodes
//! a body piece by piece as it arrives, and needs only a small buffer for each coding. Each coding marks its
//! own end, so the decoder detects an incomplete body. [`is_complete`] is the rule for all bodies.
//!
//! | name | supported format |
//! |---|---|
//! | `gzip`, `x-gzip` | one or more consecutive members (RFC 1952, 2.2), each with its checksum |
//! | `deflate` | the zlib format (RFC 1950), or raw deflate (RFC 1951), which some servers send |
//! | `br` | Brotli with windows of at most 16 MiB (RFC 7932) |
//! | `zstd` | Zstandard frames with windows of at most 8 MiB (RFC 9659) |
//!
//! The decoder ignores bytes after the end of a gzip, deflate or Brotli stream, as browsers and gzip(1) do.
//! There is one exception: the byte 0x1f after a gzip member begins another member.
//!
//! [`gunzip`] decodes a complete gzip body at once, which takes about a third of the time. [`header_text`] decodes
//! the value of a header.

mod completeness;
mod decoder;
mod gunzip;
mod header;
mod stage;

pub use completeness::{CodingEnd, breaks_off, is_complete, is_whole_range};
pub use decoder::{DecodeError, Decoder};
pub use gunzip::gunzip;
pub use header::header_text;

/// The supported codings, as the value of `Accept-Encoding`.
pub const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// A supported coding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coding {
    /// `gzip` or `x-gzip`.
    Gzip,
    /// `deflate`.
    Deflate,
    /// `br`.
    Brotli,
    /// `zstd`.
    Zstd,
}

impl Coding {
    /// Returns the coding with this name, in upper or lower case. Returns `None` if the name is unknown, or
    /// if it is `identity`, which changes nothing.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            "br" => Self::Brotli,
            "zstd" => Self::Zstd,
            _ => return None,
        })
    }
}

/// Returns the codings in all header lines with this `name`, in order and in lower case, without `identity`.
#[must_use]
pub fn listed(headers: &[(String, String)], name: &str) -> Vec<String> {
    let lines = headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
    let names =
        lines.flat_map(|(_, value)| value.split(',')).map(|coding| coding.trim().to_ascii_lowercase());
    names.filter(|coding| !coding.is_empty() && coding != "identity").collect()
}
