//! Checks on every page whether a template still fits its site.
//!
//! 1. A template stores values of its training pages ([`Health`]). These are the medians of four measures
//!    (number of words, margin, share of known DOM paths, share of repeated lines), and the share of pages
//!    that were judged without the template ([`Method::BlockModel`]).
//! 2. Every later page is compared with these values ([`Health::compare`]). The page is *unlike* the training
//!    pages in any of these cases: it has no text; its length differs by more than a factor of five, and many of
//!    its lines are at unknown DOM paths; it has hardly any known DOM paths or repeated texts; its margin is unusually low; it has a different design
//!    and was judged without the template, although few training pages were.
//! 3. The template is out of date if [`Window::UNLIKE`] of the last [`Window::PAGES`] pages are unlike. This
//!    means that the site was redesigned, or that the training pages were not typical.
//! 4. Other pages with DOM paths that hardly any training page has are of a further layout of the site. The
//!    [`Window`] lists them too. As soon as there are enough, the template learns them in addition.
//!
//! DOM paths and repeated texts reveal a redesign. The extracted text seldom does, because the block model
//! has a high confidence on most new designs. This was measured on 20 recorded sites (`tests/recorded.rs`).
//! The templates were learned from the first 25 pages or from two thirds of the pages. At most 4 of 20
//! consecutive later pages are unlike. If a site has fewer later pages, at most a quarter are unlike. On half
//! of the sites, no page is unlike. If every class and id is renamed, or the pages are from a different site,
//! all pages are unlike. A redesign is noticed after twelve pages.
//!
//! Limitation: a redesign is missed if it keeps classes and menus, or if it affects less than 60% of the
//! pages.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use gleaner_corpus::Method;

use crate::template::Extraction;

/// The values measured on a template's training pages. All are zero if there are no training pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Health {
    /// The median number of words in the text of a page.
    pub words: u32,
    /// The median margin of a page, 0 to 1 ([`Extraction::margin`]).
    #[serde(alias = "confidence")]
    pub margin: f32,
    /// The median share of a page's lines, 0 to 1, that the site repeats or that are at known DOM paths
    /// ([`Extraction::known`]).
    pub known: f32,
    /// The median share of a page's lines that the site repeats, 0 to 1.
    pub repeated: f32,
    /// The share of the pages that were judged without the template's votes, 0 to 1.
    pub alone: f32,
}

/// The values measured on one page. Shares are in hundredths to save memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFit {
    /// Whether the page is unlike the training pages.
    pub unlike: bool,
    /// The number of words in the page's text.
    pub words: u32,
    /// The margin in hundredths, 0 to 100.
    #[serde(alias = "confidence")]
    pub margin: u8,
    /// The share of the page's lines, in hundredths, that the site repeats or that are at known DOM paths
    /// ([`Extraction::known`]).
    pub known: u8,
    /// The share of the page's lines that the site repeats, in hundredths.
    pub repeated: u8,
    /// Whether the page was judged without the template's votes.
    pub alone: bool,
    /// Whether the template could learn from the page ([`Extraction::has_new_paths`]).
    #[serde(default)]
    pub has_new_paths: bool,
}

impl PageFit {
    /// Whether the template may learn from the page later, so that its raw page should be kept.
    #[must_use]
    pub fn is_worth_keeping(&self) -> bool {
        self.unlike || self.has_new_paths
    }
}

const ANOTHER_ORDER: u32 = 5;

/// The number of newest pages that are all unlike if a new design may have begun. So at most two of its pages are
/// learned as a further layout, which is too few for DOM paths that decide.
const NEWEST: usize = 3;

/// A page is unlike if its relative share ([`Health::known_share`]) is below this value. On sites that were
/// not redesigned, nine of ten pages have at least 0.4. With renamed classes, pages have at most 0.3.
const FAMILIAR: f32 = 0.35;

const UNSURE: f32 = 0.5;

/// A page with at least this relative share has the design of the training pages.
const OF_THE_DESIGN: f32 = 0.7;

/// If at least this share of the training pages was judged without votes, such pages are usual.
const OFTEN_ALONE: f32 = 0.3;

