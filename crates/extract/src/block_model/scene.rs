//! A page as blocks, with what the features ask of them, of the elements around
//! them and of the page.
//!
//! A block is a line of the page as a reader sees it
//! ([`gleaner_html::text::placed_lines`]) that holds a word. The elements are
//! those with a block below them, in document order, so that sums over subtrees
//! take one pass backwards and paths one pass forwards.
//!
//! The awkward truth: of a page with more than [`MOST_BLOCKS`] blocks the rest is
//! not seen. The longest of 1,344 recorded news pages has some 4,500.

use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

use gleaner_html::metadata::metadata;
use gleaner_html::text::{PlacedLine, placed_lines, tidy};
use gleaner_html::{NodeId, Page};

use super::lexicon;
use super::repeated::Repeated;
use crate::{has_word, words};

/// Blocks of a page that are looked at.
const MOST_BLOCKS: usize = 50_000;

/// Words of prose below which a block is no prose.
const LEAST_PROSE: f32 = 10.0;

/// A block with what its own text says.
#[derive(Debug, Clone)]
pub(super) struct Block {
    pub(super) placed: PlacedLine,
    /// The place of its element among [`Scene::elements`].
    pub(super) element: usize,
    /// Its words, lower-case, as hashes.
    pub(super) words: Vec<u64>,
    /// How many of them stand in links, and in bold or italics.
    pub(super) linked: f32,
    pub(super) emphasised: f32,
    pub(super) sentences: f32,
    pub(super) commas: f32,
    /// Images and other inline elements in it.
    pub(super) images: f32,
    pub(super) inline: f32,
    pub(super) has_date: bool,
    /// Words outside links, if it is prose; else 0.
    pub(super) prose: f32,
    /// What a short line says ([`lexicon::sayings`]).
    pub(super) sayings: u32,
    /// Hash of the text.
    pub(super) text: u64,
}

impl Block {
    /// Number of words.
    pub(super) fn len(&self) -> f32 {
        self.words.len() as f32
    }

    /// Share of words in links, 0 to 1.
    pub(super) fn link_share(&self) -> f32 {
        self.linked / self.len().max(1.0)
    }
}

/// Sums over the blocks of a subtree or of a path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) words: f32,
    pub(super) linked: f32,
    pub(super) prose: f32,
    pub(super) sentences: f32,
    pub(super) blocks: f32,
    /// Blocks of prose.
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

    fn of(block: &Block) -> Self {
        Self {
            words: block.len(),
            linked: block.linked,
            prose: block.prose,
            sentences: block.sentences,
            blocks: 1.0,
            paragraphs: f32::from(u8::from(block.prose > 0.0)),
        }
    }
}

/// An element with a block below it.
#[derive(Debug, Clone)]
pub(super) struct Element {
    pub(super) node: NodeId,
    /// The element around it; the first is its own.
    pub(super) parent: usize,
    /// Kinds by its names ([`lexicon::Kinds`]).
    pub(super) kinds: u32,
    /// Hash of tag, class and id (digits masked) from the root to it; and of the tags.
    pub(super) path: u64,
    pub(super) tags: u64,
    pub(super) sum: Sum,
    /// Its first and last block.
    pub(super) first: usize,
    pub(super) last: usize,
    /// Elements under the same parent with its tag and class, and how many of them
    /// begin with a short line that holds a date or a time.
    pub(super) alike: f32,
    pub(super) alike_dated: f32,
}

/// A page, ready for questions.
#[derive(Debug, Default)]
pub(super) struct Scene {
    pub(super) blocks: Vec<Block>,
    /// Those that were taken away, since the site repeats them.
    pub(super) taken: Vec<Block>,
    pub(super) elements: Vec<Element>,
    /// Over all blocks.
    pub(super) whole: Sum,
    /// Blocks by path, and by path of tags.
    pub(super) paths: HashMap<u64, Sum>,
    pub(super) tag_paths: HashMap<u64, Sum>,
    /// How often a text stands on the page.
    pub(super) texts: HashMap<u64, u32>,
    /// Words of the title; of description and declared body, their trigrams.
    pub(super) title: HashSet<u64>,
    pub(super) description: HashSet<u64>,
    pub(super) declared: HashSet<u64>,
    /// The block that is the headline, as far as one is found.
    pub(super) headline: Option<usize>,
    /// The element that seems to hold the body, by prose.
    pub(super) best: Option<usize>,
}

