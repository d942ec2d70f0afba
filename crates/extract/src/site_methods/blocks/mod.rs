//! Cuts a page into blocks and finds similar blocks, for [`content_extractor`] and
//! [`fast_content_extractor`].
//!
//! A block is an element with a block tag. The own content of a block does not include its sub-blocks. The
//! papers call a block with only its own content an atomic block (figure 3 of Nguyen et al.: "the original
//! block with sub-blocks removed"). `HTML` and `BODY` are blocks too, so that all text belongs to a block.
//! Every path begins with them.
//!
//! The head, and elements that browsers do not show as text ([`gleaner_html::text::never_text`], hidden
//! elements), are skipped. Scripts are counted nevertheless, because the feature vector contains their
//! number.
//!
//! [`content_extractor`]: crate::site_methods::content_extractor
//! [`fast_content_extractor`]: crate::site_methods::fast_content_extractor

pub(crate) mod similarity;
mod tags;
pub(crate) mod vector;

use gleaner_html::text::{is_hidden, never_text};
use gleaner_html::{NodeId, Page};

pub(crate) use tags::{all_tags, tags_of_the_paper};

use gleaner_html::words::{has_word, words};
use vector::{Features, Vector};

#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    pub(crate) node: NodeId,
    /// The number of the enclosing block. `None` for the first block.
    pub(crate) parent: Option<u32>,
    /// The number of the first block after this block and its sub-blocks.
    pub(crate) end: u32,
    pub(crate) images: u32,
    pub(crate) scripts: u32,
    pub(crate) links: u32,
    /// Whether the block's own text contains a word. A block without a word is not content.
    pub(crate) has_words: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Blocks {
    blocks: Vec<Block>,
    texts: Vec<(NodeId, u32)>,
}

impl Blocks {
    /// Cuts a page into blocks, in linear time. The blocks are `html`, `body`, and the elements that have a
    /// block tag and are inside fewer than `max_depth` blocks.
    pub(crate) fn new(page: &Page, block_tags: &[String], max_depth: usize) -> Self {
        let tags = TagsByLength::from_tags(block_tags);
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
            id = tree.visit(page, id, &mut open, |tag, depth| depth < max_depth && tags.hold(tag));
        }
        while !open.is_empty() {
            tree.close(&mut open);
        }
        tree
    }

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

    pub(crate) fn block(&self, number: usize) -> &Block {
        &self.blocks[number]
    }

    /// Returns the first words of a block's own text, up to `characters` characters.
    pub(crate) fn beginning(&self, page: &Page, number: usize, characters: usize) -> String {
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

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &Block)> {
        self.blocks.iter().enumerate()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = (NodeId, usize)> {
        self.texts.iter().map(|(node, block)| (*node, *block as usize))
    }

    pub(crate) fn vectors(
        &self,
        page: &Page,
        features: &mut Features<'_>,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<Vector> {
        let mut entries: Vec<(u32, u32, u32)> = Vec::new();
        for (number, block) in self.iter().filter(|(number, _)| wanted(*number)) {
            let counted = Features::counted(block.images, block.scripts, block.links);
            entries.extend(counted.map(|(feature, count)| (number as u32, feature, count)));
        }
        for (node, block) in self.texts().filter(|(_, block)| wanted(*block)) {
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

/// Tags by length. For most elements, the length alone shows that their tag is not in the list.
struct TagsByLength<'a>([Vec<&'a str>; MAX_TAG_LENGTH + 1], Vec<&'a str>);

const MAX_TAG_LENGTH: usize = 10;

impl<'a> TagsByLength<'a> {
    fn from_tags(tags: &'a [String]) -> Self {
        let mut by_length = Self(Default::default(), Vec::new());
        for tag in tags {
            by_length.0.get_mut(tag.len()).unwrap_or(&mut by_length.1).push(tag);
        }
        by_length
    }

    fn hold(&self, tag: &str) -> bool {
        self.0.get(tag.len()).unwrap_or(&self.1).contains(&tag)
    }
}

fn top(open: &[u32]) -> usize {
    *open.last().expect("html and body stay open while nodes are visited") as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(page: &Page) -> Blocks {
        Blocks::new(page, &all_tags(), 200)
    }

    #[test]
    fn features_are_counted_where_they_stand() {
        let page = Page::parse("<div><img><a href=/>x</a><a name=n>y</a><script>z</script><p>w</div>");
        let tree = blocks(&page);
        let div = tree.iter().find(|(_, b)| page.tag(b.node) == Some("div")).unwrap().1;
        assert_eq!((div.images, div.scripts, div.links, div.has_words, div.end), (1, 1, 1, true, 4));
    }

    #[test]
    fn deep_pages_are_cut() {
        let html = format!("{}deep", "<div>".repeat(10_000));
        let page = Page::parse(&html);
        let tree = blocks(&page);
        assert_eq!(tree.iter().count(), 200);
        assert!(tree.iter().next_back().unwrap().1.has_words);
    }

    #[test]
    fn a_page_without_body_has_no_blocks() {
        let page = Page::parse("<frameset><frame src=a></frameset>");
        assert_eq!(blocks(&page).iter().count(), 0);
        assert_eq!(blocks(&Page::default()).iter().count(), 0);
    }
}
