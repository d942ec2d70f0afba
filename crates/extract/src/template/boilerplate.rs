//! Finds the boilerplate subtrees of a site. These are elements that never contain body text, such as menus,
//! lists of stories, comments and footers.
//!
//! 1. An element of a training page is boilerplate if it contains neither body text nor a source of metadata
//!    (`has_metadata`).
//! 2. A kind of element ([`gleaner_html::element_kinds`]) is boilerplate if it is on at least `LEAST_PAGES`
//!    pages and all its elements are boilerplate.
//! 3. Kinds that occur only inside elements of other boilerplate kinds are dropped.
//! 4. A kind is dropped if the metadata of one of `MAX_WITNESSES` training pages change without its
//!    elements. Such changes occur because dates and by-lines are searched near the headline.
//!
//! Limitation: if a later page has body text in such an element, this text is lost.

use std::collections::{BTreeSet, HashMap};

use gleaner_html::element_kinds::{self, ElementKinds, Key};
use gleaner_html::metadata::{Metadata, metadata_at};
use gleaner_html::{NodeId, Page};

use crate::block_model::ClassifiedBlock;

/// Minimum number of training pages with the kind. On fewer pages, the lack of body text may be chance.
const LEAST_PAGES: u32 = 3;

/// Maximum number of training pages whose metadata are compared. Reading them twice takes half of the time of
/// learning, and the pages of a site are similar.
const MAX_WITNESSES: usize = 10;

#[derive(Debug)]
struct KindCounts {
    name: String,
    pages: u32,
    has_content: bool,
    /// The number of the last page with this kind.
    last: usize,
}

/// The elements of a page that have a kind, each with the key of its kind.
type Keys = Vec<(NodeId, Key)>;

/// The kinds of elements of a site's pages.
pub(crate) struct SiteKinds {
    /// The kinds of boilerplate subtrees.
    pub(crate) boilerplate: BTreeSet<String>,
    /// The kinds of elements that contain body text or metadata.
    pub(crate) with_text: BTreeSet<String>,
}

/// `lines` are the classified lines of each page.
pub(crate) fn kinds(pages: &[(&str, &Page)], lines: &[Vec<ClassifiedBlock>]) -> SiteKinds {
    let keys: Vec<Keys> = pages.iter().map(|(_, page)| element_kinds::keys(page).collect()).collect();
    let mut seen: HashMap<Key, Option<KindCounts>> = HashMap::new();
    for (number, ((_, page), lines)) in pages.iter().zip(lines).enumerate() {
        let fertile = has_content(page, lines);
        for &(id, key) in &keys[number] {
            let first = |name| KindCounts { name, pages: 0, has_content: false, last: usize::MAX };
            let kind = seen.entry(key).or_insert_with(|| element_kinds::name(page, id).map(first));
            if let Some(seen) = kind {
                seen.pages += u32::from(seen.last != number);
                seen.has_content |= fertile[id as usize];
                seen.last = number;
            }
        }
    }
    let with_text =
        seen.values().flatten().filter(|seen| seen.has_content).map(|seen| seen.name.clone()).collect();
    let is_boilerplate = |seen: &KindCounts| seen.pages >= LEAST_PAGES && !seen.has_content;
    let seen: HashMap<Key, String> =
        seen.into_iter().filter_map(|(key, seen)| Some((key, seen.filter(is_boilerplate)?.name))).collect();
    let boilerplate = without_metadata_kinds(pages, outermost(pages, &keys, &seen));
    SiteKinds { boilerplate, with_text }
}

/// Returns the names of the kinds that are outside all other kinds on some page.
fn outermost(pages: &[(&str, &Page)], keys: &[Keys], kinds: &HashMap<Key, String>) -> Vec<String> {
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for ((_, page), keys) in pages.iter().zip(keys) {
        let mut behind = 0;
        for &(id, key) in keys {
            if id >= behind
                && let Some(name) = kinds.get(&key)
            {
                found.insert(name);
                behind = page.node(id).end;
            }
        }
    }
    found.into_iter().map(str::to_owned).collect()
}

