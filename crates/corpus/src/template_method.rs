//! Defines the methods for learning and applying a host's template.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The method for learning and applying a host's template.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TemplateMethod {
    /// The block model. Its result for a line is combined with its results for the lines at the same DOM path
    /// on the host's other pages.
    #[default]
    Gleaner,
    /// FastContentExtractor as published (Nguyen et al., KSE 2009).
    FastContentExtractor,
    /// ContentExtractor as published (Debnath et al. 2005, as Nguyen et al. describe it).
    ContentExtractor,
}

impl TemplateMethod {
    /// Returns the name in settings and records, such as `fast-content-extractor`.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Gleaner => "gleaner",
            Self::FastContentExtractor => "fast-content-extractor",
            Self::ContentExtractor => "content-extractor",
        }
    }
}

impl fmt::Display for TemplateMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
