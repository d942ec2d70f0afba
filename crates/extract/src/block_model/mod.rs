//! gleaner's own method: every line of a page is judged by a model that was taught
//! with gold text.
//!
//! 1. The page is cut into blocks: its lines as a reader sees them (`block.rs`, `scene.rs`).
//! 2. Of each block 176 numbers are taken (`features`): what the papers look at
//!    (links, commas, text density, title words), names of elements, elements alike,
//!    the block's path, its neighbours, what the page states of itself.
//! 3. Trees ([`Forest`]) give the log-odds that it is content.
//! 4. Blocks above a half are the text.
//!
//! Where pages of the same site are known, [`Site`] first takes away what they repeat,
//! and lets them vote on kinds of place.
//!
//! [`built_in`] was taught by the example `teach` of the room eval; docs/evaluation.md
//! says with what, and how it does on sites that it never saw.
//!
//! Cost: linear in the page; some microseconds a block.
//!
//! ```
//! use gleaner_extract::block_model;
//! use gleaner_html::Page;
//!
//! let page = Page::parse("<p>Rain fell on the valley all day, and the river rose.</p>");
//! let judged = block_model::judge(&page, block_model::built_in());
//! assert_eq!(judged.len(), 1);
//! ```

mod block;
mod features;
mod forest;
mod hashing;
mod known;
mod lexicon;
mod odds;
mod questions;
mod repeated;
mod scene;
mod site;
mod statements;

use std::sync::LazyLock;

use gleaner_html::text::{Line, PlacedLine};
use gleaner_html::{NodeId, Page};

pub use forest::{Forest, Split, Tree};
pub use known::{Known, KnownLine, KnownPlace};
pub use repeated::Repeated;
pub use scene::is_cut;
pub use site::{Place, Site, Verdicts};

/// A block and what is thought of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The block.
    pub placed: PlacedLine,
    /// Log-odds that it is content, all things considered: 0 is a half.
    pub log_odds: f32,
    /// The same by the model alone.
    pub alone: f32,
    /// The same by what stood at its place on other pages; `None` where nothing did.
    pub vote: Option<f32>,
    /// Whether the site repeats it, so that nothing else was asked.
    pub repeated: bool,
    /// Its place, as in [`Site::places`].
    pub place: String,
    /// Its words, and the share of them in links (0 to 1).
    pub words: u32,
    /// See `words`.
    pub link_share: f32,
}

impl Judged {
    /// A block of which nothing is thought yet.
    fn from_block(block: block::Block) -> Self {
        let link_share = block.link_share();
        Self {
            placed: block.placed,
            log_odds: 0.0,
            alone: 0.0,
            vote: None,
            repeated: false,
            place: String::new(),
            words: block.words.len() as u32,
            link_share,
        }
    }

    /// Whether it is content.
    #[must_use]
    pub fn is_content(&self) -> bool {
        self.log_odds > 0.0
    }
}

/// The names of the features, in order.
#[must_use]
pub fn feature_names() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(features::names);
    &NAMES
}

/// What an element is, going by the words in its class, id, role and itemprop: none or
/// several of `comment`, `related`, `share`, `navigation`, `foot`, `head`, `side`,
/// `advertisement`, `caption`, `by-line`, `tag`, `body`, `title`, `lead`, `offer`.
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
    let kinds = lexicon::Kinds::default().of(page, element);
    (0..).zip(lexicon::KIND_NAMES).filter(move |(bit, _)| kinds >> bit & 1 == 1).map(|(_, name)| name)
}

/// What a short line says, going by words that such lines hold: none or several of
/// `comments`, `related`, `credit`, `offer`, `by-line`; nothing for more than 160 bytes.
///
/// ```
/// use gleaner_extract::block_model::sayings_of;
///
/// assert!(sayings_of("Photo: Anna Weaver").eq(["credit"]));
/// assert!(sayings_of("The council met on Monday.").eq([""; 0]));
/// ```
pub fn sayings_of(line: &str) -> impl Iterator<Item = &'static str> {
    let sayings = lexicon::sayings(line);
    (0..).zip(lexicon::SAYING_NAMES).filter(move |(bit, _)| sayings >> bit & 1 == 1).map(|(_, name)| name)
}

/// The blocks of a page, each with its features, to teach a model with.
#[must_use]
pub fn feature_rows(page: &Page, repeated: &Repeated) -> Vec<(PlacedLine, Vec<f32>)> {
    let scene = scene::Scene::new(page, repeated);
    let features = features::Features::new(page, &scene);
    let row = |at: usize| {
        let mut row: Vec<f32> = Vec::with_capacity(feature_names().len());
        features.put(at, &mut row);
        row
    };
    let rows: Vec<Vec<f32>> = (0..features.len()).map(row).collect();
    scene.blocks.into_iter().map(|block| block.placed).zip(rows).collect()
}

/// The model that comes with the program.
#[must_use]
pub fn built_in() -> &'static Forest {
    static MODEL: LazyLock<Forest> = LazyLock::new(|| {
        Forest::from_bytes(include_bytes!("model.bin")).expect("the model was taught with these features")
    });
    &MODEL
}

/// Every block of a page with what a model says of it, in page order.
#[must_use]
pub fn judge(page: &Page, model: &Forest) -> Vec<Judged> {
    Site::default().judge(page, model)
}

/// How sure a judgement is, 0 to 1: the mean distance of its words' chances from a
/// half, doubled, over blocks that are content or might be. 0 where there is no
/// content.
#[must_use]
pub fn confidence(judged: &[Judged]) -> f32 {
    if !judged.iter().any(Judged::is_content) {
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

/// Log-odds from which a block might be content: one in ten.
const MIGHT_BE: f32 = -2.2;

/// The page's text by a model; no line where it finds none.
#[must_use]
pub fn extract(page: &Page, model: &Forest) -> Vec<Line> {
    lines(&judge(page, model))
}

/// The lines of what is content. Where nothing is, the lines nearly as likely as the
/// likeliest, if that has a chance of one in twenty: a guess, with a confidence of 0,
/// is worth more than an article that is lost.
#[must_use]
pub fn lines(judged: &[Judged]) -> Vec<Line> {
    let best = judged.iter().map(|judged| judged.log_odds).fold(f32::MIN, f32::max);
    let least = if (LEAST_CHANCE..=0.0).contains(&best) { best - NEARLY } else { 0.0 };
    judged.iter().filter(|judged| judged.log_odds > least).map(|judged| judged.placed.line.clone()).collect()
}

/// Log-odds of one in twenty.
const LEAST_CHANCE: f32 = -3.0;

/// How far below the likeliest line, in log-odds, a guess goes.
const NEARLY: f32 = 1.5;

#[cfg(test)]
mod tests {
    use gleaner_html::text::LineKind;

    use super::*;

    fn judged(odds: &[f32]) -> Vec<Judged> {
        let page = Page::parse("<p>a line");
        let model = Forest::default();
        let of = |(at, odds): (usize, &f32)| {
            let mut judged = judge(&page, &model).remove(0);
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
                assert_eq!(confidence(&judged(odds)), 0.0);
            }
        }
    }
}
