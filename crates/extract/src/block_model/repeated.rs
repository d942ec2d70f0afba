//! Finds the text that a site repeats: the same text at the same path on several of its pages.
//!
//! The method follows ContentExtractor and FastContentExtractor, but compares lines instead of blocks, and
//! requires equal instead of similar texts.
//!
//! A text counts as repeated only if it is at the same path on each page (tags with class and id, digits
//! masked). Therefore a teaser elsewhere on the site does not remove an article's lead. Occurrences are
//! counted once per article. Pages with the same title and the same longest paragraph are copies of one
//! article, whose text would otherwise count as repeated.
//!
//! A text that the model clearly labels body text is kept if at most half of the articles share it, such as the
//! headings of recipes or the questions of a series of interviews.
//!
//! Limitation: the method also removes repeated text that an editor would count as part of every article,
//! such as a notice or the headings on a recipe site. It removes the text of an article that has copies with
//! different titles.

use std::collections::{BTreeSet, HashMap, HashSet};

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use super::PageReading;
use super::hashing::{ByHash, MixedHasherBuilder};
use super::odds::chance;
use super::path_index::{Names, text_keys};

/// Minimum share of the articles that contain a repeated text.
const SHARE: f64 = 0.1;

/// Minimum number of articles that contain a repeated text.
const LEAST: usize = 2;

/// A text is clearly body text if the mean probability of its lines is above this value.
const CONTENT: f64 = 0.8;

/// The texts that a site repeats, as hashes of text and path. The default is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated(BTreeSet<u64>);

/// Counts of a text on the training pages.
#[derive(Debug, Clone, Copy, Default)]
struct TextCount {
    articles: usize,
    lines: f64,
    /// The sum of the probabilities of the lines.
    chances: f64,
}

impl Repeated {
    /// Finds the texts that occur in at least [`least`](Self::least) of the articles on these pages, without those that
    /// the model clearly labels body text and at most half of the articles contain.
    pub(super) fn from_pages(pages: &[&Page], readings: &[PageReading], names: &Names) -> Self {
        let mut counts: ByHash<TextCount> = ByHash::default();
        let mut copies: HashMap<Option<u64>, HashSet<u64, MixedHasherBuilder>> = HashMap::new();
        let mut articles: Vec<HashSet<u64, MixedHasherBuilder>> = Vec::new();
        for (page, reading) in pages.iter().zip(readings) {
            let keys: Vec<u64> = text_keys(page, names, &reading.blocks).collect();
            for (key, block) in keys.iter().zip(&reading.blocks) {
                let count = counts.entry(*key).or_default();
                count.lines += 1.0;
                count.chances += chance(block.model);
            }
            match reading.article {
                None => articles.push(keys.into_iter().collect()),
                name => copies.entry(name).or_default().extend(keys),
            }
        }
        articles.extend(copies.into_values());
        for key in articles.iter().flatten() {
            counts.entry(*key).or_default().articles += 1;
        }
        let is_repeated = |count: &TextCount| {
            let is_content = count.chances > CONTENT * count.lines && 2 * count.articles <= articles.len();
            count.articles >= Self::least(articles.len()) && !is_content
        };
        Self(counts.into_iter().filter(|(_, count)| is_repeated(count)).map(|(key, _)| key).collect())
    }

    /// Returns the minimum number of articles in which a text must occur to count as repeated. `articles` is
    /// the number of all articles.
    #[must_use]
    pub fn least(articles: usize) -> usize {
        LEAST.max((SHARE * articles as f64).ceil() as usize)
    }

    /// Returns the number of repeated texts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no text is repeated.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn extend(&mut self, other: &Self) {
        self.0.extend(&other.0);
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

pub(super) fn key(path: u64, text: u64) -> u64 {
    path.rotate_left(17) ^ text.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::super::{Forest, SiteModel, Split, Tree};
    use super::*;

    fn page(article: usize) -> Page {
        Page::parse(&format!(
            "<title>Choir {article}</title><ul><li>Home of the news</ul><p>Nobody had expected the choir of \
             street {article} to win, least of all its {article} conductors, who were all asleep at that time."
        ))
    }

    fn repeated(pages: &[Page], model: &Forest) -> usize {
        SiteModel::learn(&pages.iter().collect::<Vec<_>>(), model).0.repeated.len()
    }

    #[test]
    fn texts_of_several_articles_are_repeated_and_copies_of_one_article_are_not() {
        let cases: [(&[usize], usize); 4] = [
            (&[1, 2], 1),
            (&[1, 2, 1], 1),
            (&[1, 2, 3, 3, 3, 4, 3], 1),
            // With one article, repetition cannot be detected.
            (&[5, 5, 5], 0),
        ];
        for (articles, expected) in cases {
            let pages: Vec<Page> = articles.iter().map(|article| page(*article)).collect();
            assert_eq!(repeated(&pages, &Forest::default()), expected, "{articles:?}");
        }
    }

    #[test]
    fn body_text_of_a_minority_of_articles_is_not_repeated() {
        let words = super::super::feature_names().iter().position(|name| name == "words, log").unwrap();
        let split = Split { feature: words as u16, left: -1, right: -2, threshold: 5.0_f32.ln() };
        let model = Forest::new(vec![Tree { splits: vec![split], leaves: vec![-3.0, 3.0] }]);
        let html = |n: usize| {
            let recipe = if n < 2 { "<p>Two onions and some salt, too" } else { "" };
            format!("<title>{n}</title><p>Menu<p>All rights are reserved by us<p>Story {n}{recipe}")
        };
        let pages: Vec<Page> = (0..4).map(|n| Page::parse(&html(n))).collect();
        assert_eq!((repeated(&pages, &Forest::default()), repeated(&pages, &model)), (3, 2));
    }

    #[test]
    fn without_a_title_every_page_is_an_article() {
        let pages = ["<p>All rights are reserved."; 2].map(Page::parse);
        assert_eq!(repeated(&pages, &Forest::default()), 1);
    }
}
