//! What may be set for Body Text Extraction.

/// Settings of [`extract`](super::extract); the default is the paper's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Params {
    /// Step 0: elements that are removed with all they contain, as lower-case
    /// names. What is outside `body`, hidden, or never text
    /// ([`never_text`](gleaner_html::text::never_text)) is removed anyway.
    pub removed: Vec<String>,
}

impl Default for Params {
    /// The tags that section 3 names. Its "..." is what no browser shows as text.
    fn default() -> Self {
        let named = ["input", "script", "img", "marquee", "iframe", "select", "option"];
        Self { removed: named.map(String::from).into() }
    }
}
