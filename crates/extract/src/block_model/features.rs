//! What the model is asked of a block: numbers, each under its name.
//!
//! Groups, in order: the block's own text; its place; what the page states; the
//! tags and names around it; sums over the elements around it; elements alike; its
//! path; the element with most prose; its neighbours. Distances to ancestors are
//! counted in elements from the block's own (0), [`FAR`] where there is none.
//! Logarithms are `ln(1 + x)`.

use gleaner_html::Page;

use super::lexicon::{COMMENTS, KIND_COUNT, KIND_NAMES, RELATED, SAYING_COUNT, SAYING_NAMES};
use super::repeated::Repeated;
use super::scene::{Block, Scene, Sum, shared};

/// Stands for "nowhere above" and "nothing there".
const FAR: f32 = 99.0;

/// Ancestors that are looked at.
const REACH: usize = 24;

/// Tags whose nearest ancestor is asked for.
const TAGS: [&str; 23] = [
    "article",
    "main",
    "aside",
    "nav",
    "footer",
    "header",
    "figure",
    "figcaption",
    "form",
    "table",
    "ul",
    "ol",
    "li",
    "blockquote",
    "section",
    "td",
    "dl",
    "pre",
    "address",
    "p",
    "hgroup",
    "dd",
    "center",
];

/// Tags told apart for the block's own element.
const OWN: [&str; 22] = [
    "p",
    "div",
    "li",
    "td",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "figcaption",
    "article",
    "section",
    "span",
    "dd",
    "dt",
    "pre",
    "header",
    "footer",
    "aside",
    "body",
];

/// Takes the features of a block one by one.
pub(super) trait Sink {
    /// A feature: its name, with a number where there are several of the kind.
    fn put(&mut self, name: &'static str, number: Option<i32>, value: f32);
}

impl Sink for Vec<f32> {
    fn put(&mut self, _: &'static str, _: Option<i32>, value: f32) {
        self.push(value);
    }
}

/// Gathers names instead of values.
impl Sink for Vec<String> {
    fn put(&mut self, name: &'static str, number: Option<i32>, _: f32) {
        self.push(number.map_or_else(|| name.to_owned(), |number| format!("{name} {number}")));
    }
}

/// A page's scene with running sums, from which features are read.
#[derive(Debug)]
pub(super) struct Features<'a> {
    page: &'a Page,
    scene: &'a Scene,
    /// Words and prose of all blocks before the one of this number.
    words_before: Vec<f32>,
    prose_before: Vec<f32>,
    /// The last short line at or before a block that opens comments or related stories.
    opened: [Vec<f32>; 2],
    /// How often the text of a block stood before it.
    repeats: Vec<f32>,
    /// Of each element: how far up the best element's line it is met.
    best_line: Vec<usize>,
}

fn ln(x: f32) -> f32 {
    x.max(0.0).ln_1p()
}

