//! Defines the model, which consists of regression trees. The sum of the trees' values is the log-odds that a
//! block is body text (gradient boosting: Friedman, Greedy function approximation, Annals of Statistics
//! 2001). The module `training` of the crate eval grows the trees. This module reads, writes and evaluates
//! them.
//!
//! A model file consists of these values, all little-endian: the eight bytes `GLEANER1`, a hash of the
//! feature names (u64), the number of trees (u32), and the trees. A tree consists of the number of splits
//! (u16), the splits (feature u16, left i16, right i16, threshold f32) and the leaves (f32, one more leaf
//! than splits). A negative child `c` is the leaf `-c-1`.

use super::features;
use super::hashing::{FNV_START, fnv_1a};
use super::quick_scorer::{LANES, QuickScorer};

const MAGIC: &[u8; 8] = b"GLEANER1";

/// A split of a tree. A row goes left if its feature is at most the threshold, and right otherwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Split {
    /// The index of the feature in [`super::feature_names`].
    pub feature: u16,
    /// The left child: the index of a split or, if negative, the leaf `-left - 1`.
    pub left: i16,
    /// The right child: the index of a split or, if negative, the leaf `-right - 1`.
    pub right: i16,
    /// The threshold for the feature's value.
    pub threshold: f32,
}

/// A regression tree. A tree without splits is a single leaf.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tree {
    /// The splits, from the root. The children of a split come after it.
    pub splits: Vec<Split>,
    /// The values of the leaves in log-odds. There is one more leaf than splits.
    pub leaves: Vec<f32>,
}

impl Tree {
    /// Whether the tree is valid: it has at most 32 leaves, every child is a leaf or a later split and has
    /// only one parent, and every feature is below `features`.
    #[must_use]
    pub fn is_sound(&self, features: usize) -> bool {
        let size = self.splits.len();
        if self.leaves.len() != size + 1 || self.leaves.len() > QuickScorer::LEAVES {
            return false;
        }
        let mut met = vec![false; 2 * size + 1];
        let mut child = |parent: usize, at: i16| {
            let place = match usize::try_from(at) {
                Ok(split) => Some(split).filter(|split| *split > parent && *split < size),
                Err(_) => Some(size + usize::from(at.unsigned_abs()) - 1).filter(|leaf| *leaf <= 2 * size),
            };
            place.is_some_and(|place| !std::mem::replace(&mut met[place], true))
        };
        self.splits.iter().enumerate().all(|(at, split)| {
            (split.feature as usize) < features && child(at, split.left) && child(at, split.right)
        })
    }
}

/// The trees of a model, with a structure for fast evaluation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Forest {
    trees: Vec<Tree>,
    quick_scorer: QuickScorer,
}

impl Forest {
    /// Builds a forest from trees in the order in which they were grown.
    ///
    /// # Panics
    /// If a tree is not valid ([`Tree::is_sound`]).
    #[must_use]
    pub fn new(trees: Vec<Tree>) -> Self {
        assert!(trees.iter().all(|tree| tree.is_sound(usize::MAX)), "a tree's children are its own");
        let quick_scorer = QuickScorer::from_trees(&trees);
        Self { trees, quick_scorer }
    }

    /// Returns the trees.
    #[must_use]
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Returns the log-odds for a row of features, which are the sum of the trees' values.
    ///
    /// # Panics
    /// If the row lacks a feature that the trees use.
    #[must_use]
    pub fn log_odds(&self, row: &[f32]) -> f32 {
        self.quick_scorer.evaluate(&[row])[0]
    }

    /// Returns the log-odds of several rows. This is faster than calling [`Self::log_odds`] for each row.
    /// Panics in the same cases.
    pub(super) fn log_odds_of<'a>(&self, rows: &'a [&[f32]]) -> impl Iterator<Item = f32> + use<'a, '_> {
        rows.chunks(LANES).flat_map(|rows| self.quick_scorer.evaluate(rows).into_iter().take(rows.len()))
    }

    /// Serializes the forest as a model file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(fingerprint().to_le_bytes());
        out.extend((self.trees.len() as u32).to_le_bytes());
        for tree in &self.trees {
            out.extend((tree.splits.len() as u16).to_le_bytes());
            for split in &tree.splits {
                out.extend(split.feature.to_le_bytes());
                out.extend(split.left.to_le_bytes());
                out.extend(split.right.to_le_bytes());
                out.extend(split.threshold.to_le_bytes());
            }
            out.extend(tree.leaves.iter().flat_map(|leaf| leaf.to_le_bytes()));
        }
        out
    }

    /// Parses a model file. Returns `None` if it is not a valid model, or if it was trained with other
    /// features.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut reader = ModelReader(bytes);
        if reader.take::<8>()? != *MAGIC || u64::from_le_bytes(reader.take()?) != fingerprint() {
            return None;
        }
        let trees = u32::from_le_bytes(reader.take()?);
        let trees: Option<Vec<Tree>> = (0..trees).map(|_| reader.tree()).collect();
        let trees = trees?;
        let features = super::feature_names().len();
        let sound = reader.0.is_empty() && trees.iter().all(|tree| tree.is_sound(features));
        sound.then(|| Self::new(trees))
    }
}

struct ModelReader<'a>(&'a [u8]);

impl ModelReader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*head)
    }

    fn tree(&mut self) -> Option<Tree> {
        let size = u16::from_le_bytes(self.take()?);
        let mut tree = Tree::default();
        for _ in 0..size {
            tree.splits.push(Split {
                feature: u16::from_le_bytes(self.take()?),
                left: i16::from_le_bytes(self.take()?),
                right: i16::from_le_bytes(self.take()?),
                threshold: f32::from_le_bytes(self.take()?),
            });
        }
        for _ in 0..=size {
            tree.leaves.push(f32::from_le_bytes(self.take()?));
        }
        Some(tree)
    }
}

/// Returns the FNV-1a hash of the feature names. Files store it, because trees identify features by position.
fn fingerprint() -> u64 {
    fnv_1a(FNV_START, features::names().join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Forest {
        let tree = Tree {
            splits: vec![Split { feature: 1, left: -1, right: -2, threshold: 0.5 }],
            leaves: vec![-1.5, 2.0],
        };
        Forest::new(vec![tree, Tree { splits: Vec::new(), leaves: vec![0.25] }])
    }

    #[test]
    fn trees_are_asked_and_added() {
        assert_eq!(small().log_odds(&[0.0, 0.5]), -1.25);
        assert_eq!(small().log_odds(&[0.0, 0.6]), 2.25);
        assert_eq!(Forest::default().log_odds(&[]), 0.0);
    }

    #[test]
    fn files_come_back_and_damage_is_seen() {
        let bytes = small().to_bytes();
        assert_eq!(Forest::from_bytes(&bytes), Some(small()));
        for length in 0..bytes.len() {
            assert_eq!(Forest::from_bytes(&bytes[..length]), None, "{length} bytes");
        }
        for at in 0..16 {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                assert_eq!(Forest::from_bytes(&damaged), None, "bit {bit} of byte {at}");
            }
        }
        assert_eq!(Forest::from_bytes(&[&bytes[..], &[0]].concat()), None, "one byte more");
    }

    #[test]
    fn a_file_that_is_read_can_be_asked() {
        let bytes = small().to_bytes();
        let row = vec![0.0; super::super::feature_names().len()];
        let mut answers = Vec::new();
        for at in 16..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                if let Some(forest) = Forest::from_bytes(&damaged) {
                    answers.push(forest.log_odds(&row));
                }
            }
        }
        assert!(!answers.is_empty(), "a leaf of another value is as good");
    }
}
