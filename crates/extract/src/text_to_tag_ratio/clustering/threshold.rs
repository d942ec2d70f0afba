//! Section 4.3: lines whose smoothed ratio is at least the standard deviation.

/// Whether each line is content.
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
    }
}
