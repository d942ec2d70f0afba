//! Grows the trees of the block model with gradient boosting on histograms.
//!
//! The loss is the cross entropy between the label and the logistic function of the sum of trees (Friedman
//! 2001, section 4.5). Each feature is divided once into at most 64 bins of about equal size. The gradients
//! of a leaf are summed per bin. For the larger child of a split, the sums are the sums of the parent minus
//! the sums of the smaller child (LightGBM: Ke et al., NIPS 2017). The next leaf to split is always the leaf
//! with the largest gain.
//!
//! The code uses no library, because the maintained libraries bind C++ code or depend on a dataframe library.
//!
//! The same rows and parameters always yield the same trees, bit for bit.

use gleaner_extract::block_model::{Forest, Split, Tree};

/// Training parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct BoostingParams {
    /// Number of trees.
    pub trees: usize,
    /// Maximum number of leaves of a tree.
    pub leaves: usize,
    /// Learning rate: the factor for each tree's values.
    pub rate: f64,
    /// Minimum number of rows in a leaf.
    pub least_rows: usize,
    /// L2 regularization of each leaf's value.
    pub shrinkage: f64,
    /// Probability that a tree may use a feature. It applies to each tree and feature separately.
    pub features: f64,
    /// Probability that a tree uses a row. It applies to each tree and row separately.
    pub rows: f64,
    /// Seed for the random choice of features and rows.
    pub seed: u64,
}

impl Default for BoostingParams {
    fn default() -> Self {
        Self {
            trees: 250,
            leaves: 31,
            rate: 0.06,
            least_rows: 60,
            shrinkage: 5.0,
            features: 0.4,
            rows: 0.8,
            seed: 1,
        }
    }
}

const BINS: usize = 64;

/// Rows of features as bin numbers, with the bounds between bins.
#[derive(Debug, Clone)]
pub struct FeatureTable {
    columns: usize,
    bins: Vec<u8>,
    /// The upper bounds of each feature's bins. Bin `b` contains the values up to `edges[b]`.
    edges: Vec<Vec<f32>>,
}

impl FeatureTable {
    /// Divides the values of each feature into bins. All rows must have the same length.
    #[must_use]
    pub fn from_rows(rows: &[Vec<f32>]) -> Self {
        let columns = rows.first().map_or(0, Vec::len);
        let edges: Vec<Vec<f32>> =
            (0..columns).map(|column| edges(rows.iter().map(|row| row[column]).collect())).collect();
        let bin = |(edges, value): (&Vec<f32>, &f32)| edges.partition_point(|edge| edge < value) as u8;
        let bins = rows.iter().flat_map(|row| edges.iter().zip(row).map(bin)).collect();
        Self { columns, bins, edges }
    }

    fn row(&self, at: u32) -> &[u8] {
        &self.bins[at as usize * self.columns..][..self.columns]
    }
}

/// Returns the bounds between bins of about equal size. There are fewer than [`BINS`] bounds. If a value
/// equals a bound, it is in the lower bin.
fn edges(mut values: Vec<f32>) -> Vec<f32> {
    values.sort_unstable_by(f32::total_cmp);
    let mut different = values.clone();
    different.dedup();
    let between = |pair: &[f32]| f32::midpoint(pair[0], pair[1]);
    if different.len() <= BINS {
        return different.windows(2).map(between).collect();
    }
    let mut edges: Vec<f32> = (1..BINS)
        .filter_map(|cut| {
            let low = values[values.len() * cut / BINS];
            let next = different.partition_point(|value| *value <= low);
            (next < different.len()).then(|| f32::midpoint(low, different[next]))
        })
        .collect();
    edges.dedup();
    edges
}

/// A label with its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Target {
    /// The share of the block that is body text, from 0 to 1.
    pub label: f32,
    /// The weight of the row. A row with weight 0 is excluded.
    pub weight: f32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    gradient: f64,
    hessian: f64,
    rows: u32,
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.hessian += other.hessian;
        self.rows += other.rows;
    }

    fn without(self, other: Self) -> Self {
        Self {
            gradient: self.gradient - other.gradient,
            hessian: self.hessian - other.hessian,
            rows: self.rows - other.rows,
        }
    }

    fn score(self, shrinkage: f64) -> f64 {
        self.gradient * self.gradient / (self.hessian + shrinkage)
    }
}

struct Leaf {
    rows: Vec<u32>,
    sums: Vec<Sum>,
    whole: Sum,
    best: Option<Cut>,
    /// The index of the parent split, and whether this leaf is the left child.
    above: Option<(usize, bool)>,
}

#[derive(Debug, Clone, Copy)]
struct Cut {
    gain: f64,
    /// The index of the feature among the tree's features. `bin` is the last bin of the left child.
    feature: usize,
    bin: usize,
}

