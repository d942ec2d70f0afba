//! Implements the block model, a model trained on labelled pages that classifies every line of a page.
//!
//! 1. The page is cut into blocks, which are the lines that a reader sees (`block.rs`, `scene.rs`).
//! 2. 177 features are computed for each block (`features`). They describe links, commas, text density and
//!    title words, as in the papers, and also element names, similar siblings, the block's path, its
//!    neighbours, and the page's metadata.
//! 3. Regression trees ([`Forest`]) compute the log-odds that the block is body text.
//! 4. The body text consists of the blocks with a probability above a half.
//!
//! If other pages of the site are known, [`SiteModel`] stores the text that the site repeats, and the log-odds that the
//! model gave to the lines at each DOM path. [`PathIndex`] looks them up for the lines of a further page.
//!
//! The example `train` of the crate eval trained [`built_in`]. docs/evaluation.md describes the training data
//! and the results on unseen sites.
//!
//! The cost is linear in the size of the page: some microseconds per block.
//!
//! ```
//! use gleaner_extract::block_model;
//! use gleaner_html::Page;
//!
//! let page = Page::parse("<p>Rain fell on the valley all day, and the river rose.</p>");
//! let judged = block_model::classify(&page, block_model::built_in());
//! assert_eq!(judged.len(), 1);
//! ```

mod block;
mod features;
mod forest;
mod hashing;
mod lexicon;
mod memo;
mod odds;
mod path_index;
mod quick_scorer;
mod removed;
mod repeated;
mod scene;
mod site;
mod statements;

use std::sync::LazyLock;

use gleaner_html::text::{Line, PlacedLine};
use gleaner_html::{NodeId, Page};

pub use forest::{Forest, Split, Tree};
pub use hashing::word_hashes;
pub use path_index::{MOSTLY, PathIndex};
pub use removed::RemovalReason;
pub use repeated::Repeated;
pub use scene::is_cut;
pub use site::{DomPathStats, LogOddsSum, MANY_PAGES, MAX_LOG_ODDS, PathEvidence, SiteModel};

/// A block with the result of its classification.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassifiedBlock {
    /// The block.
    pub placed: PlacedLine,
    /// The log-odds that the block is body text, from all evidence. 0 means a probability of 0.5.
    pub log_odds: f32,
    /// The log-odds from the model. 0 if the model was not asked.
    pub model: f32,
    /// What the site's template knows about lines at the block's DOM path. `None` if no training page has a line there.
    pub path: Option<PathEvidence>,
    /// The reason why the block was removed. `None` if it was not. A removed block is not body text.
    pub removed: Option<RemovalReason>,
    /// The name of the block's DOM path, as in [`SiteModel::dom_paths`]. Empty if the model was not asked.
    pub dom_path: String,
    /// The number of words.
    pub words: u32,
    /// The share of the words that are in links, 0 to 1.
    pub link_share: f32,
    /// What decided about the block.
    pub reason: Reason,
}

/// What decided whether a block is body text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Reason {
    /// The evidence of the model and, if there is a template, of the block's DOM path.
    #[default]
    Model,
    /// The block was removed ([`ClassifiedBlock::removed`]).
    Removed,
    /// The DOM path alone: the model would almost certainly say the same of every line there.
    Path,
    /// The block is between lines of body text, and nothing strong speaks against it.
    Between,
    /// The DOM path does not decide, and the block is a line of links, or short and away from the body text.
    Unlikely,
    /// The words, or the lines and images around the block, show a caption, a credit, a by-line, a comment, a note of the
    /// editors or a "read more" line.
    Words,
    /// The block is in a boilerplate subtree of the site.
    Subtree,
}

impl ClassifiedBlock {
    /// A block of which nothing is known.
    #[must_use]
    pub fn new(placed: PlacedLine) -> Self {
        Self {
            placed,
            log_odds: 0.0,
            model: 0.0,
            path: None,
            removed: None,
            dom_path: String::new(),
            words: 0,
            link_share: 0.0,
            reason: Reason::Model,
        }
    }

    /// Whether most of the words are in links.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.link_share > MOSTLY
    }

    /// Whether the block is body text, that is, its log-odds are above 0.
    #[must_use]
    pub fn is_content(&self) -> bool {
        self.log_odds > 0.0
    }
}

/// Returns the names of the features, in order.
#[must_use]
pub fn feature_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(features::names);
    &NAMES
}

