//! Implements section 4.1, equation 1: smooths the array. As a result, a short line among long lines is
//! selected, and a long line among short lines is not.
//!
//! The paper writes "We use a radius of size 2 excluding k". The equation's sum runs from k-r to k+r, which
//! includes k, and its divisor is 2r+1. Therefore the window has five lines. We read "excluding k" to mean
//! that k does not count in the radius. At the ends of the array, the window has fewer lines. The divisor is
//! then this smaller number, so the value is still a mean.

/// Returns for each element the mean of the window around it, which has `radius` elements on each side. Apart
/// from rounding errors, the means are within the range of the array. The time is linear for any radius.
#[must_use]
pub fn smoothed(array: &[f64], radius: usize) -> Vec<f64> {
    let mut sum = 0.0;
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(array.iter().map(|ratio| {
            sum += ratio;
            sum
        }))
        .collect();
    (0..array.len())
        .map(|k| {
            let first = k.saturating_sub(radius);
            let behind = k.saturating_add(radius).saturating_add(1).min(array.len());
            (sums[behind] - sums[first]) / (behind - first) as f64
        })
        .collect()
}

/// Returns the population standard deviation of an array, or 0 for an empty array.
#[must_use]
pub fn deviation(array: &[f64]) -> f64 {
    let count = array.len().max(1) as f64;
    let mean = array.iter().sum::<f64>() / count;
    (array.iter().map(|ratio| (ratio - mean).powi(2)).sum::<f64>() / count).sqrt()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_window_is_five_lines_at_radius_2() {
        assert_eq!(smoothed(&[0.0, 0.0, 10.0, 0.0, 0.0, 0.0], 2), [10.0 / 3.0, 2.5, 2.0, 2.0, 2.5, 0.0]);
        assert_eq!(smoothed(&[1.0, 7.0], 0), [1.0, 7.0]);
        assert_eq!(smoothed(&[1.0, 7.0], usize::MAX), [4.0, 4.0]);
        assert!(smoothed(&[], 2).is_empty());
    }

    #[test]
    fn deviations() {
        assert_eq!(deviation(&[]), 0.0);
        assert_eq!(deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]), 2.0);
    }

    proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bounds_are_kept(array in proptest::collection::vec(0.0..1e6_f64, 1..60), radius in 0_usize..70) {
            let smallest = array.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = array.iter().copied().fold(0.0, f64::max);
            let smoothed = smoothed(&array, radius);
            prop_assert_eq!(smoothed.len(), array.len());
            prop_assert!(smoothed.iter().all(|ratio| (smallest - 1e-6..=largest + 1e-6).contains(ratio)));
        }
    }
}
