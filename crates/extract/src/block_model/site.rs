//! What the pages of one site show together: the log-odds that the model gives to the lines at each DOM path, and
//! the text that the site repeats.
//!
//! 1. The model classifies every line of each training page, as for a page alone.
//! 2. The text that the site repeats is found ([`Repeated`]).
//! 3. Each other line adds its log-odds to its DOM path. The name of a DOM path consists of the last two elements of
//!    the line's path, such as `div.story > p.lead`. If more than half of the line's words are in links, ` > a` is
//!    appended. Digits are masked. A class or id that only one training page has is left out: it may be random, and
//!    would make a DOM path of its own.
//!
//! [`PathIndex`] looks up what a template knows about the lines of a page.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gleaner_html::Page;
use serde::{Deserialize, Serialize};

use super::path_index::{Names, PathIndex, nearest_named, tokens};
use super::{ClassifiedBlock, Forest, Reason, RemovalReason, Repeated};

/// The results of training on the pages of a site. The default describes an unknown site.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SiteModel {
    /// The number of training pages.
    pub pages: u32,
    /// The classes and ids that at least two training pages have, with their sign, such as `.story` or `#main`.
    pub names: BTreeSet<String>,
    /// The DOM paths by name, such as `div.story > p`.
    #[serde(rename = "places")]
    pub dom_paths: BTreeMap<String, DomPathStats>,
    /// The repeated text, which is never body text.
    pub repeated: Repeated,
}

/// The results of training for one DOM path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct DomPathStats {
    /// The number of training pages with a line at the DOM path.
    pub pages: u32,
    /// The log-odds of the lines, separately for lines of at most 3, 7, 15, 31 and more words.
    pub lengths: [LogOddsSum; LENGTHS],
}

/// The log-odds that the model gave to some lines, each within ±6.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct LogOddsSum {
    /// The number of training pages with such a line.
    pub pages: u32,
    /// The number of lines.
    pub lines: u32,
    /// The sum of the log-odds.
    pub sum: f64,
    /// The sum of the squares of the log-odds.
    pub squares: f64,
}

/// What the training pages show about a line at a DOM path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathEvidence {
    /// The number of training pages with such lines at the DOM path itself.
    pub pages: u32,
    /// The number of training pages that count for the mean and the deviation. If few pages have the DOM path, some pages
    /// with lines elsewhere below the same named element count too.
    pub support: u32,
    /// The mean log-odds of the lines.
    pub mean: f32,
    /// The standard deviation of the log-odds of a further line.
    pub deviation: f32,
}

/// The number of ranges of words in [`DomPathStats::lengths`].
pub(super) const LENGTHS: usize = 5;

/// Log-odds are limited to this value.
pub const MAX_LOG_ODDS: f32 = 6.0;

/// Minimum number of training pages with lines of one length at a DOM path. Below, lines of all lengths count.
const MIN_PAGES: u32 = 3;

/// The number of training pages from which a DOM path decides if its lines are alike, and the deviation below which they
/// are.
pub const MANY_PAGES: u32 = 10;
const ALIKE: f32 = 1.2;

/// Minimum number of training pages of a DOM path that decides that its lines are not body text. A single page may be an
/// exception.
const MIN_BOILERPLATE_PAGES: u32 = 2;

/// Minimum number of training pages of a DOM path that decides that its lines are body text. On a few pages, comments
/// and notices may be at such a path.
const MIN_TEXT_PAGES: u32 = 5;

/// Maximum number of training pages with lines elsewhere below the same named element that count for a DOM path that few
/// pages have.
const BELOW_PAGES: u32 = 3;

/// The deviation of log-odds at a DOM path that is not known, and its weight in pages.
const PRIOR_DEVIATION: f32 = 2.0;
const PRIOR_PAGES: f32 = 1.0;

/// Maximum share of the mean at a DOM path that is added to a line's log-odds.
const MAX_SHARE_OF_MEAN: f32 = 1.5;

/// The number of pages with which half of the share is added.
const HALF_SHARE: f32 = 3.0;

/// Maximum number of training pages that a template remembers. Older pages lose weight.
const MAX_PAGES: u32 = 200;

pub(super) fn length(words: u32) -> usize {
    [4, 8, 16, 32].iter().take_while(|bound| **bound <= words).count()
}

