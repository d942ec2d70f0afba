//! Finds the text that a site repeats: the same text at the same path on several of its pages.
//!
//! The method follows ContentExtractor and FastContentExtractor, but compares lines instead of blocks, and
//! requires equal instead of similar texts. Repeated text is removed before the classification, so that a
//! long notice does not dominate a short article.
//!
//! A text counts as repeated only if it is at the same path on each page (tags with class and id, digits
//! masked). Therefore a teaser elsewhere on the site does not remove an article's lead. Occurrences are
//! counted once per article. Pages with the same title and the same longest paragraph are copies of one
//! article, whose text would otherwise count as repeated.
//!
//! A text that the model clearly labels body text is kept if at most half of the articles share it
//! ([`Repeated::but_content`]).
//!
//! Limitation: the method also removes repeated text that an editor would count as part of every article,
//! such as a notice or the headings on a recipe site. It removes the text of an article that has copies with
//! different titles.

use std::collections::{BTreeSet, HashMap, HashSet};

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use super::Forest;
use super::hashing::{ByHash, MixedHasherBuilder};
use super::odds;
use super::scene::{Named, Scene};

/// Minimum share of the articles that contain a repeated text.
const SHARE: f64 = 0.1;

/// Minimum number of articles that contain a repeated text.
const LEAST: usize = 2;

/// A text is clearly body text if the mean probability of its lines is above this value.
const CONTENT: f64 = 0.8;

/// Minimum number of words of a paragraph that identifies an article together with the title.
const PARAGRAPH: usize = 20;

/// The texts that a site repeats, as hashes of text and path. The default is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated(BTreeSet<u64>);

impl Repeated {
    /// Finds the texts that occur in at least [`least`](Self::least) of the articles on these pages.
    #[must_use]
    pub fn from_pages(pages: &[&Page]) -> Self {
        Self(Common::from_pages(pages).keys().collect())
    }

    /// Like [`Self::from_pages`], but without texts that the model clearly labels body text and that occur in
    /// at most half of the articles, such as headings of recipes or thanks at the end of interviews. Also
    /// returns the pages' scenes, with all blocks.
    pub(super) fn but_content(pages: &[&Page], model: &Forest) -> (Self, Vec<Scene>) {
        let mut common = Common::from_pages(pages);
        let chances = common.chances(pages, model);
        let is_content = |key: &u64| chances.get(key).is_some_and(Chance::is_content);
        (Self(common.keys().filter(|key| !is_content(key)).collect()), common.scenes)
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

    pub(super) fn keys(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }

    pub(super) fn holds(&self, path: u64, text: u64) -> bool {
        self.0.contains(&key(path, text))
    }
}

struct Common {
    scenes: Vec<Scene>,
    articles: usize,
    counts: ByHash<usize>,
}

impl Common {
    fn from_pages(pages: &[&Page]) -> Self {
        let mut named = Named::default();
        let scenes: Vec<Scene> = pages.iter().map(|page| Scene::read(page, &mut named)).collect();
        let mut copies: HashMap<Option<u64>, HashSet<u64, MixedHasherBuilder>> = HashMap::new();
        let mut articles: Vec<HashSet<u64, MixedHasherBuilder>> = Vec::new();
        for scene in &scenes {
            match article(scene) {
                None => articles.push(lines(scene).collect()),
                name => copies.entry(name).or_default().extend(lines(scene)),
            }
        }
        articles.extend(copies.into_values());
        let mut counts: ByHash<usize> = ByHash::default();
        for key in articles.iter().flatten() {
            *counts.entry(*key).or_default() += 1;
        }
        Self { scenes, articles: articles.len(), counts }
    }

    fn keys(&self) -> impl Iterator<Item = u64> {
        let least = Repeated::least(self.articles);
        self.counts.iter().filter(move |(_, count)| **count >= least).map(|(key, _)| *key)
    }

