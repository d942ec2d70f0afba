//! Improved Body Text Extraction with the paper's step 2: all pairs of runs.
//!
//! The paper's two algorithms cannot run as printed. We corrected these lines:
//! * Line 8 tests `t in tagHTML[]`, the known tags. But the text of step 1 also counts unknown tags `<...>`
//!   and `</...>`. Here every element is a tag.
//! * Line 6 uses "null". We read it as 0, so that line 16, `abs(x + encode[j]) < abs(encode[j])`, tests for a
//!   change of sign.
//! * `min` has no initial value. Here it starts at 0, so that a page without words has no result. `min <- s`
//!   is missing after line 40. As printed, the last negative sum would win instead of the smallest.
//! * Lines 31 to 35 change `j` without using it, and line 38 sums `encode[i..j]` for only one `j`. Here the
//!   inner loop updates the sum step by step. Otherwise the cost would exceed the paper's O(n^2).
//! * Line 31 and line 14 of Algorithm 1 run to `length`, one past the end. Here both loops end at the last
//!   run. Three loops increment twice per iteration: one in Algorithm 1 (lines 14 and 20), two in Algorithm 2
//!   (lines 28 and 45; lines 31 and 34). Here they increment once.
//! * Line 40 compares after each `k`, when the sum covers `i..k`, but line 42 stores `j`. Here the comparison
//!   happens once per `j`, after the sum is complete.
//! * Line 41, `i_max <- i + abs(encode[i-1])`, adds a number of tokens to the index of a run, and reads
//!   `encode[-1]` for `i = 0`. But line 47 uses `i_max` as the index of a run. Therefore `i_max` is `i` here,
//!   and `j_max` is `j` instead of `j + 1`.
//! * As printed, the range of line 47 begins after run `i_max`, so this run is lost. Here the start is the
//!   sum over all runs before `i_max`, and the end is the sum up to and including `j_max`.
//! * Line 48, `token[start..end]`, does not say whether `end` is included. Tokens count from 0 and `end` is a
//!   number of tokens, so `end` is the first token after the range.
//! * `encode[]`, `endcode[]` and `encoded[]` are the same array.
//! * If several sums are equal, `min > s` keeps the first. It has the earliest start and, for this start, the
//!   earliest end.

use gleaner_html::Page;
use gleaner_html::text::Line;

use super::{BteParams, Tokens, linear, text_of_range};

/// Returns the lines of the page's best range, or no lines if the page has no words. The time is quadratic in
/// the number of runs, but linear for pages with more runs than [`BteParams::max_runs`].
#[must_use]
pub fn extract(page: &Page, params: &BteParams) -> Vec<Line> {
    let tokens = Tokens::new(page, params);
    let encode = tokens.encode();
    let best = if encode.len() <= params.max_runs { best_range(encode) } else { linear::best_range(encode) };
    text_of_range(page, params, &tokens, best)
}

/// Returns the first and the last run of the best range, or `None` if there are no words. The best range has
/// the smallest number of tags minus words.
///
/// `encode` comes from [`Tokens::encode`](super::Tokens::encode). The time is quadratic in the number of
/// runs, without a limit. Sums saturate instead of overflowing.
#[must_use]
pub fn best_range(encode: &[i64]) -> Option<(usize, usize)> {
    let mut min = 0;
    let mut best = None;
    for i in (0..encode.len()).filter(|i| encode[*i] < 0) {
        let mut sum = 0;
        for (j, run) in encode.iter().enumerate().skip(i) {
            sum = i64::saturating_add(sum, *run);
            if *run < 0 && sum < min {
                min = sum;
                best = Some((i, j));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Case<'a> = (&'a [i64], Option<(usize, usize)>);

    #[test]
    fn the_densest_range_is_found() {
        let cases: [Case; 7] = [
            (&[], None),
            (&[4], None),
            (&[2, -5, 2], Some((1, 1))),
            (&[3, -1, 6, -20, 2, -30, 4, -3, 9, -2], Some((3, 5))),
            (&[1, -3, 3, -3, 1], Some((1, 1))),
            (&[1, -3, 3, -4, 1], Some((1, 3))),
            (&[-4, 2, -2, 9], Some((0, 0))),
        ];
        for (encode, expected) in cases {
            assert_eq!(best_range(encode), expected, "{encode:?}");
        }
    }

    #[test]
    fn a_page_of_a_million_tags_has_its_range() {
        let page = Page::parse(&"<b>a</b>".repeat(400_000));
        let lines = extract(&page, &BteParams::default());
        assert_eq!(lines.len(), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_bound_changes_nothing(html in "(<(p|b|/p|br|script|/script)>|[a-z]{1,4} |&amp;|[<>. ]|更){0,60}") {
            let page = Page::parse(&html);
            let bound = |max_runs| BteParams { max_runs, ..BteParams::default() };
            prop_assert_eq!(extract(&page, &bound(usize::MAX)), extract(&page, &bound(0)));
        }
    }
}
