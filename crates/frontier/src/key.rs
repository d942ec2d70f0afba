//! Defines the URL key: 16 bytes of a hash of the URL's identity.
//!
//! With 128 bits, the probability that any two of 10^9 URLs share a key is about 10^-21. The code therefore
//! does not check for collisions. The order of keys has no meaning, and a key does not reveal the host.

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The first 16 bytes of the BLAKE3 hash of a [`CanonicalUrl::identity`](crate::CanonicalUrl::identity).
///
/// Serialized as 32 hex digits in human-readable formats (JSON, TOML), otherwise as 16 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrlKey([u8; 16]);

/// The error for a text that is not a key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("a URL key is 32 hexadecimal digits, but this is {0:?}")]
pub struct UrlKeyError(String);

impl UrlKey {
    /// Computes the key of an identity: `host[:port]/path?query`, without the scheme.
    pub(crate) fn from_identity(identity: &str) -> Self {
        let hash = blake3::hash(identity.as_bytes());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.as_bytes()[..16]);
        Self(bytes)
    }

    /// Returns the 16 bytes of the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Creates a key from its 16 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }
}

/// Returns the partition of a registrable domain, 0 to 255: the first byte of the domain's BLAKE3 hash.
/// Stored records depend on this function, so it must never change.
#[must_use]
pub fn partition_of(domain: &str) -> u8 {
    blake3::hash(domain.as_bytes()).as_bytes()[0]
}

impl fmt::Display for UrlKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for UrlKey {
    type Err = UrlKeyError;

    fn from_str(text: &str) -> Result<Self, UrlKeyError> {
        let bad = || UrlKeyError(text.chars().take(64).collect());
        let digits = text.as_bytes();
        if digits.len() != 32 {
            return Err(bad());
        }
        let mut bytes = [0; 16];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let digit = |b: u8| char::from(b).to_digit(16).ok_or_else(bad);
            *byte =
                u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).expect("two hex digits are one byte");
        }
        Ok(Self(bytes))
    }
}

impl Serialize for UrlKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_bytes(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for UrlKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(KeyVisitor)
        } else {
            deserializer.deserialize_bytes(KeyVisitor)
        }
    }
}

struct KeyVisitor;

impl Visitor<'_> for KeyVisitor {
    type Value = UrlKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("32 hexadecimal digits or 16 bytes")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<UrlKey, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<UrlKey, E> {
        bytes.try_into().map(UrlKey).map_err(|_| E::invalid_length(bytes.len(), &self))
    }
}

#[cfg(test)]
mod tests {
    use super::UrlKey;

    #[test]
    fn hex_and_bytes_come_back() {
        let key = UrlKey::from_identity("example.com/");
        assert_eq!(key.to_string().parse(), Ok(key));
        assert_eq!(UrlKey::from_bytes(*key.as_bytes()), key);
        let json = serde_json::to_string(&key).unwrap();
        assert_eq!(json, format!("\"{key}\""));
        assert_eq!(serde_json::from_str::<UrlKey>(&json).unwrap(), key);
        let packed = rmp_serde::to_vec(&key).unwrap();
        assert_eq!(packed.len(), 18, "a header of two bytes and the key");
        assert_eq!(rmp_serde::from_slice::<UrlKey>(&packed).unwrap(), key);
    }

    #[test]
    fn a_wrong_text_is_no_key() {
        for text in ["", "00", &"g".repeat(32), &"é".repeat(16), &"0".repeat(33)] {
            assert!(text.parse::<UrlKey>().is_err(), "{text}");
        }
        assert!(rmp_serde::from_slice::<UrlKey>(&[0xc4, 1, 0]).is_err(), "a key of one byte");
    }
}
