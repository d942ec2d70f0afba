//! Classifies lines without the model, by the repeated texts of a site and the votes of its DOM paths.
//!
//! [`SiteModel::classify`] computes 177 features per line and runs the model. This module needs only two
//! lookups per line: the hash of the text at its path, and the hash of the DOM path's name. Most of the time
//! is spent on reading the text.
//!
//! Limitation: for speed, this module duplicates the logic of [`SiteModel::classify`] for DOM paths,
//! repetition, words and the share of links. A test checks that both agree.

use gleaner_html::text::{PlacedLine, placed_lines};
use gleaner_html::{NodeId, Page};

use super::block::count_of_part;
use super::hashing::{FNV_START, fnv_1a, hash};
use super::memo::Memo;
use super::repeated;
use super::scene::{ElementKeys, MOST_BLOCKS, names_of};
use super::site::{LENGTHS, MOSTLY, element_name, length};
use super::{DomPathStats, SiteModel};
use crate::{count_words, has_word};

/// A site's DOM paths and repeated texts, prepared for lookups.
#[derive(Debug, Clone, Default)]
pub struct Known {
    dom_paths: Vec<(u64, Votes)>,
    repeated: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Votes {
    pages: u32,
    log_odds: [f32; 4],
}

/// The results of training for the DOM path of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KnownDomPath {
    /// The number of training pages with this DOM path.
    pub pages: u32,
    /// The log-odds, within ±6.91, that a line of this length at the DOM path is body text.
    pub log_odds: f32,
}

/// A line with the results of training for its text and its DOM path.
#[derive(Debug, Clone, PartialEq)]
pub struct KnownLine {
    /// The line.
    pub placed: PlacedLine,
    /// The number of words.
    pub words: u32,
    /// The share of the words that are in links, 0 to 1.
    pub link_share: f32,
    /// Whether the site repeats the line.
    pub repeated: bool,
    /// The results of training for the line's DOM path. `None` if no training page has the DOM path.
    pub dom_path: Option<KnownDomPath>,
}

impl Votes {
    fn from_place(dom_path: &DomPathStats) -> Self {
        Self {
            pages: dom_path.pages,
            log_odds: [0, LENGTHS[0], LENGTHS[1], LENGTHS[2]].map(|w| dom_path.log_odds_of(w)),
        }
    }
}

impl KnownLine {
    /// Whether most of the words are in links.
    #[must_use]
    pub fn is_link(&self) -> bool {
        self.link_share > MOSTLY
    }
}

impl Known {
    /// Prepares lookups for a trained site.
    #[must_use]
    pub fn from_site(site: &SiteModel) -> Self {
        let mut dom_paths: Vec<(u64, Votes)> = site
            .dom_paths
            .iter()
            .map(|(name, dom_path)| (place_key(name), Votes::from_place(dom_path)))
            .collect();
        dom_paths.sort_unstable_by_key(|(key, _)| *key);
        Self { dom_paths, repeated: site.repeated.keys().collect() }
    }

    /// Returns the first 50,000 lines that contain a word, in page order. Nodes for which `keep` returns
    /// `false` are omitted, as in [`placed_lines`].
    #[must_use]
    pub fn lines(&self, page: &Page, keep: impl Fn(NodeId) -> bool) -> Vec<KnownLine> {
        let mut placed = placed_lines(page, 0, keep);
        placed.retain(|placed| has_word(&placed.line.text));
        placed.truncate(MOST_BLOCKS);
        let mut links = Links::from_page(page);
        let mut paths = Paths::new(page);
        placed.into_iter().map(|placed| self.line(placed, &mut links, &mut paths)).collect()
    }

    fn line(&self, placed: PlacedLine, links: &mut Links, paths: &mut Paths) -> KnownLine {
        let count = count_words(&placed.line.text) as u32;
        let linked = links.words_within(&placed, count).min(count);
        let link_share = linked as f32 / (count as f32).max(1.0);
        let at = paths.hashes_of(placed.block);
        let key = if link_share > MOSTLY { fnv_1a(at.dom_path, b" > a") } else { at.dom_path };
        let text = repeated::key(at.path, hash(&placed.line.text));
        KnownLine {
            words: count,
            link_share,
            repeated: self.repeated.binary_search(&text).is_ok(),
            dom_path: self.dom_path(key, count),
            placed,
        }
    }

    fn dom_path(&self, key: u64, words: u32) -> Option<KnownDomPath> {
        let at = self.dom_paths.binary_search_by_key(&key, |(key, _)| *key).ok()?;
        let Votes { pages, log_odds } = self.dom_paths[at].1;
        Some(KnownDomPath { pages, log_odds: log_odds[length(words)] })
    }
}

fn place_key(name: &str) -> u64 {
    fnv_1a(FNV_START, name.as_bytes())
}

/// The outermost links of a page, queried line by line in page order.
struct Links<'a> {
    page: &'a Page,
    ranges: Vec<(NodeId, NodeId)>,
    /// The index of the first link that ends after the start of the last queried line.
    at: usize,
}

impl<'a> Links<'a> {
    fn from_page(page: &'a Page) -> Self {
        let mut ranges: Vec<(NodeId, NodeId)> = Vec::new();
        for id in page.elements("a") {
            if ranges.last().is_none_or(|(_, end)| *end <= id) {
                ranges.push((id, page.node(id).end));
            }
        }
        Self { page, ranges, at: 0 }
    }

