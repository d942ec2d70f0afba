//! Builds texts from the sentences of the bundled articles.

use super::draw::Draw;
use crate::article::Article;
use crate::texts::{ENGLISH, VIETNAMESE};

/// Probability that a word of a sentence is replaced.
const REPLACED: f64 = 0.15;

/// The sentences and words of a language.
#[derive(Debug)]
pub(super) struct Words {
    sentences: Vec<Vec<&'static str>>,
    words: Vec<&'static str>,
}

impl Words {
    pub(super) fn vietnamese() -> Self {
        Self::new(VIETNAMESE)
    }

    pub(super) fn english() -> Self {
        Self::new(ENGLISH)
    }

    fn new(articles: &[(&str, &str)]) -> Self {
        let paragraphs = articles.iter().flat_map(|(name, text)| {
            // A test parses every bundled article.
            Article::parse(name, text).expect("the bundled articles are well formed").paragraphs()
        });
        let text: &'static str = paragraphs.collect::<Vec<_>>().join(" ").leak();
        let sentences: Vec<Vec<&str>> = text
            .split(". ")
            .map(|sentence| sentence.trim_end_matches('.').split_whitespace().collect::<Vec<_>>())
            .filter(|words| (6..40).contains(&words.len()))
            .collect();
        let is_plain = |word: &&str| word.chars().all(char::is_lowercase);
        let words = text.split_whitespace().filter(is_plain).collect();
        Self { sentences, words }
    }

    /// Returns a sentence with a full stop.
    fn sentence(&self, draw: &mut Draw) -> String {
        let mut words = self.sentences[draw.below(self.sentences.len())].clone();
        for word in words.iter_mut().skip(1) {
            if draw.is(REPLACED) {
                *word = draw.one_of(&self.words);
            }
        }
        words.join(" ") + "."
    }

    pub(super) fn paragraph(&self, draw: &mut Draw) -> String {
        let sentences: Vec<String> = (0..2 + draw.below(3)).map(|_| self.sentence(draw)).collect();
        sentences.join(" ")
    }

    pub(super) fn title(&self, draw: &mut Draw) -> String {
        let words = &self.sentences[draw.below(self.sentences.len())];
        let mut title: Vec<&str> = words.iter().take(5).copied().collect();
        (0..3).for_each(|_| title.push(draw.one_of(&self.words)));
        title.join(" ").trim_end_matches([',', ';', ':']).to_owned()
    }
}
