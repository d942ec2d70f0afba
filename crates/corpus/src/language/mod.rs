//! Detects the language of a text and estimates its probability.
//!
//! | step | file |
//! |---|---|
//! | sample a long text | `sample` |
//! | assign each word in Latin letters to one of 13 classes | [`class`] |
//! | compare with Vietnamese (with or without marks), English, 25 others: naive Bayes | `shares`, `latin` |
//! | use whatlang if the text may be in another language or script | `others` |
//! | use the page's declaration as evidence | this file |
//!
//! Detectors that compare trigrams of dozens of languages misclassify a third of short Vietnamese texts
//! without marks. Word classes identify Vietnamese at almost no cost, because Vietnamese has few possible
//! syllables. whatlang is used only if the text may be neither Vietnamese nor English.
//!
//! Limitation: whatlang alone distinguishes the other languages. A capitalized word has a quarter of the
//! usual weight, so the result for a text that consists only of names is uncertain. Other languages that use
//! the Vietnamese alphabet (Mường, Tày) are classified as Vietnamese. docs/evaluation.md has the
//! measurements.

pub mod class;
mod latin;
mod others;
mod sample;
mod shares;
mod tags;

use latin::LanguageProbabilities;

use crate::characters::composed;

const SAMPLE: usize = 1500;

/// Factor by which the page's declaration raises the odds of the declared language.
const DECLARED: f64 = 10.0;

/// Probability of the declared language if there is no other evidence.
const DECLARATION_ALONE: f64 = 0.9;

const LEAST: f64 = 0.5;

/// The language of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Language {
    /// BCP 47 primary tag such as `vi`. It is `und` if no language has a probability of at least 0.5.
    pub tag: String,
    /// The probability of the language, 0 to 1. It is 0 for `und`.
    pub probability: f64,
}

impl Language {
    fn undetermined() -> Self {
        Self { tag: "und".into(), probability: 0.0 }
    }

    /// Returns the probability in hundredths.
    ///
    /// ```
    /// let language = gleaner_corpus::language("Thu tuong hop voi cac bo nganh ve kinh te", None);
    /// assert_eq!((language.tag.as_str(), language.hundredths() > 90), ("vi", true));
    /// ```
    #[must_use]
    pub fn hundredths(&self) -> u8 {
        (self.probability * 100.0).round() as u8
    }
}

/// Detects the language of `text`. `declared` is the page's declaration, such as `vi-VN`. The declaration is
/// only evidence, and the text can outweigh it. For a text in several languages, returns the language of most
/// words, with a lower probability. The time is limited even for a long text.
#[must_use]
pub fn language(text: &str, declared: Option<&str>) -> Language {
    let sample = sample::sample(text, SAMPLE);
    let sample = composed(&sample);
    let declared = declared.and_then(tags::primary);
    let fit = LanguageProbabilities::from_text(&sample);
    if fit.words == 0.0 {
        let alone = |tag| Language { tag, probability: DECLARATION_ALONE };
        return declared.map_or_else(Language::undetermined, alone);
    }
    let mut candidates = vec![("vi", fit.vietnamese), ("en", fit.english)];
    if fit.other() > others::LEAST {
        others::add_other_languages(&sample, &fit, &mut candidates);
    }
    decide(candidates, declared)
}

fn decide(candidates: Vec<(&str, f64)>, declared: Option<String>) -> Language {
    let rest = 1.0 - candidates.iter().map(|(_, probability)| probability).sum::<f64>();
    let mut all: Vec<(String, f64)> =
        candidates.into_iter().map(|(tag, probability)| (tag.to_owned(), probability)).collect();
    let mut whole = 1.0;
    if let Some(declared) = declared {
        match all.iter_mut().find(|(tag, _)| *tag == declared) {
            Some((_, probability)) => {
                whole += *probability * (DECLARED - 1.0);
                *probability *= DECLARED;
            }
            // The declared language is one of many that share the remaining probability.
            None => all.push((declared, rest.max(0.0) / 2.0)),
        }
    }
    let best = all.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
    match best.map(|(tag, probability)| Language { tag, probability: probability / whole }) {
        Some(best) if best.probability >= LEAST => best,
        _ => Language::undetermined(),
    }
}

#[cfg(test)]
mod tests;
