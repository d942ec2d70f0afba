//! Settings of ContentExtractor.

use serde::{Deserialize, Serialize};

use crate::blocks;

/// Settings of ContentExtractor; block tags, similarity and "many pages" as for FastContentExtractor, so that
/// the two can be compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentExtractorParams {
    /// Elements that are blocks, as lower-case names; `html` and `body` always are.
    pub block_tags: Vec<String>,
    /// Two blocks are similar if the cosine of their feature vectors is greater than this, 0 to 1; 0.9 in the
    /// paper.
    pub similarity: f64,
    /// A block is non-content if a similar one is on at least this share of the input pages, its own page
    /// included, 0 to 1. The paper says "many times" without a number.
    pub repeated_share: f64,
    /// A block is never non-content on fewer pages than this, its own included.
    pub repeated_pages: usize,
    /// An element below this many blocks is not a block; its text belongs to the block around it.
    pub max_depth: usize,
    /// How similar blocks are found. It affects the time, not the result.
    pub search: Search,
    /// Limit on the work of comparing one page with the site, in vector entries read. Beyond it a repeated
    /// block may pass for content, and [`Extraction::exact`](super::Extraction::exact) is `false`. All pairs
    /// of a page of the recorded sites took less than 300 million; using it all took 1 s to 5 s.
    pub max_work: u64,
}

/// How similar blocks are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// All pairs, as published and as timed in table II.
    Exhaustive,
    /// Only pairs that share a rare feature, as in FastContentExtractor's preparation here.
    #[default]
    Indexed,
}

impl Default for ContentExtractorParams {
    fn default() -> Self {
        Self {
            block_tags: blocks::all_tags(),
            similarity: 0.9,
            repeated_share: 0.1,
            repeated_pages: 2,
            max_depth: 200,
            search: Search::Indexed,
            max_work: 500_000_000,
        }
    }
}

impl ContentExtractorParams {
    /// The papers' settings: only the block tags that the two papers name (TABLE, TR, P, HR, DIV and SPAN; UL
    /// from ContentExtractor, Debnath et al. 2005), and all pairs compared. The other settings are those of
    /// the default.
    #[must_use]
    pub fn of_the_paper() -> Self {
        Self { block_tags: blocks::tags_of_the_paper(), search: Search::Exhaustive, ..Self::default() }
    }
}
