//! Collects the blocks and elements of a page, and the sums and maps from which features are computed.
//!
//! A block is a line of the page as a reader sees it ([`gleaner_html::text::placed_lines`]) that contains a
//! word. Only elements that contain a block are listed, in document order. Because of this order, one
//! backward pass computes sums over subtrees, and one forward pass computes paths.
//!
//! Limitation: only the first [`MAX_BLOCKS`] blocks are read. The longest of 1,344 pages has about 4,500.

use std::collections::HashMap;

use gleaner_html::text::{PlacedLine, placed_lines};
use gleaner_html::{NodeId, Page};

use super::block::{Block, NodeMarks};
use super::hashing::{ByHash, MixedHasherBuilder, hash, hash_with_masked};
use super::lexicon;
use super::memo::Memo;
use super::removed::RemovalReason;
use super::statements::Statements;
use gleaner_html::words::has_word;

pub(super) const MAX_BLOCKS: usize = 50_000;

/// Minimum number of words of a paragraph that identifies an article together with the title.
const LONG_PARAGRAPH: usize = 20;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) words: f32,
    pub(super) linked: f32,
    pub(super) prose: f32,
    pub(super) sentences: f32,
    pub(super) blocks: f32,
    pub(super) paragraphs: f32,
}

impl Sum {
    fn add(&mut self, other: &Self) {
        self.words += other.words;
        self.linked += other.linked;
        self.prose += other.prose;
        self.sentences += other.sentences;
        self.blocks += other.blocks;
        self.paragraphs += other.paragraphs;
    }

    fn from_block(block: &Block) -> Self {
        Self {
            words: block.len(),
            linked: block.linked,
            prose: block.prose,
            sentences: block.characters.sentences,
            blocks: 1.0,
            paragraphs: f32::from(u8::from(block.prose > 0.0)),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) node: NodeId,
    /// The index of the parent element. The first element is its own parent.
    pub(super) parent: usize,
    pub(super) kinds: u32,
    pub(super) class: u64,
    /// Hash of tags, classes and ids (digits masked) from the root to this element.
    pub(super) path: u64,
    pub(super) tags: u64,
    pub(super) sum: Sum,
    pub(super) first: usize,
    pub(super) last: usize,
    /// The number of siblings with the same tag and class, including the element itself.
    pub(super) alike: f32,
    /// The number of these siblings that contain a short line with a date or time, at most five levels below.
    pub(super) alike_dated: f32,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Scene {
    pub(super) blocks: Vec<Block>,
    pub(super) taken: Vec<(Block, RemovalReason)>,
    pub(super) elements: Vec<Element>,
    pub(super) whole: Sum,
    pub(super) paths: ByHash<Sum>,
    pub(super) tag_paths: ByHash<Sum>,
    pub(super) texts: ByHash<u32>,
    pub(super) stated: Statements,
    pub(super) headline: Option<usize>,
    /// The element that probably contains the body text, because it contains the most prose.
    pub(super) best: Option<usize>,
}

/// Whether a page has more blocks than the model reads, so that the end of the page is missing.
#[must_use]
pub fn is_cut(page: &Page) -> bool {
    let blocks = || placed_lines(page, 0, |_| true).into_iter().filter(|placed| has_word(&placed.line.text));
    page.len() > MAX_BLOCKS && blocks().count() > MAX_BLOCKS
}

impl Scene {
    /// Reads a page in linear time.
    pub(super) fn new(page: &Page) -> Self {
        let mut scene = Self::default();
        let mut placed = placed_lines(page, 0, |_| true);
        placed.retain(|placed| has_word(&placed.line.text));
        placed.truncate(MAX_BLOCKS);
        let mut marks = NodeMarks::from_page(page);
        let elements = scene.find_elements(page, &placed);
        scene.blocks = placed
            .into_iter()
            .map(|placed| {
                let element = elements[placed.block as usize] as usize;
                marks.block(page, placed, element)
            })
            .collect();
        scene.stated = Statements::from_page(page);
        scene.take_foreign(page);
        scene.headline = scene.find_headline(page);
        scene.sum();
        scene.count_alike();
        scene.best = scene.find_best(page);
        scene
    }

    /// Returns a key that is the same for all copies of an article. Returns `None` if the page has no title or no long
    /// paragraph.
    pub(super) fn article_key(&self) -> Option<u64> {
        let paragraphs = self.blocks.iter().filter(|block| block.link_share() < 0.5);
        let longest = paragraphs.max_by_key(|block| block.words.len())?;
        let told = longest.words.len() >= LONG_PARAGRAPH && !self.stated.title.is_empty();
        let title = || self.stated.title.iter().fold(0, |all, word| all ^ word);
        told.then(|| hash(&(title(), longest.text)))
    }

    /// Finds the elements that contain blocks. Returns the element index of each node, or 0 if it has none.
    fn find_elements(&mut self, page: &Page, placed: &[PlacedLine]) -> Vec<u32> {
        let mut named = Named::default();
        let mut dom_paths: Vec<u32> = vec![0; page.len()];
        let mut nodes: Vec<NodeId> = Vec::new();
        for line in placed {
            let mut node = line.block;
            while std::mem::replace(&mut dom_paths[node as usize], 1) == 0 {
                nodes.push(node);
                node = page.node(node).parent;
            }
        }
        nodes.sort_unstable();
        for (at, &node) in (0..).zip(&nodes) {
            dom_paths[node as usize] = at;
            let parent = dom_paths[page.node(node).parent as usize] as usize;
            let above = self.elements.get(parent);
            self.elements.push(element(page, node, parent, above, &mut named));
        }
        dom_paths
    }

    fn sum(&mut self) {
        for (at, block) in self.blocks.iter().enumerate() {
            let sum = Sum::from_block(block);
            let element = &mut self.elements[block.element];
            element.sum.add(&sum);
            element.first = element.first.min(at);
            element.last = element.last.max(at);
            self.whole.add(&sum);
            self.paths.entry(element.path).or_default().add(&sum);
            self.tag_paths.entry(element.tags).or_default().add(&sum);
            *self.texts.entry(block.text).or_default() += 1;
        }
        for at in (1..self.elements.len()).rev() {
            let Element { sum, first, last, parent, .. } = self.elements[at];
            let parent = &mut self.elements[parent];
            parent.sum.add(&sum);
            parent.first = parent.first.min(first);
            parent.last = parent.last.max(last);
        }
    }

    fn count_alike(&mut self) {
        let dated = self.dated();
        let mut counts: HashMap<(u64, u64), (f32, f32), MixedHasherBuilder> = HashMap::default();
        for (element, dated) in self.elements.iter().zip(dated).skip(1) {
            let count = counts.entry((element.parent as u64, element.class)).or_default();
            count.0 += 1.0;
            count.1 += f32::from(u8::from(dated));
        }
        for element in self.elements.iter_mut().skip(1) {
            (element.alike, element.alike_dated) = counts[&(element.parent as u64, element.class)];
        }
    }

    /// Returns, for each element, whether it contains a short line with a date at most five levels below.
    fn dated(&self) -> Vec<bool> {
        let mut dated = vec![false; self.elements.len()];
        for block in self.blocks.iter().filter(|block| block.has_date && block.words.len() <= 12) {
            self.ancestors(block.element).take(6).for_each(|at| dated[at] = true);
        }
        dated
    }

    pub(super) fn ancestors(&self, element: usize) -> impl Iterator<Item = usize> + '_ {
        let up = |at: &usize| Some(self.elements[*at].parent).filter(|parent| parent != at);
        std::iter::successors(Some(element), up)
    }

    fn find_best(&self, page: &Page) -> Option<usize> {
        let mut scores = vec![0.0_f32; self.elements.len()];
        for block in self.blocks.iter().filter(|block| block.prose > 0.0) {
            let tag = page.tag(self.elements[block.element].node).unwrap_or_default();
            let is_leaf = matches!(tag, "p" | "li" | "h2" | "h3" | "blockquote" | "pre");
            let weights = if is_leaf { [0.3, 1.0, 0.5, 0.25] } else { [1.0, 0.5, 0.25, 0.12] };
            for (element, weight) in self.ancestors(block.element).zip(weights) {
                scores[element] += weight * block.prose;
            }
        }
        let net = |at: usize| {
            let sum = &self.elements[at].sum;
            scores[at] * (1.0 - sum.linked / sum.words.max(1.0))
        };
        let better = |best: Option<usize>, at: usize| match best {
            Some(best) if net(at) <= net(best) => Some(best),
            _ => Some(at).filter(|at| net(*at) > 0.0),
        };
        (0..scores.len()).fold(None, better)
    }

    pub(super) fn find_headline(&self, page: &Page) -> Option<usize> {
        let stated = self.blocks.iter().position(|block| self.stated.is_headline(block));
        stated.or_else(|| self.blocks.iter().position(|block| self.is_in_h1(page, block)))
    }

    fn is_in_h1(&self, page: &Page, block: &Block) -> bool {
        self.ancestors(block.element).take(3).any(|at| page.tag(self.elements[at].node) == Some("h1"))
    }
}

/// The results that were computed for the names of elements.
#[derive(Debug, Default)]
pub(super) struct Named<'a> {
    kinds: lexicon::ElementKinds<'a>,
    keys: Memo<'a, 3, ElementKeys>,
}

