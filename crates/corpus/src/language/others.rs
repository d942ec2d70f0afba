//! Determines which other language a text has: whatlang's answer, with a probability.

use whatlang::{Detector, Lang};

use super::latin::Fit;
use super::tags;

/// Below this probability of another language whatlang is not used.
pub(super) const LEAST: f64 = 0.02;

/// Assigns the probability of other languages to whatlang's answer.
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

/// The probability that whatlang's guess is right.
fn right(confidence: f64) -> f64 {
    0.5 + 0.49 * confidence
}
