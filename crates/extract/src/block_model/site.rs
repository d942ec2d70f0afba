//! Combines the results of several pages of one site.
//!
//! 1. The text that the site repeats is found ([`Repeated`]) and removed from every page.
//! 2. The model classifies the remaining blocks of each page.
//! 3. Each block adds its probability to its DOM path. The name of a DOM path consists of the last two
//!    elements of the block's path, including class and id, and with digits masked, such as `div.story >
//!    p.lead`. If more than half of the block's words are in links, ` > a` is appended. The vote of a DOM
//!    path is the mean probability of its blocks, weighted by words.
//! 4. The final classification of a block combines the model, the vote of its DOM path, and its length:
//!    `0.90 o + 0.28 (v - o) + 0.23 ln(1 + words) - 1.42`, where `o` and `v` are the log-odds of the model and
//!    of the vote. If there is no vote, the second term is omitted.
//! 5. For each DOM path, the final classifications of the blocks of the training pages are stored, by the
//!    length of the blocks. Classification without the model uses them ([`DomPathStats::log_odds_of`]).
//!
//! The four weights are from a logistic regression over 20 recorded sites. They vary by 0.02 to 0.14 when one
//! site is left out (docs/evaluation.md). The intercept sets the cost of a false block relative to a missed
//! block. If no pages of the site are known, only the model is used, and the threshold is 0.5.

use std::collections::BTreeMap;

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use super::block::Block;
use super::hashing::{ByHash, masked};
use super::odds::{self, chance};
use super::scene::{Named, Scene, names_of};
use super::{ClassifiedBlock, Forest, RemovalReason, Repeated};

/// The results of training on the pages of a site. The default describes an unknown site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    /// The number of training pages.
    pub pages: u32,
    /// The DOM paths by name, such as `div.story > p`.
    #[serde(rename = "places")]
    pub dom_paths: BTreeMap<String, DomPathStats>,
    /// The repeated text. It is removed from every page.
    pub repeated: Repeated,
}

/// The results of training for one DOM path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct DomPathStats {
    /// The number of training pages with a block at the DOM path.
    pub pages: u32,
    /// The number of blocks at the DOM path that were not removed before the classification.
    pub blocks: u32,
    /// The sum of the weights of these blocks. A block with n words has the weight min(n, 60) + 2.
    pub words: f64,
    /// The sum, over these blocks, of weight times probability of body text. At most [`words`](Self::words).
    pub content: f64,
    /// The final classifications of the blocks, separately for blocks of at most 7 words, 8 to 15 words, 16
    /// to 31 words, and 32 or more words. All values are zero in templates of earlier versions.
    #[serde(default)]
    pub verdicts: [FinalLabels; 4],
}

/// The final classifications of the blocks at one DOM path, for one of the ranges of words in
/// [`DomPathStats::verdicts`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct FinalLabels {
    /// The sum of the weights of the blocks, as in [`DomPathStats::words`].
    pub words: f64,
    /// The part of this weight that belongs to blocks classified as body text.
    pub kept: f64,
}

pub(super) const LENGTHS: [u32; 3] = [8, 16, 32];

/// The weight, in words, of the share over all lengths in a mean with the share for one length.
const OF_ALL_LENGTHS: f64 = 100.0;

/// Maximum number of words that count in the weight of a block in the vote of its DOM path.
const LONG: f32 = 60.0;

/// This number is added to the words of a block to get its weight in a vote.
const ANY: f32 = 2.0;

const SURE: f32 = 6.0;

const REMOVED: f32 = -SURE;

const OF_THE_MODEL: f32 = 0.90;
const OF_THE_PLACE: f32 = 0.28;
const OF_THE_LENGTH: f32 = 0.23;
const INTERCEPT: f32 = -1.42;

impl DomPathStats {
    /// Returns the vote of the DOM path: the log-odds, within ±6.91, that a block at the DOM path is body
    /// text.
    #[must_use]
    pub fn log_odds(&self) -> f32 {
        log_odds(self.content, self.words)
    }

    /// Returns the log-odds, within ±6.91, that a block with `words` words at the DOM path is body text. They
    /// are computed from [`verdicts`](Self::verdicts). If all verdicts are zero, returns the vote.
    #[must_use]
    pub fn log_odds_of(&self, words: u32) -> f32 {
        let sum = |of: fn(&FinalLabels) -> f64| self.verdicts.iter().map(of).sum::<f64>();
        let (all, kept) = (sum(|it| it.words), sum(|it| it.kept));
        if all <= 0.0 {
            return self.log_odds();
        }
        let own = self.verdicts[length(words)];
        log_odds(own.kept + OF_ALL_LENGTHS * kept / all, own.words + OF_ALL_LENGTHS)
    }
}