/// Hashes of an element's tag and class, and of its tag, class and id.
#[derive(Debug, Clone, Copy)]
pub(super) struct ElementKeys {
    pub(super) class: u64,
    pub(super) own: u64,
}

impl ElementKeys {
    pub(super) fn new([tag, class, id]: [&str; 3]) -> Self {
        let class = hash_with_masked(tag, class);
        Self { class, own: hash_with_masked(class, id) }
    }
}

pub(super) fn names_of(page: &Page, node: NodeId) -> [&str; 3] {
    let [class, id] = page.class_and_id(node);
    [page.tag(node).unwrap_or_default(), class, id]
}

fn element<'a>(
    page: &'a Page,
    node: NodeId,
    parent: usize,
    above: Option<&Element>,
    named: &mut Named<'a>,
) -> Element {
    let names = names_of(page, node);
    let kinds = named.kinds.kinds_of(page, node);
    let ElementKeys { class, own } = *named.keys.get(names, || ElementKeys::new(names));
    Element {
        node,
        parent,
        kinds,
        class,
        path: hash(&(above.map_or(0, |above| above.path), own)),
        tags: hash(&(above.map_or(0, |above| above.tags), names[0])),
        sum: Sum::default(),
        first: usize::MAX,
        last: 0,
        alike: 0.0,
        alike_dated: 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_know_what_is_below_them() {
        let page = Page::parse(
            "<title>Rain</title><div class=a-1><p>one two</p><p>three <a href=/>four</a></p></div><div class=a-2>x</div>",
        );
        let scene = Scene::new(&page);
        assert_eq!(scene.blocks.len(), 3);
        let first = &scene.elements[scene.elements[scene.blocks[0].element].parent];
        assert_eq!((first.sum.words, first.sum.linked, first.first, first.last), (4.0, 1.0, 0, 1));
        assert_eq!(first.alike, 2.0);
        assert_eq!(scene.elements[0].sum.words, 5.0);
        assert_eq!(scene.whole.words, 5.0);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(Scene::new(&Page::parse("")).blocks.is_empty());
        assert!(Scene::new(&Page::default()).blocks.is_empty());
    }
}
