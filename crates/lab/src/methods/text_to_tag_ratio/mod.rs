//! Text-To-Tag Ratio: selects source lines with much text and few tags.
//!
//! T. Weninger, W. H. Hsu: Text Extraction from the Web via Text-to-Tag Ratio, 2008.
//! * Algorithm 1 removes scripts, HTML comments and empty lines. The ratio of a line is its number of
//!   characters outside tags divided by its number of tags ([`Ratios::array`]).
//! * Equation 1 [smooths](smoothing) the array with radius 2.
//! * Section 4 selects content lines in one of five ways ([`clustering`]).
//! * Tags are removed from the selected lines, and the lines are combined.
//!
//! The paper leaves some points open. Our choices:
//! * We count all characters, although the paper writes "ASCII characters". Otherwise the ratios of a Greek
//!   or Chinese page would be near 0.
//! * White space between words, or a reference such as `&amp;`, counts as one character. Text in `title`
//!   counts, because the paper counts a missing title as an error.
//! * Start tags and end tags count. A tag over several lines counts in its first line, and does not end a
//!   line.
//! * Style sheets are removed like scripts.
//! * If the source has too few line breaks, lines end at block-level tags ([`LineEnds`](crate::methods::LineEnds)).
//! * When lines are combined, a paragraph of several source lines becomes one line. Block-level tags still
//!   separate lines.
//!
//! The cost is linear in the source. Expectation maximization and k-means iterate at most 100 times per run,
//! and a run reads at most 20,000,000 lines in total. Known failures: long teasers and legal notices count as
//! content, but lists of short lines do not. Smoothing adds the lines directly before and after the text.
//!
//! ```
//! use gleaner_lab::methods::text_to_tag_ratio::{TextToTagRatioParams, extract};
//! let lines = extract(
//!     "<ul>\n<li><a href=/>Home</a>\n<li><a href=/n>News</a>\n<li><a href=/w>Wind</a>\n</ul>\n<div>\n\
//!      <p>The council met on Monday and agreed on the <b>new</b> bridge.\n\
//!      Work begins in spring and will take two years, the mayor said.</p>\n\
//!      </div>\n<hr>\n<ul>\n<li><a href=/a>About</a>\n<li><a href=/c>Contact</a>\n</ul>",
//!     &TextToTagRatioParams::default());
//! assert_eq!(lines.len(), 1);
//! assert!(lines[0].text.starts_with("The council") && lines[0].text.ends_with("the mayor said."));
//! ```

pub mod clustering;
mod params;
mod ratio;
pub mod smoothing;

use gleaner_html::text::Line;

pub use params::{Clustering, TextToTagRatioParams};

use crate::methods::source_lines::{HeadState, SourceLines};
use clustering::{expectation_maximization, farthest_first, k_means, prediction, threshold};
use smoothing::{deviation, smoothed};

/// Returns the text of the content lines, or no lines if there are none.
#[must_use]
pub fn extract(source: &str, params: &TextToTagRatioParams) -> Vec<Line> {
    let ratios = Ratios::new(source, params);
    ratios.text(&ratios.select(params))
}

/// The lines of a page with their ratios. All five ways of selection use them.
#[derive(Debug, Clone, PartialEq)]
pub struct Ratios {
    lines: SourceLines,
    array: Vec<f64>,
    smoothed: Vec<f64>,
}

impl Ratios {
    /// Applies Algorithm 1 and equation 1 with the settings [`lines`](TextToTagRatioParams::lines) and
    /// [`radius`](TextToTagRatioParams::radius).
    #[must_use]
    pub fn new(source: &str, params: &TextToTagRatioParams) -> Self {
        let lines = SourceLines::new(source, params.lines, HeadState::Kept);
        let array = ratio::array(&lines);
        let smoothed = smoothed(&array, params.radius);
        Self { lines, array, smoothed }
    }

    /// Returns `TTRArray`: for each line, the number of characters per tag.
    #[must_use]
    pub fn array(&self) -> &[f64] {
        &self.array
    }

    /// Returns the smoothed array. It has the same length as [`Self::array`].
    #[must_use]
    pub fn smoothed(&self) -> &[f64] {
        &self.smoothed
    }

