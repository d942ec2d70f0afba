//! A forest's splits in the order in which they are cheapest to ask (Lucchese et al.,
//! QuickScorer: a fast algorithm to rank documents with additive ensembles of regression
//! trees, SIGIR 2015).
//!
//! 1. Every tree has a set of leaves that can still be reached: a bit a leaf, numbered
//!    from left to right.
//! 2. The splits of a feature are sorted by threshold. Those whose threshold is below the
//!    row's value send it to the right: the leaves to their left are struck out.
//! 3. The first leaf that is left is the tree's answer.
//!
//! The answers are those of walking the trees, to the last bit; what is saved is the
//! walk's guesses. Half of all splits are looked at, one after the other.

use super::forest::Tree;

/// The splits of all trees, feature by feature. The default is that of no tree.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Questions {
    /// Of each feature that is asked for: its number, and where its splits end.
    features: Vec<(usize, usize)>,
    splits: Vec<Struck>,
    /// Where the leaves of each tree begin, and all leaves, each tree's from left to right.
    first: Vec<usize>,
    leaves: Vec<f32>,
}

/// A split as what it strikes out.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Struck {
    threshold: f32,
    tree: u32,
    /// The leaves that stay where the value is above the threshold.
    rest: u64,
}

impl Questions {
    /// Leaves of a tree at most.
    pub(super) const LEAVES: usize = u64::BITS as usize;

    /// Those of some trees, all sound.
    pub(super) fn of(trees: &[Tree]) -> Self {
        let mut questions = Self::default();
        let mut all: Vec<(u16, Struck)> = Vec::new();
        for (number, tree) in (0..).zip(trees) {
            questions.first.push(questions.leaves.len());
            let mut left = vec![0; tree.splits.len()];
            questions.leaves_of(tree, &mut left);
            let struck = |(split, rest): (&super::Split, &u64)| {
                (split.feature, Struck { threshold: split.threshold, tree: number, rest: *rest })
            };
            all.extend(tree.splits.iter().zip(&left).map(struck));
        }
        all.sort_by(|(a, one), (b, other)| a.cmp(b).then(one.threshold.total_cmp(&other.threshold)));
        for (feature, split) in all {
            questions.splits.push(split);
            let feature = usize::from(feature);
            match questions.features.last_mut() {
                Some((last, end)) if *last == feature => *end += 1,
                _ => questions.features.push((feature, questions.splits.len())),
            }
        }
        questions
    }

    /// Adds a tree's leaves from left to right, and finds what each split leaves.
    fn leaves_of(&mut self, tree: &Tree, rest: &mut [u64]) {
        let first = self.leaves.len();
        let bits = |from: usize, to: usize| (u64::MAX >> (u64::BITS as usize - (to - from))) << from;
        // A split is met twice: on the way down, and when all its left leaves are there.
        let mut open: Vec<(i16, Option<usize>)> = vec![(if tree.splits.is_empty() { -1 } else { 0 }, None)];
        while let Some((at, begun)) = open.pop() {
            let met = self.leaves.len() - first;
            match (usize::try_from(at), begun) {
                (Err(_), _) => self.leaves.push(tree.leaves[(-(at + 1)) as usize]),
                (Ok(split), None) => {
                    open.push((tree.splits[split].right, None));
                    open.push((at, Some(met)));
                    open.push((tree.splits[split].left, None));
                }
                (Ok(split), Some(begun)) => rest[split] = !bits(begun, met),
            }
        }
    }

    /// The sum of the trees' answers for a row.
    pub(super) fn ask(&self, row: &[f32]) -> f32 {
        let mut reached = vec![u64::MAX; self.first.len()];
        let mut from = 0;
        for (feature, end) in &self.features {
            let value = row[*feature];
            for split in &self.splits[from..*end] {
                if value <= split.threshold {
                    break;
                }
                reached[split.tree as usize] &= split.rest;
            }
            from = *end;
        }
        let answer =
            |(first, reached): (&usize, &u64)| self.leaves[first + reached.trailing_zeros() as usize];
        self.first.iter().zip(&reached).map(answer).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Split;
    use super::*;

    /// A tree grown by splitting one leaf after the other.
    fn grown(splits: &[(usize, u16, f32)]) -> Tree {
        let mut tree = Tree { splits: Vec::new(), leaves: vec![0.5] };
        for (number, (leaf, feature, threshold)) in splits.iter().enumerate() {
            let leaf = leaf % tree.leaves.len();
            let new = tree.splits.len() as i16;
            let name = -(leaf as i16) - 1;
            for split in &mut tree.splits {
                for child in [&mut split.left, &mut split.right] {
                    if *child == name {
                        *child = new;
                    }
                }
            }
            tree.leaves.push(number as f32);
            let right = -(tree.leaves.len() as i16);
            tree.splits.push(Split { feature: *feature, left: name, right, threshold: *threshold });
        }
        tree
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn answers_are_those_of_walking_the_trees(
            trees in prop::collection::vec(
                prop::collection::vec((0_usize..64, 0_u16..6, -3.0_f32..3.0), 0..63), 0..5),
            row in prop::collection::vec(prop_oneof![-3.0_f32..3.0, Just(f32::NAN), Just(f32::INFINITY)], 6),
        ) {
            let trees: Vec<Tree> = trees.iter().map(|splits| grown(splits)).collect();
            prop_assert!(trees.iter().all(|tree| tree.is_sound(6)));
            let walked: f32 = trees.iter().map(|tree| tree.value(&row)).sum();
            prop_assert_eq!(Questions::of(&trees).ask(&row).to_bits(), walked.to_bits());
        }
    }

    #[test]
    fn a_tree_of_64_leaves_is_the_largest() {
        let splits = |count: usize| (0..count).map(|at| (at, 0, at as f32)).collect::<Vec<_>>();
        assert!(grown(&splits(63)).is_sound(1));
        assert!(!grown(&splits(64)).is_sound(1));
        assert!(!grown(&splits(3)).is_sound(0));
    }
}
