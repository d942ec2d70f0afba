//! Finds inserts: captions, photo credits, by-lines and "read more" lines. They are not body text, but are
//! included in the extracted text on request.
//!
//! 1. The page is judged as usual, and its lines are classified ([`crate::lines::class`]).
//! 2. The body is the smallest element that contains nine tenths of the words of body text.
//! 3. Requested lines inside the body are included. Captions, credits and by-lines between the headline and
//!    the body's first line are also included.
//! 4. A line is not included if the site repeats it, if a pin drops it, or if it is among comments, other
//!    stories, menus, share buttons or advertisements.
//!
//! The last condition does not apply to "read more" lines, because sites often put them into elements whose
//! names indicate other stories. Instead, only a few lines may be between the two lines of body text around a
//! "read more" line.
//!
//! Confidence, method and template health ignore inserts.
//!
//! Limitation: the classes of [`crate::lines::class`] are guesses from tags and words. A by-line above the headline
//! is not included. An included caption may belong to a video or a gallery. If there is no body text, no
//! insert is included. If body text is so scattered that the body is the page's `body`, only lines between
//! the first and the last line of body text are included. docs/templates.md has measurements.

use std::ops::Range;

use gleaner_corpus::Insert;
use gleaner_html::metadata::metadata;
use gleaner_html::text::LineKind;
use gleaner_html::{NodeId, Page};

use crate::block_model::ClassifiedBlock;
use crate::lines::class::{LineClass, classify};

impl From<Insert> for LineClass {
    fn from(insert: Insert) -> Self {
        match insert {
            Insert::Captions => Self::Caption,
            Insert::Credits => Self::Credit,
            Insert::ByLines => Self::ByLine,
            Insert::ReadMore => Self::ReadMore,
        }
    }
}

/// Returns, for each line, its kind of insert if the line is included, and `None` otherwise. `is_free`
/// returns `true` for the number of a line without a pin.
pub(crate) fn find(
    page: &Page,
    blocks: &[ClassifiedBlock],
    inserts: &[Insert],
    is_free: impl Fn(usize) -> bool,
) -> Vec<Option<Insert>> {
    let mut found = vec![None; blocks.len()];
    if inserts.is_empty() {
        return found;
    }
    let Some(body) = Body::find(page, blocks) else { return found };
    for (at, named) in classify(page, blocks).into_iter().enumerate() {
        let asked = |insert: &Insert| inserts.contains(insert) && LineClass::from(*insert) == named.class;
        let comes_back = |insert: &Insert| {
            let is_more = *insert == Insert::ReadMore;
            let is_near = body.holds(at, &blocks[at]) || (body.opening.contains(&at) && !is_more);
            is_near && (is_more || !named.aside) && is_free(at)
        };
        found[at] = Insert::ALL.into_iter().find(asked).filter(comes_back);
    }
    found
}

pub(crate) fn kind(insert: Insert, kind: LineKind) -> LineKind {
    if matches!(insert, Insert::Captions | Insert::Credits) { LineKind::Caption } else { kind }
}

/// Maximum number of lines before the body's first line that are searched for the headline.
const FARTHEST_HEADLINE: usize = 40;

struct Body {
    /// The nodes of the smallest element with nine tenths of the body text. `None` if it is the page's
    /// `body`.
    nodes: Option<Range<NodeId>>,
    lines: Range<usize>,
    /// The lines between the headline and the first line of body text in the element.
    opening: Range<usize>,
}

impl Body {
    fn find(page: &Page, blocks: &[ClassifiedBlock]) -> Option<Self> {
        let content: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at].is_content()).collect();
        let lines = *content.first()?..content.last()? + 1;
        let element = element(page, blocks, &content);
        let is_whole = matches!(page.tag(element), None | Some("html" | "body"));
        let nodes = (!is_whole).then(|| page.subtree(element));
        let is_in = |at: &usize| nodes.as_ref().is_none_or(|nodes| nodes.contains(&blocks[*at].placed.block));
        let begin = content.iter().copied().find(is_in).unwrap_or(lines.start);
        let from = begin.saturating_sub(FARTHEST_HEADLINE);
        let title = metadata(page).title;
        let is_headline = |at: &usize| {
            let placed = &blocks[*at].placed;
            title.as_ref() == Some(&placed.line.text) || is_in_h1(page, placed.block)
        };
        let opening = (from..begin).rev().find(is_headline).map_or(begin..begin, |at| at + 1..begin);
        Some(Self { nodes, lines, opening })
    }

    fn holds(&self, at: usize, block: &ClassifiedBlock) -> bool {
        match &self.nodes {
            Some(nodes) => nodes.contains(&block.placed.block),
            None => self.lines.contains(&at),
        }
    }
}

/// Returns the smallest element with nine tenths of the words of body text. If it contains only one line of
/// body text, returns its parent.
fn element(page: &Page, blocks: &[ClassifiedBlock], content: &[usize]) -> NodeId {
    let mut words = vec![0_u64; page.len()];
    let mut all = 0;
    for block in content.iter().map(|at| &blocks[*at]) {
        words[block.placed.block as usize] += u64::from(block.words);
        all += u64::from(block.words);
    }
    let nodes: Vec<(NodeId, NodeId)> = page.iter().map(|(id, node)| (id, node.parent)).collect();
    // Children come after their parents, so the reverse order visits children first.
    for (id, parent) in nodes.iter().rev().filter(|(id, parent)| id != parent) {
        words[*parent as usize] += words[*id as usize];
    }
    let holds = |id: &NodeId| 10 * words[*id as usize] >= 9 * all;
    let smallest = nodes.iter().rev().map(|(id, _)| *id).find(holds).unwrap_or_default();
    let within = page.subtree(smallest);
    let lines = content.iter().filter(|at| within.contains(&blocks[**at].placed.block)).count();
    if lines < 2 { page.node(smallest).parent } else { smallest }
}

