//! Settings of Line-Block.

use crate::source_lines::Lines;

/// Settings of [`extract`](super::extract). The default has the paper's thresholds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineBlockParams {
    /// Maximum distance, in lines, between successive lines with text in one block. 1: neighbours only; 0:
    /// each line is a block.
    pub distance: usize,
    /// The thresholds of the features.
    pub thresholds: Thresholds,
    /// Combines the three comparisons.
    pub rule: Rule,
    /// Defines where lines end.
    pub lines: Lines,
    /// Whether a complete link (`<a href=...>` up to its `</a>`) is on one line even if it contains breaks,
    /// as section IV.A defines a line.
    pub whole_links: bool,
}

/// The thresholds for the features of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Thresholds {
    /// The same thresholds for every page.
    Constant {
        /// TTR, in characters per tag. Content is above this value.
        text_to_tag: f64,
        /// ATTR, a share from 0 to 1. Content is below this value.
        anchor_text: f64,
        /// TKD, in words. Content reaches at least this value.
        title_keywords: f64,
    },
    /// Each feature's standard deviation over the page's blocks, times this factor (lambda).
    LambdaSigma(f64),
}

/// Combines the comparisons of the three features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Step 4 as printed: TTR above its threshold, ATTR below it, and TKD at or above it.
    AsPrinted,
    /// The text of step 3: ATTR below its threshold, and either TTR above its threshold or TKD at or above
    /// its threshold. Words of the title compensate for little text per tag.
    Remedy,
}

impl LineBlockParams {
    /// Returns settings with constant thresholds and step 4 as printed.
    #[must_use]
    pub fn as_printed() -> Self {
        Self { rule: Rule::AsPrinted, ..Self::default() }
    }

    /// Returns settings with thresholds of `lambda` standard deviations (section IV.B).
    #[must_use]
    pub fn lambda_sigma(lambda: f64) -> Self {
        Self { thresholds: Thresholds::LambdaSigma(lambda), ..Self::default() }
    }
}

impl Default for LineBlockParams {
    /// The paper's thresholds: 30, 0.2 and 2. The [method](super) explains the other settings.
    fn default() -> Self {
        Self {
            distance: 1,
            thresholds: Thresholds::Constant { text_to_tag: 30.0, anchor_text: 0.2, title_keywords: 2.0 },
            rule: Rule::Remedy,
            lines: Lines::AtBlocks,
            whole_links: true,
        }
    }
}
