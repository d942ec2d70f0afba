//! Names the state of a corpus by its texts, so that a paper can cite it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{ContentHash, DocumentId};

/// The version of a corpus: a hash of the ids and texts of its documents, as 32 hexadecimal digits.
///
/// It is the beginning of the BLAKE3 hash of the following bytes: for each document, in the order of its content hash,
/// the 32 bytes of its content hash and the 16 bytes of its id. Two corpora with the same version have the same texts
/// under the same ids. White space within a text does not count ([`ContentHash`]).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CorpusVersion(String);

impl fmt::Display for CorpusVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Computes a [`CorpusVersion`].
#[derive(Debug, Default)]
pub struct VersionHasher(blake3::Hasher);

impl VersionHasher {
    /// Adds a document. Documents must be added in the order of their content hashes.
    pub fn add(&mut self, content_hash: &ContentHash, id: DocumentId) {
        self.0.update(content_hash.as_bytes());
        self.0.update(id.as_bytes());
    }

    /// Returns the version of the added documents.
    #[must_use]
    pub fn finish(&self) -> CorpusVersion {
        CorpusVersion(self.0.finalize().to_hex().chars().take(32).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(documents: &[(&str, u8)]) -> CorpusVersion {
        let mut hashes: Vec<_> = documents
            .iter()
            .map(|(text, id)| (ContentHash::from_text(text), DocumentId([*id; 16])))
            .collect();
        hashes.sort_by_key(|(hash, _)| *hash.as_bytes());
        let mut hasher = VersionHasher::default();
        hashes.iter().for_each(|(hash, id)| hasher.add(hash, *id));
        hasher.finish()
    }

    #[test]
    fn a_version_changes_with_each_text_and_id() {
        let base = version(&[("rain ends", 1), ("wind comes", 2)]);
        assert_eq!(base.to_string().len(), 32);
        assert_eq!(base, version(&[("wind comes", 2), ("rain  ends", 1)]));
        for other in [
            &[("rain ends", 1)][..],
            &[("rain end", 1), ("wind comes", 2)],
            &[("rain ends", 2), ("wind comes", 1)],
        ] {
            assert_ne!(base, version(other));
        }
    }
}
