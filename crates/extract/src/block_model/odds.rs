//! Applies a model to the blocks of a page.
//!
//! A model always evaluates 16 rows at once, even for a single block ([`super::quick_scorer`]). Therefore
//! this module evaluates all blocks of a page together.

use gleaner_html::Page;

use super::Forest;
use super::features::Features;
use super::scene::Scene;

/// Maximum number of blocks whose features are in memory at once. They fit into the processor's cache.
const AT_ONCE: usize = 32;

pub(super) fn of_some(page: &Page, scene: &Scene, model: &Forest, blocks: &[usize]) -> Vec<f32> {
    if blocks.is_empty() {
        return Vec::new();
    }
    let features = Features::new(page, scene);
    let width = super::feature_names().len();
    let mut values: Vec<f32> = Vec::with_capacity(AT_ONCE * width);
    let mut odds = Vec::with_capacity(blocks.len());
    for some in blocks.chunks(AT_ONCE) {
        values.clear();
        some.iter().for_each(|at| features.put(*at, &mut values));
        let rows: Vec<&[f32]> = values.chunks_exact(width).collect();
        odds.extend(model.log_odds_of(&rows));
    }
    odds
}

pub(super) fn chance(log_odds: f32) -> f64 {
    1.0 / (1.0 + f64::from(-log_odds).exp())
}
