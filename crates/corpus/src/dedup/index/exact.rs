//! An index in memory that keeps every key, like a database.
//!
//! Limitation: the index takes about 1.5 KB per document. It is meant for small corpora and for evaluating
//! [`BandTable`](super::BandTable). A database with one row per key and document would also have to limit the
//! number of documents per key.

use std::collections::BTreeMap;
use std::convert::Infallible;

use super::{BandIndex, Candidate, DocumentNumber};
use crate::dedup::bands::BandKeys;

/// An index that contains all keys, and for each key its newest documents.
#[derive(Debug, Clone)]
pub struct ExactBandIndex {
    documents: BTreeMap<u64, Vec<DocumentNumber>>,
    most: usize,
}

impl ExactBandIndex {
    /// Creates an empty index. It keeps the newest `most` documents (at least 1) under each key.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { documents: BTreeMap::new(), most: most.max(1) }
    }
}

impl BandIndex for ExactBandIndex {
    type Error = Infallible;

    fn candidates(&self, keys: &BandKeys) -> Result<Vec<Candidate>, Infallible> {
        let met = keys.as_array().iter().filter_map(|key| self.documents.get(key));
        Ok(Candidate::from_documents(met.flatten().copied().collect()))
    }

    fn put(&mut self, document: DocumentNumber, keys: &BandKeys) -> Result<(), Infallible> {
        for key in keys.as_array() {
            let bucket = self.documents.entry(*key).or_default();
            if bucket.len() >= self.most {
                bucket.remove(0);
            }
            bucket.push(document);
        }
        Ok(())
    }
}
