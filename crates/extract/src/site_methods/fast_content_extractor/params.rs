//! Defines the settings of FastContentExtractor.

use serde::{Deserialize, Serialize};

use crate::site_methods::blocks;

/// Settings of preparation and detection. A template stores them, because both must cut blocks in the same
/// way.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FastContentExtractorParams {
    /// Block tags in lower case. `html` and `body` are always blocks.
    pub block_tags: Vec<String>,
    /// Two blocks are similar if the cosine of their vectors is greater than this value, 0 to 1. The paper
    /// uses 0.9.
    pub similarity: f64,
    /// A block is non-content if at least this share of the prepared pages, 0 to 1, and at least
    /// [`repeated_pages`](Self::repeated_pages) of them have a similar block. The block's own page counts.
    /// The paper gives no number ("many times"). On 20 recorded sites, word F1 was 0.68 for a share of 0.5,
    /// 0.76 for 0.2, and 0.785 for 0.1 and below. Article text hardly ever occurs on a second page, but boxes
    /// that change every week do.
    pub repeated_share: f64,
    /// The minimum number of prepared pages with a similar block ([`repeated_share`](Self::repeated_share)).
    /// The block's own page counts. Values below 2 have the effect of 2.
    pub repeated_pages: usize,
    /// Maximum depth of nested blocks. A deeper element is not a block, and its text belongs to the innermost
    /// block. This keeps paths short on hostile pages.
    pub max_depth: usize,
    /// Maximum number of vector entries that are read to compare blocks. The limit applies separately to each
    /// preparation of a template, and to each page whose content is then detected. If the limit is reached,
    /// repeated blocks may count as content. No recorded site comes near the default.
    pub max_work: u64,
    /// Maximum size of a template's paths and stored blocks, in bytes. Content paths use at most half of it.
    /// If not all paths fit, the paths with the fewest blocks are omitted. Stored blocks use the remainder,
    /// in the order of the pages. A block that does not fit is skipped.
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
    /// Returns the settings of two papers, Debnath et al. 2005 and Nguyen et al. 2009. The block tags are
    /// TABLE, TR, P, HR, DIV, SPAN and UL. The second paper names all of them except UL, which is from the
    /// first. Other settings have their defaults.
    #[must_use]
    pub fn of_the_paper() -> Self {
        Self { block_tags: blocks::tags_of_the_paper(), ..Self::default() }
    }
}