/// Returns the kinds of an element, from the words in its class, id and similar attributes (`role`,
/// `itemprop`, `aria-label`, some `data-*`). An element may have none or several of these kinds: `comment`,
/// `related`, `share`, `navigation`, `foot`, `head`, `side`, `advertisement`, `caption`, `by-line`, `tag`,
/// `body`, `title`, `lead`, `offer`, `consent`.
///
/// ```
/// use gleaner_extract::block_model::kinds_of_element;
/// use gleaner_html::Page;
///
/// let page = Page::parse("<div class='comment-list'>");
/// let div = page.elements("div").next().unwrap();
/// assert!(kinds_of_element(&page, div).eq(["comment"]));
/// ```
pub fn kinds_of_element(page: &Page, element: NodeId) -> impl Iterator<Item = &'static str> {
    let kinds = lexicon::ElementKinds::default().kinds_of(page, element);
    (0..).zip(lexicon::KIND_NAMES).filter(move |(bit, _)| kinds >> bit & 1 == 1).map(|(_, name)| name)
}

/// Returns the kinds of a short line, from typical words. A line may have none or several of the kinds
/// `comments`, `related`, `credit`, `offer` and `by-line`. A line of more than 160 bytes has no kind.
///
/// ```
/// use gleaner_extract::block_model::phrase_kinds_of;
///
/// assert!(phrase_kinds_of("Photo: Anna Weaver").eq(["credit"]));
/// assert!(phrase_kinds_of("The council met on Monday.").eq([""; 0]));
/// ```
pub fn phrase_kinds_of(line: &str) -> impl Iterator<Item = &'static str> {
    let sayings = lexicon::phrase_kind_bits(line);
    (0..).zip(lexicon::SAYING_NAMES).filter(move |(bit, _)| sayings >> bit & 1 == 1).map(|(_, name)| name)
}

/// Returns each block of a page with its features, for training. Blocks that are removed before the
/// classification are omitted: consent dialogs, and placeholders that the page repeats.
#[must_use]
pub fn feature_rows(page: &Page) -> Vec<(PlacedLine, Vec<f32>)> {
    let scene = scene::Scene::new(page);
    let features = features::Features::new(page, &scene);
    let row = |at: usize| {
        let mut row: Vec<f32> = Vec::with_capacity(feature_names().len());
        features.put(at, &mut row);
        row
    };
    let rows: Vec<Vec<f32>> = (0..features.len()).map(row).collect();
    scene.blocks.into_iter().map(|block| block.placed).zip(rows).collect()
}

/// Returns the built-in model.
#[must_use]
pub fn built_in() -> &'static Forest {
    static MODEL: LazyLock<Forest> = LazyLock::new(|| {
        Forest::from_bytes(include_bytes!("model.bin")).expect("the model was taught with these features")
    });
    &MODEL
}

/// Classifies every block of a page with a model. The blocks are in page order.
#[must_use]
pub fn classify(page: &Page, model: &Forest) -> Vec<ClassifiedBlock> {
    PageReading::new(page, model).blocks
}

/// Like [`classify`], but asks the model only about the blocks whose text begins at one of the nodes `asked`, which are
/// sorted.
#[must_use]
pub fn classify_some(page: &Page, model: &Forest, asked: &[NodeId]) -> Vec<ClassifiedBlock> {
    PageReading::of_some(page, model, |block| asked.binary_search(&block.placed.nodes.start).is_ok()).blocks
}

/// The classified blocks of a page alone.
#[derive(Debug, Clone)]
struct PageReading {
    blocks: Vec<ClassifiedBlock>,
    /// A key that is the same for all copies of an article ([`scene::Scene::article_key`]).
    article: Option<u64>,
}

impl PageReading {
    fn new(page: &Page, model: &Forest) -> Self {
        Self::of_some(page, model, |_| true)
    }

