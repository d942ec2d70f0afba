//! Implements section 4.3: selects the lines whose smoothed ratio is at least the standard deviation.
//!
//! The paper selects ratios "equal to or above" the deviation. If all ratios are equal, as on a page with one
//! line, the deviation is 0. Then every line is content, even without text.

/// Returns for each line whether its ratio is at least `threshold`.
#[must_use]
pub fn select(smoothed: &[f64], threshold: f64) -> Vec<bool> {
    smoothed.iter().map(|ratio| *ratio >= threshold).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_is_content() {
        assert_eq!(select(&[1.0, 2.0, 3.0], 2.0), [false, true, true]);
        assert_eq!(select(&[0.0, 4.0], 0.0), [true, true]);
    }
}
