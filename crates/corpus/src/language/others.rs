//! Which of the other languages: whatlang's answer, with a probability.

use whatlang::{Detector, Lang};

use super::latin::Fit;
use super::tags;

/// Probability of another language below which it is not asked which.
pub(super) const LEAST: f64 = 0.02;

/// Gives what is neither Vietnamese nor English to the language that whatlang names.
pub(super) fn share_out(text: &str, fit: &Fit, candidates: &mut Vec<(&'static str, f64)>) {
    let detector = Detector::with_denylist(vec![Lang::Vie]);
    let Some(guess) = detector.detect(text) else { return };
    let tag = tags::tag(guess.lang());
    let share = fit.other() * right(guess.confidence());
    match candidates.iter_mut().find(|(known, _)| *known == tag) {
        Some((_, probability)) => *probability += share,
        None => candidates.push((tag, share)),
    }
}

/// How often such a guess is right.
fn right(confidence: f64) -> f64 {
    0.5 + 0.49 * confidence
}