    /// Returns the probabilities of the repeated texts that occur in at most half of the articles. Evaluates
    /// the lines of a text with the model only until the decision is certain.
    fn chances(&mut self, pages: &[&Page], model: &Forest) -> ByHash<Chance> {
        let is_everywhere = |key: &u64| 2 * self.counts[key] > self.articles;
        let mut chances: ByHash<Chance> =
            self.keys().filter(|key| !is_everywhere(key)).map(|key| (key, Chance::default())).collect();
        for key in self.scenes.iter().flat_map(lines) {
            if let Some(chance) = chances.get_mut(&key) {
                chance.lines += 1.0;
            }
        }
        for (page, scene) in pages.iter().zip(&mut self.scenes) {
            let is_open = |key: &u64| chances.get(key).is_some_and(Chance::is_open);
            let asked: (Vec<usize>, Vec<u64>) =
                lines(scene).enumerate().filter(|(_, key)| is_open(key)).unzip();
            let (blocks, keys) = asked;
            if blocks.is_empty() {
                continue;
            }
            scene.settle(page);
            for (key, odds) in keys.into_iter().zip(odds::of_some(page, scene, model, &blocks)) {
                chances.entry(key).or_default().take(odds);
            }
        }
        chances
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Chance {
    lines: f64,
    asked: f64,
    sum: f64,
}

impl Chance {
    fn take(&mut self, odds: f32) {
        self.asked += 1.0;
        self.sum += odds::chance(odds);
    }

    fn is_content(&self) -> bool {
        self.sum > CONTENT * self.lines
    }

    /// Whether the remaining lines can still change the decision. Each of them adds 0 to 1 to the sum.
    fn is_open(&self) -> bool {
        const ROUNDING: f64 = 1e-6;
        !self.is_content() && self.sum + (self.lines - self.asked) + ROUNDING > CONTENT * self.lines
    }
}

fn lines(scene: &Scene) -> impl Iterator<Item = u64> {
    scene.blocks.iter().map(|block| key(scene.elements[block.element].path, block.text))
}

/// Returns a key that is the same for all copies of an article. Returns `None` if the page has no title or no
/// long paragraph.
fn article(scene: &Scene) -> Option<u64> {
    let paragraphs = scene.blocks.iter().filter(|block| block.link_share() < 0.5);
    let longest = paragraphs.max_by_key(|block| block.words.len())?;
    let told = longest.words.len() >= PARAGRAPH && !scene.stated.title.is_empty();
    told.then(|| key(scene.stated.title.iter().fold(0, |all, word| all ^ word), longest.text))
}

pub(super) fn key(path: u64, text: u64) -> u64 {
    path.rotate_left(17) ^ text.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(article: usize) -> Page {
        Page::parse(&format!(
            "<title>Choir {article}</title><ul><li>Home of the news</ul><p>Nobody had expected the choir of \
             street {article} to win, least of all its {article} conductors, who were all asleep at that time."
        ))
    }

    #[test]
    fn what_articles_have_in_common_is_repeated_and_copies_of_one_are_not() {
        let cases: [(&[usize], usize); 4] = [
            (&[1, 2], 1),
            (&[1, 2, 1], 1),
            (&[1, 2, 3, 3, 3, 4, 3], 1),
            // With one article, repetition cannot be detected.
            (&[5, 5, 5], 0),
        ];
        for (articles, repeated) in cases {
            let pages: Vec<Page> = articles.iter().map(|article| page(*article)).collect();
            let pages: Vec<&Page> = pages.iter().collect();
            assert_eq!(Repeated::from_pages(&pages).len(), repeated, "{articles:?}");
        }
    }

    #[test]
    fn what_is_surely_content_is_not_taken_away() {
        use super::super::{Split, Tree};
        let words = super::super::feature_names().iter().position(|name| name == "words, log").unwrap();
        let split = Split { feature: words as u16, left: -1, right: -2, threshold: 5.0_f32.ln() };
        let model = Forest::new(vec![Tree { splits: vec![split], leaves: vec![-3.0, 3.0] }]);
        let html = |n: usize| {
            let recipe = if n < 2 { "<p>Two onions and some salt, too" } else { "" };
            format!("<title>{n}</title><p>Menu<p>All rights are reserved by us<p>Story {n}{recipe}")
        };
        let pages: Vec<Page> = (0..4).map(|n| Page::parse(&html(n))).collect();
        let pages: Vec<&Page> = pages.iter().collect();
        assert_eq!(
            (Repeated::from_pages(&pages).len(), Repeated::but_content(&pages, &model).0.len()),
            (3, 2)
        );
    }

    #[test]
    fn without_a_title_every_page_is_an_article() {
        let pages = ["<p>All rights are reserved."; 2].map(Page::parse);
        assert_eq!(Repeated::from_pages(&[&pages[0], &pages[1]]).len(), 1);
    }
}
