//! Measures the share of words that two texts have in common, independently of duplicate detection.
//!
//! The shared words are the longest common subsequence of words. It is computed once for the whole texts and
//! once paragraph by paragraph, and the greater number counts. Paragraph by paragraph means: each paragraph
//! of one text is matched with the paragraph of the other text that has no match yet and shares the most
//! words with it. A match counts only if the shared words are at least half of the longer paragraph.
//! Therefore the words of a moved paragraph count as shared. [`SharedWords::share`] is relative to the longer
//! text, and [`SharedWords::contained`] to the shorter text.
//!
//! Limitation: by chance, two texts of a language share a third of their words in the same order, so a share
//! of 0.3 has no meaning. A rewritten text with a share of 0.5 may be the same story.

use crate::measure::subsequence::length;
use crate::measure::words::{normal, words};

/// The number of words that two texts share, and the number of words of each text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedWords {
    /// The number of shared words.
    pub words: usize,
    /// The number of words in each text.
    pub of: (usize, usize),
}

impl SharedWords {
    /// Compares two texts with one paragraph per line.
    #[must_use]
    pub fn new(one: &str, other: &str) -> Self {
        let (one, other) = (normal(one), normal(other));
        let (a, b) = (paragraphs(&one), paragraphs(&other));
        let whole = length(&a.concat(), &b.concat());
        let of = (a.iter().map(Vec::len).sum(), b.iter().map(Vec::len).sum());
        Self { words: whole.max(by_paragraph(&a, &b)), of }
    }

    /// Returns the shared part of the longer text's words, from 0 to 1. Returns 1 if both texts have no words.
    #[must_use]
    pub fn share(self) -> f64 {
        part(self.words, self.of.0.max(self.of.1))
    }

    /// Returns the shared part of the shorter text's words, from 0 to 1. Returns 1 if the shorter text has no
    /// words.
    #[must_use]
    pub fn contained(self) -> f64 {
        part(self.words, self.of.0.min(self.of.1))
    }
}

fn part(words: usize, of: usize) -> f64 {
    if of == 0 { 1.0 } else { words as f64 / of as f64 }
}

fn paragraphs(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| words(line).collect()).filter(|line: &Vec<_>| !line.is_empty()).collect()
}

fn by_paragraph(one: &[Vec<&str>], other: &[Vec<&str>]) -> usize {
    let mut free = vec![true; other.len()];
    let mut shared = 0;
    for paragraph in one {
        let fitting = other.iter().enumerate().filter(|(at, _)| free[*at]);
        let lengths = fitting.map(|(at, of)| (length(paragraph, of), at));
        let best = lengths.max_by_key(|(length, at)| (*length, std::cmp::Reverse(*at)));
        if let Some((length, at)) = best
            && 2 * length >= paragraph.len().max(other[at].len())
        {
            free[at] = false;
            shared += length;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_moved_is_shared_and_what_was_changed_is_not() {
        let text = "one two three four\nfive six seven eight\nnine ten";
        let cases = [
            (text, 10, 1.0),
            ("nine ten\nfive six seven eight\none two three four", 10, 1.0),
            ("One two, THREE four\nfive six seven eight", 8, 1.0),
            ("one two three four\nfive six seven eight\nnine ten\neleven twelve", 10, 1.0),
            ("one x three four\nfive x seven eight\nnine x", 7, 0.7),
            ("", 0, 1.0),
            ("alpha beta", 0, 0.0),
        ];
        for (other, words, contained) in cases {
            let shared = SharedWords::new(text, other);
            assert_eq!(shared.words, words, "{other}");
            assert!((shared.contained() - contained).abs() < 1e-12, "{other}");
            assert_eq!(shared, {
                let back = SharedWords::new(other, text);
                SharedWords { of: (back.of.1, back.of.0), ..back }
            });
        }
        assert!((SharedWords::new(text, "one two three four").share() - 0.4).abs() < 1e-12);
    }
}
