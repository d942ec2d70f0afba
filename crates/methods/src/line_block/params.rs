//! Settings of Line-Block.

use crate::source_lines::Lines;

/// Settings of [`extract`](super::extract). The default has the paper's thresholds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineBlockParams {
    /// The greatest distance, in lines, between two successive lines with text in one block. With 1, no line
    /// may be between them. With 0, each line is a block.
    pub distance: usize,
    /// The thresholds of the features.
    pub thresholds: Thresholds,
    /// How the three comparisons are combined.
    pub rule: Rule,
    /// Where lines end.
    pub lines: Lines,
    /// Whether a complete link (`<a href=...>` up to its `</a>`) is on one line even if it contains breaks,
    /// as section IV.A defines a line.
    pub whole_links: bool,
}

/// The thresholds with which the features of a block are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Thresholds {
    /// The same thresholds for every page.
    Constant {
        /// TTR, in characters per tag. Content is above this value.
        text_to_tag: f64,
        /// ATTR, a share from 0 to 1. Content is below this value.
        anchor_text: f64,
        /// TKD, in words. Content has at least as many.
        title_keywords: f64,
    },
    /// Each feature's standard deviation over the page's blocks, times this factor (lambda).
    LambdaSigma(f64),
}

/// How the comparisons of the three features are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Step 4 as printed: TTR is above its threshold, ATTR is below its threshold, and TKD reaches its
    /// threshold.
    AsPrinted,
    /// The text of step 3: ATTR is below its threshold, and either TTR is above its threshold or TKD reaches
    /// its threshold. Words of the title compensate for too little text per tag.
    Remedy,
}

impl LineBlockParams {
    /// Returns settings with constant thresholds and step 4 as printed: a block must meet all three
    /// thresholds.
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
    /// The paper's thresholds: 30, 0.2 and 2. The documentation of the [method](super) explains the other
    /// settings.
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