/// Grows a forest from the rows of `table` with a weight above 0. `targets` has one entry per row.
#[must_use]
pub fn grow(table: &FeatureTable, targets: &[Target], params: &BoostingParams) -> Forest {
    let rows: Vec<u32> = (0..).zip(targets).filter(|(_, t)| t.weight > 0.0).map(|(at, _)| at).collect();
    let mut odds = vec![0.0_f64; targets.len()];
    let mut random = Random(params.seed);
    let mut trees = Vec::with_capacity(params.trees);
    for _ in 0..params.trees {
        let features = random.choose(table.columns, params.features);
        let seen: Vec<u32> = rows.iter().copied().filter(|_| random.share() < params.rows).collect();
        let tree = Grower { table, targets, odds: &odds, features, params }.tree(seen);
        for at in &rows {
            odds[*at as usize] += f64::from(value(table, &tree, *at));
        }
        trees.push(tree);
    }
    Forest::new(trees)
}

/// Returns the tree's value for a row. The value equals [`Tree::value`], because the thresholds of a tree are
/// bounds of bins.
fn value(table: &FeatureTable, tree: &Tree, at: u32) -> f32 {
    let row = table.row(at);
    let mut node: i16 = if tree.splits.is_empty() { -1 } else { 0 };
    while node >= 0 {
        let split = &tree.splits[node as usize];
        let edges = &table.edges[split.feature as usize];
        let is_left =
            edges.get(row[split.feature as usize] as usize).is_some_and(|edge| *edge <= split.threshold);
        node = if is_left { split.left } else { split.right };
    }
    tree.leaves[(-(node + 1)) as usize]
}

struct Grower<'a> {
    table: &'a FeatureTable,
    targets: &'a [Target],
    odds: &'a [f64],
    features: Vec<usize>,
    params: &'a BoostingParams,
}

impl Grower<'_> {
    fn tree(&self, rows: Vec<u32>) -> Tree {
        let mut splits: Vec<Split> = Vec::new();
        let mut leaves = vec![self.leaf(rows, None, None)];
        while leaves.len() < self.params.leaves {
            let gain = |leaf: &Leaf| leaf.best.map_or(0.0, |cut| cut.gain);
            let Some(next) =
                (0..leaves.len()).reduce(|a, b| if gain(&leaves[b]) > gain(&leaves[a]) { b } else { a })
            else {
                break;
            };
            if leaves[next].best.is_none() {
                break;
            }
            let leaf = leaves.swap_remove(next);
            leaves.extend(self.split(leaf, &mut splits));
        }
        self.finish(splits, &leaves)
    }

    fn split(&self, leaf: Leaf, splits: &mut Vec<Split>) -> [Leaf; 2] {
        let cut = leaf.best.expect("only leaves with a cut are split");
        let feature = self.features[cut.feature];
        let at = splits.len();
        set_child(splits, leaf.above, at as i16);
        let threshold = self.table.edges[feature][cut.bin];
        splits.push(Split { feature: feature as u16, left: 0, right: 0, threshold });
        let (left, right): (Vec<u32>, Vec<u32>) =
            leaf.rows.iter().partition(|row| self.table.row(**row)[feature] as usize <= cut.bin);
        if left.len() <= right.len() {
            let left = self.leaf(left, Some((at, true)), None);
            let right = self.leaf(right, Some((at, false)), Some((&leaf.sums, &left.sums)));
            [left, right]
        } else {
            let right = self.leaf(right, Some((at, false)), None);
            let left = self.leaf(left, Some((at, true)), Some((&leaf.sums, &right.sums)));
            [left, right]
        }
    }

    /// Creates a leaf of these rows. `known` has the sums of the parent and the sibling, whose difference is
    /// the sums of the leaf. If `known` is `None`, the rows are summed.
    fn leaf(&self, rows: Vec<u32>, above: Option<(usize, bool)>, known: Option<(&[Sum], &[Sum])>) -> Leaf {
        let sums: Vec<Sum> = match known {
            Some((parent, sibling)) => {
                parent.iter().zip(sibling).map(|(all, part)| all.without(*part)).collect()
            }
            None => self.sums(&rows),
        };
        let mut whole = Sum::default();
        sums.iter().take(BINS).for_each(|sum| whole.add(*sum));
        let best = self.best(&sums, whole);
        Leaf { rows, sums, whole, best, above }
    }

    fn sums(&self, rows: &[u32]) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); self.features.len().max(1) * BINS];
        for at in rows {
            let Target { label, weight } = self.targets[*at as usize];
            let chance = 1.0 / (1.0 + (-self.odds[*at as usize]).exp());
            let weight = f64::from(weight);
            let own = Sum {
                gradient: weight * (chance - f64::from(label)),
                hessian: weight * chance * (1.0 - chance),
                rows: 1,
            };
            let row = self.table.row(*at);
            for (feature, sums) in self.features.iter().zip(sums.chunks_exact_mut(BINS)) {
                sums[row[*feature] as usize].add(own);
            }
        }
        sums
    }

    fn best(&self, sums: &[Sum], whole: Sum) -> Option<Cut> {
        let shrinkage = self.params.shrinkage;
        let least = self.params.least_rows as u32;
        let mut best: Option<Cut> = None;
        for (feature, bins) in sums.chunks_exact(BINS).enumerate().take(self.features.len()) {
            let mut left = Sum::default();
            for (bin, sum) in bins.iter().enumerate().take(self.table.edges[self.features[feature]].len()) {
                left.add(*sum);
                let right = whole.without(left);
                if left.rows < least || right.rows < least {
                    continue;
                }
                let gain = left.score(shrinkage) + right.score(shrinkage) - whole.score(shrinkage);
                if gain > best.map_or(1e-9, |cut| cut.gain) {
                    best = Some(Cut { gain, feature, bin });
                }
            }
        }
        best
    }

    fn finish(&self, mut splits: Vec<Split>, leaves: &[Leaf]) -> Tree {
        let mut values = Vec::with_capacity(leaves.len());
        for (at, leaf) in leaves.iter().enumerate() {
            set_child(&mut splits, leaf.above, -(at as i16) - 1);
            let answer = -leaf.whole.gradient / (leaf.whole.hessian + self.params.shrinkage);
            values.push((answer * self.params.rate) as f32);
        }
        Tree { splits, leaves: values }
    }
}