impl Scene {
    /// Reads a page without the blocks that its site repeats. Time linear in the page.
    pub(super) fn of(page: &Page, repeated: &Repeated) -> Self {
        let mut scene = Self::default();
        let mut placed = placed_lines(page, 0, |_| true);
        placed.retain(|placed| has_word(&placed.line.text));
        placed.truncate(MOST_BLOCKS);
        let marks = Marks::of(page);
        let mut places: HashMap<NodeId, usize> = HashMap::new();
        scene.find_elements(page, &placed, &mut places);
        scene.blocks = placed
            .into_iter()
            .map(|placed| {
                let element = places[&placed.block];
                marks.block(page, placed, element)
            })
            .collect();
        scene.take_away(repeated);
        scene.read_statements(page);
        scene.sum();
        scene.count_alike(page);
        scene.best = scene.find_best(page);
        scene
    }

    /// The elements from the root down to each block's own.
    fn find_elements(&mut self, page: &Page, placed: &[PlacedLine], places: &mut HashMap<NodeId, usize>) {
        let mut nodes: Vec<NodeId> = Vec::new();
        let mut seen: HashSet<NodeId> = HashSet::new();
        for line in placed {
            let mut node = line.block;
            while seen.insert(node) {
                nodes.push(node);
                node = page.node(node).parent;
            }
        }
        nodes.sort_unstable();
        let mut kinds = lexicon::Kinds::default();
        for (at, &node) in nodes.iter().enumerate() {
            places.insert(node, at);
            let parent = places[&page.node(node).parent];
            let above = self.elements.get(parent);
            self.elements.push(element(page, node, parent, above, kinds.of(page, node)));
        }
    }

    /// Takes away what is repeated: as if the page did not have it.
    fn take_away(&mut self, repeated: &Repeated) {
        let elements = &self.elements;
        let is_repeated = |block: &Block| repeated.holds(elements[block.element].path, block.text);
        self.taken = self.blocks.extract_if(.., |block| is_repeated(block)).collect();
    }

    /// Sums over subtrees, paths and the page.
    fn sum(&mut self) {
        for (at, block) in self.blocks.iter().enumerate() {
            let sum = Sum::of(block);
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

    fn count_alike(&mut self, page: &Page) {
        let dated: HashSet<usize> = self.dated();
        let mut counts: HashMap<(usize, u64), (f32, f32)> = HashMap::new();
        let keys: Vec<(usize, u64)> =
            self.elements.iter().map(|e| (e.parent, class_key(page, e.node))).collect();
        for (at, key) in keys.iter().enumerate().skip(1) {
            let count = counts.entry(*key).or_default();
            count.0 += 1.0;
            count.1 += f32::from(u8::from(dated.contains(&at)));
        }
        for (element, key) in self.elements.iter_mut().zip(&keys).skip(1) {
            (element.alike, element.alike_dated) = counts[key];
        }
    }

    /// Elements with a short dated line not far below them.
    fn dated(&self) -> HashSet<usize> {
        let mut dated = HashSet::new();
        for block in self.blocks.iter().filter(|block| block.has_date && block.words.len() <= 12) {
            dated.extend(self.ancestors(block.element).take(6));
        }
        dated
    }

    /// An element and those around it, inside out.
    pub(super) fn ancestors(&self, element: usize) -> impl Iterator<Item = usize> + '_ {
        let up = |at: &usize| Some(self.elements[*at].parent).filter(|parent| parent != at);
        std::iter::successors(Some(element), up)
    }

    /// The element with the most prose close below it, links counting against it.
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

    /// What the page states of its article, and where its headline stands.
    fn read_statements(&mut self, page: &Page) {
        let stated = metadata(page);
        let heading = page.elements("h1").next().map(|h1| tidy(&page.raw_text(h1)));
        let title: HashSet<u64> = hashes(stated.title.as_deref().unwrap_or_default()).collect();
        let is_headline = |block: &Block| {
            let found = title.iter().filter(|word| block.words.contains(word)).count() as f32;
            let size = title.len() as f32;
            found >= 0.8 * size && block.len() <= 1.6 * size + 2.0 && block.linked < 0.5 * block.len() + 1.0
        };
        let by_title = self.blocks.iter().position(is_headline).filter(|_| !title.is_empty());
        self.headline = by_title.or_else(|| self.blocks.iter().position(|block| self.is_in_h1(page, block)));
        self.title = title;
        self.title.extend(heading.iter().flat_map(|text| hashes(text)));
        self.description =
            trigrams(&hashes(stated.description.as_deref().unwrap_or_default()).collect::<Vec<_>>());
        self.declared = trigrams(&hashes(&declared_body(page)).collect::<Vec<_>>());
    }

    fn is_in_h1(&self, page: &Page, block: &Block) -> bool {
        self.ancestors(block.element).take(3).any(|at| page.tag(self.elements[at].node) == Some("h1"))
    }
}

fn element(page: &Page, node: NodeId, parent: usize, above: Option<&Element>, kinds: u32) -> Element {
    let key = hash(&(class_key(page, node), masked(page.attribute(node, "id").unwrap_or_default())));
    let tag = page.tag(node).unwrap_or_default();
    Element {
        node,
        parent,
        kinds,
        path: hash(&(above.map_or(0, |above| above.path), key)),
        tags: hash(&(above.map_or(0, |above| above.tags), tag)),
        sum: Sum::default(),
        first: usize::MAX,
        last: 0,
        alike: 0.0,
        alike_dated: 0.0,
    }
}

/// Tag and class, digits masked.
fn class_key(page: &Page, node: NodeId) -> u64 {
    hash(&(page.tag(node).unwrap_or_default(), masked(page.attribute(node, "class").unwrap_or_default())))
}

/// A name with every run of digits as one `#`, so that `post-17` is `post-#`.
pub(super) fn masked(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.trim().chars() {
        match c {
            c if c.is_ascii_digit() && out.ends_with('#') => {}
            c if c.is_ascii_digit() => out.push('#'),
            c => out.push(c),
        }
    }
    out
}

/// A hash that is the same on every machine, run and version: templates hold it.
fn hash(of: &impl Hash) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    of.hash(&mut hasher);
    hasher.finish()
}

