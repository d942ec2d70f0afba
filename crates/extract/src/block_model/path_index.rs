//! Looks up the lines of a page in a site's template: whether the site repeats a line, and what its DOM path shows.
//!
//! Two lookups per line suffice: the hash of the text at its path, and the hash of the DOM path's name. Most of the
//! time is spent on reading the text.

use std::collections::{BTreeSet, HashSet};

use gleaner_html::text::{PlacedLine, placed_lines};
use gleaner_html::{NodeId, Page};

use super::block::count_of_part;
use super::hashing::{FNV_START, fnv_1a, hash, masked};
use super::memo::Memo;
use super::repeated;
use super::scene::{MAX_BLOCKS, names_of};
use super::site::{LENGTHS, length};
use super::{ClassifiedBlock, DomPathStats, PathEvidence, RemovalReason, SiteModel};
use gleaner_html::words::{count_words, has_word};

/// A line is a line of links if more than this share of its words is in links.
pub const MOSTLY: f32 = 0.5;

/// Maximum length in bytes of an element's name in the name of a DOM path.
const MAX_NAME_LENGTH: usize = 200;

/// Maximum number of elements in the name of a DOM path.
const MAX_ELEMENTS: usize = 4;

/// Whether the name of an element has a class or an id.
fn is_named(name: &str) -> bool {
    name.contains(['.', '#'])
}

/// A site's DOM paths and repeated texts, prepared for lookups. The default knows no site, and its DOM paths have all
/// classes and ids.
#[derive(Debug, Clone, Default)]
pub struct PathIndex {
    names: Names,
    paths: EvidenceByKey,
    /// The evidence for lines at unknown DOM paths, by the nearest named element.
    below: EvidenceByKey,
    repeated: Vec<u64>,
}

/// The evidence for each range of lengths, by the hash of a name, sorted.
type EvidenceByKey = Vec<(u64, [Option<PathEvidence>; LENGTHS])>;

/// Returns the name of the nearest element with a class or id in the name of a DOM path. `None` if no element has one, or
/// if the DOM path is one of links.
pub(super) fn nearest_named(path: &str) -> Option<&str> {
    let is_link = path.ends_with(LINK);
    path.rsplit(" > ").find(|name| is_named(name)).filter(|_| !is_link)
}

/// The end of the name of a DOM path of lines of links.
const LINK: &str = " > a";

/// The classes and ids that count in DOM paths. `None` means all.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(Option<HashSet<u64>>);

impl Names {
    pub(super) fn new(names: &BTreeSet<String>) -> Self {
        Self(Some(names.iter().map(|name| key(name)).collect()))
    }

    fn contains(&self, token: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.contains(&key(token)))
    }
}

/// Returns the classes and ids of an element, each with its sign and with digits masked, such as `.post-#`.
pub(super) fn tokens(page: &Page, node: NodeId) -> impl Iterator<Item = String> {
    tokens_of(page.class_and_id(node))
}

fn tokens_of(class_and_id: [&str; 2]) -> impl Iterator<Item = String> {
    ['.', '#'].into_iter().zip(class_and_id).flat_map(|(sign, value)| {
        value.split_whitespace().map(move |part| {
            let mut token = String::from(sign);
            match part.bytes().any(|byte| byte.is_ascii_digit()) {
                true => token.extend(masked(part)),
                false => token.push_str(part),
            }
            token
        })
    })
}

fn element_name(names: &Names, [tag, class, id]: [&str; 3]) -> String {
    let mut name = tag.to_owned();
    tokens_of([class, id]).filter(|token| names.contains(token)).for_each(|token| name.push_str(&token));
    name.truncate(name.floor_char_boundary(MAX_NAME_LENGTH));
    name
}

impl PathIndex {
    /// Prepares lookups for a trained site.
    #[must_use]
    pub fn from_site(site: &SiteModel) -> Self {
        let below = site.below_named();
        let lengths = |stats: &DomPathStats, below: Option<&DomPathStats>| {
            std::array::from_fn(|length| stats.evidence(length, below))
        };
        let paths = site.dom_paths.iter().map(|(name, stats)| {
            let below = nearest_named(name).and_then(|named| below.get(named));
            (key(name), lengths(stats, below))
        });
        let unknown =
            below.iter().map(|(name, stats)| (key(name), lengths(&DomPathStats::default(), Some(stats))));
        let sorted = |mut all: EvidenceByKey| {
            all.sort_unstable_by_key(|(key, _)| *key);
            all
        };
        let (paths, unknown) = (sorted(paths.collect()), sorted(unknown.collect()));
        Self {
            names: Names::new(&site.names),
            paths,
            below: unknown,
            repeated: site.repeated.keys().collect(),
        }
    }

