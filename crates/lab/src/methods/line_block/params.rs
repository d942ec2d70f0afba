//! Defines the settings of Line-Block.

use crate::methods::source_lines::LineEnds;

/// Settings of [`extract`](super::extract). The default contains the paper's thresholds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineBlockParams {
    /// Two lines with text belong to one block if their distance is at most this number of lines. 1 joins
    /// only adjacent lines. 0 makes each line a block.
    pub distance: usize,
    /// The thresholds of the features.
    pub thresholds: Thresholds,
    /// How the three comparisons are combined.
    pub rule: Rule,
    /// The positions at which lines end.
    pub lines: LineEnds,
    /// Whether a complete link (`<a href=...>` to `</a>`) stays on one line even if it contains breaks.
    /// Section IV.A defines lines this way.
    pub whole_links: bool,
}

/// The thresholds for the features of a block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Thresholds {
    /// The same thresholds for every page.
    Constant {
        /// TTR, in characters per tag. A content block has a value above this.
        text_to_tag: f64,
        /// ATTR, a share from 0 to 1. A content block has a value below this.
        anchor_text: f64,
        /// TKD, in words. A content block has at least this value.
        title_keywords: f64,
    },
    /// The factor lambda. Each threshold is lambda times the standard deviation of the feature over the
    /// page's blocks.
    LambdaSigma(f64),
}

/// How the comparisons of the three features are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Step 4 as printed. TTR must be above its threshold, ATTR below, and TKD at least at its threshold.
    AsPrinted,
    /// As the text of step 3 describes. ATTR must be below its threshold. In addition, TTR must be above its
    /// threshold, or TKD at least at its threshold. So title words compensate for little text per tag.
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
    /// Returns the paper's thresholds: 30, 0.2 and 2. The [module](super) explains the other settings.
    fn default() -> Self {
        Self {
            distance: 1,
            thresholds: Thresholds::Constant { text_to_tag: 30.0, anchor_text: 0.2, title_keywords: 2.0 },
            rule: Rule::Remedy,
            lines: LineEnds::AtBlocks,
            whole_links: true,
        }
    }
}
