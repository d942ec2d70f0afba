//! Bodies of HTTP answers without their codings.
//!
//! An answer lists the codings of its body in the order in which they were applied
//! (`Content-Encoding`, RFC 9110, 8.4; `Transfer-Encoding`, RFC 9112, 6.1), so they are
//! undone from the last to the first. [`Decoder`] does that piece by piece, as a body
//! arrives, and never holds more than one small buffer a coding beside the result. Each
//! coding marks its own end, so a body that ends before it is known to be cut.
//!
//! | name | what is read |
//! |---|---|
//! | `gzip`, `x-gzip` | one member or several in a row (RFC 1952, 2.2), each with its checksum |
//! | `deflate` | the zlib format (RFC 1950) or, as some servers send, deflate without it (RFC 1951) |
//! | `br` | Brotli with windows of at most 16 MiB (RFC 7932) |
//! | `zstd` | Zstandard frames with windows of at most 8 MiB (RFC 9659) |
//!
//! Bytes behind the end of a gzip, deflate or Brotli stream are ignored, as browsers and
//! gzip(1) do; behind a gzip member only if they do not begin another one.

mod decoder;
mod stage;

pub use decoder::{Decoder, Stop};

/// The codings that are understood, as the value of `Accept-Encoding`.
pub const ACCEPTED: &str = "gzip, deflate, br, zstd";

/// A coding that can be undone.
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
    /// The coding of this name, in any case. `None`: it is unknown, or changes nothing
    /// (`identity`).
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

/// The names that the header `name` lists in all its lines, in order and in lower case.
/// `identity` and empty names are left out.
#[must_use]
pub fn listed(headers: &[(String, String)], name: &str) -> Vec<String> {
    let lines = headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
    let names =
        lines.flat_map(|(_, value)| value.split(',')).map(|coding| coding.trim().to_ascii_lowercase());
    names.filter(|coding| !coding.is_empty() && coding != "identity").collect()
}