impl LogOddsSum {
    fn add(&mut self, log_odds: f32, is_first: bool) {
        let log_odds = f64::from(log_odds.clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS));
        self.pages += u32::from(is_first);
        self.lines += 1;
        self.sum += log_odds;
        self.squares += log_odds * log_odds;
    }

    fn plus(self, other: Self) -> Self {
        Self {
            pages: self.pages.max(other.pages),
            lines: self.lines + other.lines,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    fn evidence(self) -> Option<PathEvidence> {
        (self.lines > 0 && self.pages > 0).then(|| {
            let lines = f64::from(self.lines);
            let mean = self.sum / lines;
            let variance = (self.squares / lines - mean * mean).max(0.0) as f32;
            let pages = self.pages as f32;
            let prior = PRIOR_DEVIATION * PRIOR_DEVIATION;
            let variance = (variance * pages + prior * PRIOR_PAGES) / (pages + PRIOR_PAGES);
            let deviation = (variance * (1.0 + 1.0 / pages)).sqrt();
            PathEvidence { pages: self.pages, support: self.pages, mean: mean as f32, deviation }
        })
    }

    fn at_most(self, pages: u32) -> Self {
        if self.pages > pages { self.scaled(f64::from(pages) / f64::from(self.pages)) } else { self }
    }

    fn scaled(self, share: f64) -> Self {
        let scaled = |count: u32| ((f64::from(count) * share).round() as u32).max(u32::from(count > 0));
        let lines = scaled(self.lines);
        let ratio = f64::from(lines) / f64::from(self.lines.max(1));
        Self { pages: scaled(self.pages), lines, sum: self.sum * ratio, squares: self.squares * ratio }
    }

    /// Whether the values are possible: `pages` is at most `lines`, and the sums are those of log-odds in range.
    #[must_use]
    pub fn is_possible(&self) -> bool {
        let most = f64::from(self.lines) * f64::from(MAX_LOG_ODDS) * (1.0 + 1e-6);
        self.pages <= self.lines
            && self.sum.abs() <= most
            && (0.0..=most * f64::from(MAX_LOG_ODDS)).contains(&self.squares)
    }
}

impl DomPathStats {
    /// Returns the sum over all lengths.
    #[must_use]
    pub fn all(&self) -> LogOddsSum {
        let sum = self.lengths.iter().copied().fold(LogOddsSum::default(), LogOddsSum::plus);
        LogOddsSum { pages: self.pages, ..sum }
    }

    /// Returns the evidence for lines in a range of lengths. If too few training pages have such a line at the DOM path,
    /// lines of all lengths count. If these are still few, lines elsewhere below the same named element count too (`below`),
    /// as language models back off to shorter contexts. `None` if there are no lines.
    pub(super) fn evidence(&self, length: usize, below: Option<&Self>) -> Option<PathEvidence> {
        let own = self.lengths[length];
        let own = if own.pages >= MIN_PAGES { own } else { self.all() };
        if own.pages >= MIN_TEXT_PAGES {
            return own.evidence();
        }
        let more = below.map_or(LogOddsSum::default(), |below| below.lengths[length].at_most(BELOW_PAGES));
        let sum = LogOddsSum { pages: own.pages + more.pages, ..own.plus(more) };
        Some(PathEvidence { pages: own.pages, ..sum.evidence()? })
    }

    fn scaled(self, share: f64) -> Self {
        let pages = LogOddsSum { pages: self.pages, ..LogOddsSum::default() }.scaled(share).pages;
        Self { pages, lengths: self.lengths.map(|sum| sum.scaled(share)) }
    }

    fn plus(self, other: Self) -> Self {
        let mut lengths = self.lengths;
        for (sum, other) in lengths.iter_mut().zip(other.lengths) {
            *sum = LogOddsSum { pages: sum.pages + other.pages, ..sum.plus(other) };
        }
        Self { pages: self.pages + other.pages, lengths }
    }
}

impl PathEvidence {
    /// Returns whether a line at the DOM path is body text, or `None` if the model has to decide. The DOM path decides in
    /// two cases:
    ///
    /// * The model would almost certainly say the same of every line there: the mean is farther from 0 than the
    ///   deviation.
    /// * The lines on many pages are alike. Then the DOM path has one kind of line, and the mean of all of them says
    ///   more about a further line than the model does.
    #[must_use]
    pub fn decision(&self) -> Option<bool> {
        let pages = self.support as f32;
        let mean = self.mean * pages / (pages + 0.5);
        let is_text = mean > 0.0;
        let least = if is_text { MIN_TEXT_PAGES } else { MIN_BOILERPLATE_PAGES };
        let agree = self.support >= least && mean.abs() > self.deviation;
        let alike = self.pages >= MANY_PAGES && self.deviation < ALIKE;
        (agree || alike).then_some(is_text)
    }

    /// Returns the probability, 0 to 0.5, that the model would say otherwise of a line at the DOM path than the mean.
    #[must_use]
    pub fn doubt(&self) -> f32 {
        // The logistic function approximates the normal distribution with this factor.
        1.0 / (1.0 + (1.7 * self.mean.abs() / self.deviation).exp())
    }

    /// Returns the log-odds that are added to those of the model for a line at the DOM path: a share of the mean. It is
    /// the larger, the more pages have the DOM path, and the less the lines there differ.
    #[must_use]
    pub fn log_odds(&self) -> f32 {
        let pages = self.support as f32;
        let share = (1.0 / (self.deviation * self.deviation)).min(MAX_SHARE_OF_MEAN);
        share * self.mean * pages / (pages + HALF_SHARE)
    }
}

impl SiteModel {
    /// Learns from pages of one site. 20 to 30 articles work best. Also returns the lines of each page, classified by
    /// `model` and the site together.
    #[must_use]
    pub fn learn(pages: &[&Page], model: &Forest) -> (Self, Vec<Vec<ClassifiedBlock>>) {
        let readings: Vec<super::PageReading> =
            pages.iter().map(|page| super::PageReading::new(page, model)).collect();
        let names = common_names(pages, &readings);
        let mut site = Self { pages: pages.len() as u32, names, ..Self::default() };
        site.repeated = Repeated::from_pages(pages, &readings, &Names::new(&site.names));
        let index = PathIndex::from_site(&site);
        let mut all = Vec::with_capacity(pages.len());
        for (page, reading) in pages.iter().zip(readings) {
            let mut blocks = reading.blocks;
            index.mark(page, &mut blocks);
            site.add_page(&blocks);
            all.push(blocks);
        }
        let index = PathIndex::from_site(&site);
        for (page, blocks) in pages.iter().zip(&mut all) {
            index.mark(page, blocks);
            blocks.iter_mut().for_each(ClassifiedBlock::add_evidence);
        }
        (site, all)
    }

    /// Adds the lines of a training page to their DOM paths.
    fn add_page(&mut self, blocks: &[ClassifiedBlock]) {
        let mut met: BTreeMap<&str, [bool; LENGTHS]> = BTreeMap::new();
        // Lines that were removed for a reason on their page count as lines that the model rejects.
        let is_counted = |block: &&ClassifiedBlock| block.removed != Some(RemovalReason::RepeatedBySite);
        for block in blocks.iter().filter(is_counted) {
            let length = length(block.words);
            let is_new_path = !met.contains_key(block.dom_path.as_str());
            let lengths = met.entry(&block.dom_path).or_default();
            let is_new_length = !std::mem::replace(&mut lengths[length], true);
            let stats = self.dom_paths.entry(block.dom_path.clone()).or_default();
            stats.pages += u32::from(is_new_path);
            stats.lengths[length].add(block.model, is_new_length);
        }
    }

    /// Adds what an earlier template of the site knows. A site has as many layouts as it has: its earlier pages still
    /// count, but with less weight as further pages come.
    ///
    /// Limitation: a class that only one earlier page had, and that several new pages have, changes the DOM path of that
    /// page's lines. The earlier evidence of these lines is then not found.
    pub fn remember(&mut self, earlier: &Self) {
        let room = MAX_PAGES.saturating_sub(self.pages);
        let share = (f64::from(room) / f64::from(earlier.pages.max(1))).min(1.0);
        if room == 0 {
            return;
        }
        for (name, stats) in &earlier.dom_paths {
            let own = self.dom_paths.entry(name.clone()).or_default();
            *own = own.plus(stats.scaled(share));
        }
        self.pages += (f64::from(earlier.pages) * share).round() as u32;
        self.names.extend(earlier.names.iter().cloned());
        self.repeated.extend(&earlier.repeated);
    }

    /// Whether the template can extract articles: some DOM path decides that its lines are body text.
    #[must_use]
    pub fn has_text(&self) -> bool {
        let decides = |stats: &DomPathStats| {
            let mut evidence = (0..LENGTHS).filter_map(|length| stats.evidence(length, None));
            evidence.any(|evidence| evidence.decision() == Some(true))
        };
        self.dom_paths.values().any(decides)
    }

    /// Returns what the training pages show about the lines below each named element, by its name. Lines of links do not
    /// count.
    pub(super) fn below_named(&self) -> HashMap<&str, DomPathStats> {
        let mut all: HashMap<&str, DomPathStats> = HashMap::new();
        for (path, stats) in &self.dom_paths {
            let Some(name) = nearest_named(path) else { continue };
            let below = all.entry(name).or_default();
            below.pages = below.pages.max(stats.pages);
            for (sum, more) in below.lengths.iter_mut().zip(stats.lengths) {
                *sum = sum.plus(more);
            }
        }
        all
    }
}

/// Returns the classes and ids of elements around lines that at least two of the pages have. If there is only one page,
/// returns all.
fn common_names(pages: &[&Page], readings: &[super::PageReading]) -> BTreeSet<String> {
    let mut counts: HashMap<String, (u32, usize)> = HashMap::new();
    for (number, (page, reading)) in (1..).zip(pages.iter().zip(readings)) {
        let mut seen = vec![false; page.len()];
        for block in &reading.blocks {
            let mut node = block.placed.block;
            while !std::mem::replace(&mut seen[node as usize], true) {
                for token in tokens(page, node) {
                    let count = counts.entry(token).or_default();
                    count.0 += u32::from(count.1 != number);
                    count.1 = number;
                }
                node = page.node(node).parent;
            }
        }
    }
    let least = if pages.len() > 1 { 2 } else { 1 };
    counts.into_iter().filter(|(_, (pages, _))| *pages >= least).map(|(token, _)| token).collect()
}

impl ClassifiedBlock {
    /// Sets the log-odds to the sum of the evidence of the model and of the DOM path. A removed line is not body text.
    pub fn add_evidence(&mut self) {
        let model = self.model.clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS);
        let sum = model + self.path.map_or(0.0, |path| path.log_odds());
        (self.log_odds, self.reason) = match self.removed {
            Some(_) => (-MAX_LOG_ODDS, Reason::Removed),
            None => (sum, Reason::Model),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(class: &str, pages: usize) -> SiteModel {
        let page = |number: usize| {
            Page::parse(&format!(
                "<div class={class}><p>Rain number {number} fell on the valley all day.</p></div>"
            ))
        };
        let pages: Vec<Page> = (0..pages).map(page).collect();
        SiteModel::learn(&pages.iter().collect::<Vec<_>>(), &Forest::default()).0
    }

    #[test]
    fn a_remembered_site_has_at_most_200_pages_and_possible_values() {
        let mut site = learned("first", 30);
        for _ in 0..12 {
            let mut next = learned("later", 25);
            next.remember(&site);
            site = next;
        }
        assert_eq!(site.pages, 200);
        assert_eq!(site.dom_paths.keys().collect::<Vec<_>>(), ["div.first > p", "div.later > p"]);
        for stats in site.dom_paths.values() {
            assert!(
                stats.pages <= site.pages && stats.lengths.iter().all(LogOddsSum::is_possible),
                "{stats:?}"
            );
        }
    }

    #[test]
    fn paths_decide_if_their_log_odds_agree_on_enough_pages() {
        let evidence = |log_odds: &[f32]| {
            let mut sum = LogOddsSum::default();
            log_odds.iter().for_each(|log_odds| sum.add(*log_odds, true));
            sum.evidence().unwrap().decision()
        };
        assert_eq!(evidence(&[-5.0, -4.0, -5.0]), Some(false));
        assert_eq!(evidence(&[-5.0]), None, "too few pages");
        assert_eq!(evidence(&[5.0, 4.0, 5.0, 4.0]), None, "too few pages for body text");
        assert_eq!(evidence(&[5.0, 4.0, 5.0, 4.0, 5.0]), Some(true));
        assert_eq!(evidence(&[5.0, -4.0, 5.0, -4.0, 5.0]), None, "the lines differ");
        assert_eq!(evidence(&[0.4, -0.2].repeat(4)), None, "too few pages for an unsure model");
        assert_eq!(evidence(&[0.4, -0.2].repeat(6)), Some(true), "alike on many pages");
    }

    #[test]
    fn a_rare_path_counts_with_the_lines_below_its_named_element() {
        let page = |number: usize, more: &str| {
            let story = format!("<p>Rain number {number} fell on the valley.</p>");
            Page::parse(&format!("<div class=story>{story}{more}</div>"))
        };
        let pages: Vec<Page> = (0..8).map(|number| page(number, "")).collect();
        let always = Forest::new(vec![super::super::Tree { splits: Vec::new(), leaves: vec![3.0] }]);
        let (site, _) = SiteModel::learn(&pages.iter().collect::<Vec<_>>(), &always);
        let index = PathIndex::from_site(&site);
        let lines =
            index.lines(&page(9, "<blockquote>The river rose over the old bridge.</blockquote>"), |_| true);
        let path = lines[1].path.unwrap();
        assert_eq!((path.pages, path.support, path.mean > 2.0), (0, BELOW_PAGES, true));
        assert_eq!(path.decision(), None);
        let elsewhere = index
            .lines(&Page::parse("<div class=foot><p>The river rose over the old bridge.</div>"), |_| true);
        assert_eq!(elsewhere[0].path, None);
    }
}