/// FNV-1a, with a last mixing step so that all bits depend on all bytes.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed ^ (mixed >> 29)
    }
}

/// A text's words in lower case, hashed.
pub(super) fn hashes(text: &str) -> impl Iterator<Item = u64> {
    words(text).map(|word| hash(&word.to_lowercase()))
}

/// Hashes of every three words in a row.
pub(super) fn trigrams(words: &[u64]) -> HashSet<u64> {
    words.windows(3).map(|three| hash(&three)).collect()
}

/// Share of a text's trigrams that a set holds, 0 to 1.
pub(super) fn shared(words: &[u64], set: &HashSet<u64>) -> f32 {
    if set.is_empty() || words.len() < 3 {
        return 0.0;
    }
    let found = words.windows(3).filter(|three| set.contains(&hash(three))).count();
    found as f32 / (words.len() - 2) as f32
}

/// The `articleBody` of the page's JSON-LD, if it states one. Only the string is
/// parsed, so that faults elsewhere in the JSON do no harm.
fn declared_body(page: &Page) -> String {
    const NAME: &str = "\"articleBody\"";
    for script in page.elements("script") {
        if !page.attribute(script, "type").is_some_and(|kind| kind.contains("ld+json")) {
            continue;
        }
        let source = page.raw_text(script);
        let Some(at) = source.find(NAME) else { continue };
        let value = source[at + NAME.len()..].trim_start().trim_start_matches(':');
        if let Some(Ok(body)) = serde_json::Deserializer::from_str(value).into_iter::<String>().next() {
            return body;
        }
    }
    String::new()
}

/// Of every node: whether it is text in a link or emphasised; and running counts of
/// images and of inline elements.
struct Marks {
    linked: Vec<bool>,
    emphasised: Vec<bool>,
    images: Vec<u32>,
    inline: Vec<u32>,
}

impl Marks {
    fn of(page: &Page) -> Self {
        let size = page.len();
        let mut marks = Self {
            linked: vec![false; size],
            emphasised: vec![false; size],
            images: Vec::with_capacity(size + 1),
            inline: Vec::with_capacity(size + 1),
        };
        let (mut link_end, mut emphasis_end, mut images, mut inline) = (0, 0, 0, 0);
        for (id, node) in page.iter() {
            marks.images.push(images);
            marks.inline.push(inline);
            match page.tag(id) {
                None => {
                    marks.linked[id as usize] = id < link_end;
                    marks.emphasised[id as usize] = id < emphasis_end;
                }
                Some("a") => link_end = link_end.max(node.end),
                Some("b" | "strong" | "i" | "em") => emphasis_end = emphasis_end.max(node.end),
                Some("img" | "picture") => images += 1,
                Some(tag) => inline += u32::from(!gleaner_html::text::is_block(tag)),
            }
        }
        marks.images.push(images);
        marks.inline.push(inline);
        marks
    }

