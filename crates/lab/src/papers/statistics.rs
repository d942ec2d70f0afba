//! Computes means and medians of a table's columns.

pub(super) fn mean(figures: &[f64]) -> Option<f64> {
    (!figures.is_empty()).then(|| figures.iter().sum::<f64>() / figures.len() as f64)
}

/// Returns the median, or `None` if there are no values. The median of an even number of values is the mean
/// of the two middle values.
pub(super) fn median(figures: &[f64]) -> Option<f64> {
    let mut sorted = figures.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = sorted.len().checked_sub(1)? / 2;
    Some(f64::midpoint(sorted[below], sorted[sorted.len() / 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_medians() {
        let cases: [(&[f64], Option<f64>, Option<f64>); 4] = [
            (&[], None, None),
            (&[3.0], Some(3.0), Some(3.0)),
            (&[9.0, 1.0, 2.0], Some(4.0), Some(2.0)),
            (&[8.0, 1.0, 2.0, 5.0], Some(4.0), Some(3.5)),
        ];
        for (figures, of_mean, of_median) in cases {
            assert_eq!((mean(figures), median(figures)), (of_mean, of_median), "{figures:?}");
        }
    }
}
