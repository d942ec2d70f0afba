//! Computes table 1 of the improved paper: the share of a page's text and tags in its main content.
//!
//! The authors of the paper marked main content by hand. Here, main content is a range of the page: the range
//! in which the number of gold word pairs minus the number of other word pairs is largest. Two adjacent words
//! are a gold pair if they are also adjacent in the gold text. Single words are not used, because common
//! words such as "the" occur everywhere. The source is not cleaned ([`super::original`]). Text is counted in
//! characters, without white space and scripts.
//!
//! Limitation: the main content is one range, so boxes inside the article count. If a longer part of the page
//! repeats the gold text, such as a summary in a list of links, the range may be at the wrong position.

use std::collections::HashSet;

use gleaner_html::source::{PieceKind, pieces, resolve};
use gleaner_html::text::tidy;

use super::linear;
use gleaner_html::words::words;

/// The counts of [`shares`] for one page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shares {
    /// Number of characters in the main content, without white space.
    pub main_characters: u64,
    /// Number of characters on the whole page, without white space.
    pub characters: u64,
    /// Number of tags between the first and the last text of the main content.
    pub main_tags: u64,
    /// Number of tags on the whole page.
    pub tags: u64,
}

impl Shares {
    /// Returns the share of text in the main content ("Texts main content / total texts of the page"), from 0
    /// to 1. Returns 0 for a page without text.
    #[must_use]
    pub fn of_text(&self) -> f64 {
        self.main_characters as f64 / self.characters.max(1) as f64
    }

    /// Returns the share of tags in the main content ("Tags in main content / total number of tags of the
    /// page"), from 0 to 1. Returns 0 for a page without tags.
    #[must_use]
    pub fn of_tags(&self) -> f64 {
        self.main_tags as f64 / self.tags.max(1) as f64
    }

    fn add(&mut self, unit: Unit, main: bool) {
        let main = u64::from(main);
        match unit {
            Unit::Tag => {
                self.tags += 1;
                self.main_tags += main;
            }
            Unit::Text(characters) => {
                self.characters += characters;
                self.main_characters += main * characters;
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Unit {
    Tag,
    Text(u64),
}

/// Counts the text and tags of a page, in total and in its main content. `gold` is the text of the main
/// content. If no word pair of the gold text is on the page, the counts of the main content are 0. The time
/// is linear in the page and the gold text.
#[must_use]
pub fn shares(source: &str, gold: &str) -> Shares {
    let pairs = Pairs::from_text(gold);
    let mut units = Vec::new();
    let mut values = Vec::new();
    for piece in pieces(source) {
        match piece.kind {
            PieceKind::Text => {
                let text = tidy(&resolve(&source[piece.range]));
                let characters = text.chars().filter(|c| !c.is_whitespace()).count();
                units.push(Unit::Text(characters as u64));
                values.push(pairs.value(&text));
            }
            PieceKind::Raw => {}
            PieceKind::Start { .. } | PieceKind::End { .. } | PieceKind::Remark => {
                units.push(Unit::Tag);
                values.push(0);
            }
        }
    }
    let main = linear::best_range(&values).map(|(i, j)| begin(&values, i)..=j);
    let mut shares = Shares::default();
    for (at, unit) in units.into_iter().enumerate() {
        shares.add(unit, main.as_ref().is_some_and(|main| main.contains(&at)));
    }
    shares
}

/// Returns the first index from `i` on whose value is not 0. Tags have the value 0.
fn begin(values: &[i64], i: usize) -> usize {
    (i..values.len()).find(|at| values[*at] != 0).unwrap_or(i)
}

struct Pairs(HashSet<(String, String)>);

impl Pairs {
    fn from_text(text: &str) -> Self {
        Self(pairs(&tidy(text)).collect())
    }

    /// Returns the number of word pairs of a text that are not in the set, minus the number of word pairs
    /// that are in the set.
    fn value(&self, text: &str) -> i64 {
        pairs(text).map(|pair| if self.0.contains(&pair) { -1 } else { 1 }).sum()
    }
}

fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    let mut lower = words(text).map(str::to_lowercase);
    let mut before = lower.next();
    lower.filter_map(move |word| before.replace(word.clone()).map(|before| (before, word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn main_content_is_counted() {
        let source = "<ul><li>The menu<li>Read more</ul><script>the council met</script>\
            <p>The council <b>met &amp; voted</b></p><p>AD HERE</p><p>on Monday morning.</p><ul><li>Rain <br>is on Monday</ul>";
        let shares = shares(source, "The council met & voted\nOn Monday morning.");
        // The text in the range, then the lengths of the other texts.
        assert_eq!((shares.main_characters, shares.characters), (10 + 9 + 6 + 16, 41 + 7 + 8 + 4 + 10));
        assert_eq!((shares.main_tags, shares.tags), (6, 4 + 2 + 8 + 4));
        assert!((shares.of_text() - 41.0 / 70.0).abs() < 1e-12);
        assert!((shares.of_tags() - 6.0 / 18.0).abs() < 1e-12);
    }

    #[test]
    fn nothing_found_is_nothing() {
        for (source, gold) in [("", ""), ("<p>a b", ""), ("", "a b"), ("<p>a b", "b a"), ("\0<\0", "\0 \0")] {
            let shares = shares(source, gold);
            assert_eq!((shares.main_characters, shares.main_tags), (0, 0), "{source:?} {gold:?}");
            assert!(shares.of_text() == 0.0 && shares.of_tags() == 0.0);
        }
    }
}
