//! A table of fixed size. When it is full, it gradually loses old documents.
//!
//! A bucket has 64 bytes (a cache line) and ten entries. An entry has 16 bits of the key and the document's
//! number. Each key belongs to one bucket. If the bucket already has [`SAME`] entries with the same 16 bits,
//! the entry with the smallest document number is replaced. Therefore a frequent key displaces only its own
//! entries. Otherwise, if the bucket is full, a hash selects the entry to replace.
//!
//! Each key of a document is kept or lost independently of its other keys. A document that has lost half of
//! its 42 keys is still found in 98 of 100 cases at similarity 0.57, and nearly always at 0.7. Older documents
//! have lost more keys, so old documents need not be removed explicitly. [`BandTable::retained_share`]
//! returns the share of entries that a table retains.
//!
//! The caller may store the buckets in a file ([`Bucket::to_bytes`]), in their order. If the file is lost, the table can
//! be built again from the stored signatures, which have 256 bytes per document, in the order of the document numbers.
//!
//! Limitation: 16 bits can be equal by chance, so one query in 150 returns a candidate that shares no key.
//! The comparison of signatures rejects it.

use std::convert::Infallible;
use std::hint::black_box;

use super::{BandIndex, Candidate, DocumentNumber};
use crate::dedup::bands::{BANDS, BandKeys};
use crate::dedup::mix::{below, mix};

const ENTRIES: usize = 10;

/// Maximum number of entries of a bucket with the same 16 bits.
const SAME: usize = 4;

/// A bucket of ten entries. The first `filled` of them are valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bucket {
    documents: [DocumentNumber; ENTRIES],
    tags: [u16; ENTRIES],
    filled: u16,
}

/// The bucket of a key in a table, and the 16 bits of the key that the bucket stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyPlace {
    bucket: u32,
    tag: u16,
}

impl KeyPlace {
    /// Returns the place of a key in a table of `buckets` buckets, which must be at least 1.
    #[must_use]
    pub const fn new(key: u64, buckets: u32) -> Self {
        Self { bucket: below(key, buckets as usize) as u32, tag: key as u16 }
    }

    /// Returns the number of the bucket, from 0.
    #[must_use]
    pub const fn bucket(self) -> u32 {
        self.bucket
    }
}

/// An index of fixed size in memory.
#[derive(Debug, Clone)]
pub struct BandTable {
    buckets: Vec<Bucket>,
}

impl BandTable {
    const BUCKET: usize = size_of::<Bucket>();

    /// Creates an empty table of at most `bytes` bytes, but at least one bucket. Allocates all memory.
    #[must_use]
    pub fn with_memory(bytes: usize) -> Self {
        Self { buckets: vec![Bucket::EMPTY; Self::buckets_in(bytes) as usize] }
    }

    /// Creates an empty table for `documents` documents. Half of it stays free, so that hardly any key is lost.
    #[must_use]
    pub fn for_documents(documents: usize) -> Self {
        Self::with_memory(2 * documents * BANDS / ENTRIES * Self::BUCKET)
    }

    /// Returns the number of buckets of a table of `bytes` bytes, at least 1.
    #[must_use]
    pub fn buckets_in(bytes: usize) -> u32 {
        u32::try_from(bytes / Self::BUCKET).unwrap_or(u32::MAX).max(1)
    }

    /// Returns the buckets in their order.
    #[must_use]
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// Returns the documents that share a key with `keys`, once for each key. Candidates are made of them
    /// ([`Candidate::from_documents`]).
    #[must_use]
    pub fn documents(&self, keys: &BandKeys) -> Vec<DocumentNumber> {
        let places = keys.as_array().iter().map(|key| self.place(*key));
        places.flat_map(|place| self.buckets[place.bucket as usize].documents(place)).collect()
    }

    /// Returns the size of the table in bytes.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.buckets.len() * Self::BUCKET
    }

    /// Returns the number of documents whose keys all fit into a table of `bytes` bytes, at least 1.
    #[must_use]
    pub fn capacity_of(bytes: usize) -> usize {
        (Self::buckets_in(bytes) as usize * ENTRIES / BANDS).max(1)
    }

    /// Returns the number of documents whose keys all fit into the table, at least 1.
    #[must_use]
    pub fn capacity(&self) -> usize {
        Self::capacity_of(self.memory())
    }

    /// Returns the share of entries that fit into a table of `bytes` bytes if `documents` documents are inserted, 0 to 1.
    #[must_use]
    pub fn retained_share(bytes: usize, documents: u64) -> f64 {
        let room = (Self::buckets_in(bytes) as usize * ENTRIES) as f64;
        (room / (documents.max(1) * BANDS as u64) as f64).min(1.0)
    }

    fn place(&self, key: u64) -> KeyPlace {
        // `with_memory` creates at most `u32::MAX` buckets.
        KeyPlace::new(key, self.buckets.len() as u32)
    }
}

impl Bucket {
    /// A bucket without entries.
    pub const EMPTY: Self = Self { documents: [0; ENTRIES], tags: [0; ENTRIES], filled: 0 };

