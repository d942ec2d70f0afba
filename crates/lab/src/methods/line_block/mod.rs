//! Line-Block: joins adjacent lines into blocks, and classifies the blocks by three features.
//!
//! Pan Ei San, Nilar Aye: Main Content Extraction from Dynamic Web Pages.
//! * Step 1 removes `head`, `script`, `style` and HTML comments, but stores the title.
//! * Step 2 splits the source into lines. Lines with text join into a block if their distance is small enough
//!   ([`LineBlockParams::distance`]).
//! * Step 3 measures [`Features`]: text per tag (TTR), share of text in links (ATTR), title words (TKD).
//! * Step 4 compares the features with constant [`Thresholds`], or with lambda times each feature's standard
//!   deviation over the page's blocks.
//!
//! The paper leaves some points open. Our choices:
//! * Lines: we read "break_original_lines" and "we define and use the important block tags" to mean that
//!   lines end at block-level tags. However, no line ends inside a complete link (IV.A).
//! * Distance: the paper gives no number. We use 1, so a line without text separates blocks.
//! * As printed, step 4 requires two title words in every block, so it loses every paragraph without them.
//!   According to the text of step 3, title words "remedy" a low TTR. This is our default ([`Rule`]). We read
//!   the listing's `threshold_check(f) >= tau` as the three inequalities of step 4.
//! * Counts: `sum(tag)` counts start tags and end tags. White space between words counts as one character.
//!   TKD is a number of words, because a share could not reach the threshold of 2. A repeated word counts
//!   each time. No word is excluded, not even "the". If a block has no tag, its TTR is the length of its
//!   text, as in [`text_to_tag_ratio`](crate::methods::text_to_tag_ratio).
//! * A deviation can be 0. With a threshold of 0, a block without links passes the ATTR test, and a block
//!   without title words fails the TKD test.
//!
//! The cost is linear in the source. Known failures: teasers of related articles have as much text per tag as
//! prose, so they are extracted. A short paragraph with many links is lost.
//!
//! ```
//! use gleaner_lab::methods::line_block;
//! let lines = line_block::extract(
//!     "<title>A new bridge</title>\n<body>\n<div><a href=/>Home</a> | <a href=/n>News</a></div>\n\
//!      <ul></ul>\n\
//!      <p>The council met on Monday and agreed on the costs, after a debate of four hours.</p>\n\
//!      <p>Work begins in spring and will take two years, the mayor said.</p>\n\
//!      <ul></ul>\n<div>About us</div>",
//!     &line_block::LineBlockParams::default());
//! assert_eq!(lines.len(), 2);
//! assert_eq!(lines[1].text, "Work begins in spring and will take two years, the mayor said.");
//! ```

mod blocks;
mod features;
mod params;

use std::ops::Range;

use gleaner_html::text::Line;

pub use features::Features;
pub use params::{LineBlockParams, Rule, Thresholds};

use crate::methods::source_lines::{HeadState, SourceLines};
use crate::methods::text_to_tag_ratio::smoothing::deviation;

/// Returns the text of the content blocks, or no lines if there are none.
#[must_use]
pub fn extract(source: &str, params: &LineBlockParams) -> Vec<Line> {
    let blocks = Blocks::new(source, params);
    blocks.text(&blocks.select(params))
}

/// The blocks of a page with their features.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    lines: SourceLines,
    blocks: Vec<Range<usize>>,
    features: Vec<Features>,
}

impl Blocks {
    /// Applies steps 1 to 3. Uses the settings [`lines`](LineBlockParams::lines),
    /// [`whole_links`](LineBlockParams::whole_links) and [`distance`](LineBlockParams::distance).
    #[must_use]
    pub fn new(source: &str, params: &LineBlockParams) -> Self {
        let read = if params.whole_links { SourceLines::with_whole_links } else { SourceLines::new };
        let lines = read(source, params.lines, HeadState::Removed);
        let blocks = blocks::blocks(&lines, params.distance);
        let features = features::features(&lines, &blocks);
        Self { lines, blocks, features }
    }

    /// Returns the features of each block, in page order.
    #[must_use]
    pub fn features(&self) -> &[Features] {
        &self.features
    }

    /// Applies step 4. Returns for each block whether it is content. Uses the settings
    /// [`thresholds`](LineBlockParams::thresholds) and [`rule`](LineBlockParams::rule).
    #[must_use]
    pub fn select(&self, params: &LineBlockParams) -> Vec<bool> {
        let threshold = self.thresholds(params.thresholds);
        let is_content = |block: &Features| {
            let much_text = block.text_to_tag > threshold.text_to_tag;
            // If a threshold is 0, blocks without links pass this test, and blocks without title words fail
            // the next.
            let few_links = block.anchor_text == 0.0 || block.anchor_text < threshold.anchor_text;
            let keywords = block.title_keywords > 0.0 && block.title_keywords >= threshold.title_keywords;
            match params.rule {
                Rule::AsPrinted => much_text && few_links && keywords,
                Rule::Remedy => (much_text || keywords) && few_links,
            }
        };
        self.features.iter().map(is_content).collect()
    }

