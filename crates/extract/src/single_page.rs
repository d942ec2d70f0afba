//! The methods that need one page and nothing else, by the names under which the
//! command line and the tables know them.

use std::fmt;

use gleaner_html::Page;
use gleaner_html::text::Line;

use crate::{bte, comma_score};

/// One page, in both forms that methods read.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    /// The decoded source, for methods that read lines and tags as written.
    pub source: &'a str,
    /// The same, parsed.
    pub page: &'a Page,
}

/// A method that needs one page, with its paper's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SinglePage {
    /// [`bte::original`], of the source as written.
    BteOriginal,
    /// [`bte::improved`].
    BteImproved,
    /// [`bte::linear`].
    BteLinear,
    /// [`comma_score`].
    CommaScore,
    /// [`comma_score::punctuation`].
    PunctuationScore,
}

impl SinglePage {
    /// All of them, in the order of the papers.
    pub const ALL: [Self; 5] =
        [Self::BteOriginal, Self::BteImproved, Self::BteLinear, Self::CommaScore, Self::PunctuationScore];

    /// The name that is typed and printed, such as `bte-linear`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BteOriginal => "bte-original",
            Self::BteImproved => "bte-improved",
            Self::BteLinear => "bte-linear",
            Self::CommaScore => "comma-score",
            Self::PunctuationScore => "punctuation-score",
        }
    }

    /// The method of this name, or `None`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The page's text by this method; no line where it finds none.
    #[must_use]
    pub fn extract(self, input: Input<'_>) -> Vec<Line> {
        match self {
            Self::BteOriginal => bte::original::extract(input.source, &bte::Params::default()),
            Self::BteImproved => bte::improved::extract(input.page, &bte::Params::default()),
            Self::BteLinear => bte::linear::extract(input.page, &bte::Params::default()),
            Self::CommaScore => comma_score::extract(input.page, &comma_score::Params::default()),
            Self::PunctuationScore => {
                comma_score::punctuation::extract(input.page, &comma_score::punctuation::Params::default())
            }
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
            assert_eq!(SinglePage::named(method.name()), Some(method));
        }
        assert_eq!(SinglePage::named("BTE"), None);
    }
}
