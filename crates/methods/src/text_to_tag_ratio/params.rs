//! Settings of the text-to-tag ratio.

use crate::source_lines::Lines;

/// How content lines are selected (section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Clustering {
    /// Section 4.3: the smoothed array compared with its standard deviation.
    #[default]
    Threshold,
    /// The second section 4.3: jumps in the unsmoothed array.
    Prediction,
    /// Section 4.2: k-means.
    KMeans,
    /// Section 4.2: expectation maximization.
    ExpectationMaximization,
    /// Section 4.2: farthest first.
    FarthestFirst,
}

impl Clustering {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::Threshold, Self::Prediction, Self::KMeans, Self::ExpectationMaximization, Self::FarthestFirst];
}

/// Settings of [`extract`](super::extract). The default is the paper's except for [`lines`](TextToTagRatioParams::lines):
/// the paper has [`Lines::AsWritten`], which finds little in a source with few line breaks, a case that the
/// paper does not discuss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextToTagRatioParams {
    /// How content lines are selected; the paper's best way is [`Clustering::Threshold`].
    pub clustering: Clustering,
    /// Equation 1: lines on each side that a smoothed ratio includes. 0 turns smoothing off.
    pub radius: usize,
    /// The threshold in standard deviations, 0 or more, that a line's ratio (threshold), a jump (prediction)
    /// or a cluster's mean must reach. Figure 5 varies it from 0 to 2 for the threshold.
    pub deviations: f64,
    /// Where lines end; as written in the paper, [`Lines::Auto`] by default.
    pub lines: Lines,
}

impl TextToTagRatioParams {
    /// The default settings with this way of selection.
    #[must_use]
    pub fn with(clustering: Clustering) -> Self {
        Self { clustering, ..Self::default() }
    }
}

impl Default for TextToTagRatioParams {
    fn default() -> Self {
        Self { clustering: Clustering::default(), radius: 2, deviations: 1.0, lines: Lines::default() }
    }
}
