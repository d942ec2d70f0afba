//! Improved Body Text Extraction with step 2 as the paper lists it: all pairs of runs.
//!
//! Neither algorithm can be run as printed. Our reading, line by line:
//! * Line 8 tests `t in tagHTML[]`, the known tags; the text of step 1 also counts unknown ones, `<...>` and
//!   `</...>`. Every element is a tag here.
//! * Line 16, `abs(x + encode[j]) < abs(encode[j])`, says that a sign changes, if the "null" of line 6 is 0.
//! * `min` has no first value: it starts at 0, so a page without words has no result. It also never gets
//!   another value: `min <- s` is missing after line 40, and as printed the last negative sum would be taken,
//!   not the smallest.
//! * Lines 31 to 35 move `j` and do nothing with it, while line 38 sums `encode[i..j]` for one `j` only: the
//!   sum belongs inside that loop, updated step by step; otherwise the cost would not be the paper's O(n^2).
//! * Line 31 runs `j` to `length`, one past the end: it ends at the last run. (So does line 14 of Algorithm
//!   1.) Lines 14 and 20 of Algorithm 1, and 28 and 45, and 31 and 34 of Algorithm 2, increment twice per
//!   iteration; here they increment once.
//! * Line 40 compares after each `k`, where the sum is that of `i..k`, but line 42 stores `j`: the comparison
//!   is made once for each `j`, when the sum is complete.
//! * Line 41, `i_max <- i + abs(encode[i-1])`, adds a number of tokens to the number of a run and reads
//!   `encode[-1]` for `i = 0`. Line 47 uses `i_max` as a run, so it is `i`; `j_max <- j + 1` is `j` with the
//!   sum of line 47 taken over all runs before `i_max` for the start and up to and including `j_max` for the
//!   end. As printed, line 47 begins after run `i_max` and loses it.
//! * Line 48, `token[start..end]`, does not say whether `end` is included. Tokens count from 0 and `end` is a
//!   number of tokens, so it is the first token after the range.
//! * Arrays with several spellings (`encode[]`, `endcode[]`, `encoded[]`) are one array.
//! * Equal sums: `min > s` keeps the first, so the earliest beginning and, for that, the earliest end.

use gleaner_html::Page;
use gleaner_html::text::Line;

use super::{BteParams, Tokens, linear, text_of_range};

/// The lines of the page's best range; none if the page has no word. Time quadratic in the runs of the page,
/// up to [`BteParams::max_runs`].
#[must_use]
pub fn extract(page: &Page, params: &BteParams) -> Vec<Line> {
    let tokens = Tokens::new(page, params);
    let encode = tokens.encode();
    let best = if encode.len() <= params.max_runs { best_range(encode) } else { linear::best_range(encode) };
    text_of_range(page, params, &tokens, best)
}

/// The best range of runs, both ends included: the one with the least difference of tags and words.
///
/// `encode` is [`Tokens::encode`](super::Tokens::encode). `None` if there is no word. Time quadratic in the
/// number of runs, without a limit. Sums saturate.
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
            // Ties: the first beginning, then the first end.
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
