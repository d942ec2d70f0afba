//! Defines the settings of the text-to-tag ratio.

use crate::methods::source_lines::LineEnds;

/// How content lines are selected (section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Clustering {
    /// Section 4.3: compares the smoothed ratios with their standard deviation.
    #[default]
    Threshold,
    /// The second of the two sections numbered 4.3: finds jumps in the unsmoothed ratios.
    Prediction,
    /// Section 4.2: k-means.
    KMeans,
    /// Section 4.2: expectation maximization.
    ExpectationMaximization,
    /// Section 4.2: farthest first.
    FarthestFirst,
}

impl Clustering {
    /// All five ways to select content lines.
    pub const ALL: [Self; 5] =
        [Self::Threshold, Self::Prediction, Self::KMeans, Self::ExpectationMaximization, Self::FarthestFirst];
}

/// Settings of [`extract`](super::extract). The default values are from the paper, except for
/// [`lines`](TextToTagRatioParams::lines). The paper uses [`LineEnds::AsWritten`], which finds little text in
/// a source with few line breaks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextToTagRatioParams {
    /// How content lines are selected. In the paper, [`Clustering::Threshold`] has the best results.
    pub clustering: Clustering,
    /// Equation 1: the number of lines in the smoothing window on each side of a line. 0 means no smoothing.
    pub radius: usize,
    /// The threshold in standard deviations, at least 0. The ratio of a line (threshold) or the size of a
    /// jump (prediction) must reach it. The mean of a cluster must exceed it. Figure 5 of the paper varies it
    /// from 0 to 2 for [`Clustering::Threshold`].
    pub deviations: f64,
    /// The positions at which lines end: [`LineEnds::Auto`] by default, [`LineEnds::AsWritten`] in the paper.
    pub lines: LineEnds,
}

impl TextToTagRatioParams {
    /// Returns the default settings with this `clustering`.
    #[must_use]
    pub fn with(clustering: Clustering) -> Self {
        Self { clustering, ..Self::default() }
    }
}

impl Default for TextToTagRatioParams {
    fn default() -> Self {
        Self { clustering: Clustering::default(), radius: 2, deviations: 1.0, lines: LineEnds::default() }
    }
}