    /// Returns the first 50,000 lines that contain a word, in page order. Nodes for which `keep` returns `false` are
    /// omitted, as in [`placed_lines`].
    #[must_use]
    pub fn lines(&self, page: &Page, keep: impl Fn(NodeId) -> bool) -> Vec<ClassifiedBlock> {
        let mut placed = placed_lines(page, 0, keep);
        placed.retain(|placed| has_word(&placed.line.text));
        placed.truncate(MAX_BLOCKS);
        let mut links = Links::from_page(page);
        let mut paths = Paths::new(page, &self.names);
        placed.into_iter().map(|placed| self.line(placed, &mut links, &mut paths)).collect()
    }

    fn line(&self, placed: PlacedLine, links: &mut Links, paths: &mut Paths) -> ClassifiedBlock {
        let words = count_words(&placed.line.text) as u32;
        let linked = links.words_within(&placed, words).min(words);
        let link_share = linked as f32 / (words as f32).max(1.0);
        let at = paths.hashes_of(placed.block);
        ClassifiedBlock {
            words,
            link_share,
            removed: self.is_repeated(at, &placed).then_some(RemovalReason::RepeatedBySite),
            path: self.evidence(at, link_share, words),
            ..ClassifiedBlock::new(placed)
        }
    }

    /// Sets what the site knows about each line: its DOM path, whether the site repeats it, and the evidence.
    pub fn mark(&self, page: &Page, blocks: &mut [ClassifiedBlock]) {
        let mut paths = Paths::new(page, &self.names);
        for block in blocks {
            let at = paths.hashes_of(block.placed.block);
            block.dom_path = self.dom_path(page, block.placed.block, block.link_share);
            block.path = self.evidence(at, block.link_share, block.words);
            if block.removed.is_none() && self.is_repeated(at, &block.placed) {
                block.removed = Some(RemovalReason::RepeatedBySite);
            }
        }
    }

    /// Returns the name of the DOM path of a line in the element `block`, such as `div.story > p`.
    #[must_use]
    pub fn dom_path(&self, page: &Page, block: NodeId, link_share: f32) -> String {
        let mut parts = vec![element_name(&self.names, names_of(page, block))];
        let mut node = block;
        while parts.len() < 2 || parts.len() < MAX_ELEMENTS && !parts.iter().any(|part| is_named(part)) {
            let parent = page.node(node).parent;
            parts.push(element_name(&self.names, names_of(page, parent)));
            if parent == node || page.node(parent).parent == parent {
                break;
            }
            node = parent;
        }
        parts.reverse();
        let link = if link_share > MOSTLY { LINK } else { "" };
        parts.join(" > ") + link
    }

    fn is_repeated(&self, at: At, placed: &PlacedLine) -> bool {
        !self.repeated.is_empty()
            && self.repeated.binary_search(&repeated::key(at.path, hash(&placed.line.text))).is_ok()
    }

    fn evidence(&self, at: At, link_share: f32, words: u32) -> Option<PathEvidence> {
        let is_link = link_share > MOSTLY;
        let find = |all: &EvidenceByKey, key| {
            let found = all.binary_search_by_key(&key, |(key, _)| *key).ok()?;
            all[found].1[length(words)]
        };
        let key = if is_link { fnv_1a(at.dom_path, LINK.as_bytes()) } else { at.dom_path };
        find(&self.paths, key).or_else(|| find(&self.below, at.named.filter(|_| !is_link)?))
    }
}

fn key(name: &str) -> u64 {
    fnv_1a(FNV_START, name.as_bytes())
}

/// Returns, for each line, a key of its text and its path.
pub(super) fn text_keys<'a>(
    page: &'a Page,
    names: &'a Names,
    blocks: &'a [ClassifiedBlock],
) -> impl Iterator<Item = u64> {
    let mut paths = Paths::new(page, names);
    blocks.iter().map(move |block| {
        repeated::key(paths.hashes_of(block.placed.block).path, hash(&block.placed.line.text))
    })
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
    names: &'a Names,
    open: Vec<At>,
    /// A buffer for the elements to open.
    next: Vec<NodeId>,
    named: Memo<'a, 3, Named>,
}

/// The values that depend only on the tag, class and id of an element.
struct Named {
    name: String,
    /// Hash of the name.
    hash: u64,
    is_named: bool,
}

