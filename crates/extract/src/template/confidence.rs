//! Estimates how likely it is that a text is right.

use gleaner_corpus::Method;

/// Returns the confidence of a text: the probability, 0 to 1, that its word F1 is at least 0.9. `margin` is the margin of
/// the extraction, 0 to 1. The confidence is 0 if nothing was extracted. Returns `None` for the published methods.
///
/// The logistic functions were fitted to cross-validated extractions of recorded pages (docs/evaluation.md,
/// "Confidence").
#[must_use]
pub fn confidence(method: Method, margin: f32) -> Option<f32> {
    let (slope, intercept) = match method {
        Method::Template | Method::BlockModel => (1.16, -0.39),
        Method::Detection => (0.21, 1.55),
        _ => return None,
    };
    if margin <= 0.0 {
        return Some(0.0);
    }
    let margin = margin.clamp(0.01, 0.995);
    let log_odds = slope * (margin / (1.0 - margin)).ln() + intercept;
    Some(1.0 / (1.0 + (-log_odds).exp()))
}
