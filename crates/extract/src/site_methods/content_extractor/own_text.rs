//! Returns the own text of blocks, with one line per block, in the order of the blocks.
//!
//! In figure 3, the text of a `<p>` with `<span>`s is one line that comes after the spans and omits their
//! texts. Therefore a block is one line here, even if it has line breaks. A space replaces each sub-block,
//! line break and image. Inline tags neither split nor join words.

use std::ops::Range;

use gleaner_html::text::{Line, LineKind, PlacedLine, is_block, tidy};
use gleaner_html::{NodeId, Page};

use crate::site_methods::blocks::Blocks;

pub(super) fn lines(page: &Page, blocks: &Blocks, keep: impl Fn(usize) -> bool) -> Vec<PlacedLine> {
    let kinds = kinds(page, blocks);
    let texts = texts(page, blocks, &keep);
    order(blocks)
        .into_iter()
        .filter(|number| keep(*number))
        .map(|number| PlacedLine {
            line: Line { kind: kinds[number], text: tidy(&texts[number].text) },
            block: blocks.block(number).node,
            nodes: texts[number].nodes.clone(),
        })
        .filter(|placed| !placed.line.text.is_empty())
        .collect()
}

fn order(blocks: &Blocks) -> Vec<usize> {
    let mut order = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for (number, block) in blocks.iter() {
        while let Some((outer, _)) = open.pop_if(|(_, end)| *end <= number) {
            order.push(outer);
        }
        open.push((number, block.end as usize));
    }
    order.extend(open.into_iter().rev().map(|(number, _)| number));
    order
}

#[derive(Clone, Default)]
struct OwnText {
    text: String,
    nodes: Range<NodeId>,
}

fn texts(page: &Page, blocks: &Blocks, keep: impl Fn(usize) -> bool) -> Vec<OwnText> {
    let pieces = pieces(page, blocks);
    let mut texts = vec![OwnText::default(); pieces.blocks];
    let mut last = vec![0; pieces.blocks];
    for (node, block) in blocks.texts().filter(|(_, block)| keep(*block)) {
        let piece = pieces.of[node as usize];
        if std::mem::replace(&mut last[block], piece) != piece {
            texts[block].text.push(' ');
        }
        let own = &mut texts[block];
        own.text.push_str(page.text(node).unwrap_or_default());
        own.nodes = if own.nodes.is_empty() { node..node + 1 } else { own.nodes.start..node + 1 };
    }
    texts
}

/// Groups of a page's nodes. Inside a group, no element boundary separates words.
struct Pieces {
    of: Vec<u32>,
    blocks: usize,
}

fn pieces(page: &Page, blocks: &Blocks) -> Pieces {
    let mut edges = vec![false; page.len() + 1];
    let mut edge = |id: NodeId| {
        edges[id as usize] = true;
        edges[page.node(id).end as usize] = true;
    };
    for (id, _) in page.iter() {
        if page.tag(id).is_some_and(|tag| is_block(tag) || matches!(tag, "br" | "img")) {
            edge(id);
        }
    }
    let count = blocks.iter().map(|(_, block)| edge(block.node)).count();
    let counted = edges.iter().scan(0, |before, edge| {
        *before += u32::from(*edge);
        Some(*before)
    });
    Pieces { of: counted.collect(), blocks: count }
}

/// Returns the line kind of each block, from its own tag or the nearest enclosing block with a kind.
fn kinds(page: &Page, blocks: &Blocks) -> Vec<LineKind> {
    let mut kinds: Vec<LineKind> = Vec::new();
    for (_, block) in blocks.iter() {
        let outer = block.parent.map_or(LineKind::Paragraph, |parent| kinds[parent as usize]);
        kinds.push(match page.tag(block.node).unwrap_or_default() {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => LineKind::Heading,
            "li" | "dt" | "dd" => LineKind::Item,
            "blockquote" => LineKind::Quote,
            "td" | "th" => LineKind::Cell,
            "figcaption" | "caption" => LineKind::Caption,
            "pre" => LineKind::Pre,
            "p" | "table" | "article" | "section" if outer == LineKind::Cell => LineKind::Paragraph,
            _ => outer,
        });
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site_methods::blocks::all_tags;

    #[test]
    fn sub_blocks_come_first_and_leave_a_space() {
        let cases: [(&str, &[&str]); 6] = [
            ("", &[]),
            ("a<div>b<p>c</p>d</div>e", &["c", "b d", "a e"]),
            ("<p>o<b>n</b>e<br>two<img>three</p>", &["one two three"]),
            ("<p>a<span>b</span>c</p>", &["b", "a c"]),
            ("<div><p>a</p><p>b</p></div><p>c</p>", &["a", "b", "c"]),
            ("<table><tr><td>a<td>b</table>", &["a", "b"]),
        ];
        for (html, expected) in cases {
            let page = Page::parse(html);
            let blocks = Blocks::new(&page, &all_tags(), 200);
            let lines = lines(&page, &blocks, |_| true);
            assert_eq!(
                lines.iter().map(|placed| placed.line.text.as_str()).collect::<Vec<_>>(),
                expected,
                "{html}"
            );
        }
    }

    #[test]
    fn a_block_has_the_kind_of_its_name_or_of_the_block_around_it() {
        let page = Page::parse(
            "<h2>a <span>b</span></h2><ul><li><div>c</div></ul><table><tr><td><p>d</p>e</table>f",
        );
        let blocks = Blocks::new(&page, &all_tags(), 200);
        let kinds: Vec<LineKind> =
            lines(&page, &blocks, |_| true).iter().map(|placed| placed.line.kind).collect();
        use LineKind::{Cell, Heading, Item, Paragraph};
        assert_eq!(kinds, [Heading, Heading, Item, Paragraph, Cell, Paragraph]);
    }
}