pub(super) fn length(words: u32) -> usize {
    LENGTHS.iter().take_while(|bound| **bound <= words).count()
}

fn log_odds(content: f64, of: f64) -> f32 {
    let share = (content / of.max(1e-9)).clamp(0.001, 0.999);
    (share / (1.0 - share)).ln() as f32
}

impl SiteModel {
    /// Learns from pages of one site. 20 to 30 articles work best.
    #[must_use]
    pub fn learn(pages: &[&Page], model: &Forest) -> Self {
        Self::learn_and_judge(pages, model).0
    }

    /// Learns like [`Self::learn`]. Also returns the result of [`classify`](Self::classify) for each page.
    /// This is faster than two calls, because each page is read only once.
    #[must_use]
    pub fn learn_and_judge(pages: &[&Page], model: &Forest) -> (Self, Vec<Vec<ClassifiedBlock>>) {
        let (repeated, scenes) = Repeated::but_content(pages, model);
        let mut site = Self { pages: pages.len() as u32, repeated, ..Self::default() };
        let mut asked = Vec::with_capacity(scenes.len());
        for (page, mut scene) in pages.iter().zip(scenes) {
            scene.take_away(&site.repeated);
            scene.settle(page);
            let page = ClassifiedPage::new(page, scene, model);
            site.add_votes(&page);
            asked.push(page);
        }
        let judged = asked.into_iter().map(|page| site.combine_votes(page)).collect();
        (site, judged)
    }

    fn add_votes(&mut self, page: &ClassifiedPage) {
        let mut met: BTreeMap<&str, DomPathStats> = BTreeMap::new();
        for ((block, name), odds) in page.blocks.iter().zip(&page.odds) {
            let dom_path = met.entry(name).or_default();
            let weight = weight(block.len());
            dom_path.blocks += 1;
            dom_path.words += weight;
            dom_path.content += weight * chance(*odds);
        }
        for (name, met) in met {
            let dom_path = match self.dom_paths.get_mut(name) {
                Some(dom_path) => dom_path,
                None => self.dom_paths.entry(name.to_owned()).or_default(),
            };
            dom_path.pages += 1;
            dom_path.blocks += met.blocks;
            dom_path.words += met.words;
            dom_path.content += met.content;
        }
    }

    /// Adds the final classifications of a training page to its DOM paths.
    pub fn add_final_labels(&mut self, judged: &[ClassifiedBlock]) {
        for block in judged.iter().filter(|block| block.removed.is_none()) {
            let Some(dom_path) = self.dom_paths.get_mut(&block.dom_path) else { continue };
            let weight = weight(block.words as f32);
            let verdicts = &mut dom_path.verdicts[length(block.words)];
            verdicts.words += weight;
            verdicts.kept += if block.is_content() { weight } else { 0.0 };
        }
    }

    /// Classifies every block of a page of this site with `model` and the results of training. The blocks are
    /// in page order.
    #[must_use]
    pub fn classify(&self, page: &Page, model: &Forest) -> Vec<ClassifiedBlock> {
        PageBlocks::read(page).classify(self, model)
    }

    fn combine_votes(&self, page: ClassifiedPage) -> Vec<ClassifiedBlock> {
        let ClassifiedPage { blocks, odds, taken } = page;
        let mut all: Vec<ClassifiedBlock> = Vec::with_capacity(blocks.len() + taken.len());
        for ((block, dom_path), alone) in blocks.into_iter().zip(odds) {
            let vote = self.dom_paths.get(&dom_path).map(DomPathStats::log_odds);
            let log_odds = if self.pages == 0 { alone } else { together(alone, vote, block.len()) };
            all.push(ClassifiedBlock {
                log_odds,
                alone,
                vote,
                dom_path,
                ..ClassifiedBlock::from_block(block)
            });
        }
        for (block, dom_path, removed) in taken {
            let removed = Some(removed);
            all.push(ClassifiedBlock {
                log_odds: REMOVED,
                alone: REMOVED,
                removed,
                dom_path,
                ..ClassifiedBlock::from_block(block)
            });
        }
        all.sort_by_key(|judged| judged.placed.nodes.start);
        all
    }
}

