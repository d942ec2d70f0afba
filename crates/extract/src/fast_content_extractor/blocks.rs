//! The tree of blocks of a page.
//!
//! A block is an element with a block tag; its own content is what it holds
//! outside its sub-blocks, which is what the paper calls an atomic block (figure
//! 3: "the original block with sub-blocks removed"). `HTML` and `BODY` head every
//! path and are blocks too, so that text beside all others has a block.
//!
//! Left out: the head, and what no browser shows as text
//! ([`gleaner_html::text::never_text`], hidden elements). Scripts are counted,
//! though, since a feature vector holds their number.

use std::collections::HashSet;

use gleaner_html::text::{is_hidden, never_text};
use gleaner_html::{NodeId, Page};

use super::Params;
use super::paths::{EMPTY, PathId, Paths};
use super::similarity::{Features, Vector};
use crate::{has_word, words};

/// One block.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// Its element.
    pub(super) node: NodeId,
    /// The block around it; the first block has none.
    pub(super) parent: Option<u32>,
    /// The first block behind its sub-blocks.
    pub(super) end: u32,
    /// Images, scripts and hyperlinks among its own content.
    pub(super) images: u32,
    pub(super) scripts: u32,
    pub(super) links: u32,
    /// Whether its own text holds a word. A block without is no content.
    pub(super) has_words: bool,
}

/// The blocks of a page, in document order, and who owns which text.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Block>,
    /// Text nodes with the block that owns them, in document order.
    texts: Vec<(NodeId, u32)>,
}

impl Blocks {
    /// The blocks of a page. Time linear in the page.
    pub(super) fn of(page: &Page, params: &Params) -> Self {
        let tags: HashSet<&str> = params.block_tags.iter().map(String::as_str).collect();
        let mut tree = Self::default();
        let Some(body) = page.elements("body").next() else {
            return tree;
        };
        let mut open = vec![tree.add(0, None)];
        open.push(tree.add(body, Some(0)));
        let end = page.node(body).end;
        let mut id = body + 1;
        while id < end {
            while open.len() > 2 && page.node(tree.blocks[top(&open)].node).end <= id {
                tree.close(&mut open);
            }
            id = tree.visit(page, id, &mut open, |tag, depth| depth < params.max_depth && tags.contains(tag));
        }
        while !open.is_empty() {
            tree.close(&mut open);
        }
        tree
    }

    /// Takes one node in and gives the next one to look at.
    fn visit(
        &mut self,
        page: &Page,
        id: NodeId,
        open: &mut Vec<u32>,
        is_block: impl Fn(&str, usize) -> bool,
    ) -> NodeId {
        let block = &mut self.blocks[top(open)];
        let Some(tag) = page.tag(id) else {
            block.has_words |= page.text(id).is_some_and(has_word);
            self.texts.push((id, top(open) as u32));
            return id + 1;
        };
        match tag {
            "script" => block.scripts += 1,
            "img" => block.images += 1,
            "a" if page.attribute(id, "href").is_some() => block.links += 1,
            _ => {}
        }
        if never_text(tag) || is_hidden(page, id) {
            return page.node(id).end;
        }
        if is_block(tag, open.len()) {
            let parent = top(open) as u32;
            open.push(self.add(id, Some(parent)));
        }
        id + 1
    }

    fn add(&mut self, node: NodeId, parent: Option<u32>) -> u32 {
        self.blocks.push(Block { node, parent, ..Block::default() });
        self.blocks.len() as u32 - 1
    }

    fn close(&mut self, open: &mut Vec<u32>) {
        if let Some(block) = open.pop() {
            self.blocks[block as usize].end = self.blocks.len() as u32;
        }
    }

    /// The block with this number.
    pub(super) fn block(&self, number: usize) -> &Block {
        &self.blocks[number]
    }

    /// The first characters of a block's own text, white space collapsed.
    pub(super) fn beginning(&self, page: &Page, number: usize, characters: usize) -> String {
        let subtree = page.subtree(self.blocks[number].node);
        let from = self.texts.partition_point(|(node, _)| *node < subtree.start);
        let within = self.texts[from..].iter().take_while(|(node, _)| *node < subtree.end);
        let own =
            within.filter(|(_, block)| *block as usize == number).filter_map(|(node, _)| page.text(*node));
        let mut text = String::new();
        for word in own.flat_map(str::split_whitespace) {
            if text.chars().count() + word.chars().count() >= characters {
                break;
            }
            text.extend((!text.is_empty()).then_some(' '));
            text.push_str(word);
        }
        text
    }

