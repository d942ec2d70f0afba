//! Settings of Line-Block.

use crate::source_lines::Lines;

/// Settings of [`extract`](super::extract); the default has the paper's thresholds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineBlockParams {
    /// The greatest distance, in lines, of two neighbouring lines with text in one block: 1 if no line may be
    /// between them; 0 makes each line a block.
    pub distance: usize,
    /// The thresholds of the features.
    pub thresholds: Thresholds,
    /// How the three comparisons are combined.
    pub rule: Rule,
    /// Where lines end.
    pub lines: Lines,
    /// Whether a complete link (`<a href=...>` up to its `</a>`) counts as on one line, whatever breaks are
    /// in it, as section IV.A defines a line.
    pub whole_links: bool,
}

/// The thresholds that the features of a block are compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Thresholds {
    /// The same for every page.
    Constant {
        /// TTR, in characters per tag: content is above.
        text_to_tag: f64,
        /// ATTR, a share from 0 to 1: content is below.
        anchor_text: f64,
        /// TKD, in words: content has at least as many.
        title_keywords: f64,
    },
    /// Each feature's standard deviation over the page's blocks, times this (lambda).
    LambdaSigma(f64),
}

/// How a block's three features decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Step 4 as printed: TTR above its threshold, ATTR below, and TKD reached.
    AsPrinted,
    /// Step 3's text: a block with too little text per tag is added if it has the title's keywords. TTR above
    /// its threshold or TKD reached; and ATTR below.
    Remedy,
}

impl LineBlockParams {
    /// Constant thresholds, and step 4 as printed: a block must meet all three.
    #[must_use]
    pub fn as_printed() -> Self {
        Self { rule: Rule::AsPrinted, ..Self::default() }
    }

    /// Thresholds of `lambda` standard deviations (section IV.B).
    #[must_use]
    pub fn lambda_sigma(lambda: f64) -> Self {
        Self { thresholds: Thresholds::LambdaSigma(lambda), ..Self::default() }
    }
}

impl Default for LineBlockParams {
    /// The paper's thresholds: 30, 0.2 and 2. The documentation of the [method](super) explains the rest.
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
