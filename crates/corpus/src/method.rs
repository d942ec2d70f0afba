//! Defines the methods that extract the text of a page.

use std::fmt;

/// A method that extracts the text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// Body Text Extraction as in its paper, on the source of the page (Finn et al. 2001).
    BteOriginal,
    /// Body Text Extraction on the parsed page (Phan and Ha 2013).
    BteImproved,
    /// The same in linear time.
    BteLinear,
    /// Text-to-tag ratio (Weninger and Hsu 2008) with a threshold.
    TtrThreshold,
    /// Text-to-tag ratio with prediction.
    TtrPrediction,
    /// Text-to-tag ratio with k-means.
    TtrKMeans,
    /// Text-to-tag ratio with expectation maximization.
    TtrExpectationMaximization,
    /// Text-to-tag ratio with farthest first.
    TtrFarthestFirst,
    /// Line-Block (Pan Ei San and Nilar Aye) with constant thresholds.
    LineBlock,
    /// Line-Block with constant thresholds and step 4 as printed.
    LineBlockAsPrinted,
    /// Line-Block with thresholds of one standard deviation.
    LineBlockLambdaSigma,
    /// Comma score (Posch).
    CommaScore,
    /// The older punctuation score.
    PunctuationScore,
    /// gleaner's block model alone, because there is no template or the template does not know the page.
    BlockModel,
    /// ContentExtractor as published (Debnath et al. 2005, as Nguyen et al. describe it).
    ContentExtractor,
    /// FastContentExtractor as published (Nguyen et al., KSE 2009).
    FastContentExtractor,
    /// gleaner's method: the site's template, and the block model for the lines that the template leaves in doubt.
    Template,
    /// The part of gleaner's method that needs no model: the site's template alone.
    Detection,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 18] = [
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
        Self::BlockModel,
        Self::ContentExtractor,
        Self::FastContentExtractor,
        Self::Template,
        Self::Detection,
    ];

    /// Returns the name in records, such as `block-model`.
    #[must_use]
    pub const fn name(self) -> &'static str {
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
            Self::BlockModel => "block-model",
            Self::ContentExtractor => "content-extractor",
            Self::FastContentExtractor => "fast-content-extractor",
            Self::Template => "template",
            Self::Detection => "detection",
        }
    }

    /// Returns the name that users see, in settings, on the command line and in tables: `gleaner` for
    /// [`Self::Template`], and the [`name`](Self::name) of any other method.
    #[must_use]
    pub const fn setting(self) -> &'static str {
        match self {
            Self::Template => "gleaner",
            other => other.name(),
        }
    }

    /// Returns the methods that a user can choose. A page decides itself whether [`Self::Detection`] suffices.
    pub fn choices() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|method| *method != Self::Detection)
    }

    /// Returns the method that a user can choose by this name ([`setting`](Self::setting)).
    ///
    /// ```
    /// use gleaner_corpus::Method;
    ///
    /// assert_eq!(Method::from_setting("gleaner"), Some(Method::Template));
    /// assert_eq!(Method::from_setting("nonsense"), None);
    /// ```
    #[must_use]
    pub fn from_setting(name: &str) -> Option<Self> {
        Self::choices().find(|method| method.setting() == name)
    }

    /// Whether the method is used as published in its paper.
    #[must_use]
    pub const fn is_published(self) -> bool {
        !matches!(self, Self::BlockModel | Self::Template | Self::Detection)
    }

    /// Whether the method uses other pages of the site if there are any.
    #[must_use]
    pub const fn uses_site(self) -> bool {
        self.needs_site() || matches!(self, Self::Template | Self::Detection)
    }

    /// Whether the method needs other pages of the site. Without them, it extracts nothing.
    #[must_use]
    pub const fn needs_site(self) -> bool {
        matches!(self, Self::ContentExtractor | Self::FastContentExtractor)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.setting())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_lead_back_to_methods() {
        for method in Method::choices() {
            assert_eq!(Method::from_setting(method.setting()), Some(method));
        }
        assert_eq!(Method::from_setting("template"), None);
    }

    #[test]
    fn all_methods_are_listed_once_and_in_order() {
        assert!(Method::ALL.is_sorted_by(|one, next| one < next));
        assert_eq!(Method::ALL.len(), Method::Detection as usize + 1);
    }
}