    /// All blocks, each with its number.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &Block)> {
        self.blocks.iter().enumerate()
    }

    /// Text nodes with the number of the block that owns them, in document order.
    pub(super) fn texts(&self) -> impl Iterator<Item = (NodeId, usize)> {
        self.texts.iter().map(|(node, block)| (*node, *block as usize))
    }

    /// The path of every block; `None` for a path that is not in the trie.
    pub(super) fn find_paths(&self, page: &Page, paths: &Paths) -> Vec<Option<PathId>> {
        let mut found: Vec<Option<PathId>> = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let above = block.parent.map_or(Some(EMPTY), |parent| found[parent as usize]);
            let tag = page.tag(block.node).unwrap_or_default();
            found.push(above.and_then(|above| paths.find(above, tag)));
        }
        found
    }

    /// The path of every block, made where the trie lacks it.
    pub(super) fn make_paths(&self, page: &Page, paths: &mut Paths) -> Vec<PathId> {
        let mut made: Vec<PathId> = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let above = block.parent.map_or(EMPTY, |parent| made[parent as usize]);
            made.push(paths.child(above, page.tag(block.node).unwrap_or_default()));
        }
        made
    }

    /// The feature vector of every block's own content.
    pub(super) fn vectors(&self, page: &Page, features: &mut Features<'_>) -> Vec<Vector> {
        let mut entries: Vec<(u32, u32, u32)> = Vec::new();
        for (number, block) in self.iter() {
            let counted = Features::counted(block.images, block.scripts, block.links);
            entries.extend(counted.map(|(feature, count)| (number as u32, feature, count)));
        }
        for (node, block) in self.texts() {
            for word in words(page.text(node).unwrap_or_default()) {
                entries.push((block as u32, features.term(word), 1));
            }
        }
        entries.sort_unstable();
        let mut vectors = vec![Vector::default(); self.blocks.len()];
        for group in entries.chunk_by(|a, b| a.0 == b.0) {
            vectors[group[0].0 as usize] =
                Vector::new(group.iter().map(|(_, feature, count)| (*feature, *count)));
        }
        vectors
    }
}

/// The innermost open block.
fn top(open: &[u32]) -> usize {
    *open.last().expect("html and body stay open while nodes are visited") as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(html: &str) -> Vec<String> {
        let page = Page::parse(html);
        let blocks = Blocks::of(&page, &Params::of_the_paper());
        let mut paths = Paths::default();
        let made = blocks.make_paths(&page, &mut paths);
        assert_eq!(blocks.find_paths(&page, &paths), made.iter().copied().map(Some).collect::<Vec<_>>());
        let mut own = vec![String::new(); made.len()];
        for (node, block) in blocks.texts() {
            own[block].push_str(page.text(node).unwrap_or_default().trim());
        }
        made.iter().zip(own).map(|(path, text)| format!("{} {text}", paths.name(*path))).collect()
    }

    #[test]
    fn own_content_is_what_sub_blocks_leave() {
        assert_eq!(
            described("<table><tr><td>a<p>b<span>c</span>d</p>e</table>f"),
            [
                "HTML ",
                "HTML.BODY f",
                "HTML.BODY.TABLE ",
                "HTML.BODY.TABLE.TR ae",
                "HTML.BODY.TABLE.TR.P bd",
                "HTML.BODY.TABLE.TR.P.SPAN c"
            ]
        );
    }

    #[test]
    fn features_are_counted_where_they_stand() {
        let page = Page::parse("<div><img><a href=/>x</a><a name=n>y</a><script>z</script><p>w</div>");
        let blocks = Blocks::of(&page, &Params::default());
        let div = blocks.iter().find(|(_, b)| page.tag(b.node) == Some("div")).unwrap().1;
        assert_eq!((div.images, div.scripts, div.links, div.has_words, div.end), (1, 1, 1, true, 4));
    }

    #[test]
    fn deep_pages_are_cut() {
        let html = format!("{}deep", "<div>".repeat(10_000));
        let page = Page::parse(&html);
        let blocks = Blocks::of(&page, &Params::default());
        assert_eq!(blocks.iter().count(), Params::default().max_depth);
        assert!(blocks.iter().next_back().unwrap().1.has_words);
    }

    #[test]
    fn a_page_without_body_has_no_blocks() {
        let page = Page::parse("<frameset><frame src=a></frameset>");
        assert_eq!(Blocks::of(&page, &Params::default()).iter().count(), 0);
        assert_eq!(Blocks::of(&Page::default(), &Params::default()).iter().count(), 0);
    }
}