impl Health {
    /// Computes the values from the results of this template on its training pages.
    #[must_use]
    pub fn from_pages(pages: &[Extraction]) -> Self {
        let median = |of: &dyn Fn(&Extraction) -> f32| {
            let mut all: Vec<f32> = pages.iter().map(of).collect();
            all.sort_by(f32::total_cmp);
            all.get(all.len() / 2).copied().unwrap_or_default()
        };
        let alone = pages.iter().filter(|page| page.method == Method::BlockModel).count();
        Self {
            words: median(&|page| page.words() as f32) as u32,
            margin: median(&|page| page.margin),
            known: median(&|page| page.known),
            repeated: median(&|page| page.repeated),
            alone: alone as f32 / pages.len().max(1) as f32,
        }
    }

    /// Compares a page with the training pages, and returns the values measured on the page.
    #[must_use]
    pub fn compare(&self, page: &Extraction) -> PageFit {
        let hundredths = |share: f32| (100.0 * share).round() as u8;
        PageFit {
            unlike: self.is_unlike(page),
            words: page.words(),
            margin: hundredths(page.margin),
            known: hundredths(page.known),
            repeated: hundredths(page.repeated),
            alone: page.method == Method::BlockModel,
            has_new_paths: page.has_new_paths,
        }
    }

    pub(crate) fn is_unlike(&self, page: &Extraction) -> bool {
        let words = page.words();
        let familiar = self.known_share(page);
        let alone = page.method == Method::BlockModel && self.alone < OFTEN_ALONE && familiar < OF_THE_DESIGN;
        let learned = self.words > 0;
        learned
            && (words == 0
                || self.is_of_another_order(words) && page.known < OF_THE_DESIGN * self.known
                || alone
                || page.margin < UNSURE * self.margin
                || familiar < FAMILIAR)
    }

    fn is_of_another_order(&self, words: u32) -> bool {
        let shorter = words.saturating_mul(ANOTHER_ORDER) < self.words;
        let longer = words > self.words.saturating_mul(ANOTHER_ORDER);
        self.words > 0 && (shorter || longer)
    }

    /// Returns a page's shares of known DOM paths and repeated texts relative to the median page: the mean of
    /// the two ratios, 0 to 1. A ratio is ignored if the share of the median page is 0.
    fn known_share(&self, page: &Extraction) -> f32 {
        let pairs = [(page.known, self.known), (page.repeated, self.repeated)];
        let shares: Vec<f32> = pairs
            .into_iter()
            .filter(|(_, learned)| *learned > 0.0)
            .map(|(seen, learned)| (seen / learned).min(1.0))
            .collect();
        if shares.is_empty() { 1.0 } else { shares.iter().sum::<f32>() / shares.len() as f32 }
    }
}

/// The last pages of a host, from the oldest to the newest, and the pages from which its template may learn. Each page has
/// a key that the caller chooses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window<K> {
    pages: VecDeque<(K, PageFit)>,
    /// The pages of which the raw page is kept. The oldest is first.
    #[serde(default = "VecDeque::new")]
    kept: VecDeque<K>,
}

impl<K> Default for Window<K> {
    fn default() -> Self {
        Self { pages: VecDeque::new(), kept: VecDeque::new() }
    }
}

impl<K: PartialEq + Copy> Window<K> {
    /// The number of pages in a complete window.
    pub const PAGES: usize = 20;
    /// The template is out of date if at least this number of the pages are unlike.
    pub const UNLIKE: usize = 12;
    /// Maximum number of kept pages.
    pub const MAX_KEPT: usize = 100;

    /// Adds the values `seen` of the page with the key `page`, and removes an earlier entry with this key. `is_kept`
    /// tells whether the raw page is kept. Returns the pages of which the raw page is not needed any more.
    pub fn push(&mut self, page: K, seen: PageFit, is_kept: bool) -> Vec<K> {
        self.pages.retain(|(known, _)| *known != page);
        self.kept.retain(|known| *known != page);
        self.pages.push_back((page, seen));
        if is_kept {
            self.kept.push_back(page);
        }
        let mut released = Vec::new();
        if self.pages.len() > Self::PAGES
            && let Some((oldest, fit)) = self.pages.pop_front()
            && fit.unlike
            && !(fit.has_new_paths && self.kept.contains(&oldest))
        {
            // The page would have served only to learn a new design.
            self.kept.retain(|known| *known != oldest);
            released.push(oldest);
        }
        if self.kept.len() > Self::MAX_KEPT {
            released.extend(self.kept.pop_front());
        }
        released
    }

