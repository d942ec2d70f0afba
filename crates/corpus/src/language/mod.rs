//! The language of a text, and how probable it is.
//!
//! | step | file |
//! |---|---|
//! | take a bounded part of a long text | `sample` |
//! | put each word in Latin letters into one of 13 classes | [`class`] |
//! | ask how well the classes fit Vietnamese, Vietnamese without marks, English and 25 other languages: naive Bayes, tempered | `shares`, `latin` |
//! | where it is none of the first three, or in another script: ask whatlang which | `others` |
//! | take what the page declares as evidence | here |
//!
//! Detectors that know dozens of languages by their trigrams take a third of short
//! Vietnamese texts without marks for something else. Vietnamese is written in syllables of
//! narrow form, so the words themselves tell it, and nearly for nothing: whatlang is asked
//! only where the text is neither Vietnamese nor English.
//!
//! Limitation: which of the other languages it is, is as good as whatlang is. Names
//! written with capitals count a quarter, so a text of names alone tells little. Languages
//! that are written in Vietnamese letters (Mường, Tày) are taken for Vietnamese.
//! docs/corpus.md has the measured figures.

pub mod class;
mod latin;
mod others;
mod sample;
mod shares;
mod tags;

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use latin::Fit;

/// Bytes of a text that are looked at.
const SAMPLE: usize = 1500;

/// How much more probable a language gets by being declared.
const DECLARED: f64 = 10.0;

/// How often a page's declaration is right, where there is nothing else to go by.
const DECLARATION_ALONE: f64 = 0.9;

/// Probability below which a language is not named.
const LEAST: f64 = 0.5;

/// What a text is written in.
#[derive(Debug, Clone, PartialEq)]
pub struct Language {
    /// BCP 47 primary tag such as `vi`; `und` where no language has half the probability.
    pub tag: String,
    /// The tag's probability, 0 to 1; 0 for `und`.
    pub probability: f64,
}

impl Language {
    /// No language has half the probability.
    fn undetermined() -> Self {
        Self { tag: "und".into(), probability: 0.0 }
    }

    /// The probability in hundredths.
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

/// The language of `text`; `declared` is what the page says, such as `vi-VN`, which is
/// evidence and may be outvoted. A mixed text is in the language of most of its words, with
/// a smaller probability. Bounded in time, whatever the text's length.
#[must_use]
pub fn language(text: &str, declared: Option<&str>) -> Language {
    let mut sample = sample::sample(text, SAMPLE);
    if is_nfc_quick(sample.chars()) != IsNormalized::Yes {
        sample = Cow::Owned(sample.nfc().collect());
    }
    let declared = declared.and_then(tags::primary);
    let fit = Fit::from_text(&sample);
    if fit.words == 0.0 {
        let alone = |tag| Language { tag, probability: DECLARATION_ALONE };
        return declared.map_or_else(Language::undetermined, alone);
    }
    let mut candidates = vec![("vi", fit.vietnamese), ("en", fit.english)];
    if fit.other() > others::LEAST {
        others::share_out(&sample, &fit, &mut candidates);
    }
    decide(candidates, declared)
}

/// The most probable, once the declaration has been heard.
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
            // It is one of the many that share the rest.
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
