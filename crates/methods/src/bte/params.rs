//! Settings of Body Text Extraction.

/// Settings of the three methods. The default has the papers' values, and limits on the searches, which the
/// papers do not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BteParams {
    /// Step 0 of the improved and the linear method: the names of elements that are removed with their
    /// content, in lower case. Everything outside `body`, hidden elements and elements that are never text
    /// ([`never_text`](gleaner_html::text::never_text)) are always removed.
    pub removed: Vec<String>,
    /// The most tokens of a page for the original method's cubic search. A longer page is searched in linear
    /// time, with the same result. 4,000 tokens take 1 s.
    pub max_tokens: usize,
    /// The most runs of a page for the improved method's quadratic search. A longer page is searched in
    /// linear time, with the same result. 50,000 runs take 0.5 s. The longest of 1,207 recorded news pages
    /// has 3,861 runs.
    pub max_runs: usize,
}

impl Default for BteParams {
    /// The tags that section 3 names. We take its "..." to mean the elements that browsers do not show as
    /// text.
    fn default() -> Self {
        let named = ["input", "script", "img", "marquee", "iframe", "select", "option"];
        Self { removed: named.map(String::from).into(), max_tokens: 4_000, max_runs: 50_000 }
    }
}