    /// Whether the template is out of date.
    #[must_use]
    pub fn out_of_date(&self) -> bool {
        self.unlike_pages().count() >= Self::UNLIKE
    }

    /// Whether the template should learn the kept pages in addition: there are at least `least`, and the newest pages
    /// are not all unlike, as they are after a redesign.
    #[must_use]
    pub fn has_further_layouts(&self, least: usize) -> bool {
        let mut newest = self.pages.iter().rev().take(NEWEST);
        self.kept.len() >= least && newest.any(|(_, seen)| !seen.unlike)
    }

    /// Returns the kept pages. The oldest page is first.
    pub fn kept_pages(&self) -> impl Iterator<Item = &K> {
        self.kept.iter()
    }

    /// Forgets the kept pages for which `is_kept` returns `false`.
    pub fn retain_kept(&mut self, is_kept: impl FnMut(&K) -> bool) {
        self.kept.retain(is_kept);
    }

    /// Removes and returns the kept pages. The oldest page is first.
    pub fn take_kept(&mut self) -> impl Iterator<Item = K> + use<K> {
        std::mem::take(&mut self.kept).into_iter()
    }

    /// Returns the keys of the unlike pages. The oldest page is first.
    pub fn unlike_pages(&self) -> impl Iterator<Item = &K> {
        self.pages.iter().filter(|(_, seen)| seen.unlike).map(|(page, _)| page)
    }

    /// Returns the number of pages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there are no pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use crate::block_model::{Forest, Tree};
    use gleaner_html::Page;

    use super::*;
    use crate::pins::Pins;

    fn page(words: usize, margin: f32, (known, repeated): (f32, f32), method: Method) -> Extraction {
        let page = Page::parse(&format!("<p>{}</p>", "word ".repeat(words)));
        let always = Forest::new(vec![Tree { splits: Vec::new(), leaves: vec![6.0] }]);
        let extraction = Extraction::cold_with(&always, &page, &Pins::default());
        Extraction { method, margin, known, repeated, ..extraction }
    }

    fn usual() -> Extraction {
        page(400, 0.9, (1.0, 0.6), Method::Template)
    }

    #[test]
    fn what_is_far_from_the_learning_pages_is_unlike() {
        let health = Health::from_pages(&[usual(), usual(), page(500, 0.95, (0.9, 0.7), Method::Template)]);
        assert_eq!((health.words, health.margin, health.alone), (400, 0.9, 0.0));
        let (by_site, alone) = (Method::Template, Method::BlockModel);
        let cases = [
            (usual(), false),
            (page(90, 0.6, (0.5, 0.3), by_site), false),
            (page(1900, 0.9, (1.0, 0.0), by_site), false),
            (page(0, 0.0, (1.0, 1.0), by_site), true),
            (page(70, 0.9, (1.0, 0.6), by_site), false),
            (page(70, 0.9, (0.6, 0.6), by_site), true),
            (page(2100, 0.9, (1.0, 0.6), by_site), false),
            (page(2100, 0.9, (0.6, 0.6), by_site), true),
            (page(400, 0.4, (1.0, 0.6), by_site), true),
            (page(400, 0.9, (1.0, 0.6), alone), false),
            (page(400, 0.9, (0.6, 0.4), alone), true),
            (page(400, 0.9, (0.6, 0.4), by_site), false),
            (page(400, 0.9, (0.6, 0.0), by_site), true),
            (page(400, 0.9, (0.1, 0.1), by_site), true),
        ];
        for (page, unlike) in cases {
            let seen = health.compare(&page);
            assert_eq!(seen.unlike, unlike, "{seen:?}");
        }
    }

    #[test]
    fn without_learning_pages_nothing_is_unlike() {
        let health = Health::from_pages(&[]);
        assert_eq!(health, Health::default());
        assert!(!health.compare(&page(0, 0.0, (0.0, 0.0), Method::BlockModel)).unlike);
    }

    #[test]
    fn a_site_that_is_often_judged_alone_is_so_later() {
        let alone = page(400, 0.9, (1.0, 0.6), Method::BlockModel);
        let health = Health::from_pages(&[alone.clone(), usual()]);
        assert!(!health.compare(&alone).unlike);
    }