    fn of_some(page: &Page, model: &Forest, is_asked: impl Fn(&block::Block) -> bool) -> Self {
        let mut scene = scene::Scene::new(page);
        let article = scene.article_key();
        let asked: Vec<usize> = (0..scene.blocks.len()).filter(|at| is_asked(&scene.blocks[*at])).collect();
        let mut odds = asked.iter().copied().zip(odds::of_some(page, &scene, model, &asked)).peekable();
        let index = PathIndex::default();
        let mut blocks: Vec<ClassifiedBlock> = Vec::with_capacity(scene.blocks.len() + scene.taken.len());
        let mut add = |block: block::Block, log_odds: Option<f32>, removed| {
            let link_share = block.link_share();
            let asked = log_odds.map(|_| index.dom_path(page, block.placed.block, link_share));
            blocks.push(ClassifiedBlock {
                log_odds: log_odds.unwrap_or_default(),
                model: log_odds.unwrap_or_default(),
                removed,
                reason: if removed.is_some() { Reason::Removed } else { Reason::Model },
                dom_path: asked.unwrap_or_default(),
                words: block.words.len() as u32,
                link_share,
                ..ClassifiedBlock::new(block.placed)
            });
        };
        for (at, block) in std::mem::take(&mut scene.blocks).into_iter().enumerate() {
            add(block, odds.next_if(|(asked, _)| *asked == at).map(|(_, odds)| odds), None);
        }
        for (block, removed) in std::mem::take(&mut scene.taken) {
            add(block, Some(-MAX_LOG_ODDS), Some(removed));
        }
        blocks.sort_by_key(|block| block.placed.nodes.start);
        Self { blocks, article }
    }
}

/// Returns the margin of a classification, 0 to 1: twice the mean distance of the blocks' probabilities from
/// 0.5. The mean is weighted by words, and ignores blocks with a probability below 0.1. The margin is 0 if no
/// block is body text.
#[must_use]
pub fn margin(judged: &[ClassifiedBlock]) -> f32 {
    if !judged.iter().any(ClassifiedBlock::is_content) {
        return 0.0;
    }
    let (mut sum, mut words) = (0.0, 0.0);
    for judged in judged.iter().filter(|judged| judged.log_odds > MIGHT_BE) {
        let chance = 1.0 / (1.0 + (-judged.log_odds).exp());
        sum += judged.words as f32 * (2.0 * chance - 1.0).abs();
        words += judged.words as f32;
    }
    sum / f32::max(words, 1.0)
}

/// The log-odds of a probability of 0.1.
const MIGHT_BE: f32 = -2.2;

/// Classifies a page with a model and returns the [`lines`] of the body text. The result is empty if no block
/// has a probability of at least 0.05.
#[must_use]
pub fn extract(page: &Page, model: &Forest) -> Vec<Line> {
    lines(&classify(page, model))
}

/// Returns the lines of the body text. If no block is body text, but the likeliest block has a probability of
/// at least 0.05, returns this block and the blocks that are nearly as likely. Such a guess has the margin 0,
/// but is better than a lost article.
#[must_use]
pub fn lines(judged: &[ClassifiedBlock]) -> Vec<Line> {
    let best = judged.iter().map(|judged| judged.log_odds).fold(f32::MIN, f32::max);
    let least = if (MIN_CHANCE..=0.0).contains(&best) { best - NEARLY } else { 0.0 };
    judged.iter().filter(|judged| judged.log_odds > least).map(|judged| judged.placed.line.clone()).collect()
}

/// The log-odds of a probability of about 0.05.
pub(crate) const MIN_CHANCE: f32 = -3.0;

/// The maximum difference in log-odds between a guessed line and the likeliest line.
const NEARLY: f32 = 1.5;

#[cfg(test)]
mod tests {
    use gleaner_html::text::LineKind;

    use super::*;

    fn judged(odds: &[f32]) -> Vec<ClassifiedBlock> {
        let page = Page::parse("<p>a line");
        let model = Forest::default();
        let of = |(at, odds): (usize, &f32)| {
            let mut judged = classify(&page, &model).remove(0);
            judged.log_odds = *odds;
            judged.placed.line = Line { kind: LineKind::Paragraph, text: at.to_string() };
            judged
        };
        odds.iter().enumerate().map(of).collect()
    }

    #[test]
    fn where_nothing_is_content_the_likeliest_lines_are_guessed() {
        let cases: [(&[f32], &str); 5] = [
            (&[1.0, -0.1, 3.0], "02"),
            (&[-1.0, -2.0, -2.6], "01"),
            (&[-3.5, -4.0], ""),
            (&[0.0, -1.0], "01"),
            (&[], ""),
        ];
        for (odds, expected) in cases {
            let found: String = lines(&judged(odds)).into_iter().map(|line| line.text).collect();
            assert_eq!(found, expected, "{odds:?}");
            if !odds.iter().any(|odds| *odds > 0.0) {
                assert_eq!(margin(&judged(odds)), 0.0);
            }
        }
    }
}
