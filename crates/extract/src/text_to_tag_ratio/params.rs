//! What may be set for the text-to-tag ratio.

use crate::source_lines::Lines;

/// The way in which lines are told apart (section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Clustering {
    /// Section 4.3: the smoothed array against its standard deviation.
    #[default]
    Threshold,
    /// The second section 4.3: jumps in the array that is not smoothed.
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

/// Settings of [`extract`](super::extract); the default is the paper's but for
/// [`lines`](Params::lines): the paper has [`Lines::AsWritten`], which gives little on a source
/// with few line breaks, and says nothing of those.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// How lines are told apart; the paper's winner is [`Clustering::Threshold`].
    pub clustering: Clustering,
    /// Equation 1: lines on each side of a line that its smoothed ratio takes in.
    /// 0 smooths nothing.
    pub radius: usize,
    /// The threshold in standard deviations, 0 or more: what a line's ratio
    /// (threshold), a jump (prediction) or a cluster's mean must reach. Figure 5
    /// varies it from 0 to 2 for the threshold.
    pub deviations: f64,
    /// Where lines end; as written in the paper, [`Lines::Auto`] by default.
    pub lines: Lines,
}

impl Params {
    /// The default, with this way to tell lines apart.
    #[must_use]
    pub fn with(clustering: Clustering) -> Self {
        Self { clustering, ..Self::default() }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self { clustering: Clustering::default(), radius: 2, deviations: 1.0, lines: Lines::default() }
    }
}