    /// Length of [`Self::to_bytes`].
    pub const BYTES: usize = 6 * ENTRIES + 2;

    /// Returns the bucket for storage, little-endian.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (to, document) in bytes.chunks_exact_mut(4).zip(self.documents) {
            to.copy_from_slice(&document.to_le_bytes());
        }
        let halves = self.tags.into_iter().chain([self.filled]);
        for (to, half) in bytes[4 * ENTRIES..].chunks_exact_mut(2).zip(halves) {
            to.copy_from_slice(&half.to_le_bytes());
        }
        bytes
    }

    /// Restores a bucket from [`Self::to_bytes`]. Any bytes are a bucket, so the caller must notice damage.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let number = |at: usize| u32::from(half(at + 2)) << 16 | u32::from(half(at));
        Self {
            documents: std::array::from_fn(|at| number(4 * at)),
            tags: std::array::from_fn(|at| half(4 * ENTRIES + 2 * at)),
            filled: half(Self::BYTES - 2),
        }
    }

    /// Returns the documents that are stored under a key. The bucket must be the one of the key.
    pub fn documents(&self, place: KeyPlace) -> impl Iterator<Item = DocumentNumber> {
        self.of_tag(place.tag).map(|at| self.documents[at])
    }

    /// Stores a document under a key. If the bucket is full, another entry is lost.
    pub fn put(&mut self, place: KeyPlace, document: DocumentNumber) {
        let at = self.slot(place.tag, document);
        (self.tags[at], self.documents[at]) = (place.tag, document);
    }

    fn of_tag(&self, tag: u16) -> impl Iterator<Item = usize> {
        let filled = usize::from(self.filled).min(ENTRIES);
        (0..filled).filter(move |at| self.tags[*at] == tag)
    }

    fn slot(&mut self, tag: u16, document: DocumentNumber) -> usize {
        if self.of_tag(tag).count() >= SAME {
            let oldest = self.of_tag(tag).min_by_key(|at| self.documents[*at]);
            return oldest.unwrap_or_default();
        }
        if usize::from(self.filled) < ENTRIES {
            self.filled += 1;
            return usize::from(self.filled) - 1;
        }
        below(mix(u64::from(document) << 16 | u64::from(tag)), ENTRIES)
    }
}

impl BandIndex for BandTable {
    type Error = Infallible;

    fn candidates(&self, keys: &BandKeys) -> Result<Vec<Candidate>, Infallible> {
        Ok(Candidate::from_documents(self.documents(keys)))
    }

    fn put(&mut self, document: DocumentNumber, keys: &BandKeys) -> Result<(), Infallible> {
        let places = keys.as_array().map(|key| self.place(key));
        // These reads do not depend on each other, so the processor waits for several buckets at the same time.
        // This halves the time.
        black_box(places.iter().fold(0, |sum, place| sum ^ self.buckets[place.bucket as usize].filled));
        for place in places {
            self.buckets[place.bucket as usize].put(place, document);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dedup::signature::Signature;

    fn keys(document: u32, shared: u64) -> BandKeys {
        let own = |at| mix(u64::from(document) << 20 | at);
        BandKeys::from_signature(&Signature::of_hashes(
            (0..300).map(|at| own(if at < shared { at } else { at | 1 << 60 })),
        ))
    }

    #[test]
    fn memory_is_what_was_asked_for() {
        assert_eq!(BandTable::BUCKET, 64);
        assert_eq!(BandTable::with_memory(1 << 20).memory(), 1 << 20);
        assert_eq!(BandTable::with_memory(0).memory(), 64);
        assert!((BandTable::retained_share(BANDS * 64, 20) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_stored_bucket_is_restored() {
        let mut table = BandTable::with_memory(640);
        for document in 0..50 {
            let Ok(()) = table.put(1 << 30 | document, &keys(document, 300));
        }
        for bucket in table.buckets() {
            assert_ne!(bucket, &Bucket::EMPTY);
            assert_eq!(&Bucket::from_bytes(&bucket.to_bytes()), bucket);
        }
    }

    #[test]
    fn a_table_for_a_number_of_documents_keeps_their_keys() {
        let mut table = BandTable::for_documents(500);
        for document in 0..500 {
            let Ok(()) = table.put(document, &keys(document, 300));
        }
        let kept: usize = (0..500).map(|document| table.documents(&keys(document, 300)).len()).sum();
        assert!(kept > 98 * 500 * BANDS / 100, "{kept}");
    }

    /// A table of half the necessary size still finds similar documents, both old and new.
    #[test]
    fn what_is_too_much_fades() {
        let mut table = BandTable::with_memory(2_000 * 64 * BANDS / ENTRIES);
        for document in 0..4_000 {
            let Ok(()) = table.put(document, &keys(document, 300));
        }
        let found = |document: &u32| {
            let Ok(candidates) = table.candidates(&keys(*document, 260));
            candidates.iter().any(|candidate| candidate.document == *document)
        };
        let (old, new) = ((0..500).filter(found).count(), (3_500..4_000).filter(found).count());
        assert!(old >= 480 && new >= 498, "{old} and {new} of 500");
    }
}
