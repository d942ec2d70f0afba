//! Measures how close an extracted text is to the gold text.
//!
//! | file | measure | from |
//! |---|---|---|
//! | [`words`] | precision, recall, F of the multiset of words | the sets' own measure; FastContentExtractor, IV.B.2 |
//! | [`blocks`] | precision, recall, F of blocks | FastContentExtractor, IV.B.1 |
//! | [`subsequence`] | precision, recall, F of common sequences of words | Line-Block, E; Text-to-Tag, 5.1 |
//! | [`edit_distance`] | edit distance ratio | Text-to-Tag Ratio, 5.1 |
//! | [`space`] | space saving, plain and gzip | Text-to-Tag Ratio, 5.2 |
//!
//! All measures except space are 0 if a method extracts nothing or if the gold text is empty. If both texts
//! are empty, the edit distance ratio is 1. Two long and very different texts have no edit distance ratio.

pub mod blocks;
pub mod edit_distance;
pub mod space;
pub mod subsequence;
pub mod words;

/// A measure that is computed on request. The word measure is always computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// The block measure ([`blocks`]).
    Blocks,
    /// The longest common subsequence of words ([`subsequence`]).
    Subsequence,
    /// The edit distance ratio ([`edit_distance`]).
    EditDistance,
    /// The space saving ([`space`]).
    Space,
}

impl Measure {
    /// All measures that are computed on request.
    pub const ALL: [Self; 4] = [Self::Blocks, Self::Subsequence, Self::EditDistance, Self::Space];
}

/// Precision, recall and their harmonic mean, each from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ratios {
    /// The share of the extracted text that is in the gold text, or 0 if nothing was extracted.
    pub precision: f64,
    /// The share of the gold text that was extracted, or 0 if the gold text is empty.
    pub recall: f64,
    /// The harmonic mean of precision and recall, or 0 if either is 0.
    pub f1: f64,
}

impl Ratios {
    /// Computes the ratios from precision and recall.
    #[must_use]
    pub fn new(precision: f64, recall: f64) -> Self {
        let sum = precision + recall;
        let f1 = if sum > 0.0 { 2.0 * precision * recall / sum } else { 0.0 };
        Self { precision, recall, f1 }
    }

    /// Computes the ratios from the sizes of both texts and of their common part.
    #[must_use]
    pub fn of_sizes(shared: u64, extracted: u64, gold: u64) -> Self {
        Self::new(share(shared, extracted), share(shared, gold))
    }
}

pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_shares_and_never_undefined() {
        let cases = [
            ((1, 2, 4), (0.5, 0.25, 1.0 / 3.0)),
            ((0, 2, 4), (0.0, 0.0, 0.0)),
            ((0, 0, 4), (0.0, 0.0, 0.0)),
            ((0, 0, 0), (0.0, 0.0, 0.0)),
            ((3, 3, 3), (1.0, 1.0, 1.0)),
        ];
        for ((shared, extracted, gold), (precision, recall, f1)) in cases {
            assert_eq!(Ratios::of_sizes(shared, extracted, gold), Ratios { precision, recall, f1 });
        }
    }
}
