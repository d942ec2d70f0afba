//! Defines a document: the text of one article with its provenance.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTuple, Serializer};

use crate::normal::from_hexadecimal;
use crate::{ContentHash, Extras, Usage};

/// The permanent id of a document: the first 16 bytes of the BLAKE3 hash of the canonical URL (without its
/// scheme) under which the text was first stored. The id does not change when the page is extracted again.
#[derive(
    Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct DocumentId(pub [u8; 16]);

/// A probability in hundredths.
pub type Share = u8;

/// Stores of the first version have only the fields before this position.
const REQUIRED: u8 = 12;
/// The position of [`Document::extras`] in a stored record.
const EXTRAS: u8 = 26;
/// The position of [`Document::usage`] in a stored record.
const USAGE: u8 = 28;

macro_rules! document {
    ($($(#[doc = $meaning:literal])* $name:ident: $type:ty, $from:ident, $scope:ident, $position:literal;)*) => {
        /// The text of one article with its metadata ([`document_fields`](crate::document_fields)).
        #[derive(Debug, Clone, Default, PartialEq)]
        pub struct Document {
            $($(#[doc = $meaning])* pub $name: $type,)*
            /// Comments, captions and links, if the settings request them.
            pub extras: Extras,
            /// What the site and the page stated about the use of the document.
            pub usage: Usage,
        }

        /// The number of fields in a stored record.
        const STORED: u8 = [EXTRAS, USAGE, $($position),*].len() as u8;

        /// A stored record is a list of the fields by their positions.
        impl Serialize for Document {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut record = serializer.serialize_tuple(STORED.into())?;
                for position in 0..STORED {
                    match position {
                        EXTRAS => record.serialize_element(&self.extras),
                        USAGE => record.serialize_element(&self.usage),
                        $($position => record.serialize_element(&self.$name),)*
                        _ => unreachable!("each position has a field"),
                    }?;
                }
                record.end()
            }
        }

        impl<'de> Visitor<'de> for RecordVisitor {
            type Value = Document;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the fields of a document")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut record: A) -> Result<Document, A::Error> {
                let mut document = Document::default();
                for position in 0..STORED {
                    let found = match position {
                        EXTRAS => record.next_element()?.map(|value| document.extras = value),
                        USAGE => record.next_element()?.map(|value| document.usage = value),
                        $($position => record.next_element()?.map(|value| document.$name = value),)*
                        _ => unreachable!("each position has a field"),
                    };
                    if found.is_none() && position < REQUIRED {
                        return Err(de::Error::invalid_length(position.into(), &self));
                    }
                }
                Ok(document)
            }
        }
    };
}
crate::document_fields!(stored document);

struct RecordVisitor;

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RecordVisitor)
    }
}

impl Document {
    /// Creates a document with only a text and its origin: language `und`, no method and no metadata.
    #[must_use]
    pub fn with_text(id: DocumentId, url: &str, host: &str, text: String, fetched: Timestamp) -> Self {
        Self {
            id,
            url: url.to_owned(),
            host: host.to_owned(),
            language: "und".to_owned(),
            fetched,
            content_hash: ContentHash::from_text(&text),
            text,
            ..Self::default()
        }
    }
}

impl DocumentId {
    /// Returns the id as bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl fmt::Display for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for DocumentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DocumentId({self})")
    }
}

impl FromStr for DocumentId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        from_hexadecimal(text)
            .map(Self)
            .ok_or_else(|| format!("\"{text}\" is not a document id, which has 32 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_read_back_as_it_is_written() {
        let id = DocumentId([0xa7; 16]);
        assert_eq!(id.to_string().parse(), Ok(id));
        for wrong in ["", "a7", "zz".repeat(16).as_str(), "ệ".repeat(11).as_str()] {
            assert!(wrong.parse::<DocumentId>().is_err(), "{wrong}");
        }
    }
}
