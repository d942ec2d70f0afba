//! Computes digests of payloads and blocks in the form that WARC records use.
//!
//! A digest is SHA-1 in base32, as in Heritrix, Common Crawl and pywb, so that archives of different crawlers
//! can be compared. Digests of other algorithms are ignored.
//!
//! Limitation: SHA-1 collisions can be produced deliberately. Therefore digests are compared only to find out
//! whether a URL returned the same page as before. No page is dropped because its digest equals that of
//! another URL.

use std::fmt;

use data_encoding::BASE32;
use sha1::{Digest as _, Sha1};

/// A SHA-1 digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 20]);

impl Digest {
    /// Returns the digest of these bytes.
    ///
    /// ```
    /// let digest = gleaner_archive::Digest::from_content(b"");
    /// assert_eq!(digest.to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    /// ```
    #[must_use]
    pub fn from_content(bytes: &[u8]) -> Self {
        Self(Sha1::digest(bytes).into())
    }

    /// Returns the digest of the concatenated `parts`.
    #[must_use]
    pub fn from_parts(parts: &[&[u8]]) -> Self {
        let mut digest = Sha1::new();
        parts.iter().for_each(|part| digest.update(part));
        Self(digest.finalize().into())
    }

    /// Parses a label such as `sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ`. Returns `None` if the label is invalid
    /// or names another algorithm.
    #[must_use]
    pub fn from_label(label: &str) -> Option<Self> {
        let (algorithm, value) = label.trim().split_once(':')?;
        if !algorithm.eq_ignore_ascii_case("sha1") {
            return None;
        }
        let bytes = match value.len() {
            40 => data_encoding::HEXLOWER_PERMISSIVE.decode(value.as_bytes()),
            _ => BASE32.decode(value.to_ascii_uppercase().as_bytes()),
        };
        Some(Self(bytes.ok()?.try_into().ok()?))
    }

    /// Returns the 20 bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// Creates a digest from the bytes that [`as_bytes`](Self::as_bytes) returned.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha1:{}", BASE32.encode(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_they_are_written() {
        let digest = Digest::from_content(b"rain");
        assert_eq!(Digest::from_label(&digest.to_string()), Some(digest));
        assert_eq!(Digest::from_parts(&[b"ra", b"", b"in"]), digest);
        let hex: String = digest.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(Digest::from_label(&format!("SHA1:{hex}")), Some(digest));
        for other in ["", "sha1", "sha1:", "sha1:rain", "md5:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"] {
            assert_eq!(Digest::from_label(other), None, "{other}");
        }
    }
}
