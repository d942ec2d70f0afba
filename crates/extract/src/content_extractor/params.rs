//! Settings of ContentExtractor.

use serde::{Deserialize, Serialize};

use crate::blocks;

/// Settings of ContentExtractor. The defaults of block tags, similarity and "many pages" are those of
/// FastContentExtractor, so that the two methods can be compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentExtractorParams {
    /// Names of the elements that are blocks, in lower case. `html` and `body` are always blocks.
    pub block_tags: Vec<String>,
    /// Two blocks are similar if the cosine of their feature vectors is greater than this value, 0 to 1. The
    /// paper uses 0.9.
    pub similarity: f64,
    /// A block is non-content if at least this share of the input pages, 0 to 1, has a similar block. The
    /// block's own page counts. The paper writes "many times" without a number.
    pub repeated_share: f64,
    /// The fewest pages with a similar block, its own page included, that make a block non-content. Values
    /// below 2 count as 2.
    pub repeated_pages: usize,
    /// An element inside this many nested blocks is not a block. Its text belongs to the innermost of them.
    pub max_depth: usize,
    /// How similar blocks are found. It affects the time, but not the result within `max_work`.
    pub search: Search,
    /// Limit on the work of comparing one page with the site, in vector entries read. When it is reached,
    /// repeated blocks may count as content, and [`Extraction::exact`](super::Extraction::exact) is `false`.
    /// On the recorded sites, comparing all pairs of one page took less than 300 million. Using the whole
    /// default limit took 1 s to 5 s.
    pub max_work: u64,
}

/// How similar blocks are found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Compares all pairs of blocks, as published and as timed in table II.
    Exhaustive,
    /// Compares only pairs that share a rare feature, as this crate's FastContentExtractor does in
    /// preparation.
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
    /// Returns the papers' settings: only the block tags that the two papers name (TABLE, TR, P, HR, DIV and
    /// SPAN; UL from ContentExtractor, Debnath et al. 2005), and the comparison of all pairs. The other
    /// settings have their default values.
    #[must_use]
    pub fn of_the_paper() -> Self {
        Self { block_tags: blocks::tags_of_the_paper(), search: Search::Exhaustive, ..Self::default() }
    }
}
