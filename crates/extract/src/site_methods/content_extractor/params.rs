//! Defines the settings of ContentExtractor.

use serde::{Deserialize, Serialize};

use crate::site_methods::blocks;

/// Settings of ContentExtractor. Block tags, similarity and "many pages" have the same defaults as in
/// FastContentExtractor, so that the two methods can be compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentExtractorParams {
    /// Block tags in lower case. `html` and `body` are always blocks.
    pub block_tags: Vec<String>,
    /// Two blocks are similar if the cosine of their vectors is greater than this value, 0 to 1. The paper
    /// uses 0.9.
    pub similarity: f64,
    /// A block is non-content if at least this share of the input pages, 0 to 1, and at least
    /// [`repeated_pages`](Self::repeated_pages) of them have a similar block. The block's own page counts.
    /// The paper gives no number ("many times").
    pub repeated_share: f64,
    /// The minimum number of input pages with a similar block ([`repeated_share`](Self::repeated_share)). The
    /// block's own page counts. Values below 2 have the effect of 2.
    pub repeated_pages: usize,
    /// Maximum depth of nested blocks. The text of a deeper element belongs to the innermost block.
    pub max_depth: usize,
    /// The method to search for similar blocks. It affects only the time, unless `max_work` is reached.
    pub search: Search,
    /// Maximum number of vector entries that are read to compare one page with the site. If it is reached,
    /// repeated blocks may count as content, and [`Extraction::exact`](super::Extraction::exact) is `false`.
    /// On the recorded sites, [`Search::Exhaustive`] needed less than 300 million per page. A page that
    /// reaches the default limit takes 1 s to 5 s.
    pub max_work: u64,
}

/// A method to search for similar blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Compares all pairs of blocks, as published and timed in table II.
    Exhaustive,
    /// Compares only pairs that share a rare feature, as this crate's FastContentExtractor does.
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
    /// Returns the settings of two papers, Debnath et al. 2005 and Nguyen et al. 2009. The block tags are
    /// TABLE, TR, P, HR, DIV, SPAN and UL. The second paper names all of them except UL, which is from the
    /// first. All pairs of blocks are compared ([`Search::Exhaustive`]). Other settings have their defaults.
    #[must_use]
    pub fn of_the_paper() -> Self {
        Self { block_tags: blocks::tags_of_the_paper(), search: Search::Exhaustive, ..Self::default() }
    }
}
