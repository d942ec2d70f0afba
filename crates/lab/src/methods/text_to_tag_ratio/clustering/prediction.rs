//! Implements the second of the two sections 4.3: content begins where the ratio jumps, and ends where it
//! falls.
//!
//! Neither the array nor its standard deviation is smoothed. Content begins at a line if its ratio is at
//! least one deviation above the mean of the three preceding lines. Content ends at a line if its ratio is at
//! least one deviation above the mean of the three following lines. At the ends of the page, the mean covers
//! the existing lines, and is 0 if there are none.
//!
//! Limitation: content can end one line too early. The mean at the second-to-last line of content covers two
//! lines after the content, so it is low. If all ratios are equal, the deviation is 0. Then every line is a
//! jump of 0, and all lines are content.

const WINDOW: usize = 3;

/// Returns for each line whether it is content. `threshold` is the minimum size of a jump or fall.
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