fn is_in_h1(page: &Page, block: NodeId) -> bool {
    let parent = page.node(block).parent;
    [block, parent].into_iter().any(|node| page.tag(node) == Some("h1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::class::tests::long_lines;
    use crate::pins::Pins;
    use crate::template::Extraction;

    const STORY: &str = "Rain fell on the valley all day long today";

    fn all() -> Vec<Insert> {
        Insert::ALL.to_vec()
    }

    fn back(html: &str, inserts: Vec<Insert>, pins: Pins) -> Vec<(String, LineKind)> {
        let page = Page::parse(html);
        let pins = pins.with_inserts(inserts, "text.keep");
        let judgement = Extraction::cold_with(&long_lines(), &page, &pins);
        let lines = judgement.lines();
        lines.into_iter().filter(|line| line.text != STORY).map(|line| (line.text, line.kind)).collect()
    }

    fn texts(html: &str, inserts: Vec<Insert>) -> Vec<String> {
        back(html, inserts, Pins::default()).into_iter().map(|(text, _)| text).collect()
    }

    fn page() -> String {
        format!(
            "<title>The rain</title><p class=byline>Above Ann<h1>The rain</h1><p class=byline>By Ann</p>\
             <figure>Lead picture</figure><div class=story><p>{STORY}</p>\
             <figure><p>A bridge</p><p class=credit>Bob</p></figure>\
             <p><a href=/b>Read more</a></p><p>{STORY}</p><p>Nobody knows</p>\
             <div class=related><figure>Elsewhere</figure></div><div class=comments><p>By Eve</p></div>\
             <p>Source: the office</p></div><figure>Far away</figure><p>By Zoe"
        )
    }

    #[test]
    fn each_comes_back_by_its_name_and_only_in_the_body() {
        let cases: [(&[Insert], &[&str]); 6] = [
            (&[], &[]),
            (&[Insert::Captions], &["Lead picture", "A bridge"]),
            (&[Insert::Credits], &["Bob"]),
            (&[Insert::ByLines], &["By Ann", "Source: the office"]),
            (&[Insert::ReadMore], &["Read more"]),
            (&Insert::ALL, &["By Ann", "Lead picture", "A bridge", "Bob", "Read more", "Source: the office"]),
        ];
        for (inserts, expected) in cases {
            assert_eq!(texts(&page(), inserts.to_vec()), expected, "{inserts:?}");
        }
    }

    #[test]
    fn captions_and_credits_have_the_kind_of_captions() {
        let kinds: Vec<LineKind> = back(&page(), all(), Pins::default()).into_iter().map(|it| it.1).collect();
        use LineKind::{Caption, Paragraph};
        assert_eq!(kinds, [Paragraph, Caption, Caption, Caption, Paragraph, Paragraph]);
    }

    #[test]
    fn a_pin_that_drops_wins() {
        let pins = Pins::new("x.toml", &[], &[(1, "figure, .byline")]).unwrap();
        let texts: Vec<String> = back(&page(), all(), pins).into_iter().map(|(text, _)| text).collect();
        assert_eq!(texts, ["Read more", "Source: the office"]);
    }

    #[test]
    fn the_body_is_where_the_content_is() {
        let figure = "<figure>Seen</figure>";
        let cases = [
            // If the body is a single paragraph, its parent element is the body.
            (format!("<div>{figure}<p>{STORY}</p></div>{figure}"), 1),
            (format!("{figure}<p>{STORY}</p>{figure}<div><p>{STORY}</p></div>{figure}"), 1),
            // Lines separated by `<br>` are children of the element itself.
            (format!("{figure}<div>{STORY}<br>{STORY}{figure}</div>"), 1),
            // Up to a tenth of the words may be outside the body.
            (format!("<p>{STORY}</p><div>{}{figure}</div>{figure}", format!("<p>{STORY}</p>").repeat(9)), 1),
            (String::new(), 0),
        ];
        for (html, expected) in cases {
            assert_eq!(texts(&html, all()).len(), expected, "{html}");
        }
    }

    #[test]
    fn nothing_else_changes() {
        let page = Page::parse(&page());
        let judge = |inserts| {
            let pins = Pins::default().with_inserts(inserts, "text.keep");
            Extraction::cold_with(&long_lines(), &page, &pins)
        };
        let (with, without) = (judge(all()), judge(Vec::new()));
        assert_eq!((with.margin, with.method), (without.margin, without.method));
        let odds = |judgement: &Extraction| -> Vec<f32> {
            judgement.blocks.iter().map(|block| block.log_odds).collect()
        };
        assert_eq!(odds(&with), odds(&without));
    }

    #[test]
    fn hostile_pages_end() {
        let deep = format!("{}<figure>{STORY}", "<div class=byline>".repeat(10_000));
        let many = format!("<h1>x</h1>{}", "<figure>by me</figure><p>x<a href=/>y</a>".repeat(20_000));
        for html in [deep, many, format!("<p>{}", "by \u{0}".repeat(200_000))] {
            let _ = texts(&html, all());
        }
    }
}
