//! Selects the representative of each cluster of near-duplicates. An export writes only representatives.
//!
//! A near-duplicate of a representative joins the representative's cluster, and may become its new
//! representative. [`Representative::prefers`] chooses between two documents. When a representative is
//! removed, the preferred member replaces it. The preference is a strict order, so the result does not depend
//! on the order in which documents join. The caller stores the clusters.
//!
//! Only representatives belong in the index, so a new text is compared only with representatives. Therefore a
//! copy of a copy joins a cluster only if it is similar to the representative itself. A news agency report
//! with 1,000 copies is in the index once.
//!
//! Limitation: when the representative changes, all members stay in the cluster, even those that are not
//! similar to the new representative.
//!
//! ```
//! use gleaner_corpus::dedup::{RepresentativeCandidate, Representative};
//! let first = RepresentativeCandidate { document: 1, words: 300 };
//! let longer = RepresentativeCandidate { document: 2, words: 350 };
//! assert!(Representative::First.prefers(first, longer));
//! assert!(Representative::Longest.prefers(longer, first));
//! ```

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::dedup::index::DocumentNumber;

/// The rule that selects a cluster's representative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Representative {
    /// The earliest document.
    #[default]
    First,
    /// The document with the most words. If several documents are equally long, the earliest of them.
    Longest,
}

/// A document that may represent its cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepresentativeCandidate {
    /// The document's number. Earlier documents have smaller numbers.
    pub document: DocumentNumber,
    /// Number of words of the text.
    pub words: u64,
}

impl Representative {
    /// Whether `one` is preferred to `other` as the representative.
    #[must_use]
    pub fn prefers(self, one: RepresentativeCandidate, other: RepresentativeCandidate) -> bool {
        match self {
            Self::First => one.document < other.document,
            Self::Longest => (one.words, Reverse(one.document)) > (other.words, Reverse(other.document)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn among_equally_long_ones_the_first_is_preferred() {
        let of = |document| RepresentativeCandidate { document, words: 9 };
        assert!(
            Representative::Longest.prefers(of(3), of(4)) && !Representative::Longest.prefers(of(4), of(3))
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// If the representative is chosen pair by pair, the order of the pairs does not matter.
        #[test]
        fn the_head_does_not_depend_on_the_order(
            words in prop::collection::vec(0..5_u64, 1..20),
            turn in 0..20_usize,
            is_longest in any::<bool>(),
        ) {
            let policy = if is_longest { Representative::Longest } else { Representative::First };
            let mut all: Vec<RepresentativeCandidate> =
                (0..).zip(&words).map(|(document, words)| RepresentativeCandidate { document, words: *words }).collect();
            let best = |all: &[RepresentativeCandidate]| {
                all.iter().copied().reduce(|head, one| if policy.prefers(one, head) { one } else { head })
            };
            let head = best(&all).unwrap();
            let others = all.iter().filter(|one| **one != head);
            prop_assert!(others.into_iter().all(|one| policy.prefers(head, *one) && !policy.prefers(*one, head)));
            let middle = turn % all.len();
            all.rotate_left(middle);
            prop_assert_eq!(best(&all), Some(head));
        }
    }
}
