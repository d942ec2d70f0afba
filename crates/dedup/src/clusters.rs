//! Clusters of duplicates: one document stands for the others, none is lost.
//!
//! A cluster is a head with its members; a document without duplicates is a head alone.
//! A new document joins the cluster of the one that it was found to duplicate. Members
//! keep their similarity to the head of the time when they joined.
//!
//! [`Head::First`]: the head never changes. [`Head::Longest`]: a member with more words
//! than the head takes its place, and the old head becomes a member; what was not
//! longer than the head leaves it as it is.
//!
//! What is not asked is whether a text may join through a member that is unlike the
//! head: the caller keeps out of the index what did not become a head ([`Joined::is_head`]),
//! so that a text is compared with heads alone. Copies of copies then drift no further
//! from the head than the threshold, and a wire report with 1,000 copies is in the index
//! once (with `Longest`, once for every head that it has had).
//!
//! The awkward truth: after a change of head by `Longest`, similarities of older members
//! are those to the old head.
//!
//! ```
//! use gleaner_dedup::{Clusters, Head};
//! let mut clusters = Clusters::new(Head::Longest);
//! assert!(clusters.join(1, 300, None).is_head);
//! assert!(!clusters.join(2, 280, Some((1, 0.9))).is_head);
//! assert_eq!(clusters.join(3, 350, Some((1, 0.8))).head, 3);
//! assert_eq!(clusters.head_of(2), Some(3));
//! assert_eq!(clusters.members(3).map(|member| member.document).collect::<Vec<_>>(), [1, 2]);
//! ```

use std::collections::BTreeMap;

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

/// A document of a cluster that is not its head.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Member {
    /// Its number.
    pub document: Number,
    /// Its similarity to the head when they met, 0 to 1.
    pub similarity: f64,
}

/// Where a document went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Joined {
    /// The head of its cluster now.
    pub head: Number,
    /// Whether it is the head itself: then it goes into the index.
    pub is_head: bool,
    /// The head before it, where it took that one's place.
    pub former: Option<Number>,
}

/// A cluster as it is kept under its head's number.
#[derive(Debug, Clone, PartialEq)]
struct Cluster {
    /// Words of the head.
    words: u64,
    /// By number.
    members: BTreeMap<Number, f64>,
}

/// All documents, each in one cluster.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Clusters {
    policy: Head,
    clusters: BTreeMap<Number, Cluster>,
    heads: BTreeMap<Number, Number>,
}

impl Clusters {
    /// No documents yet.
    #[must_use]
    pub fn new(policy: Head) -> Self {
        Self { policy, ..Self::default() }
    }

    /// Takes in a document of so many words that duplicates `of`, a known document with
    /// its similarity, or none. A document that is known already stays where it is; one
    /// that duplicates an unknown document is a head.
    pub fn join(&mut self, document: Number, words: u64, of: Option<(Number, f64)>) -> Joined {
        if let Some(head) = self.head_of(document) {
            return Joined { head, is_head: head == document, former: None };
        }
        let found = of.and_then(|(known, similarity)| Some((self.head_of(known)?, similarity)));
        let Some((head, similarity)) = found else { return self.alone(document, words) };
        let cluster = self.clusters.get_mut(&head).expect("a head has a cluster");
        if self.policy == Head::Longest && words > cluster.words {
            return self.take_over(document, words, head, similarity);
        }
        cluster.members.insert(document, similarity);
        self.heads.insert(document, head);
        Joined { head, is_head: false, former: None }
    }

    fn alone(&mut self, document: Number, words: u64) -> Joined {
        self.clusters.insert(document, Cluster { words, members: BTreeMap::new() });
        self.heads.insert(document, document);
        Joined { head: document, is_head: true, former: None }
    }

    /// The head becomes a member of the new one's cluster with all that it has.
    fn take_over(&mut self, document: Number, words: u64, former: Number, similarity: f64) -> Joined {
        let mut members = self.clusters.remove(&former).map(|of| of.members).unwrap_or_default();
        members.insert(former, similarity);
        self.heads.extend(members.keys().chain([&document]).map(|of| (*of, document)));
        self.clusters.insert(document, Cluster { words, members });
        Joined { head: document, is_head: true, former: Some(former) }
    }

    /// The head of a document's cluster, itself perhaps; `None` for an unknown document.
    #[must_use]
    pub fn head_of(&self, document: Number) -> Option<Number> {
        self.heads.get(&document).copied()
    }

    /// The members of a head's cluster by number; none of what is no head.
    pub fn members(&self, head: Number) -> impl Iterator<Item = Member> {
        let members = self.clusters.get(&head).into_iter().flat_map(|cluster| &cluster.members);
        members.map(|(document, similarity)| Member { document: *document, similarity: *similarity })
    }

    /// All heads by number.
    pub fn heads(&self) -> impl Iterator<Item = Number> {
        self.clusters.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_document_is_taken_in_once() {
        let mut clusters = Clusters::new(Head::First);
        clusters.join(1, 10, None);
        clusters.join(2, 90, Some((1, 0.7)));
        let again = clusters.join(2, 500, None);
        assert_eq!(again, Joined { head: 1, is_head: false, former: None });
        assert_eq!(clusters.join(3, 10, Some((2, 0.9))).head, 1);
        assert!(clusters.join(4, 10, Some((77, 0.9))).is_head);
        assert_eq!((clusters.head_of(77), clusters.members(2).count()), (None, 0));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn each_document_is_in_one_cluster_and_its_head_is_stable(
            joins in prop::collection::vec((0..40_u32, 1..9_u64, prop::option::of(0..40_u32)), 1..80),
            is_longest in any::<bool>(),
        ) {
            let policy = if is_longest { Head::Longest } else { Head::First };
            let mut clusters = Clusters::new(policy);
            let mut words: BTreeMap<u32, u64> = BTreeMap::new();
            for (document, count, of) in joins {
                let before = of.and_then(|of| clusters.head_of(of));
                let is_new = !words.contains_key(&document);
                let joined = clusters.join(document, count, of.map(|of| (of, 0.8)));
                words.entry(document).or_insert(count);
                prop_assert_eq!(clusters.head_of(document), Some(joined.head));
                if let (true, Some(before)) = (is_new, before) {
                    let is_taken = joined.former == Some(before) && is_longest && count > words[&before];
                    prop_assert!(joined.head == before || is_taken);
                }
                let mut all: Vec<u32> = clusters.heads().collect();
                for head in clusters.heads() {
                    for member in clusters.members(head) {
                        prop_assert_eq!(clusters.head_of(member.document), Some(head));
                        prop_assert!(!is_longest || words[&member.document] <= words[&head]);
                        all.push(member.document);
                    }
                }
                all.sort_unstable();
                prop_assert!(all.iter().eq(words.keys()), "each in one cluster");
            }
        }
    }
}
