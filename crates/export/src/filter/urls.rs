//! Excludes documents by patterns of their URLs.

use regex::RegexSet;

/// Regular expressions that may match anywhere in a URL, as in the setting `exclude` of a site. The default matches
/// nothing.
#[derive(Debug, Clone)]
pub struct UrlPatterns(RegexSet);

impl UrlPatterns {
    /// Compiles the patterns.
    ///
    /// # Errors
    /// A pattern is not a regular expression. The error is a message on one line that quotes the pattern.
    pub fn new(patterns: &[String]) -> Result<Self, String> {
        RegexSet::new(patterns).map(Self).map_err(|error| {
            let error = error.to_string();
            let reason = error.trim().lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("{}: {reason}", patterns.join(" "))
        })
    }

    pub(super) fn is_match(&self, url: &str) -> bool {
        self.0.is_match(url)
    }
}

impl Default for UrlPatterns {
    fn default() -> Self {
        Self(RegexSet::empty())
    }
}