    /// Returns the standard deviation of the smoothed array, in characters per tag.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        deviation(&self.smoothed)
    }

    /// Returns for each line whether it is content. Uses the settings
    /// [`clustering`](TextToTagRatioParams::clustering) and [`deviations`](TextToTagRatioParams::deviations).
    #[must_use]
    pub fn select(&self, params: &TextToTagRatioParams) -> Vec<bool> {
        let smoothed = &self.smoothed;
        let threshold = params.deviations * self.deviation();
        match params.clustering {
            Clustering::Threshold => threshold::select(smoothed, threshold),
            Clustering::Prediction => {
                prediction::select(&self.array, params.deviations * deviation(&self.array))
            }
            Clustering::KMeans => clustering::select(smoothed, threshold, k_means::clusters),
            Clustering::ExpectationMaximization => {
                clustering::select(smoothed, threshold, expectation_maximization::clusters)
            }
            Clustering::FarthestFirst => clustering::select(smoothed, threshold, farthest_first::clusters),
        }
    }

    /// Returns the text of the selected lines, without tags. If `selected` is too short, the remaining lines
    /// are not selected.
    #[must_use]
    pub fn text(&self, selected: &[bool]) -> Vec<Line> {
        self.lines.selected(|number| selected.get(number).is_some_and(|is| *is))
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;
    use crate::methods::LineEnds;

    #[track_caller]
    fn check_array(html: &str, expected: &[f64]) {
        let params = TextToTagRatioParams { lines: LineEnds::AsWritten, ..TextToTagRatioParams::default() };
        assert_eq!(Ratios::new(html, &params).array(), expected, "{html}");
    }

    #[test]
    fn the_array_is_algorithm_1() {
        check_array("", &[]);
        check_array(" \n\r\n\t", &[]);
        check_array("abcdef", &[6.0]);
        check_array("<p>abcdef</p>\n<hr>", &[3.0, 0.0]);
        check_array("<!-- a\nb --><script>\n<b>\n</script>\nabc", &[3.0]);
        check_array("<a\nhref=x>abc</a>\nd", &[1.5, 1.0]);
        check_array("   a   b&nbsp;&amp;\n&nbsp;", &[5.0]);
        check_array("<title>abcd</title>\nx Việt 中文", &[2.0, 9.0]);
    }

    #[test]
    fn the_coefficient_is_swept_without_reading_again() {
        let html =
            "<hr>\n".repeat(20) + &"Words of a paragraph.\n".repeat(5) + "Word\n" + &"<hr>\n".repeat(20);
        let ratios = Ratios::new(&html, &TextToTagRatioParams::default());
        let selected = |deviations: f64| {
            let select =
                ratios.select(&TextToTagRatioParams { deviations, ..TextToTagRatioParams::default() });
            select.iter().filter(|is| **is).count()
        };
        let counts: Vec<usize> = (0..=8).map(|step| selected(f64::from(step) / 4.0)).collect();
        assert!(counts.is_sorted_by(|more, fewer| more >= fewer), "{counts:?}");
        assert_eq!((counts[0], selected(100.0)), (46, 0));
    }

    #[test]
    fn a_page_of_one_ratio_is_content_by_the_two_thresholds() {
        for clustering in Clustering::ALL {
            let by_cluster = !matches!(clustering, Clustering::Threshold | Clustering::Prediction);
            // Both ratios are 7 and the deviation is 0, so the mean of a cluster is above the deviation.
            let lines = extract("words a\nwords b", &TextToTagRatioParams::with(clustering));
            assert_eq!(plain(&lines), "words a words b", "{clustering:?}");
            let select = Ratios::new("<i>\n<i>", &TextToTagRatioParams::with(clustering))
                .select(&TextToTagRatioParams::with(clustering));
            assert_eq!(select, [!by_cluster; 2], "{clustering:?}");
        }
    }

    #[test]
    fn all_five_find_the_text() {
        let text = "A sentence of the text that is rather longer than a link. ".repeat(2);
        let html = "<li><a href=/>Link</a>\n".repeat(30)
            + &format!("<p>{text}</p>\n").repeat(12)
            + &"<li><a href=/>Link</a>\n".repeat(30);
        for clustering in Clustering::ALL {
            let found = plain(&extract(&html, &TextToTagRatioParams::with(clustering)));
            // Prediction ends one line too early.
            let sentences = if clustering == Clustering::Prediction { 22 } else { 24 };
            assert_eq!(found.matches("A sentence").count(), sentences, "{clustering:?}");
            assert!(found.matches("Link").count() <= 4, "{clustering:?}");
        }
    }
}
