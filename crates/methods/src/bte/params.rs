//! Settings of Body Text Extraction.

/// Settings of the three methods. The default is the papers' values, with limits on the searches, which the
/// papers do not name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BteParams {
    /// Step 0 of the improved and the linear method: elements that are removed with their content, as
    /// lower-case names. Everything outside `body`, hidden, or never text
    /// ([`never_text`](gleaner_html::text::never_text)) is removed anyway.
    pub removed: Vec<String>,
    /// The original's cubic search is used for pages of up to this many tokens; a longer page is searched in
    /// linear time, with the same result. 4,000 tokens take 1 s.
    pub max_tokens: usize,
    /// The improved method's quadratic search is used for pages of up to this many runs; a longer page is
    /// searched in linear time, with the same result. 50,000 runs take 0.5 s; of 1,207 recorded news pages
    /// the longest has 3,861.
    pub max_runs: usize,
}

impl Default for BteParams {
    /// The tags that section 3 names. Its "..." is read as the elements that no browser shows as text.
    fn default() -> Self {
        let named = ["input", "script", "img", "marquee", "iframe", "select", "option"];
        Self { removed: named.map(String::from).into(), max_tokens: 4_000, max_runs: 50_000 }
    }
}
