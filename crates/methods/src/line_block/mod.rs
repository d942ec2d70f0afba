//! Line-Block: joins neighbouring lines to blocks, and classifies them by three features.
//!
//! Pan Ei San, Nilar Aye: Main Content Extraction from Dynamic Web Pages.
//! * Step 1 removes `head`, `script`, `style` and remarks; the title is kept aside.
//! * Step 2 breaks the source into lines, and joins neighbouring lines with text to blocks where their
//!   distance allows ([`LineBlockParams::distance`]).
//! * Step 3 measures [`Features`]: text per tag (TTR), the share of text in links (ATTR), words of the title
//!   (TKD).
//! * Step 4 compares them with constant [`Thresholds`], or with lambda times each feature's standard
//!   deviation over the page's blocks.
//!
//! Readings. Lines: "break_original_lines" and "we define and use the important block tags" are read as lines
//! that end at block-level tags. But no line ends in a complete link (IV.A). Distance: the paper names none;
//! here it is 1, so that neighbours are joined and a line without text separates blocks. Step 4 as printed
//! requires two words of the title in every block, and loses a paragraph that has none; the text of step 3
//! has them "remedy" a low TTR, and that is the default ([`Rule`]). The listing's `threshold_check(f) >= tau`
//! is read as step 4's three inequalities. `sum(tag)` counts start tags and end tags; white space counts once
//! between words. TKD is a number of words, repeated ones counted, since no share could reach 2; the paper
//! excludes no word, not even "the". TTR without a tag is the text's length, as in
//! [`text_to_tag_ratio`](crate::text_to_tag_ratio). If a threshold is 0, as a deviation may be, a block
//! without links still passes, and one without keywords does not have them.
//!
//! Cost: linear in the source. Known failure: the teasers of a list of related links have as much text per
//! tag as prose; a short paragraph full of links is lost.
//!
//! ```
//! use gleaner_methods::line_block;
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

use crate::source_lines::{Head, SourceLines};
use crate::text_to_tag_ratio::smoothing::deviation;

/// The text of the blocks that are content; none if no block is.
#[must_use]
pub fn extract(source: &str, params: &LineBlockParams) -> Vec<Line> {
    let blocks = Blocks::new(source, params);
    blocks.text(&blocks.select(params))
}

/// The line-blocks of a page with their features.
#[derive(Debug, Clone, PartialEq)]
pub struct Blocks {
    lines: SourceLines,
    blocks: Vec<Range<usize>>,
    features: Vec<Features>,
}

impl Blocks {
    /// Applies steps 1 to 3. Of the settings only [`lines`](LineBlockParams::lines),
    /// [`whole_links`](LineBlockParams::whole_links) and [`distance`](LineBlockParams::distance) matter here.
    #[must_use]
    pub fn new(source: &str, params: &LineBlockParams) -> Self {
        let read = if params.whole_links { SourceLines::with_whole_links } else { SourceLines::new };
        let lines = read(source, params.lines, Head::Removed);
        let blocks = blocks::blocks(&lines, params.distance);
        let features = features::features(&lines, &blocks);
        Self { lines, blocks, features }
    }

    /// The features of each block, in page order.
    #[must_use]
    pub fn features(&self) -> &[Features] {
        &self.features
    }

    /// Whether each block is content. Of the settings only
    /// [`thresholds`](LineBlockParams::thresholds) and [`rule`](LineBlockParams::rule) matter here.
    #[must_use]
    pub fn select(&self, params: &LineBlockParams) -> Vec<bool> {
        let threshold = self.thresholds(params.thresholds);
        let is_content = |block: &Features| {
            let much_text = block.text_to_tag > threshold.text_to_tag;
            // A deviation may be 0: without links there are few, without keywords none.
            let few_links = block.anchor_text == 0.0 || block.anchor_text < threshold.anchor_text;
            let keywords = block.title_keywords > 0.0 && block.title_keywords >= threshold.title_keywords;
            match params.rule {
                Rule::AsPrinted => much_text && few_links && keywords,
                Rule::Remedy => (much_text || keywords) && few_links,
            }
        };
        self.features.iter().map(is_content).collect()
    }

    /// The text of the blocks for which `selected` holds `true`, tags removed. Blocks beyond its end are not
    /// selected.
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
    use crate::source_lines::Lines;

    const LONG: &str = "Many words of a text that is long enough to stand above thirty a tag.";

    #[track_caller]
    fn check(html: &str, params: &LineBlockParams, expected: &str) {
        assert_eq!(plain(&extract(html, params)), expected, "{html}");
    }

    #[test]
    fn features_are_the_paper_s_ratios() {
        let html = "<title>Bladder cancer: Exciting drug break</title><body>\n<p>A drug, an <a href=/>exciting</a> drug.</p>";
        let blocks =
            Blocks::new(html, &LineBlockParams { lines: Lines::AsWritten, ..LineBlockParams::default() });
        let [block] = blocks.features() else { panic!("{:?}", blocks.features()) };
        assert_eq!(block.text_to_tag, 25.0 / 4.0);
        assert_eq!(block.anchor_text, 8.0 / 25.0);
        assert_eq!(block.title_keywords, 3.0);
    }

    #[test]
    fn neighbours_within_the_distance_are_one_block() {
        let html = "a\nb\n<hr>\nc\n<hr>\n<hr>\nd";
        for (distance, expected) in [(0, 4), (1, 3), (2, 2), (3, 1), (usize::MAX, 1)] {
            let params = LineBlockParams { distance, lines: Lines::AsWritten, ..LineBlockParams::default() };
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
