//! Uses whatlang to determine the language of a text that may be neither Vietnamese nor English.

use whatlang::{Detector, Lang};

use super::latin::LanguageProbabilities;
use super::tags;

/// whatlang is used if the probability of other languages is above this value.
pub(super) const LEAST: f64 = 0.02;

/// Adds whatlang's answer to the candidates. Its probability is the probability that the text is in another
/// language, multiplied by the probability that whatlang is right.
pub(super) fn add_other_languages(
    text: &str,
    fit: &LanguageProbabilities,
    candidates: &mut Vec<(&'static str, f64)>,
) {
    let detector = Detector::with_denylist(vec![Lang::Vie]);
    let Some(guess) = detector.detect(text) else { return };
    let tag = tags::tag(guess.lang());
    let share = fit.other() * right(guess.confidence());
    match candidates.iter_mut().find(|(known, _)| *known == tag) {
        Some((_, probability)) => *probability += share,
        None => candidates.push((tag, share)),
    }
}

fn right(confidence: f64) -> f64 {
    0.5 + 0.49 * confidence
}