/// Drops the kinds whose removal changes a page's metadata. Kinds are dropped page by page, because a kind
/// that changes one page usually changes other pages too.
fn without_metadata_kinds(pages: &[(&str, &Page)], kinds: Vec<String>) -> BTreeSet<String> {
    let step = pages.len().div_ceil(MAX_WITNESSES).max(1);
    let mut told: Vec<PageMetadata> =
        pages.iter().step_by(step).map(|(url, page)| PageMetadata::new(url, page)).collect();
    let mut kept = kinds;
    loop {
        let all = ElementKinds::from_names(kept.iter().map(String::as_str));
        match told.iter_mut().position(|page| page.differs(&all)) {
            None => return kept.into_iter().collect(),
            Some(witness) => kept = told[witness].without_its_own(kept),
        }
    }
}

struct PageMetadata<'a> {
    url: &'a str,
    page: &'a Page,
    whole: Metadata,
    /// For each set of removed nodes that was tried, whether it changed the metadata. Sets often occur again.
    tried: HashMap<Vec<NodeId>, bool>,
}

impl<'a> PageMetadata<'a> {
    fn new(url: &'a str, page: &'a Page) -> Self {
        let whole = metadata_at(page, url);
        Self { url, page, whole, tried: HashMap::from([(Vec::new(), false)]) }
    }

    fn differs(&mut self, kinds: &ElementKinds) -> bool {
        let Self { url, page, whole, tried } = self;
        let differs = |left_out: &Vec<NodeId>| metadata_at(&page.without(left_out), url) != *whole;
        *tried.entry(kinds.outermost(page)).or_insert_with_key(differs)
    }

    /// Finds by bisection a subset of `kinds` whose removal does not change this page's metadata.
    fn without_its_own(&mut self, kinds: Vec<String>) -> Vec<String> {
        let mut kept: Vec<String> = Vec::new();
        let mut groups = vec![kinds];
        while let Some(mut group) = groups.pop() {
            if !self.differs(&ElementKinds::from_names(kept.iter().chain(&group).map(String::as_str))) {
                kept.extend(group);
            } else if group.len() > 1 {
                let half = group.split_off(group.len() / 2);
                groups.extend([group, half]);
            }
        }
        kept
    }
}

fn has_content(page: &Page, lines: &[ClassifiedBlock]) -> Vec<bool> {
    let mut fertile = vec![false; page.len()];
    let content = lines.iter().filter(|block| block.is_content());
    let told = page.iter().map(|(id, _)| id).filter(|id| has_metadata(page, *id));
    for mut id in content.map(|block| block.placed.block).chain(told) {
        while !std::mem::replace(&mut fertile[id as usize], true) {
            id = page.node(id).parent;
        }
    }
    fertile
}

/// Parts of the class or id of elements from which metadata are read.
const TELLING: [&str; 6] = ["author", "byline", "by-line", "by_line", "tacgia", "breadcrumb"];

fn is_metadata_name(name: &str) -> bool {
    let bytes = name.as_bytes();
    let begins = |at: usize| {
        let at = &bytes[at..];
        TELLING
            .iter()
            .any(|part| at.len() >= part.len() && at[..part.len()].eq_ignore_ascii_case(part.as_bytes()))
    };
    // The first letters of the parts in `TELLING`.
    let may_begin = |pair: &[u8]| {
        matches!([pair[0] | 0x20, pair[1] | 0x20], [b'a', b'u'] | [b'b', b'y' | b'r'] | [b't', b'a'])
    };
    bytes.windows(2).enumerate().any(|(at, pair)| may_begin(pair) && begins(at))
}

fn has_metadata(page: &Page, id: NodeId) -> bool {
    if matches!(page.tag(id), Some("h1" | "time" | "title")) {
        return true;
    }
    page.attributes(id).any(|(key, value)| match key {
        "itemprop" => true,
        "rel" => value.eq_ignore_ascii_case("author"),
        "class" | "id" => is_metadata_name(value),
        _ => false,
    })
}