fn share(part: f32, whole: f32) -> f32 {
    part / whole.max(1.0)
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

impl<'a> Features<'a> {
    pub(super) fn of(page: &'a Page, scene: &'a Scene) -> Self {
        let running = |value: fn(&Block) -> f32| {
            let mut sums = vec![0.0];
            let mut sum = 0.0;
            sums.extend(scene.blocks.iter().map(|block| {
                sum += value(block);
                sum
            }));
            sums
        };
        let mut seen = std::collections::HashMap::new();
        let mut count = |block: &Block| {
            let count = seen.entry(block.text).or_insert(0.0);
            *count += 1.0;
            *count - 1.0
        };
        Self {
            page,
            scene,
            words_before: running(Block::len),
            prose_before: running(|block| block.prose),
            opened: [COMMENTS, RELATED].map(|saying| opened(scene, saying)),
            repeats: scene.blocks.iter().map(&mut count).collect(),
            best_line: scene.best.map(|best| scene.ancestors(best).collect()).unwrap_or_default(),
        }
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> usize {
        self.scene.blocks.len()
    }

    /// Every feature of the block of this number, in the order of the names.
    pub(super) fn put(&self, at: usize, sink: &mut impl Sink) {
        let block = &self.scene.blocks[at];
        let above: Vec<usize> = self.scene.ancestors(block.element).take(REACH).collect();
        self.own_text(at, block, sink);
        self.place(at, block, sink);
        self.statements(block, sink);
        self.tags(&above, sink);
        self.kinds(&above, sink);
        self.sums(&above, sink);
        self.alike(&above, sink);
        self.path(block, sink);
        self.best(at, &above, sink);
        self.neighbours(at, sink);
        self.surroundings(at, sink);
        self.whole(sink);
    }

    fn own_text(&self, at: usize, block: &Block, sink: &mut impl Sink) {
        let text = &block.placed.line.text;
        let size = block.len();
        let (mut characters, mut upper, mut digits) = (0.0, 0.0, 0.0);
        for c in text.chars() {
            characters += 1.0;
            upper += flag(c.is_uppercase());
            digits += flag(c.is_numeric());
        }
        sink.put("words, log", None, ln(size));
        sink.put("characters a word", None, share(characters, size));
        sink.put("share of words in links", None, block.link_share());
        sink.put("share of words emphasised", None, share(block.emphasised, size));
        sink.put("sentences, log", None, ln(block.sentences));
        sink.put("sentences a word", None, share(block.sentences, size));
        sink.put("commas, log", None, ln(block.commas));
        sink.put("commas a word", None, share(block.commas, size));
        sink.put("ends as a sentence", None, flag(ends_as_sentence(text)));
        sink.put("ends with a colon", None, flag(text.ends_with([':', '：'])));
        sink.put("share of capitals", None, share(upper, characters));
        sink.put("share of digits", None, share(digits, characters));
        sink.put("has a copyright sign", None, flag(text.contains('©') || text.contains("(c)")));
        sink.put("has a date", None, flag(block.has_date));
        sink.put("has a bar or an arrow", None, flag(text.contains('|') || text.ends_with(['»', '›'])));
        sink.put("images", None, block.images);
        sink.put("inline elements", None, block.inline);
        sink.put("share of the page's prose", None, block.prose / self.scene.whole.prose.max(1.0));
        sink.put("times its text stands, log", None, ln(self.scene.texts[&block.text] as f32 - 1.0));
        sink.put("times its text stood before", None, self.repeats[at]);
        for (number, name) in SAYING_NAMES.iter().enumerate().take(SAYING_COUNT) {
            sink.put(name, Some(-1), flag(block.sayings >> number & 1 == 1));
        }
    }

    fn place(&self, at: usize, block: &Block, sink: &mut impl Sink) {
        let scene = self.scene;
        let depth = self.page.node(scene.elements[block.element].node).depth;
        let tag = self.page.tag(scene.elements[block.element].node).unwrap_or_default();
        sink.put("own tag", None, position(&OWN, tag).map_or(OWN.len() as f32, |at| at as f32));
        sink.put("share of words before", None, share(self.words_before[at], scene.whole.words));
        sink.put("share of blocks before", None, (at as f32 + 0.5) / self.len() as f32);
        sink.put("depth", None, depth as f32);
        let behind = scene.headline.map(|headline| at as f32 - headline as f32);
        sink.put("blocks behind the headline", None, behind.unwrap_or(-FAR));
        sink.put(
            "side of the headline",
            None,
            behind.map_or(0.0, |behind| if behind < 0.0 { 1.0 } else { 2.0 }),
        );
        for (name, opened) in ["words since comments opened, log", "words since related opened, log"]
            .into_iter()
            .zip(&self.opened)
        {
            let since = opened[at];
            sink.put(name, None, if since < 0.0 { -1.0 } else { ln(self.words_before[at] - since) });
        }
    }

    fn statements(&self, block: &Block, sink: &mut impl Sink) {
        let scene = self.scene;
        let mut words: Vec<u64> = block.words.iter().take(200).copied().collect();
        words.sort_unstable();
        words.dedup();
        let common = words.iter().filter(|word| scene.title.contains(word)).count() as f32;
        sink.put("share of its words in the title", None, share(common, words.len() as f32));
        sink.put("share of the title's words in it", None, share(common, scene.title.len() as f32));
        sink.put("share in the description", None, shared(&block.words, &scene.description));
        let declared = if scene.declared.is_empty() { -1.0 } else { shared(&block.words, &scene.declared) };
        sink.put("share in the declared body", None, declared);
    }

    fn tags(&self, above: &[usize], sink: &mut impl Sink) {
        let mut found = [FAR; TAGS.len()];
        for (up, element) in above.iter().enumerate().rev() {
            let tag = self.page.tag(self.scene.elements[*element].node).unwrap_or_default();
            if let Some(at) = position(&TAGS, tag) {
                found[at] = up as f32;
            }
        }
        for (name, up) in TAGS.iter().zip(found) {
            sink.put(name, None, up);
        }
    }

    fn kinds(&self, above: &[usize], sink: &mut impl Sink) {
        let mut found = [FAR; KIND_COUNT];
        let inner = above.len().saturating_sub(2).min(12);
        for (up, element) in above.iter().enumerate().take(inner).rev() {
            let kinds = self.scene.elements[*element].kinds;
            for (at, found) in found.iter_mut().enumerate() {
                if kinds >> at & 1 == 1 {
                    *found = up as f32;
                }
            }
        }
        for (name, up) in KIND_NAMES.iter().zip(found) {
            sink.put(name, Some(0), up);
        }
    }

    fn sums(&self, above: &[usize], sink: &mut impl Sink) {
        for up in 0..6 {
            let sum = above.get(up).map(|element| &self.scene.elements[*element].sum);
            let number = Some(up as i32);
            let mut put = |name, value: fn(&Sum) -> f32| sink.put(name, number, sum.map_or(-1.0, value));
            put("words below, log", |sum| ln(sum.words));
            put("link share below", |sum| share(sum.linked, sum.words));
            put("prose share below", |sum| share(sum.prose, sum.words));
            put("blocks below, log", |sum| ln(sum.blocks));
            put("paragraphs below, log", |sum| ln(sum.paragraphs));
            let of_page = sum.map_or(-1.0, |sum| sum.prose / self.scene.whole.prose.max(1.0));
            sink.put("share of the page's prose below", number, of_page);
        }
    }

    fn alike(&self, above: &[usize], sink: &mut impl Sink) {
        let inner = &above[..above.len().saturating_sub(2).min(9)];
        for up in 0..4 {
            let element = inner.get(up).map(|at| &self.scene.elements[*at]);
            sink.put("elements alike, log", Some(up as i32), element.map_or(-1.0, |e| ln(e.alike)));
            let dated = element.map_or(-1.0, |e| share(e.alike_dated, e.alike));
            sink.put("share of those dated", Some(up as i32), dated);
        }
        let groups = inner.iter().enumerate().map(|(up, at)| (up, &self.scene.elements[*at]));
        let most = groups.filter(|(_, e)| e.sum.blocks >= 2.0).fold(
            None,
            |most: Option<(usize, &super::scene::Element)>, (up, e)| {
                if most.is_none_or(|(_, best)| e.alike > best.alike) { Some((up, e)) } else { most }
            },
        );
        sink.put("most alike, log", None, most.map_or(0.0, |(_, e)| ln(e.alike)));
        sink.put("distance to those", None, most.map_or(FAR, |(up, _)| up as f32));
        sink.put(
            "share of those dated, most",
            None,
            most.map_or(0.0, |(_, e)| share(e.alike_dated, e.alike)),
        );
        sink.put("words of one of those, log", None, most.map_or(0.0, |(_, e)| ln(e.sum.words)));
    }

    fn path(&self, block: &Block, sink: &mut impl Sink) {
        let element = &self.scene.elements[block.element];
        let sums = [&self.scene.paths[&element.path], &self.scene.tag_paths[&element.tags]];
        for (number, sum) in (0..).zip(sums) {
            let number = Some(number);
            sink.put("blocks on its path, log", number, ln(sum.blocks));
            sink.put("words a block on its path", number, share(sum.words, sum.blocks));
            sink.put("link share on its path", number, share(sum.linked, sum.words));
            sink.put("prose share of its path", number, sum.prose / self.scene.whole.prose.max(1.0));
        }
    }

    /// How the block lies to the element with most prose.
    fn best(&self, at: usize, above: &[usize], sink: &mut impl Sink) {
        let size = self.len() as f32;
        let meet = above.iter().enumerate().find_map(|(up, element)| {
            let down = self.best_line.iter().take(REACH).position(|best| best == element)?;
            Some((up as f32, down as f32))
        });
        let (up, down) = meet.unwrap_or((FAR, FAR));
        let best = self.scene.best.map(|best| &self.scene.elements[best]);
        let behind = |edge: Option<usize>| edge.map_or(0.0, |edge| (at as f32 - edge as f32) / size);
        sink.put("up to the best's line", None, up);
        sink.put("down to the best", None, down);
        sink.put("behind the best's first", None, behind(best.map(|best| best.first)));
        sink.put("behind the best's last", None, behind(best.map(|best| best.last)));
        let prose = self.scene.whole.prose.max(1.0);
        sink.put("share of prose before", None, self.prose_before[at] / prose);
        let after = self.scene.whole.prose - self.prose_before[at + 1];
        sink.put("share of prose after", None, after / prose);
    }

    fn neighbours(&self, at: usize, sink: &mut impl Sink) {
        let own = &self.scene.blocks[at];
        for offset in [-3, -2, -1, 1, 2, 3_i32] {
            let neighbour = self.neighbour(at, offset);
            let number = Some(offset);
            let mut put =
                |name, value: &dyn Fn(&Block) -> f32| sink.put(name, number, neighbour.map_or(-1.0, value));
            put("words of neighbour, log", &|block| ln(block.len()));
            put("link share of neighbour", &|block| block.link_share());
            put("sentences of neighbour, log", &|block| ln(block.sentences));
            put("neighbour ends as a sentence", &|block| flag(ends_as_sentence(&block.placed.line.text)));
            put("tag of neighbour", &|block| self.own_tag(block));
            if offset.abs() == 1 {
                put("up to what holds both", &|block| self.up_to_common(own, block));
                put("neighbour on the same path", &|block| {
                    let path = |block: &Block| self.scene.elements[block.element].path;
                    flag(path(block) == path(own))
                });
            }
        }
    }

    fn neighbour(&self, at: usize, offset: i32) -> Option<&Block> {
        let at = at.checked_add_signed(offset as isize)?;
        self.scene.blocks.get(at)
    }

    fn own_tag(&self, block: &Block) -> f32 {
        let tag = self.page.tag(self.scene.elements[block.element].node).unwrap_or_default();
        position(&OWN, tag).map_or(OWN.len() as f32, |at| at as f32)
    }

    /// Elements from a block up to the first that holds another, too.
    fn up_to_common(&self, block: &Block, other: &Block) -> f32 {
        let node = self.scene.elements[other.element].node;
        let holds = |element: usize| self.page.subtree(self.scene.elements[element].node).contains(&node);
        self.scene.ancestors(block.element).take(REACH).position(holds).map_or(FAR, |up| up as f32)
    }

    /// Share of prose among the words around it.
    fn surroundings(&self, at: usize, sink: &mut impl Sink) {
        for reach in [3, 8] {
            let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(self.len()));
            let words = self.words_before[to] - self.words_before[from];
            let prose = self.prose_before[to] - self.prose_before[from];
            sink.put("share of prose within", Some(reach as i32), share(prose, words));
        }
    }

    fn whole(&self, sink: &mut impl Sink) {
        let whole = &self.scene.whole;
        sink.put("words of the page, log", None, ln(whole.words));
        sink.put("prose of the page, log", None, ln(whole.prose));
        sink.put("link share of the page", None, share(whole.linked, whole.words));
    }
}

/// For each block: the words before the last line that opened such a list, or -1.
fn opened(scene: &Scene, saying: usize) -> Vec<f32> {
    let (mut words, mut since) = (0.0, -1.0);
    let mut of = |block: &Block| {
        if block.words.len() <= 6 && block.sayings >> saying & 1 == 1 {
            since = words;
        }
        words += block.len();
        since
    };
    scene.blocks.iter().map(&mut of).collect()
}

fn position(of: &[&str], tag: &str) -> Option<usize> {
    of.iter().position(|known| *known == tag)
}

fn ends_as_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?', '…', '。', '！', '？', '”', '"', '\'', '»', ')'])
}

/// The features' names, in order.
pub(super) fn names() -> Vec<String> {
    let page = Page::parse("<p>word</p>");
    let scene = Scene::of(&page, &Repeated::default());
    let mut names: Vec<String> = Vec::new();
    Features::of(&page, &scene).put(0, &mut names);
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_has_all_features_and_their_names_differ() {
        let names = names();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len(), "{names:#?}");
        let page = Page::parse("<h1>One</h1><ul><li>two<li>three, four.</ul><p>five<br>six");
        let scene = Scene::of(&page, &Repeated::default());
        let features = Features::of(&page, &scene);
        for at in 0..features.len() {
            let mut values: Vec<f32> = Vec::new();
            features.put(at, &mut values);
            assert_eq!(values.len(), names.len());
            assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
        }
    }
}