#[derive(Debug, Clone, Copy)]
struct At {
    node: NodeId,
    end: NodeId,
    /// Hash of the names from the root to the element.
    path: u64,
    /// For 1 to `MAX_ELEMENTS` elements: the hash of the names of the last ones down to this element.
    last: [u64; MAX_ELEMENTS],
    /// The number of elements from the nearest one with a class or id down to this one. Without one, the number
    /// of all elements. At most `MAX_ELEMENTS`.
    to_named: usize,
    /// Hash of the name of the nearest element with a class or id, if it is in the DOM path's name.
    named: Option<u64>,
    /// Hash of the DOM path's name for a line in this element.
    dom_path: u64,
}

impl<'a> Paths<'a> {
    fn new(page: &'a Page, names: &'a Names) -> Self {
        Self { page, names, open: Vec::new(), next: Vec::new(), named: Memo::default() }
    }

    /// Returns the hashes of an element. This is fast if the element is near the element of the previous call.
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
        let (page, names) = (self.page, self.names);
        let of = names_of(page, node);
        let named = self.named.get(of, || {
            let name = element_name(names, of);
            Named { hash: key(&name), is_named: is_named(&name), name }
        });
        let above = self.open.last().copied();
        let path = hash(&(above.map_or(0, |above| above.path), named.hash));
        let mut last = [named.hash; MAX_ELEMENTS];
        let mut to_named = 1;
        let mut nearest = named.is_named.then_some(named.hash);
        if let Some(above) = above {
            for (at, outer) in above.last[..MAX_ELEMENTS - 1].iter().enumerate() {
                last[at + 1] = fnv_1a(fnv_1a(*outer, b" > "), named.name.as_bytes());
            }
            to_named = if named.is_named { 1 } else { (above.to_named + 1).min(MAX_ELEMENTS) };
            nearest = nearest.or(above.named.filter(|_| above.to_named < MAX_ELEMENTS));
        }
        // The path of the root is its own parent's.
        let dom_path = match above {
            Some(_) => last[to_named.max(2) - 1],
            None => fnv_1a(fnv_1a(named.hash, b" > "), named.name.as_bytes()),
        };
        self.open.push(At { node, end: page.node(node).end, path, last, to_named, named: nearest, dom_path });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Forest, SiteModel};
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
        fn stored_paths_are_found_again(pages in proptest::collection::vec(page(), 3)) {
            let pages: Vec<&Page> = pages.iter().collect();
            let (site, all) = SiteModel::learn(&pages, &Forest::default());
            let index = PathIndex::from_site(&site);
            for (page, blocks) in pages.iter().zip(all) {
                let below = site.below_named();
                let lines = index.lines(page, |_| true);
                prop_assert_eq!(blocks.len(), lines.len());
                for (block, line) in blocks.into_iter().zip(lines) {
                    let named = nearest_named(&block.dom_path).and_then(|name| below.get(name));
                    let stored = site.dom_paths.get(&block.dom_path).copied().unwrap_or_default();
                    prop_assert_eq!(line.path, stored.evidence(length(block.words), named));
                    prop_assert_eq!(line.path, block.path);
                    prop_assert_eq!(line.removed, block.removed);
                    prop_assert_eq!((line.words, line.link_share), (block.words, block.link_share));
                    prop_assert_eq!(line.placed, block.placed);
                }
            }
        }
    }

    #[test]
    fn names_of_a_single_page_are_left_out() {
        let page =
            |id: &str, text: &str| Page::parse(&format!("<div class=story><p id={id}>{text} rain fell."));
        let pages = [page("Uxy", "Much"), page("Uzq", "Little"), page("Uvw", "No")];
        let (site, _) = SiteModel::learn(&pages.each_ref(), &Forest::default());
        assert_eq!(site.dom_paths.keys().collect::<Vec<_>>(), ["div.story > p"]);
        let found = PathIndex::from_site(&site).lines(&page("Unew", "Some"), |_| true).remove(0);
        assert_eq!(found.path.map(|path| path.pages), Some(3));
    }

    #[test]
    fn an_empty_index_knows_no_line() {
        let index = PathIndex::from_site(&SiteModel::default());
        assert!(index.lines(&Page::parse(""), |_| true).is_empty());
        assert!(index.lines(&Page::default(), |_| true).is_empty());
        let line = index.lines(&Page::parse("<p>a line"), |_| true).remove(0);
        assert_eq!((line.words, line.removed, line.path, line.is_link()), (2, None, None, false));
    }
}