/// The blocks of a page. If a page is classified several times, they are read only once.
#[derive(Debug, Clone)]
pub struct PageBlocks<'a> {
    page: &'a Page,
    scene: Scene,
}

impl<'a> PageBlocks<'a> {
    /// Reads the blocks of a page.
    #[must_use]
    pub fn read(page: &'a Page) -> Self {
        Self { page, scene: Scene::read(page, &mut Named::default()) }
    }

    /// Returns the page.
    #[must_use]
    pub fn page(&self) -> &'a Page {
        self.page
    }

    /// Classifies every block with `model` and the results of training on the page's site
    /// ([`SiteModel::classify`]).
    #[must_use]
    pub fn classify(self, site: &SiteModel, model: &Forest) -> Vec<ClassifiedBlock> {
        let Self { page, mut scene } = self;
        scene.take_away(&site.repeated);
        scene.settle(page);
        site.combine_votes(ClassifiedPage::new(page, scene, model))
    }
}

struct ClassifiedPage {
    blocks: Vec<(Block, String)>,
    odds: Vec<f32>,
    taken: Vec<(Block, String, RemovalReason)>,
}

impl ClassifiedPage {
    fn new(page: &Page, mut scene: Scene, model: &Forest) -> Self {
        let odds = odds::of_all(page, &scene, model);
        let (blocks, taken) = (std::mem::take(&mut scene.blocks), std::mem::take(&mut scene.taken));
        let mut names = ByHash::default();
        let mut name = |block: &Block| place_name(page, &scene, block, &mut names);
        let named = |block: Block| (name(&block), block);
        let blocks = blocks.into_iter().map(named).map(|(name, block)| (block, name)).collect();
        let taken = taken.into_iter().map(|(block, removed)| (name(&block), block, removed));
        let taken = taken.map(|(name, block, removed)| (block, name, removed)).collect();
        Self { blocks, odds, taken }
    }
}

fn together(alone: f32, vote: Option<f32>, words: f32) -> f32 {
    let alone = alone.clamp(-SURE, SURE);
    let vote = vote.map_or(0.0, |vote| vote - alone);
    OF_THE_MODEL * alone + OF_THE_PLACE * vote + OF_THE_LENGTH * words.ln_1p() + INTERCEPT
}

fn weight(words: f32) -> f64 {
    f64::from(words.min(LONG) + ANY)
}

/// Returns the last two elements of a block's path, such as `div.story > p`. A block that consists mostly of
/// links gets a separate DOM path, because links to related stories are often between the paragraphs.
/// `names` has the names of elements by their hashes `own`.
fn place_name(page: &Page, scene: &Scene, block: &Block, names: &mut ByHash<String>) -> String {
    let own = &scene.elements[block.element];
    let link = if block.link_share() > MOSTLY { " > a" } else { "" };
    let mut name = String::with_capacity(64);
    for (element, behind) in [(&scene.elements[own.parent], " > "), (own, link)] {
        let of_element = || element_name(names_of(page, element.node));
        name.push_str(names.entry(element.own).or_insert_with(of_element));
        name.push_str(behind);
    }
    name
}

pub(super) fn element_name([tag, class, id]: [&str; 3]) -> String {
    let mut name = tag.to_owned();
    for (sign, value) in [('.', class), ('#', id)] {
        for part in value.split_whitespace() {
            name.push(sign);
            match part.bytes().any(|byte| byte.is_ascii_digit()) {
                true => name.extend(masked(part)),
                false => name.push_str(part),
            }
        }
    }
    name.truncate(name.floor_char_boundary(LONGEST_NAME));
    name
}

pub(super) const MOSTLY: f32 = 0.5;

const LONGEST_NAME: usize = 200;

#[cfg(test)]
mod tests {
    use super::super::{Split, Tree};
    use super::*;

    #[test]
    fn verdicts_count_by_length() {
        let mut dom_path = DomPathStats { words: 1.0, content: 0.5, ..DomPathStats::default() };
        assert_eq!(dom_path.log_odds_of(3), 0.0);
        dom_path.verdicts[0] = FinalLabels { words: 100.0, kept: 0.0 };
        dom_path.verdicts[3] = FinalLabels { words: 300.0, kept: 300.0 };
        // Three quarters of all words are body text, so each length is combined with 75 of 100 words.
        let expected = [(0, 75.0 / 125.0), (8, 3.0), (31, 3.0), (32, 375.0 / 25.0), (500, 375.0 / 25.0)];
        for (words, odds) in expected {
            assert!((dom_path.log_odds_of(words) - f32::ln(odds)).abs() < 1e-5, "{words}");
        }
    }

