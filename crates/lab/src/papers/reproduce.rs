//! Lists the papers with tables to reproduce, and reproduces the tables.

use std::num::NonZeroUsize;

use super::{Table, bte, comma_score, fast_content_extractor, line_block, text_to_tag_ratio};
use crate::dataset::{Dataset, DatasetError};
use crate::parallel::pool;

/// A paper whose tables can be reproduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Paper {
    /// Nguyen et al.: FastContentExtractor, compared with ContentExtractor.
    FastContentExtractor,
    /// Phan and Ha: improved Body Text Extraction.
    ImprovedBte,
    /// Weninger and Hsu: Text-To-Tag Ratio.
    TextToTagRatio,
    /// Pan Ei San and Nilar Aye: Line-Block.
    LineBlock,
    /// Posch: the comma score.
    CommaScore,
}

impl Paper {
    /// All papers, in the order of the tables.
    pub const ALL: [Self; 5] = [
        Self::FastContentExtractor,
        Self::ImprovedBte,
        Self::TextToTagRatio,
        Self::LineBlock,
        Self::CommaScore,
    ];

    /// Returns the paper's name on the command line and in tables, such as `line-block`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::FastContentExtractor => "fast-content-extractor",
            Self::ImprovedBte => "improved-bte",
            Self::TextToTagRatio => "text-to-tag-ratio",
            Self::LineBlock => "line-block",
            Self::CommaScore => "comma-score",
        }
    }

    /// Returns the paper with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|paper| paper.name() == name)
    }

    fn tables(self, sets: &[Dataset], done: &(dyn Fn() + Sync)) -> Result<Vec<Table>, DatasetError> {
        match self {
            Self::FastContentExtractor => fast_content_extractor::tables(sets, done),
            Self::ImprovedBte => bte::tables(sets, done),
            Self::TextToTagRatio => text_to_tag_ratio::tables(sets, done),
            Self::LineBlock => line_block::tables(sets, done),
            Self::CommaScore => comma_score::tables(sets, done),
        }
    }
}

/// Measures the tables of papers on these sets. Calls `done` for each page with gold text, once per paper,
/// from any thread. Times are measured on one thread while the other threads are idle. Everything else runs
/// on `threads` threads, as in an [`EvalTask`](crate::EvalTask).
///
/// # Errors
/// A page cannot be read, no page has gold text, or the threads cannot be started.
pub fn reproduce(
    papers: &[Paper],
    sets: &[Dataset],
    threads: Option<NonZeroUsize>,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<Table>, DatasetError> {
    if sets.iter().all(|set| set.with_gold() == 0) {
        return Err(DatasetError::no_gold(sets));
    }
    pool(threads)?.install(|| {
        let tables = papers.iter().map(|paper| paper.tables(sets, done));
        Ok(tables.collect::<Result<Vec<_>, _>>()?.concat())
    })
}
