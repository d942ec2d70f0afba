//! Settings of FastContentExtractor.

use serde::{Deserialize, Serialize};

use crate::blocks;

/// Settings of preparation and detection. A template keeps those it was prepared with, since blocks must be
/// cut the same way in both phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FastContentExtractorParams {
    /// Elements that are blocks, as lower-case names; `html` and `body` always are.
    pub block_tags: Vec<String>,
    /// Two blocks are similar if the cosine of their feature vectors is greater than this; 0.9 in the paper.
    pub similarity: f64,
    /// A block is non-content if a similar one is on at least this share of the prepared pages, its own page
    /// included, 0 to 1. The paper says "many times" without a number. On 20 recorded sites smaller values
    /// were better: word F1 0.68 at half of the pages, 0.76 at a fifth, 0.785 at a tenth and below. Article
    /// text hardly ever occurs on a second page, but weekly boxes do.
    pub repeated_share: f64,
    /// A block is never non-content on fewer pages than this, its own included.
    pub repeated_pages: usize,
    /// An element below this many blocks is not a block; its text belongs to the block around it. Keeps paths
    /// short on hostile pages.
    pub max_depth: usize,
    /// Limit on the work of comparing blocks, for a preparation and for the detection on each page, in vector
    /// entries read. Beyond it a repeated block may pass for content; no recorded site comes near.
    pub max_work: u64,
    /// The most bytes that a template may hold in its paths and its stored blocks' terms: first the content
    /// paths with most blocks, up to half of it; then stored blocks in the order of occurrence, without those
    /// that are too long.
    pub max_bytes: usize,
}

impl Default for FastContentExtractorParams {
    fn default() -> Self {
        Self {
            block_tags: blocks::all_tags(),
            similarity: 0.9,
            repeated_share: 0.1,
            repeated_pages: 2,
            max_depth: 200,
            max_work: 100_000_000,
            max_bytes: 4 << 20,
        }
    }
}

impl FastContentExtractorParams {
    /// The papers' settings: only the block tags that the two papers name (TABLE, TR, P, HR, DIV and SPAN; UL
    /// from ContentExtractor, Debnath et al. 2005). The other settings are those of the default.
    #[must_use]
    pub fn of_the_paper() -> Self {
        Self { block_tags: blocks::tags_of_the_paper(), ..Self::default() }
    }
}
