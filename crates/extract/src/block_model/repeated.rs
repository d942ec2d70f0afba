//! What a site repeats: the same text at the same path on several of its pages.
//!
//! The idea of ContentExtractor and FastContentExtractor, on lines instead of
//! blocks and with equality instead of similarity: menus, notices, lists of the
//! day's stories and rules for comments come again, an article does not. They are
//! taken away before a page is judged, so that a long notice does not make the
//! article look small beside it.
//!
//! A text counts only at its path (tags with class and id, digits masked), so a
//! teaser elsewhere does not take an article's lead away.
//!
//! The awkward truth: an article that stands under three addresses among the pages
//! that are compared is repeated, too, and so is a notice that an editor would count
//! as part of every article.

use std::collections::{BTreeSet, HashMap, HashSet};

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use super::scene::Scene;

/// Share of the pages that must have a text for it to be repeated...
const SHARE: f64 = 0.1;

/// ... and how many must.
const LEAST: usize = 2;

/// Hashes of paths with texts that a site repeats. The default repeats nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated(BTreeSet<u64>);

impl Repeated {
    /// What several of these pages have in common.
    #[must_use]
    pub fn of(pages: &[&Page]) -> Self {
        let lines: Vec<HashSet<u64>> = pages.iter().map(|page| lines(page)).collect();
        let mut counts: HashMap<u64, usize> = HashMap::new();
        for key in lines.iter().flatten() {
            *counts.entry(*key).or_default() += 1;
        }
        let least = Self::least(pages.len());
        Self(counts.into_iter().filter(|(_, count)| *count >= least).map(|(key, _)| key).collect())
    }

    /// Of so many pages, how many must have a text for it to be repeated.
    #[must_use]
    pub fn least(pages: usize) -> usize {
        LEAST.max((SHARE * pages as f64).ceil() as usize)
    }

    /// Number of texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing is repeated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn holds(&self, path: u64, text: u64) -> bool {
        self.0.contains(&key(path, text))
    }
}

fn lines(page: &Page) -> HashSet<u64> {
    let scene = Scene::of(page, &Repeated::default());
    scene.blocks.iter().map(|block| key(scene.elements[block.element].path, block.text)).collect()
}

fn key(path: u64, text: u64) -> u64 {
    path.rotate_left(17) ^ text.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