fn set_child(splits: &mut [Split], above: Option<(usize, bool)>, child: i16) {
    match above {
        Some((at, true)) => splits[at].left = child,
        Some((at, false)) => splits[at].right = child,
        None => {}
    }
}

/// The generator xorshift64* (Vigna 2016). It is good enough to choose rows and features.
struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Chooses each number below `count` with probability `share`, and at least one number. Returns the
    /// numbers in ascending order.
    fn choose(&mut self, count: usize, share: f64) -> Vec<usize> {
        let mut chosen: Vec<usize> = (0..count).filter(|_| self.share() < share).collect();
        if chosen.is_empty() && count > 0 {
            chosen.push((self.share() * count as f64) as usize);
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params() -> BoostingParams {
        BoostingParams {
            trees: 60,
            least_rows: 2,
            shrinkage: 0.1,
            features: 1.0,
            rate: 0.3,
            ..BoostingParams::default()
        }
    }

    fn rows() -> (Vec<Vec<f32>>, Vec<Target>) {
        let mut random = Random(7);
        let row = |random: &mut Random| {
            let row: Vec<f32> = (0..4).map(|_| random.share() as f32).collect();
            let is = (row[0] > 0.5 && row[1] < 0.3) || row[2] > 0.9;
            (row, Target { label: f32::from(u8::from(is)), weight: 1.0 })
        };
        (0..2_000).map(|_| row(&mut random)).unzip()
    }

    #[test]
    fn what_can_be_learned_is_learned() {
        let (rows, targets) = rows();
        let forest = grow(&FeatureTable::from_rows(&rows[..1_500]), &targets[..1_500], &params());
        let right =
            |(row, target): (&Vec<f32>, &Target)| (forest.log_odds(row) > 0.0) == (target.label > 0.5);
        let unseen = rows[1_500..].iter().zip(&targets[1_500..]);
        assert!(unseen.filter(|pair| right(*pair)).count() >= 480);
    }

    #[test]
    fn rows_in_bins_get_the_answer_of_rows_in_numbers() {
        let (rows, targets) = rows();
        let table = FeatureTable::from_rows(&rows);
        let forest = grow(&table, &targets, &BoostingParams { trees: 5, ..params() });
        for (at, row) in rows.iter().enumerate() {
            for tree in forest.trees() {
                let alone = Forest::new(vec![tree.clone()]);
                assert_eq!(alone.log_odds(row), value(&table, tree, at as u32));
            }
        }
    }

    #[test]
    fn the_same_rows_give_the_same_trees() {
        let (rows, targets) = rows();
        let grown = || {
            grow(
                &FeatureTable::from_rows(&rows),
                &targets,
                &BoostingParams { trees: 3, rows: 0.5, features: 0.5, ..params() },
            )
        };
        assert_eq!(grown(), grown());
    }

    #[test]
    fn weights_of_nothing_and_no_rows_give_leaves() {
        let (rows, targets) = rows();
        let none: Vec<Target> = targets.iter().map(|t| Target { weight: 0.0, ..*t }).collect();
        let forest = grow(&FeatureTable::from_rows(&rows), &none, &params());
        assert_eq!(forest.log_odds(&rows[0]), 0.0);
        assert_eq!(grow(&FeatureTable::from_rows(&[]), &[], &params()).log_odds(&[]), 0.0);
    }

    #[test]
    fn bins_keep_order_and_apart() {
        assert_eq!(edges(vec![2.0, 1.0, 2.0]), [1.5]);
        assert!(edges(vec![1.0; 500]).is_empty());
        let many = edges((0..10_000).map(|n| n as f32).collect());
        assert!(many.len() < BINS && many.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