    fn words_within(&mut self, placed: &PlacedLine, words: u32) -> u32 {
        let of = &placed.nodes;
        let count = |part: &str| count_of_part(part, &placed.line.text, words as usize) as u32;
        while self.ranges.get(self.at).is_some_and(|(_, end)| *end <= of.start) {
            self.at += 1;
        }
        let within = self.ranges[self.at..].iter().take_while(|(start, _)| *start < of.end);
        let nodes = within.flat_map(|(start, end)| *start.max(&of.start)..*end.min(&of.end));
        nodes.filter_map(|id| self.page.text(id)).map(count).sum()
    }
}

struct Paths<'a> {
    page: &'a Page,
    open: Vec<At>,
    /// A buffer for the elements to open.
    next: Vec<NodeId>,
    named: Memo<'a, 3, Named>,
}

/// The values that depend only on the tag, class and id of an element.
struct Named {
    key: u64,
    name: String,
    /// Hash of the name.
    hash: u64,
    /// The last argument and the last result of [`Self::place_in`].
    last: (u64, u64),
}

impl Named {
    fn new(names: [&str; 3]) -> Self {
        let name = element_name(names);
        let hash = place_key(&name);
        let mut named = Self { key: ElementKeys::new(names).own, name, hash, last: (hash, 0) };
        named.last.1 = named.dom_path(hash);
        named
    }

    fn dom_path(&self, outer: u64) -> u64 {
        fnv_1a(fnv_1a(outer, b" > "), self.name.as_bytes())
    }

    /// Returns the hash of the DOM path's name for a line in this element, which is in an element named
    /// `outer`.
    fn place_in(&mut self, outer: u64) -> u64 {
        if self.last.0 != outer {
            self.last = (outer, self.dom_path(outer));
        }
        self.last.1
    }
}

#[derive(Debug, Clone, Copy)]
struct At {
    node: NodeId,
    end: NodeId,
    /// Hash of tags, classes and ids from the root to the element.
    path: u64,
    name: u64,
    /// Hash of the DOM path's name for a line in this element.
    dom_path: u64,
}

impl<'a> Paths<'a> {
    fn new(page: &'a Page) -> Self {
        Self { page, open: Vec::new(), next: Vec::new(), named: Memo::default() }
    }

    /// Returns the hashes of an element. This is fast if the element is near the element of the previous
    /// call.
    fn hashes_of(&mut self, node: NodeId) -> At {
        while self.open.last().is_some_and(|at| node < at.node || at.end <= node) {
            self.open.pop();
        }
        let last = self.open.last().map(|at| at.node);
        let mut above = node;
        while Some(above) != last {
            self.next.push(above);
            let parent = self.page.node(above).parent;
            if parent == above {
                break;
            }
            above = parent;
        }
        while let Some(node) = self.next.pop() {
            self.enter(node);
        }
        *self.open.last().expect("the requested element is open")
    }

    fn enter(&mut self, node: NodeId) {
        let page = self.page;
        let names = names_of(page, node);
        let named = self.named.get(names, || Named::new(names));
        let above = self.open.last();
        let path = hash(&(above.map_or(0, |above| above.path), named.key));
        let outer = above.map_or(named.hash, |above| above.name);
        let dom_path = named.place_in(outer);
        self.open.push(At { node, end: page.node(node).end, path, name: named.hash, dom_path });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::Forest;
    use super::*;

    const PARTS: [&str; 16] = [
        "<div class='story box-12'>",
        "<div id=a1 class=\"x  y9\">",
        "<p>",
        "<p class=lead>",
        "</div>",
        "<a href=/x>",
        "</a>",
        "<ul class=menu><li>",
        "<li>",
        "</ul>",
        "Rain fell on the valley, ",
        "home ",
        "<b>12 words</b>",
        " · ",
        "<table><tr><td>",
        "</table>",
    ];

    fn page() -> impl Strategy<Value = Page> {
        proptest::collection::vec(proptest::sample::select(&PARTS), 0..60)
            .prop_map(|parts| Page::parse(&parts.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

        #[test]
        fn what_is_known_is_what_is_judged(pages in proptest::collection::vec(page(), 3), other in page()) {
            let model = Forest::default();
            let mut site = SiteModel::learn(&pages.iter().collect::<Vec<_>>(), &model);
            for page in &pages {
                let mut judged = site.classify(page, &model);
                judged.iter_mut().step_by(2).for_each(|block| block.log_odds = 1.0);
                site.add_final_labels(&judged);
            }
            let known = Known::from_site(&site);
            for page in pages.iter().chain([&other]) {
                let judged = site.classify(page, &model);
                let lines = known.lines(page, |_| true);
                prop_assert_eq!(judged.len(), lines.len());
                for (judged, line) in judged.into_iter().zip(lines) {
                    let of = |dom_path: &DomPathStats| {
                        KnownDomPath { pages: dom_path.pages, log_odds: dom_path.log_odds_of(judged.words) }
                    };
                    let dom_path = site.dom_paths.get(&judged.dom_path).map(of);
                    let expected = KnownLine {
                        words: judged.words,
                        link_share: judged.link_share,
                        repeated: judged.removed.is_some(),
                        dom_path,
                        placed: judged.placed,
                    };
                    prop_assert_eq!(line, expected);
                }
            }
        }
    }

    #[test]
    fn nothing_is_known_of_nothing() {
        let known = Known::from_site(&SiteModel::default());
        assert!(known.lines(&Page::parse(""), |_| true).is_empty());
        assert!(known.lines(&Page::default(), |_| true).is_empty());
        let line = known.lines(&Page::parse("<p>a line"), |_| true).remove(0);
        assert_eq!((line.words, line.repeated, line.dom_path, line.is_link()), (2, false, None, false));
    }
}
