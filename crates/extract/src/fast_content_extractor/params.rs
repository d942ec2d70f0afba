//! Settings of FastContentExtractor.

use serde::{Deserialize, Serialize};

use crate::blocks;

/// Settings of preparation and detection. A template stores the settings of its preparation, because both
/// phases must cut blocks in the same way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FastContentExtractorParams {
    /// Names of the elements that are blocks, in lower case. `html` and `body` are always blocks.
    pub block_tags: Vec<String>,
    /// Two blocks are similar if the cosine of their feature vectors is greater than this value, 0 to 1. The
    /// paper uses 0.9.
    pub similarity: f64,
    /// A block is non-content if at least this share of the prepared pages, 0 to 1, has a similar block. The
    /// block's own page counts. The paper writes "many times" without a number. On 20 recorded sites, smaller
    /// values were better: word F1 was 0.68 at half of the pages, 0.76 at a fifth, 0.785 at a tenth and
    /// below. Article text hardly ever occurs on a second page, but weekly boxes do.
    pub repeated_share: f64,
    /// The fewest pages with a similar block, its own page included, that make a block non-content. Values
    /// below 2 count as 2.
    pub repeated_pages: usize,
    /// An element inside this many nested blocks is not a block. Its text belongs to the innermost of them.
    /// This keeps paths short on hostile pages.
    pub max_depth: usize,
    /// Limit on the work of comparing blocks, in vector entries read, for one preparation and for the
    /// detection on each page. When it is reached, repeated blocks may count as content. No recorded site
    /// comes near the default.
    pub max_work: u64,
    /// The most bytes that the paths and stored blocks of a template may occupy. Content paths use up to half
    /// of it, those with the most blocks first. Stored blocks use the remainder, in the order of occurrence;
    /// a block that does not fit is skipped.
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
    /// Returns the papers' settings: only the block tags that the two papers name (TABLE, TR, P, HR, DIV and
    /// SPAN; UL from ContentExtractor, Debnath et al. 2005). The other settings have their default values.
    #[must_use]
    pub fn of_the_paper() -> Self {
        Self { block_tags: blocks::tags_of_the_paper(), ..Self::default() }
    }
}
