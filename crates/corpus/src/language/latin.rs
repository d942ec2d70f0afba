//! Computes how well a text's words fit Vietnamese, English and other languages in Latin letters.
//!
//! The method is naive Bayes over word classes. With counts `n_c` and shares `p(c|l)`, the score of language
//! `l` is `Σ n_c ln p(c|l)`. The words of a text are not independent, so the score is multiplied by `TEMPER`,
//! and a long text has no more weight than a text of `MAX_WORDS` words. Therefore the result for a text in
//! two languages is uncertain, even if the text is long.
//!
//! Limitation: `TEMPER` and `MAX_WORDS` were fitted to recorded news. docs/evaluation.md has the table.

use std::sync::LazyLock;

use super::class::{CLASSES, WordClass};
use super::shares::{BARE, SHARES};
use crate::each_word;

/// Constant that is added to each share, in ten-thousandths, because any class may occur in any language.
const FLOOR: f64 = 100.0;

/// The weight of a capitalized word, relative to other words. Such a word is probably a name.
const CAPITAL: f64 = 0.25;

/// If the share of words in capitals is above this, as in a headline, capitalized words have full weight.
const SHOUTED: f64 = 0.5;

/// Exponent of the likelihoods.
const TEMPER: f64 = 0.7;

/// A text with more words has the weight of a text with this number of words.
const MAX_WORDS: f64 = 60.0;

/// Prior probability of Vietnamese, and of English. The other languages share the remaining probability.
const PRIOR: f64 = 0.3;

/// Probabilities of the languages. Together with [`Self::other`], they sum to 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct LanguageProbabilities {
    /// Number of words in any script. Names have a lower weight.
    pub(super) words: f64,
    /// The probability of Vietnamese, with or without marks.
    pub(super) vietnamese: f64,
    pub(super) english: f64,
}

#[derive(Debug, Default)]
struct Counts {
    small: [f64; CLASSES],
    capital: [f64; CLASSES],
    shouted: f64,
    strange: f64,
}

impl Counts {
    fn from_text(text: &str) -> Self {
        let mut counts = Self::default();
        for word in each_word(text) {
            let Some(first) = word.chars().next().filter(|first| first.is_alphabetic()) else { continue };
            match WordClass::from_word(word) {
                Some(class) if first.is_uppercase() => {
                    counts.capital[class as usize] += 1.0;
                    counts.shouted += f64::from(u8::from(is_shouted(word)));
                }
                Some(class) => counts.small[class as usize] += 1.0,
                None => counts.strange += 1.0,
            }
        }
        counts
    }

    fn weighed(&self) -> [f64; CLASSES] {
        let all: f64 = self.small.iter().chain(&self.capital).sum();
        let weight = if self.shouted > SHOUTED * all { 1.0 } else { CAPITAL };
        std::array::from_fn(|at| self.small[at] + weight * self.capital[at])
    }
}

impl LanguageProbabilities {
    pub(super) fn from_text(text: &str) -> Self {
        let counts = Counts::from_text(text);
        let weighed = counts.weighed();
        let latin: f64 = weighed.iter().sum();
        let words = latin + counts.strange;
        if latin <= counts.strange {
            return Self { words, vietnamese: 0.0, english: 0.0 };
        }
        let [vietnamese, english] = posterior(&weighed, latin);
        Self { words, vietnamese, english }
    }

    pub(super) fn other(&self) -> f64 {
        (1.0 - self.vietnamese - self.english).max(0.0)
    }
}

fn is_shouted(word: &str) -> bool {
    word.chars().nth(1).is_some() && !word.chars().any(char::is_lowercase)
}

fn posterior(counts: &[f64; CLASSES], words: f64) -> [f64; 2] {
    static LOGARITHMS: LazyLock<Vec<[f64; CLASSES]>> =
        LazyLock::new(|| SHARES.iter().map(|(_, shares)| logarithms(shares)).collect());
    let scale = TEMPER * (MAX_WORDS / words).min(1.0);
    let scores: Vec<f64> = LOGARITHMS
        .iter()
        .map(|row| scale * row.iter().zip(counts).map(|(log, count)| log * count).sum::<f64>())
        .collect();
    let best = scores.iter().copied().fold(f64::MIN, f64::max);
    let others = SHARES.len() - 3;
    let (mut vietnamese, mut english, mut all) = (0.0, 0.0, 0.0);
    for ((tag, _), score) in SHARES.iter().zip(scores) {
        let likelihood = (score - best).exp();
        let (sum, prior) = match *tag {
            "vi" | BARE => (&mut vietnamese, PRIOR / 2.0),
            "en" => (&mut english, PRIOR),
            _ => (&mut 0.0, (1.0 - 2.0 * PRIOR) / others as f64),
        };
        *sum += prior * likelihood;
        all += prior * likelihood;
    }
    [vietnamese / all, english / all]
}

fn logarithms(shares: &[u16; CLASSES]) -> [f64; CLASSES] {
    let whole = 1e4 + FLOOR * CLASSES as f64;
    shares.map(|share| ((f64::from(share) + FLOOR) / whole).ln())
}
