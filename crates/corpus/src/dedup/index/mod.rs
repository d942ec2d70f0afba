//! Indexes of band keys. They return the documents that may be similar to a new document.
//!
//! [`BandIndex`] is the interface. [`BandTable`] has a fixed size and gradually loses old documents when it
//! is full. [`ExactBandIndex`] keeps every key. Both limit the number of documents per key.
//!
//! Limitation: a candidate may share a few signature values by chance. The caller must compare the
//! signatures, then the texts.

mod exact;
mod table;

pub use exact::ExactBandIndex;
pub use table::{BandTable, Bucket, KeyPlace};

use crate::dedup::bands::BandKeys;

/// A document's number in the index. The caller assigns it.
pub type DocumentNumber = u32;

/// A document that shares keys with the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// The document's number.
    pub document: DocumentNumber,
    /// Number of keys shared with the query, 1 to [`BANDS`](crate::dedup::BANDS).
    pub shared: u32,
}

/// An index from band keys to document numbers. Each call handles all keys of a document, so a database can
/// answer in one request.
pub trait BandIndex {
    /// The error if the index cannot be read or written. `Infallible` for indexes in memory.
    type Error;

    /// Returns the documents that share a key with `keys`, each once. Documents with more shared keys come
    /// first. Among documents with equally many, newer documents (greater numbers) come first. The number of
    /// documents per key and the length of the result are limited.
    ///
    /// # Errors
    /// The index cannot be read.
    fn candidates(&self, keys: &BandKeys) -> Result<Vec<Candidate>, Self::Error>;

    /// Stores a document under its keys. If a key has too many documents, one of them is dropped.
    ///
    /// # Errors
    /// The index cannot be written.
    fn put(&mut self, document: DocumentNumber, keys: &BandKeys) -> Result<(), Self::Error>;
}

impl Candidate {
    /// Returns each document of a list once, with the number of times that it occurs, in the order of
    /// [`BandIndex::candidates`].
    #[must_use]
    pub fn from_documents(mut documents: Vec<DocumentNumber>) -> Vec<Self> {
        documents.sort_unstable();
        let mut candidates: Vec<Self> = Vec::new();
        for document in documents {
            match candidates.last_mut() {
                Some(last) if last.document == document => last.shared += 1,
                _ => candidates.push(Self { document, shared: 1 }),
            }
        }
        candidates.sort_unstable_by_key(|of| std::cmp::Reverse((of.shared, of.document)));
        candidates
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::dedup::bands::BANDS;
    use crate::dedup::mix::mix;
    use crate::dedup::signature::Signature;

    fn keys(document: u64, changed: u64) -> BandKeys {
        let hashes = (0..300).map(|at| mix(if at < changed { 1 << 50 } else { 0 } | document << 20 | at));
        BandKeys::from_signature(&Signature::of_hashes(hashes))
    }

    fn check(mut index: impl BandIndex<Error = Infallible>) {
        assert_eq!(index.candidates(&keys(1, 0)), Ok(vec![]));
        for document in 1..200 {
            index.put(document, &keys(document.into(), 0)).unwrap();
        }
        for document in 1..200 {
            let found = index.candidates(&keys(document.into(), 0)).unwrap();
            assert_eq!(found[0], Candidate { document, shared: BANDS as u32 });
            let changed = index.candidates(&keys(document.into(), 30)).unwrap();
            assert_eq!(changed[0].document, document);
            assert!((8..BANDS as u32).contains(&changed[0].shared), "{changed:?}");
        }
        assert_eq!(index.candidates(&keys(777, 0)), Ok(vec![]));
    }

    #[test]
    fn every_index_finds_what_was_put() {
        check(ExactBandIndex::new(16));
        check(BandTable::with_memory(1 << 20));
    }

    #[test]
    fn a_hot_key_stays_bounded_and_keeps_new_ones() {
        let same = keys(1, 0);
        let (mut exact, mut table) = (ExactBandIndex::new(16), BandTable::with_memory(1 << 16));
        for document in 0..10_000 {
            let (Ok(()), Ok(())) = (exact.put(document, &same), table.put(document, &same));
        }
        let (Ok(of_exact), Ok(of_table)) = (exact.candidates(&same), table.candidates(&same));
        assert_eq!((of_exact.len(), of_exact[0].document), (16, 9_999));
        assert!(of_table.len() <= 4 * BANDS, "{}", of_table.len());
        assert!(of_table.iter().any(|candidate| candidate.document == 9_999));
    }

    #[test]
    fn candidates_are_counted_and_in_order() {
        let found = Candidate::from_documents(vec![3, 9, 3, 1, 9]);
        let found: Vec<(u32, u32)> = found.iter().map(|of| (of.document, of.shared)).collect();
        assert_eq!(found, [(9, 2), (3, 2), (1, 1)]);
    }
}
