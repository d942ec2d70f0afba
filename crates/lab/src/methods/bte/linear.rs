//! Improved Body Text Extraction with step 2 in linear time.
//!
//! The difference between words and tags of a range is a sum over its runs, so the best range is a maximum
//! sub-array. One pass over the runs, which keeps the smallest prefix sum so far, finds this range (Kadane's
//! algorithm, J. Bentley, Programming Pearls, CACM 27(9), 1984). Finn's objective (tags outside the range
//! plus words inside it) is this sum plus the number of tags on the page. This number is constant, so the
//! best range is the same.
//!
//! Ties are resolved as in [`improved`](super::improved). Only a strictly smaller prefix sum replaces the
//! smallest, so the earliest start is kept. Only a strictly better range replaces the best, so the earliest
//! end is kept.

use gleaner_html::Page;
use gleaner_html::text::Line;

use super::{BteParams, Tokens, text_of_range};

/// Returns the lines of the page's best range, or no lines if the page has no words. The time is linear in
/// the page.
#[must_use]
pub fn extract(page: &Page, params: &BteParams) -> Vec<Line> {
    let tokens = Tokens::new(page, params);
    let best = best_range(tokens.encode());
    text_of_range(page, params, &tokens, best)
}

/// Returns the same range as [`improved::best_range`](super::improved::best_range), in one pass.
#[must_use]
pub fn best_range(encode: &[i64]) -> Option<(usize, usize)> {
    best_of(encode.iter().copied())
}

/// Returns the first and last index of the range with the smallest sum, or `None` if no sum is negative.
pub(super) fn best_of(values: impl Iterator<Item = i64>) -> Option<(usize, usize)> {
    let mut prefix = 0;
    let (mut smallest, mut beginning) = (0, 0);
    let mut best = None;
    let mut max = 0;
    for (j, value) in values.enumerate() {
        prefix = i64::saturating_sub(prefix, value);
        let inside = prefix.saturating_sub(smallest);
        if inside > max {
            max = inside;
            best = Some((beginning, j));
        }
        if prefix < smallest {
            (smallest, beginning) = (prefix, j + 1);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::improved;
    use super::*;

    #[test]
    fn sums_end_at_their_limits() {
        for runs in
            [&[i64::MIN, -5][..], &[-5, i64::MIN], &[i64::MIN, i64::MAX, i64::MIN], &[i64::MAX, i64::MAX, -1]]
        {
            let found = best_range(runs);
            assert_eq!(found, improved::best_range(runs), "{runs:?}");
            assert!(found.is_some_and(|(i, j)| runs[i] < 0 && runs[j] < 0), "{runs:?}");
        }
    }

    proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn equals_the_quadratic_search(runs in proptest::collection::vec(-6_i64..=6, 0..60)) {
            let tokens = Tokens::from_runs(&runs);
            prop_assert_eq!(best_range(tokens.encode()), improved::best_range(tokens.encode()));
        }

        #[test]
        fn no_range_is_better(runs in proptest::collection::vec(-9_i64..=9, 1..30)) {
            let tokens = Tokens::from_runs(&runs);
            let encode = tokens.encode();
            let value = |i: usize, j: usize| -encode[i..=j].iter().sum::<i64>();
            let found = best_range(encode).map_or(0, |(i, j)| value(i, j));
            for i in 0..encode.len() {
                for j in i..encode.len() {
                    prop_assert!(value(i, j) <= found);
                }
            }
        }
    }
}
