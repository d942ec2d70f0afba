//! Selects a uniform random sample of documents.
//!
//! The rank of a document is a hash of the seed and the document's id. A sample of N documents consists of
//! the documents with the N lowest ranks. Therefore the sample does not depend on the order of documents or
//! the number of workers. A larger sample with the same seed contains the smaller one.
//!
//! The first pass finds the highest rank in the sample. It needs memory for N ranks. The second pass exports
//! the documents up to this rank.

use std::collections::BinaryHeap;

use gleaner_corpus::DocumentId;
use sha2::{Digest, Sha256};

/// The rank of a document: the first 16 bytes of its hash.
type Rank = [u8; 16];

/// Determines a random sample in a pass over all documents.
#[derive(Debug, Clone)]
pub struct Sampler {
    seed: u64,
    size: usize,
    /// The lowest ranks so far, at most `size`.
    ranks: BinaryHeap<Rank>,
}

/// A random sample: the documents with a rank up to a limit. The rank is a hash of the seed and the
/// document's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    seed: u64,
    /// The highest rank in the sample. `None` if the sample is empty.
    highest: Option<Rank>,
}

impl Sampler {
    /// Returns a sampler for `size` documents. Equal seeds select the same documents.
    #[must_use]
    pub const fn new(size: usize, seed: u64) -> Self {
        Self { seed, size, ranks: BinaryHeap::new() }
    }

    /// Adds a document that passes the filter. Add each document only once.
    pub fn add(&mut self, id: DocumentId) {
        self.ranks.push(rank(self.seed, id));
        if self.ranks.len() > self.size {
            self.ranks.pop();
        }
    }

    /// Returns the sample. If fewer documents than the requested size were added, it contains all of them.
    #[must_use]
    pub fn sample(&self) -> Sample {
        Sample { seed: self.seed, highest: self.ranks.peek().copied() }
    }
}

impl Sample {
    /// Whether the document is in the sample. Correct only for documents that were added to the sampler.
    #[must_use]
    pub fn contains(&self, id: DocumentId) -> bool {
        self.highest.is_some_and(|highest| rank(self.seed, id) <= highest)
    }
}

fn rank(seed: u64, id: DocumentId) -> Rank {
    let hash = Sha256::new().chain_update(seed.to_be_bytes()).chain_update(id.0).finalize();
    std::array::from_fn(|at| hash[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(ids: impl Iterator<Item = u8> + Clone, size: usize, seed: u64) -> Vec<u8> {
        let mut sampler = Sampler::new(size, seed);
        ids.clone().for_each(|id| sampler.add(DocumentId([id; 16])));
        let sample = sampler.sample();
        let mut chosen: Vec<u8> = ids.filter(|id| sample.contains(DocumentId([*id; 16]))).collect();
        chosen.sort_unstable();
        chosen
    }

    #[test]
    fn a_sample_has_its_size_and_does_not_depend_on_the_order() {
        for (size, expected) in [(0, 0), (1, 1), (20, 20), (200, 200), (201, 200)] {
            let sample = chosen(0..200, size, 7);
            assert_eq!(sample.len(), expected);
            assert_eq!(chosen((0..200).rev(), size, 7), sample);
        }
        assert_ne!(chosen(0..200, 20, 7), chosen(0..200, 20, 8));
        let small = chosen(0..200, 20, 7);
        assert!(small.iter().all(|id| chosen(0..200, 60, 7).contains(id)));
    }

    #[test]
    fn every_document_is_as_likely_as_another() {
        let mut counts = [0_u32; 100];
        for seed in 0..1000 {
            chosen(0..100, 20, seed).iter().for_each(|id| counts[usize::from(*id)] += 1);
        }
        // Each count has mean 200 and standard deviation 12.6. The seeds are fixed, so the test is
        // deterministic.
        assert!(counts.iter().all(|count| (140..260).contains(count)), "{counts:?}");
    }
}
