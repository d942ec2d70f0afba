//! Defines the single-page methods, and their names on the command line and in tables.

use std::fmt;

use gleaner_html::Page;
use gleaner_html::text::Line;

use crate::text_to_tag_ratio::Clustering;
use crate::{bte, comma_score, line_block, text_to_tag_ratio};

/// A page in both forms: source and parsed.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The decoded source. Some methods read its lines and tags.
    pub source: &'a str,
    /// The page parsed from the source.
    pub page: &'a Page,
}

/// A single-page method with the parameters of its paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SinglePage {
    /// [`bte::original`], which uses the uncleaned source.
    BteOriginal,
    /// [`bte::improved`].
    BteImproved,
    /// [`bte::linear`].
    BteLinear,
    /// [`text_to_tag_ratio`] with a threshold.
    TtrThreshold,
    /// [`text_to_tag_ratio`] with prediction.
    TtrPrediction,
    /// [`text_to_tag_ratio`] with k-means.
    TtrKMeans,
    /// [`text_to_tag_ratio`] with expectation maximization.
    TtrExpectationMaximization,
    /// [`text_to_tag_ratio`] with farthest first.
    TtrFarthestFirst,
    /// [`line_block`] with constant thresholds.
    LineBlock,
    /// [`line_block`] with constant thresholds and step 4 as printed ([`line_block::Rule::AsPrinted`]).
    LineBlockAsPrinted,
    /// [`line_block`] with thresholds of one standard deviation.
    LineBlockLambdaSigma,
    /// [`comma_score`].
    CommaScore,
    /// [`comma_score::punctuation`].
    PunctuationScore,
}

impl SinglePage {
    /// All methods.
    pub const ALL: [Self; 13] = [
        Self::BteOriginal,
        Self::BteImproved,
        Self::BteLinear,
        Self::TtrThreshold,
        Self::TtrPrediction,
        Self::TtrKMeans,
        Self::TtrExpectationMaximization,
        Self::TtrFarthestFirst,
        Self::LineBlock,
        Self::LineBlockAsPrinted,
        Self::LineBlockLambdaSigma,
        Self::CommaScore,
        Self::PunctuationScore,
    ];

    /// Returns the method's name on the command line and in tables, such as `bte-linear`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BteOriginal => "bte-original",
            Self::BteImproved => "bte-improved",
            Self::BteLinear => "bte-linear",
            Self::TtrThreshold => "ttr-threshold",
            Self::TtrPrediction => "ttr-prediction",
            Self::TtrKMeans => "ttr-k-means",
            Self::TtrExpectationMaximization => "ttr-expectation-maximization",
            Self::TtrFarthestFirst => "ttr-farthest-first",
            Self::LineBlock => "line-block",
            Self::LineBlockAsPrinted => "line-block-as-printed",
            Self::LineBlockLambdaSigma => "line-block-lambda-sigma",
            Self::CommaScore => "comma-score",
            Self::PunctuationScore => "punctuation-score",
        }
    }

    /// Returns the method with this name, or `None` if the name is unknown.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// Returns the text of the page, or no lines if the method finds none.
    #[must_use]
    pub fn extract(self, input: Input<'_>) -> Vec<Line> {
        let by_ratio = |clustering| {
            text_to_tag_ratio::extract(
                input.source,
                &text_to_tag_ratio::TextToTagRatioParams::with(clustering),
            )
        };
        let by_block = |params| line_block::extract(input.source, &params);
        match self {
            Self::BteOriginal => bte::original::extract(input.source, &bte::BteParams::default()),
            Self::BteImproved => bte::improved::extract(input.page, &bte::BteParams::default()),
            Self::BteLinear => bte::linear::extract(input.page, &bte::BteParams::default()),
            Self::TtrThreshold => by_ratio(Clustering::Threshold),
            Self::TtrPrediction => by_ratio(Clustering::Prediction),
            Self::TtrKMeans => by_ratio(Clustering::KMeans),
            Self::TtrExpectationMaximization => by_ratio(Clustering::ExpectationMaximization),
            Self::TtrFarthestFirst => by_ratio(Clustering::FarthestFirst),
            Self::LineBlock => by_block(line_block::LineBlockParams::default()),
            Self::LineBlockAsPrinted => by_block(line_block::LineBlockParams::as_printed()),
            Self::LineBlockLambdaSigma => by_block(line_block::LineBlockParams::lambda_sigma(1.0)),
            Self::CommaScore => comma_score::extract(input.page, &comma_score::CommaScoreParams::default()),
            Self::PunctuationScore => comma_score::punctuation::extract(
                input.page,
                &comma_score::punctuation::PunctuationScoreParams::default(),
            ),
        }
    }
}

impl fmt::Display for SinglePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_methods() {
        for method in SinglePage::ALL {
            assert_eq!(SinglePage::from_name(method.name()), Some(method));
        }
        assert_eq!(SinglePage::from_name("BTE"), None);
    }

    #[test]
    fn line_block_as_printed_asks_for_words_of_the_title() {
        let text = "Many words of a text that is long enough to stand above thirty a tag.";
        let source =
            format!("<title>The old bridge</title><p>{text}</p><hr><p>Of the old bridge: {text}</p>");
        let page = Page::parse(&source);
        let lines = |name| {
            let method = SinglePage::from_name(name).expect("the name of a method");
            method.extract(Input { source: &source, page: &page }).len()
        };
        assert_eq!((lines("line-block"), lines("line-block-as-printed")), (2, 1));
    }
}