    /// Returns the text of the selected blocks, without tags. If `selected` is too short, the remaining
    /// blocks are not selected.
    #[must_use]
    pub fn text(&self, selected: &[bool]) -> Vec<Line> {
        let mut is_content = vec![false; self.lines.iter().len()];
        for (block, _) in self.blocks.iter().zip(selected).filter(|(_, is)| **is) {
            is_content[block.clone()].fill(true);
        }
        self.lines.selected(|number| is_content[number])
    }

    fn thresholds(&self, thresholds: Thresholds) -> Features {
        match thresholds {
            Thresholds::Constant { text_to_tag, anchor_text, title_keywords } => {
                Features { text_to_tag, anchor_text, title_keywords }
            }
            Thresholds::LambdaSigma(lambda) => Features {
                text_to_tag: lambda * self.deviation(|block| block.text_to_tag),
                anchor_text: lambda * self.deviation(|block| block.anchor_text),
                title_keywords: lambda * self.deviation(|block| block.title_keywords),
            },
        }
    }

    fn deviation(&self, feature: impl Fn(&Features) -> f64) -> f64 {
        deviation(&self.features.iter().map(feature).collect::<Vec<_>>())
    }
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::plain;

    use super::*;
    use crate::methods::source_lines::LineEnds;

    const LONG: &str = "Many words of a text that is long enough to stand above thirty a tag.";

    #[track_caller]
    fn check(html: &str, params: &LineBlockParams, expected: &str) {
        assert_eq!(plain(&extract(html, params)), expected, "{html}");
    }

    #[test]
    fn features_are_the_paper_s_ratios() {
        let html = "<title>Bladder cancer: Exciting drug break</title><body>\n<p>A drug, an <a href=/>exciting</a> drug.</p>";
        let blocks =
            Blocks::new(html, &LineBlockParams { lines: LineEnds::AsWritten, ..LineBlockParams::default() });
        let [block] = blocks.features() else { panic!("{:?}", blocks.features()) };
        assert_eq!(block.text_to_tag, 25.0 / 4.0);
        assert_eq!(block.anchor_text, 8.0 / 25.0);
        assert_eq!(block.title_keywords, 3.0);
    }

    #[test]
    fn neighbours_within_the_distance_are_one_block() {
        let html = "a\nb\n<hr>\nc\n<hr>\n<hr>\nd";
        for (distance, expected) in [(0, 4), (1, 3), (2, 2), (3, 1), (usize::MAX, 1)] {
            let params =
                LineBlockParams { distance, lines: LineEnds::AsWritten, ..LineBlockParams::default() };
            assert_eq!(Blocks::new(html, &params).features().len(), expected, "{distance}");
        }
    }

    #[test]
    fn the_rules_differ_by_the_title_s_words() {
        let page = |text: &str| format!("<title>The old bridge</title><body><i></i><div>{text}</div>");
        let printed = LineBlockParams { rule: Rule::AsPrinted, ..LineBlockParams::default() };
        let remedy = LineBlockParams::default();
        check(&page(LONG), &printed, "");
        check(&page(LONG), &remedy, LONG);
        let short = "<b>Old</b> bridge";
        check(&page(short), &printed, "");
        check(&page(short), &remedy, "Old bridge");
        let both = format!("{LONG} The bridge.");
        check(&page(&both), &printed, &both);
        check(&page("<a href=/>The old bridge</a>"), &remedy, "");
        check(&page("No words"), &remedy, "");
    }

    #[test]
    fn lambda_scales_the_page_s_own_deviations() {
        let html = format!("<div>{LONG}</div><hr><div>ab</div><hr><div><a href=/>cd</a></div>");
        check(&html, &LineBlockParams::lambda_sigma(1.0), LONG);
        check(&html, &LineBlockParams::lambda_sigma(1e9), "");
        let blocks = Blocks::new(&html, &LineBlockParams::default());
        let of = |block: &Features| block.anchor_text;
        assert!((blocks.deviation(of) - (2.0_f64 / 9.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_selection_may_be_shorter_or_longer() {
        let blocks = Blocks::new("<p>a</p><hr><p>b</p>", &LineBlockParams::default());
        assert_eq!(plain(&blocks.text(&[true])), "a");
        assert_eq!(plain(&blocks.text(&[false, true, true, true])), "b");
    }
}
