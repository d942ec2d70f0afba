//! Defines the settings of Body Text Extraction.

/// Settings of the three methods. The default contains the values of the papers, and limits for the slow
/// searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BteParams {
    /// The names, in lower case, of the elements that step 0 of the improved and the linear method removes
    /// with their content. Everything outside `body`, hidden elements and elements that never contain text
    /// ([`never_text`](gleaner_html::text::never_text)) are always removed.
    pub removed: Vec<String>,
    /// Maximum number of tokens for the original method's cubic search. 4,000 tokens take 1 s. Pages with
    /// more tokens are searched in linear time, with the same result.
    pub max_tokens: usize,
    /// Maximum number of runs for the improved method's quadratic search. 50,000 runs take 0.5 s. Pages with
    /// more runs are searched in linear time, with the same result. The longest of 1,207 recorded news pages
    /// has 3,861 runs.
    pub max_runs: usize,
}

impl Default for BteParams {
    /// Returns settings with the removed tags that section 3 of the paper names. We read its "..." as the
    /// elements that browsers do not show.
    fn default() -> Self {
        let named = ["input", "script", "img", "marquee", "iframe", "select", "option"];
        Self { removed: named.map(String::from).into(), max_tokens: 4_000, max_runs: 50_000 }
    }
}