    #[test]
    fn a_site_that_repeats_nothing_is_known_by_its_places() {
        let quiet = |known| page(400, 0.9, (known, 0.0), Method::Template);
        let health = Health::from_pages(&[quiet(0.9), quiet(1.0), quiet(1.0)]);
        assert!(!health.compare(&quiet(0.4)).unlike && health.compare(&quiet(0.3)).unlike);
    }

    #[test]
    fn twelve_unlike_pages_of_twenty_are_a_redesign() {
        let health = Health::from_pages(&[usual()]);
        let seen = [health.compare(&usual()), health.compare(&page(0, 0.0, (0.0, 0.0), Method::Template))];
        let mut window: Window<usize> = Window::default();
        for number in 0..100 {
            let is_unlike = number % 20 < 11;
            let released = window.push(number, seen[usize::from(is_unlike)], is_unlike);
            assert_eq!(
                released,
                number.checked_sub(20).filter(|_| is_unlike).into_iter().collect::<Vec<_>>()
            );
            assert!(!window.out_of_date(), "page {number}");
        }
        assert_eq!(window.unlike_pages().copied().collect::<Vec<_>>(), (80..91).collect::<Vec<_>>());
        for number in 100..=101 {
            window.push(number, seen[1], true);
        }
        assert!(!window.out_of_date(), "as many have left it");
        for number in 200..210 {
            window.push(number, seen[1], true);
        }
        assert!(window.out_of_date() && window.len() == 20);
    }

    #[test]
    fn a_page_that_is_met_again_counts_once() {
        let unlike = Health::from_pages(&[usual()]).compare(&page(0, 0.0, (0.0, 0.0), Method::Template));
        let mut window = Window::default();
        (0..30).for_each(|_| assert!(window.push('a', unlike, true).is_empty()));
        assert!(window.len() == 1 && !window.is_empty() && !window.out_of_date());
    }

    #[test]
    fn pages_of_further_layouts_are_kept_until_there_are_enough() {
        let usual = Health::from_pages(&[usual()]).compare(&usual());
        let new = PageFit { has_new_paths: true, ..usual };
        let mut window = Window::default();
        for number in 0..60 {
            assert_eq!(window.has_further_layouts(10), number > 54, "page {number}");
            let is_new = number % 6 == 0;
            assert!(window.push(number, if is_new { new } else { usual }, is_new).is_empty());
        }
        assert_eq!(window.take_kept().collect::<Vec<_>>(), (0..60).step_by(6).collect::<Vec<_>>());
        assert!(!window.has_further_layouts(1) && window.len() == 20);
    }

    #[test]
    fn a_new_design_is_not_taken_for_a_further_layout() {
        let unlike = PageFit { has_new_paths: true, ..redesigned() };
        let mut window = Window::default();
        for number in 0..Window::<usize>::UNLIKE {
            assert!(!window.out_of_date());
            assert!(!window.has_further_layouts(3), "page {number}");
            window.push(number, unlike, true);
        }
        assert!(window.out_of_date() && !window.has_further_layouts(3));
        assert_eq!(window.take_kept().count(), 12);
    }

    #[test]
    fn a_layout_of_half_of_the_pages_is_a_further_layout() {
        let usual = Health::from_pages(&[usual()]).compare(&usual());
        let unlike = PageFit { has_new_paths: true, ..redesigned() };
        let mut window = Window::default();
        for number in 0..40 {
            window.push(number, if number % 2 == 0 { unlike } else { usual }, number % 2 == 0);
            assert!(!window.out_of_date());
            assert_eq!(window.has_further_layouts(10), number >= 18, "page {number}");
        }
    }

    #[test]
    fn kept_pages_are_bounded() {
        let new = PageFit { has_new_paths: true, ..redesigned() };
        let mut window = Window::default();
        for number in 0..150_usize {
            let released = window.push(number, new, true);
            assert_eq!(released.first().copied(), number.checked_sub(Window::<usize>::MAX_KEPT));
        }
        window.retain_kept(|number| *number < 60);
        assert_eq!(window.take_kept().collect::<Vec<_>>(), (50..60).collect::<Vec<_>>());
    }

    fn redesigned() -> PageFit {
        Health::from_pages(&[usual()]).compare(&page(0, 0.0, (0.0, 0.0), Method::Template))
    }
}
