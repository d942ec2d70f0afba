//! Evaluates a forest whose splits were sorted by feature and threshold. The method is QuickScorer (Lucchese
//! et al., QuickScorer: a fast algorithm to rank documents with additive ensembles of regression trees, SIGIR
//! 2015). Several rows are evaluated at once (Lucchese et al., Exploiting CPU SIMD extensions to speed-up
//! document scoring with tree ensembles, SIGIR 2016).
//!
//! 1. Every tree has a bit set of reachable leaves, numbered from left to right.
//! 2. The splits of a feature are sorted by threshold. At a split whose threshold is below the row's value,
//!    the row goes right, so the leaves below the left child are removed from the set.
//! 3. The value of the tree is the value of its first remaining leaf.
//!
//! [`LANES`] rows are evaluated side by side, so that a split is loaded once for all rows and the compiler
//! can use vector instructions. For each feature, the evaluation stops at the highest value of the rows. Up
//! to the lowest value, all rows go right, and the leaves are removed for all rows at once.
//!
//! A walk through the trees would give exactly the same results, because values are added in the same order.

use super::forest::Tree;

pub(super) const LANES: usize = 16;

/// The reachable leaves of a tree for each row: one bit per leaf.
type Reached = [u32; LANES];

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct QuickScorer {
    /// For each used feature, its number and the end of its range in `splits`.
    features: Vec<(usize, usize)>,
    splits: Vec<ScorerSplit>,
    /// For each tree, the index of its first leaf in `leaves`.
    first: Vec<usize>,
    /// The leaves of all trees, each tree from left to right.
    leaves: Vec<f32>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct ScorerSplit {
    threshold: f32,
    tree: u32,
    /// The leaves that remain reachable when a row goes right, as a bit set.
    rest: u32,
}

impl QuickScorer {
    pub(super) const LEAVES: usize = u32::BITS as usize;

    pub(super) fn from_trees(trees: &[Tree]) -> Self {
        let mut quick_scorer = Self::default();
        let mut all: Vec<(u16, ScorerSplit)> = Vec::new();
        for (number, tree) in (0..).zip(trees) {
            quick_scorer.first.push(quick_scorer.leaves.len());
            let mut left = vec![0; tree.splits.len()];
            quick_scorer.leaves_of(tree, &mut left);
            let struck = |(split, rest): (&super::Split, &u32)| {
                (split.feature, ScorerSplit { threshold: split.threshold, tree: number, rest: *rest })
            };
            all.extend(tree.splits.iter().zip(&left).map(struck));
        }
        all.sort_by(|(a, one), (b, other)| a.cmp(b).then(one.threshold.total_cmp(&other.threshold)));
        for (feature, split) in all {
            quick_scorer.splits.push(split);
            let feature = usize::from(feature);
            match quick_scorer.features.last_mut() {
                Some((last, end)) if *last == feature => *end += 1,
                _ => quick_scorer.features.push((feature, quick_scorer.splits.len())),
            }
        }
        quick_scorer
    }

    /// Adds a tree's leaves from left to right and computes [`ScorerSplit::rest`] of each split.
    fn leaves_of(&mut self, tree: &Tree, rest: &mut [u32]) {
        let first = self.leaves.len();
        let bits = |from: usize, to: usize| (u32::MAX >> (u32::BITS as usize - (to - from))) << from;
        // A split is visited twice: on the way down, and after all leaves on its left side.
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

    /// Returns the sum of the trees' values for each row. There may be at most [`LANES`] rows. Unused lanes
    /// repeat the first row.
    ///
    /// # Panics
    /// If there is no row, or a row is too short.
    pub(super) fn evaluate(&self, rows: &[&[f32]]) -> [f32; LANES] {
        let rows: [&[f32]; LANES] =
            std::array::from_fn(|lane| rows.get(lane).unwrap_or(&rows[0]) as &[f32]);
        let mut reached = vec![[u32::MAX; LANES]; self.first.len()];
        let mut reached_by_all = vec![u32::MAX; self.first.len()];
        let mut from = 0;
        for (feature, end) in &self.features {
            let values = rows.map(|row| row[*feature]);
            let least = |least, value| if value < least { value } else { least };
            let lowest = values.into_iter().fold(f32::INFINITY, least);
            let splits = &self.splits[from..*end];
            let passed = splits.iter().take_while(|split| lowest > split.threshold).count();
            for split in &splits[..passed] {
                reached_by_all[split.tree as usize] &= split.rest;
            }
            remove_leaves(&splits[passed..], values, &mut reached);
            from = *end;
        }
        let mut sums = [-0.0; LANES];
        for ((first, reached), by_all) in self.first.iter().zip(&reached).zip(reached_by_all) {
            for (sum, reached) in sums.iter_mut().zip(reached) {
                *sum += self.leaves[first + (reached & by_all).trailing_zeros() as usize];
            }
        }
        sums
    }
}

fn remove_leaves(splits: &[ScorerSplit], values: [f32; LANES], reached: &mut [Reached]) {
    let highest =
        values.into_iter().fold(f32::NEG_INFINITY, |most, value| if value > most { value } else { most });
    // NaN goes right at every split.
    let most =
        if values.into_iter().fold(false, |any, value| any | value.is_nan()) { f32::NAN } else { highest };
    for split in splits {
        if most <= split.threshold {
            break;
        }
        let reached = &mut reached[split.tree as usize];
        // A branch here would prevent the compiler from using vector instructions.
        let stays = values.map(|value| u32::from(value <= split.threshold).wrapping_neg());
        *reached = std::array::from_fn(|lane| reached[lane] & (split.rest | stays[lane]));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Split;
    use super::*;

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

    /// Returns the value of the leaf that a row of features reaches.
    fn value(tree: &Tree, row: &[f32]) -> f32 {
        let mut at: i16 = if tree.splits.is_empty() { -1 } else { 0 };
        while at >= 0 {
            let split = &tree.splits[at as usize];
            at = if row[split.feature as usize] <= split.threshold { split.left } else { split.right };
        }
        tree.leaves[(-(at + 1)) as usize]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn answers_are_those_of_walking_the_trees(
            trees in prop::collection::vec(
                prop::collection::vec((0_usize..32, 0_u16..6, -3.0_f32..3.0), 0..31), 0..5),
            rows in prop::collection::vec(
                prop::collection::vec(prop_oneof![-3.0_f32..3.0, Just(f32::NAN), Just(f32::INFINITY)], 6),
                1..=LANES),
        ) {
            let trees: Vec<Tree> = trees.iter().map(|splits| grown(splits)).collect();
            prop_assert!(trees.iter().all(|tree| tree.is_sound(6)));
            let walked = |row: &Vec<f32>| trees.iter().map(|tree| value(tree, row)).sum::<f32>().to_bits();
            let slices: Vec<&[f32]> = rows.iter().map(Vec::as_slice).collect();
            let asked = QuickScorer::from_trees(&trees).evaluate(&slices).map(f32::to_bits);
            prop_assert_eq!(&asked[..rows.len()], &rows.iter().map(walked).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_tree_of_32_leaves_is_the_largest() {
        let splits = |count: usize| (0..count).map(|at| (at, 0, at as f32)).collect::<Vec<_>>();
        assert!(grown(&splits(31)).is_sound(1));
        assert!(!grown(&splits(32)).is_sound(1));
        assert!(!grown(&splits(3)).is_sound(0));
    }
}
