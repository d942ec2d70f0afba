//! The second section 4.3: content begins where the ratio jumps and ends where it falls.
//!
//! The array is not smoothed, and the standard deviation is its own. A content line is the first if its ratio
//! is at least one deviation above the mean of the three lines before; it is the last if the mean of the
//! three lines after it is at least one below its own ratio. At the page's ends, means are over the existing
//! lines, and 0 if there are none.
//!
//! Limitation: in this reading the fall shows before the last line of content, since two of the three lines
//! after the last but one are not content; that line is lost. And if all ratios are equal the deviation is 0,
//! every line is a jump of 0, and all are content.

const WINDOW: usize = 3;

/// Whether each line is content.
#[must_use]
pub fn select(array: &[f64], threshold: f64) -> Vec<bool> {
    let mut in_content = false;
    (0..array.len())
        .map(|k| {
            let before = mean(&array[k.saturating_sub(WINDOW)..k]);
            let behind = mean(&array[k + 1..array.len().min(k + 1 + WINDOW)]);
            let is_content = in_content || array[k] - before >= threshold;
            in_content = is_content && array[k] - behind < threshold;
            is_content
        })
        .collect()
}

fn mean(ratios: &[f64]) -> f64 {
    ratios.iter().sum::<f64>() / ratios.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(array: &[f64], threshold: f64, expected: &str) {
        let shown: String = select(array, threshold).iter().map(|is| if *is { '#' } else { '.' }).collect();
        assert_eq!(shown, expected, "{array:?}");
    }

    #[test]
    fn a_jump_begins_and_a_fall_ends() {
        check(&[], 1.0, "");
        check(&[0.0, 0.0, 0.0, 9.0, 9.0, 2.0, 9.0, 0.0, 0.0, 0.0], 5.0, "...##.....");
        check(&[0.0, 0.0, 0.0, 9.0, 9.0, 9.0, 9.0, 9.0, 0.0, 0.0], 5.0, "...####...");
        check(&[0.0, 0.0, 9.0, 0.0, 0.0], 5.0, "..#..");
        check(&[9.0, 8.0, 9.0], 5.0, "###");
        check(&[7.0, 7.0, 7.0], 0.0, "###");
        check(&[0.0, 9.0, 9.0, 9.0, 1.0, 9.0, 9.0, 9.0, 9.0], 5.0, ".########");
    }
}
