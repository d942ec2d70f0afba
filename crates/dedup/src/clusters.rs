//! Clusters of duplicates: one document, the head, stands for the others, its members.
//!
//! A document that duplicates a head joins its cluster. Which of two documents of a
//! cluster should be its head, [`Head::prefers`] says: asked when a document joins (it may
//! take the head's place) and when a head goes (its heir is the one that is preferred to
//! all others). The order is strict, so the head is the same in whichever order the
//! members came. Who is in which cluster is kept by the caller.
//!
//! Only heads belong into the index, so that a text is compared with heads alone: copies
//! of copies drift no further from the head than the threshold, and a wire report with
//! 1,000 copies is in the index once.
//!
//! Limitation: what has joined a cluster stays in it when the head changes, even
//! where it is unlike the new head.
//!
//! ```
//! use gleaner_dedup::{Contender, Head};
//! let first = Contender { document: 1, words: 300 };
//! let longer = Contender { document: 2, words: 350 };
//! assert!(Head::First.prefers(first, longer));
//! assert!(Head::Longest.prefers(longer, first));
//! ```

use std::cmp::Reverse;

use crate::index::Number;

/// Which document of a cluster stands for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Head {
    /// The one that came first.
    #[default]
    First,
    /// The one with the most words; among equals the one that came first.
    Longest,
}

/// A document that may be the head of its cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contender {
    /// Its number: what came earlier has a smaller one.
    pub document: Number,
    /// Words of its text.
    pub words: u64,
}

impl Head {
    /// Whether `one` is to be the head rather than `other`.
    #[must_use]
    pub fn prefers(self, one: Contender, other: Contender) -> bool {
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
        let of = |document| Contender { document, words: 9 };
        assert!(Head::Longest.prefers(of(3), of(4)) && !Head::Longest.prefers(of(4), of(3)));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Taking the preferred one again and again ends at the same head in any order.
        #[test]
        fn the_head_does_not_depend_on_the_order(
            words in prop::collection::vec(0..5_u64, 1..20),
            turn in 0..20_usize,
            is_longest in any::<bool>(),
        ) {
            let policy = if is_longest { Head::Longest } else { Head::First };
            let mut all: Vec<Contender> =
                (0..).zip(&words).map(|(document, words)| Contender { document, words: *words }).collect();
            let best = |all: &[Contender]| {
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