    #[test]
    fn what_was_judged_is_noted_at_its_place() {
        let page = Page::parse("<div class=story><p>Rain fell on the valley all day long.<p>Rain");
        let mut site = SiteModel::learn(&[&page], &Forest::default());
        let mut judged = site.classify(&page, &Forest::default());
        judged[0].log_odds = 1.0;
        judged[1].log_odds = -1.0;
        site.add_final_labels(&judged);
        let [short, long, ..] = site.dom_paths["div.story > p"].verdicts;
        assert_eq!(
            (short, long),
            (FinalLabels { words: 3.0, kept: 0.0 }, FinalLabels { words: 10.0, kept: 10.0 })
        );
    }

    #[test]
    fn links_among_the_paragraphs_are_a_place_of_their_own() {
        let html = "<div class=story><p>Rain <a href=/>fell</a> all day<p><a href=/x>Rain fell</a>";
        let judged = super::super::classify(&Page::parse(html), &Forest::default());
        let dom_paths: Vec<&str> = judged.iter().map(|judged| judged.dom_path.as_str()).collect();
        assert_eq!(dom_paths, ["div.story > p", "div.story > p > a"]);
    }

    fn long_lines() -> Forest {
        let words = super::super::feature_names().iter().position(|name| name == "words, log").unwrap();
        let split = Split { feature: words as u16, left: -1, right: -2, threshold: 5.0_f32.ln() };
        Forest::new(vec![Tree { splits: vec![split], leaves: vec![-3.0, 3.0] }])
    }

    fn page(story: &str) -> Page {
        Page::parse(&format!(
            "<div class=box-1><p>All rights are reserved by the publisher of this paper</p></div><div class=story><p>{story}</p><i>by us</i></div>"
        ))
    }

    const STORIES: [&str; 3] = [
        "Rain fell on the valley all day and the river rose",
        "The bridge was opened by the oldest man of the village",
        "Nobody had expected that the choir would win the prize",
    ];

    #[test]
    fn what_is_repeated_goes_and_places_vote() {
        let pages = STORIES.map(page);
        let site = SiteModel::learn(&pages.each_ref(), &long_lines());
        assert_eq!(site.pages, 3);
        let dom_path = site.dom_paths["div.story > p"];
        assert_eq!((dom_path.pages, dom_path.blocks), (3, 3));
        assert!(dom_path.log_odds() > 2.0, "{dom_path:?}");
        assert!(!site.dom_paths.contains_key("div.box-# > p"), "{:?}", site.dom_paths.keys());
        let judged =
            site.classify(&page("Schools close early because of the snow in the hills"), &long_lines());
        let content: Vec<bool> = judged.iter().map(|judged| judged.log_odds > 0.0).collect();
        assert_eq!(content, [false, true, false], "{judged:#?}");
        assert!(judged[0].removed == Some(RemovalReason::RepeatedBySite) && judged[1].removed.is_none());
        assert!(judged[1].vote.is_some_and(|vote| vote > 2.0));
    }

    #[test]
    fn a_place_lifts_what_the_model_doubts() {
        assert!(together(-0.3, Some(5.0), 20.0) > 0.0);
        assert!(together(-0.3, Some(-5.0), 20.0) < 0.0);
        assert!(together(9.0, None, 20.0) > together(9.0, None, 2.0));
    }

    #[test]
    fn a_site_that_is_not_known_leaves_the_page_to_the_model() {
        let page = page(STORIES[0]);
        let judged = SiteModel::default().classify(&page, &long_lines());
        assert!(judged.iter().all(|judged| judged.log_odds == judged.alone && judged.removed.is_none()));
        assert!(SiteModel::learn(&[], &long_lines()).classify(&Page::parse(""), &long_lines()).is_empty());
    }

    #[test]
    fn json_gives_the_same_site() {
        let pages = STORIES.map(page);
        let site = SiteModel::learn(&pages.each_ref(), &long_lines());
        let json = serde_json::to_string(&site).unwrap();
        assert_eq!(serde_json::from_str::<SiteModel>(&json).unwrap(), site);
        assert_eq!(serde_json::to_string(&SiteModel::learn(&pages.each_ref(), &long_lines())).unwrap(), json);
    }
}
