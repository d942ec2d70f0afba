//! Comma score: selects the elements with the most commas in their own text.
//!
//! H. Posch: Extracting pure text from web pages, Slovak University of Technology Bratislava (two pages).
//! * Every `DIV` is a part of the page. The own text of a part is the text directly in it, "no in child DIVs"
//!   ([`mod@score`]).
//! * `score = CS^3 * (CL / ACL) / ACFL^2`. CS is the number of commas and CL the number of characters. ACL is
//!   the number of characters in anchors. ACFL is the number of commas and full stops in anchors.
//! * A part whose score is above the average is preliminary main content.
//! * Position control ([`Position`]) keeps only the parts below the direct parent of the best part.
//!
//! [`punctuation`] is the older method that the comma score extends. [`Punctuation`] contains the counts.
//!
//! The paper leaves some points open. Our choices: ACL and ACFL are at least 1. The average includes parts
//! without text. Text in a `P` or `SPAN` of a `DIV` is directly in the `DIV`. CS includes the commas in
//! anchors. The best part is always extracted, because a single part cannot be above its own average. A page
//! without a comma has no result. docs/papers.md has the measurements behind these choices.
//!
//! Cost: linear in the page.
//!
//! Known failures: pages without `DIV`, and articles in `ARTICLE` or `TD` outside every `DIV`. Articles with
//! one `DIV` per paragraph fail too, because the cube raises the average above the scores of short
//! paragraphs. On the recorded pages, position control removes more article text than other text.
//!
//! ```
//! use gleaner_lab::methods::comma_score::{CommaScoreParams, extract};
//! use gleaner_html::Page;
//! let page = Page::parse(
//!     "<div><a href=/>Home</a>, <a href=/n>News</a></div>\
//!      <div><div><p>On Monday, after a long debate, the council agreed, at last, on a bridge.</p>\
//!      <div>Share this.</div></div></div><div>Copyright, of course, is ours.</div>");
//! let lines = extract(&page, &CommaScoreParams::default());
//! assert_eq!(lines.len(), 1);
//! assert!(lines[0].text.starts_with("On Monday, after a long debate,"));
//! ```

mod marks;
mod params;
mod position;
pub mod punctuation;
pub mod score;

use gleaner_html::Page;
use gleaner_html::text::Line;

pub use marks::{Mark, Marks, Punctuation};
pub use params::{CommaScoreParams, Position};

use score::{Parts, above_average, score};

/// Returns the own text of the parts that score and position control select. Returns no lines if no part has
/// a comma.
#[must_use]
pub fn extract(page: &Page, params: &CommaScoreParams) -> Vec<Line> {
    let parts = Parts::new(page, &params.elements, params.marks);
    let scores: Vec<f64> = parts.as_slice().iter().map(|part| score(&part.own, params)).collect();
    let Some((best, preliminary)) = above_average(&scores) else {
        return Vec::new();
    };
    let chosen = match params.position {
        Position::BelowTheBestsParent => position::controlled(page, parts.as_slice(), best, preliminary),
        Position::Anywhere => preliminary,
    };
    parts.lines(page, &chosen)
}

#[cfg(test)]
mod tests {
    use gleaner_html::text::{lines, plain};
    use proptest::prelude::*;

    use super::*;
    use gleaner_html::words::words;

    fn both(html: &str) -> [String; 2] {
        let page = Page::parse(html);
        [
            plain(&extract(&page, &CommaScoreParams::default())),
            plain(&punctuation::extract(&page, &punctuation::PunctuationScoreParams::default())),
        ]
    }

    #[test]
    fn pages_without_parts_or_marks_give_nothing() {
        for html in ["", "<p>a, b.", "<div>a b", "<div><script>a, b.", "\0\0<\0div>\0"] {
            assert_eq!(both(html), ["", ""], "{html:?}");
        }
        assert!(extract(&Page::default(), &CommaScoreParams::default()).is_empty());
    }

    #[test]
    fn position_control_rules_out_a_part_elsewhere() {
        let article = "<div><div>a, b, c, d.</div><div>e, f, g, h.</div></div>";
        let page = Page::parse(&format!("{article}<div>x</div><div><p>i, j, k, l.</div><div>y</div>"));
        let text =
            |position| plain(&extract(&page, &CommaScoreParams { position, ..CommaScoreParams::default() }));
        assert_eq!(text(Position::BelowTheBestsParent), "a, b, c, d.\ne, f, g, h.");
        assert_eq!(text(Position::Anywhere), "a, b, c, d.\ne, f, g, h.\ni, j, k, l.");
    }

    #[test]
    fn anchors_with_commas_and_full_stops_are_punished() {
        let links = "<div><a href=/>One, two, three, four, five, six.</a> or so</div>";
        let [commas, _] = both(&format!("{links}<div>Rain, wind, snow.</div>"));
        assert_eq!(commas, "Rain, wind, snow.");
    }

    #[test]
    fn deep_and_long_pages() {
        let nested = "<div>a, b.".repeat(10_000);
        assert_eq!(both(&nested).map(|text| text.len()), [5, 5]);
        let wide = "<div>a, b.</div>".repeat(200_000);
        assert_eq!(both(&wide).map(|text| text.len()), [5, 5]);
        let tags = "<b></b>".repeat(400_000);
        assert_eq!(both(&format!("<div>a, b.{tags}")), ["a, b.", "a, b."]);
        let line = format!("<div>{}", "a, b. ".repeat(1_000_000));
        assert_eq!(both(&line).map(|text| text.len()), [5_999_999; 2]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_given_stands_on_the_page_in_order(html in "(<(p|div|span|/p|/div|table|td|a href=x|/a|script|b)>|[a-z]{1,5}[,.]? |[<>&\"\\x00. ]|更，。){0,60}") {
            let page = Page::parse(&html);
            let all = plain(&lines(&page, 0, |_| true));
            for text in both(&html) {
                let mut rest = words(&all);
                prop_assert!(words(&text).all(|word| rest.any(|other| other == word)), "{text:?} of {all:?}");
            }
        }
    }
}
