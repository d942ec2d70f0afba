//! Computes the features of a block, which are named numbers that the model reads.
//!
//! The groups are, in order: the block's own text, its position, the page's metadata, the tags and names
//! around it, sums over the elements around it, similar siblings, its path, the element with the most prose,
//! its neighbours, and the page. The distance to an ancestor is a number of elements. It is 0 for the block's
//! own element, and [`FAR`] if there is no such ancestor. Logarithms are `ln(1 + x)`.
//!
//! Limitation: every change of a feature's name, position or computation requires a newly trained model. A
//! model file with other feature names is rejected, but a changed computation is not detected.

mod around;
mod inherited;
mod neighbours;
mod own;

use std::sync::LazyLock;

use gleaner_html::Page;

use self::inherited::Inherited;
use self::neighbours::Card;
use super::block::Block;
use super::hashing::ByHash;
use super::lexicon::{COMMENTS, RELATED};
use super::scene::Scene;

/// The distance if the ancestor or headline does not exist.
const FAR: f32 = 99.0;

const REACH: usize = 24;

/// Similar siblings are counted for this number of elements, from the block's own element upwards.
const INNER: usize = 9;
/// The number of outermost elements for which similar siblings are not counted.
const OUTERMOST: u32 = 2;

/// Receives each feature of a block: its name, a number if several features have this name, and its value.
pub(super) trait Sink {
    fn put(&mut self, name: &'static str, number: Option<i32>, value: f32);
}

impl Sink for Vec<f32> {
    fn put(&mut self, _: &'static str, _: Option<i32>, value: f32) {
        self.push(value);
    }
}

impl Sink for Vec<String> {
    fn put(&mut self, name: &'static str, number: Option<i32>, _: f32) {
        self.push(number.map_or_else(|| name.to_owned(), |number| format!("{name} {number}")));
    }
}

#[derive(Debug)]
pub(super) struct Features<'a> {
    page: &'a Page,
    scene: &'a Scene,
    /// For each block: the number of words and of prose words in all earlier blocks.
    words_before: Vec<f32>,
    prose_before: Vec<f32>,
    opened: [Vec<f32>; 2],
    repeats: Vec<f32>,
    inherited: Vec<Inherited>,
    cards: Vec<Card>,
}

/// The logarithms of counts below this number are precomputed.
const COUNTS: usize = 1024;

fn ln(x: f32) -> f32 {
    static OF_COUNTS: LazyLock<Vec<f32>> =
        LazyLock::new(|| (0..COUNTS).map(|count| (count as f32).ln_1p()).collect());
    let count = x as usize;
    if count < COUNTS && count as f32 == x { OF_COUNTS[count] } else { x.max(0.0).ln_1p() }
}

fn share(part: f32, whole: f32) -> f32 {
    part / whole.max(1.0)
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}

impl<'a> Features<'a> {
    pub(super) fn new(page: &'a Page, scene: &'a Scene) -> Self {
        let running = |value: fn(&Block) -> f32| {
            let mut sums = vec![0.0];
            let mut sum = 0.0;
            sums.extend(scene.blocks.iter().map(|block| {
                sum += value(block);
                sum
            }));
            sums
        };
        let mut seen: ByHash<f32> = ByHash::default();
        let mut count = |block: &Block| {
            let count = seen.entry(block.text).or_default();
            *count += 1.0;
            *count - 1.0
        };
        let inherited = inherited::inherited(page, scene);
        Self {
            page,
            scene,
            words_before: running(Block::len),
            prose_before: running(|block| block.prose),
            opened: [COMMENTS, RELATED].map(|saying| opened(scene, saying)),
            repeats: scene.blocks.iter().map(&mut count).collect(),
            cards: scene.blocks.iter().map(|block| neighbours::card(block, &inherited)).collect(),
            inherited,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scene.blocks.len()
    }

    pub(super) fn put(&self, at: usize, sink: &mut impl Sink) {
        let block = &self.scene.blocks[at];
        let (mut above, mut size) = ([0; INNER], 0);
        for element in self.scene.ancestors(block.element).take(INNER) {
            above[size] = element;
            size += 1;
        }
        let above = &above[..size];
        self.own_text(at, block, sink);
        self.place(at, block, sink);
        self.statements(block, sink);
        self.tags(block, sink);
        self.kinds(block, sink);
        self.sums(above, sink);
        self.alike(above, sink);
        self.path(block, sink);
        self.best(at, block, sink);
        self.neighbours(at, sink);
        self.surroundings(at, sink);
        self.whole(sink);
    }

    fn whole(&self, sink: &mut impl Sink) {
        let whole = &self.scene.whole;
        sink.put("words of the page, log", None, ln(whole.words));
        sink.put("prose of the page, log", None, ln(whole.prose));
        sink.put("link share of the page", None, share(whole.linked, whole.words));
    }
}

/// Returns, for each block, the number of words since the last short line of kind `saying`, or -1 if no such
/// line precedes the block.
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

fn distance(up: u8) -> f32 {
    if usize::from(up) < REACH { f32::from(up) } else { FAR }
}

fn position(of: &[&str], tag: &str) -> Option<usize> {
    of.iter().position(|known| *known == tag)
}

pub(super) fn names() -> Vec<String> {
    let page = Page::parse("<p>word</p>");
    let scene = Scene::new(&page);
    let mut names: Vec<String> = Vec::new();
    Features::new(&page, &scene).put(0, &mut names);
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
        assert_eq!(names.len(), 177, "as the module's head and docs/evaluation.md say");
        let page = Page::parse("<h1>One</h1><ul><li>two<li>three, four.</ul><p>five<br>six");
        let scene = Scene::new(&page);
        let features = Features::new(&page, &scene);
        for at in 0..features.len() {
            let mut values: Vec<f32> = Vec::new();
            features.put(at, &mut values);
            assert_eq!(values.len(), names.len());
            assert!(values.iter().all(|value| value.is_finite()), "{values:?}");
        }
    }
}
