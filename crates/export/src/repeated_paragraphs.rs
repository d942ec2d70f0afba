//! Removes paragraphs that the corpus repeats.
//!
//! The first pass counts the paragraphs of all representatives ([`RepeatedParagraphs::count`]). It skips
//! other documents, because the near-duplicates of an article would make its paragraphs look repeated. The
//! second pass removes repeated paragraphs from each text, and returns their hashes
//! ([`RepeatedParagraphs::remove_from`]). [`gleaner_corpus::dedup::paragraphs`] defines when a paragraph
//! counts as repeated.
//!
//! Limitation: the counts need up to 200 KB of memory for each host, and the counts of all hosts are in
//! memory at the same time.

use gleaner_corpus::Document;
use gleaner_corpus::dedup::paragraphs::{ParagraphParams, Paragraphs, without};

/// Counts paragraphs, and removes repeated paragraphs.
#[derive(Debug, Clone)]
pub struct RepeatedParagraphs {
    paragraphs: Paragraphs,
}

impl Default for RepeatedParagraphs {
    fn default() -> Self {
        Self { paragraphs: Paragraphs::new(ParagraphParams::default()) }
    }
}

impl RepeatedParagraphs {
    /// Counts the paragraphs of a document. The document must be the representative of its cluster.
    pub fn count(&mut self, document: &Document) {
        self.paragraphs.count(&document.host, &document.text);
    }

    /// Removes the repeated paragraphs from the document's text and `kinds`. Returns the hash of each removed
    /// paragraph, in the order of the text, as 16 hexadecimal digits.
    #[must_use]
    pub fn remove_from(&self, document: &mut Document) -> Vec<String> {
        let repeated = self.paragraphs.repeated(&document.host, &document.text);
        if repeated.is_empty() {
            return Vec::new();
        }
        document.text = without(&document.text, &repeated);
        let is_kept = |(line, _): &(usize, char)| !repeated.iter().any(|of| of.line == *line);
        document.kinds =
            document.kinds.chars().enumerate().filter(is_kept).map(|(_, letter)| letter).collect();
        repeated.iter().map(|of| format!("{:016x}", of.key)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::documents;

    #[test]
    fn a_text_loses_what_its_site_repeats_and_says_so() {
        let follow = "Follow us on every network that there is.";
        let document = |number: u32| {
            let text = format!("Story number {number} is about rain.\n{follow}\nThe end of story {number}.");
            Document { text, kinds: "pih".into(), ..documents().remove(0) }
        };
        let mut repeats = RepeatedParagraphs::default();
        (0..20).for_each(|number| repeats.count(&document(number)));
        let mut stripped = document(3);
        let removed = repeats.remove_from(&mut stripped);
        assert_eq!(stripped.text, "Story number 3 is about rain.\nThe end of story 3.");
        assert_eq!((stripped.kinds.as_str(), removed.len(), removed[0].len()), ("ph", 1, 16));
        let mut other = documents().remove(0);
        assert!(repeats.remove_from(&mut other).is_empty());
        assert_eq!(other, documents().remove(0));
    }
}
