//! Searches a text for many phrases in one pass.

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// A set of phrases.
#[derive(Debug, Clone)]
pub(super) struct Phrases(AhoCorasick);

impl Phrases {
    /// Prepares the search for some hundreds of short phrases.
    ///
    /// # Panics
    /// If there are too many phrases for the automaton, or if they are too long.
    pub(super) fn new<'a>(phrases: impl IntoIterator<Item = &'a str>) -> Self {
        let mut builder = AhoCorasick::builder();
        // Most texts are so short that a prefilter costs more than it saves.
        let automaton = builder.kind(Some(AhoCorasickKind::DFA)).prefilter(false).build(phrases);
        Self(automaton.expect("some hundreds of short phrases are within the automaton's limits"))
    }

    /// Whether a text contains one of the phrases. The search is case-sensitive.
    pub(super) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_contains_a_phrase() {
        let phrases = Phrases::new(["log in to", "đăng nhập"]);
        for (text, expected) in
            [("please log in to read", true), ("vui lòng đăng nhập", true), ("log in", false)]
        {
            assert_eq!(phrases.is_in(text), expected, "{text}");
        }
        assert!(!Phrases::new([]).is_in("a text"));
    }
}