    fn block(&self, page: &Page, placed: PlacedLine, element: usize) -> Block {
        let text = &placed.line.text;
        let words: Vec<u64> = hashes(text).collect();
        let size = words.len() as f32;
        let within = |marked: &[bool]| {
            let nodes = placed.nodes.clone().filter(|id| marked[*id as usize]);
            let count: usize =
                nodes.filter_map(|id| page.text(id)).map(|text| crate::words(text).count()).sum();
            (count as f32).min(size)
        };
        let range =
            |counts: &[u32]| (counts[placed.nodes.end as usize] - counts[placed.nodes.start as usize]) as f32;
        let linked = within(&self.linked);
        let (sentences, commas) = punctuation(text);
        let outside = size - 1.5 * linked;
        let is_prose = outside >= LEAST_PROSE && (sentences > 0.0 || commas > 0.0);
        Block {
            element,
            linked,
            emphasised: within(&self.emphasised),
            sentences,
            commas,
            images: range(&self.images),
            inline: range(&self.inline),
            has_date: words.len() <= 40 && has_date(text),
            prose: if is_prose { outside } else { 0.0 },
            sayings: lexicon::sayings(text),
            text: hash(text),
            words,
            placed,
        }
    }
}

/// Ends of sentences, and commas with their kin.
fn punctuation(text: &str) -> (f32, f32) {
    let (mut sentences, mut commas) = (0, 0);
    let mut ended = false;
    for c in text.chars().chain([' ']) {
        let is_end = matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？');
        let goes_on = c.is_alphanumeric() && c.is_ascii();
        if ended && !is_end && !goes_on {
            sentences += 1;
        }
        ended = is_end;
        commas += u32::from(matches!(c, ',' | '，' | '、' | ';' | ':' | '；' | '：'));
    }
    (sentences as f32, commas as f32)
}

/// Whether a date, a time or a year is written in digits.
fn has_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    let mut at = 0;
    while at < bytes.len() {
        let run = digits(at);
        if run == 0 {
            at += 1;
            continue;
        }
        let behind = at + run;
        let year = run == 4 && matches!(&bytes[at..at + 2], b"19" | b"20");
        let next = bytes.get(behind).copied().unwrap_or(b' ');
        let more = if behind + 1 < bytes.len() { digits(behind + 1) } else { 0 };
        let clock = run <= 2 && more == 2 && matches!(next, b':' | b'h' | b'.');
        let calendar = run <= 4 && more > 0 && more <= 2 && matches!(next, b'/' | b'-' | b'.') && {
            let third = behind + 1 + more;
            bytes.get(third).copied() == Some(next) && third + 1 < bytes.len() && digits(third + 1) > 0
        };
        if year || clock || calendar {
            return true;
        }
        at = behind;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_seen() {
        for text in ["at 09:30", "20/11/2026", "9h30", "in 1998", "2011-12-15"] {
            assert!(has_date(text), "{text}");
        }
        for text in ["", "12", "3,500 people", "1/2", "room 101", "7:"] {
            assert!(!has_date(text), "{text}");
        }
    }

    #[test]
    fn sentences_and_commas_are_counted() {
        let cases = [
            ("", 0.0, 0.0),
            ("One. Two, three!", 2.0, 1.0),
            ("3.5 km", 0.0, 0.0),
            ("新。旧，", 2.0 - 1.0, 1.0),
        ];
        for (text, sentences, commas) in cases {
            assert_eq!(punctuation(text), (sentences, commas), "{text}");
        }
    }

    #[test]
    fn elements_know_what_is_below_them() {
        let page = Page::parse(
            "<title>Rain</title><div class=a-1><p>one two</p><p>three <a href=/>four</a></p></div><div class=a-2>x</div>",
        );
        let scene = Scene::of(&page, &Repeated::default());
        assert_eq!(scene.blocks.len(), 3);
        let first = &scene.elements[scene.elements[scene.blocks[0].element].parent];
        assert_eq!((first.sum.words, first.sum.linked, first.first, first.last), (4.0, 1.0, 0, 1));
        assert_eq!(first.alike, 2.0);
        assert_eq!(scene.elements[0].sum.words, 5.0);
        assert_eq!(scene.whole.words, 5.0);
    }

    #[test]
    fn nothing_gives_nothing() {
        assert!(Scene::of(&Page::parse(""), &Repeated::default()).blocks.is_empty());
        assert!(Scene::of(&Page::default(), &Repeated::default()).blocks.is_empty());
    }

    #[test]
    fn the_declared_body_is_read_past_faults() {
        let html =
            r#"<script type="application/ld+json">{"x":tru, "articleBody" : "Rain\u0020ended.", }</script>"#;
        assert_eq!(declared_body(&Page::parse(html)), "Rain ended.");
    }
}
