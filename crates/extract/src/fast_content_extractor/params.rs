//! What may be set for FastContentExtractor.

use serde::{Deserialize, Serialize};

use crate::blocks;

/// Settings of preparation and detection. A template keeps those it was prepared
/// with, since blocks must be cut the same way in both phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Params {
    /// Elements that are blocks, as lower-case names; `html` and `body` always are.
    pub block_tags: Vec<String>,
    /// Two blocks are similar when the cosine of their feature vectors is greater
    /// than this; 0.9 in the paper.
    pub similarity: f64,
    /// A block is non-content when a similar one stands on at least this share of
    /// the prepared pages, its own page included, 0 to 1. The paper says "many
    /// times" and no number. On 20 recorded sites the smaller the better, word F1
    /// 0.68 at half of the pages, 0.76 at a fifth, 0.785 at a tenth and below:
    /// text of articles hardly ever stands on a second page, boxes of a week do.
    pub repeated_share: f64,
    /// A block is never non-content on fewer pages than this, its own included.
    pub repeated_pages: usize,
    /// An element below this many blocks is no block of its own any more; its text
    /// belongs to the block around it. Keeps paths short on hostile pages.
    pub max_depth: usize,
    /// Work that a preparation may spend on comparing blocks, and the detection on
    /// one page again, in vector entries read. Beyond it a repeated block may pass for
    /// content; no recorded site comes near.
    pub max_work: u64,
    /// What a template may hold, in bytes of its paths and its stored blocks' terms: of
    /// the content paths those with most blocks, up to half of it; then stored blocks in
    /// the order in which they are met, less those that are too long. A page could
    /// otherwise make it as long as all pages together.
    pub max_bytes: usize,
}

impl Default for Params {
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

impl Params {
    /// As the papers have it: the block tags as far as the two papers name them (TABLE, TR,
    /// P, HR and DIV in the list that lost entries in print, SPAN in figure 3, UL from
    /// ContentExtractor, Debnath et al. 2005), where the default has what HTML
    /// has got since, too. The other settings are those of the default.
    #[must_use]
    pub fn of_the_paper() -> Self {
        Self { block_tags: blocks::tags_of_the_paper(), ..Self::default() }
    }
}
