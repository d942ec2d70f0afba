//! Improved Body Text Extraction with step 2 as the paper lists it: all pairs of runs.
//!
//! Neither of the paper's algorithms can be run as printed. Our corrections, line by line:
//! * Line 8 tests `t in tagHTML[]`, the known tags, but the text of step 1 counts unknown tags too, `<...>`
//!   and `</...>`. Here every element is a tag.
//! * Line 16, `abs(x + encode[j]) < abs(encode[j])`, tests whether the sign changes, if the "null" of line 6
//!   is 0.
//! * `min` has no initial value. Here it starts at 0, so a page without words has no result. `min` is never
//!   updated either: `min <- s` is missing after line 40. As printed, the last negative sum would be
//!   selected, not the smallest.
//! * Lines 31 to 35 change `j` without using it, while line 38 sums `encode[i..j]` for only one `j`. Here the
//!   sum is inside that loop and updated step by step; otherwise the cost would not be the paper's O(n^2).
//! * Line 31 lets `j` run to `length`, one past the end, as does line 14 of Algorithm 1. Here the loops end
//!   at the last run. Lines 14 and 20 of Algorithm 1, and lines 28 and 45, and 31 and 34 of Algorithm 2,
//!   increment twice per iteration; here they increment once.
//! * Line 40 compares after each `k`, when the sum is that of `i..k`, but line 42 stores `j`. Here the
//!   comparison is made once for each `j`, when the sum is complete.
//! * Line 41, `i_max <- i + abs(encode[i-1])`, adds a number of tokens to the index of a run and reads
//!   `encode[-1]` for `i = 0`. Line 47 uses `i_max` as the index of a run, so here it is `i`. In place of
//!   `j_max <- j + 1`, `j_max` is `j`. In line 47, the start is the sum over all runs before `i_max`, and the
//!   end is the sum up to and including `j_max`. As printed, line 47 begins after run `i_max` and loses it.
//! * Line 48, `token[start..end]`, does not state whether `end` is included. Tokens count from 0 and `end` is
//!   a number of tokens, so it is the first token after the range.
//! * Arrays with several spellings (`encode[]`, `endcode[]`, `encoded[]`) are one array.
//! * Equal sums: `min > s` keeps the first, so the range has the earliest start and, among those, the
//!   earliest end.

use gleaner_html::Page;
use gleaner_html::text::Line;

use super::{BteParams, Tokens, linear, text_of_range};

/// Returns the lines of the page's best range; empty if the page has no words. Time is quadratic in the runs
/// of the page, and linear for pages with more than [`BteParams::max_runs`].
#[must_use]
pub fn extract(page: &Page, params: &BteParams) -> Vec<Line> {
    let tokens = Tokens::new(page, params);
    let encode = tokens.encode();
    let best = if encode.len() <= params.max_runs { best_range(encode) } else { linear::best_range(encode) };
    text_of_range(page, params, &tokens, best)
}

/// Returns the best range of runs, both ends included: that with the least number of tags minus words.
///
/// `encode` is [`Tokens::encode`](super::Tokens::encode). `None` if there are no words. Time is quadratic in
/// the number of runs, without a limit. Sums saturate.
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
            // Equal sums: the earliest start, then the earliest end.
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
