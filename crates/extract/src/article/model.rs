//! Defines the page model: regression trees over the page's [`features`], trained by the example
//! `train_pages` of the crate eval.
//!
//! The JSON file names the feature of each split and is therefore independent of the order of the features. A
//! tree is a list of splits and a list of leaves. A negative child `c` is the leaf `-c-1`.

use std::collections::HashMap;
use std::sync::LazyLock;

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use super::feature_row;
use crate::block_model::{Forest, Split, Tree};

#[derive(Debug, Serialize, Deserialize)]
struct StoredTree {
    /// For each split: the feature's name, the threshold, and the children for values up to it and above it.
    splits: Vec<(String, f32, i16, i16)>,
    leaves: Vec<f32>,
}

/// Serializes a model. `names` contains the name of each feature, by number. The file uses these names.
///
/// # Panics
/// If a split uses a feature without a name.
#[must_use]
pub fn written(forest: &Forest, names: &[&str]) -> String {
    let split = |s: &Split| (names[s.feature as usize].to_owned(), s.threshold, s.left, s.right);
    let tree = |tree: &Tree| StoredTree {
        splits: tree.splits.iter().map(split).collect(),
        leaves: tree.leaves.clone(),
    };
    let lines: Vec<String> = forest
        .trees()
        .iter()
        .map(|of| serde_json::to_string(&tree(of)).expect("a tree has numbers and names"))
        .collect();
    format!("[\n{}\n]\n", lines.join(",\n"))
}

/// Parses a model file. Returns `None` if the file is malformed or has an unknown feature.
fn read(text: &str, names: &[&'static str]) -> Option<Forest> {
    let written: Vec<StoredTree> = serde_json::from_str(text).ok()?;
    let numbers: HashMap<&str, u16> = (0..).zip(names).map(|(number, name)| (*name, number)).collect();
    let trees: Option<Vec<Tree>> = written.into_iter().map(|tree| sound(tree, &numbers)).collect();
    Some(Forest::new(trees?))
}

/// Converts a tree. Returns `None` if a child is out of range or has two parents, or if a feature is unknown.
fn sound(written: StoredTree, numbers: &HashMap<&str, u16>) -> Option<Tree> {
    let split = |(name, threshold, left, right): (String, f32, i16, i16)| {
        Some(Split { feature: *numbers.get(name.as_str())?, left, right, threshold })
    };
    let splits: Option<Vec<Split>> = written.splits.into_iter().map(split).collect();
    Some(Tree { splits: splits?, leaves: written.leaves }).filter(|tree| tree.is_sound(numbers.len()))
}

pub(super) fn built_in() -> &'static Forest {
    static MODEL: LazyLock<Forest> = LazyLock::new(|| {
        let row = feature_row(&Page::default(), "", &[]);
        let names: Vec<&str> = row.iter().map(|(name, _)| *name).collect();
        read(include_str!("model.json"), &names).expect("the model was trained with these features")
    });
    &MODEL
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 2] = ["words", "links"];

    #[test]
    fn models_come_back() {
        let tree = Tree {
            splits: vec![Split { feature: 1, left: -1, right: -2, threshold: 0.5 }],
            leaves: vec![-1.5, 2.0],
        };
        let forest = Forest::new(vec![tree, Tree { splits: Vec::new(), leaves: vec![0.25] }]);
        assert_eq!(read(&written(&forest, &NAMES), &NAMES), Some(forest));
    }

    #[test]
    fn what_is_no_model_is_not_read() {
        let cases = [
            "",
            "{}",
            r#"[{"splits":[],"leaves":[]}]"#,
            r#"[{"splits":[["colour",0.5,-1,-2]],"leaves":[1.0,2.0]}]"#,
            r#"[{"splits":[["words",0.5,0,-2]],"leaves":[1.0,2.0]}]"#,
            r#"[{"splits":[["words",0.5,-1,-3]],"leaves":[1.0,2.0]}]"#,
        ];
        for text in cases {
            assert_eq!(read(text, &NAMES), None, "{text}");
        }
    }
}
