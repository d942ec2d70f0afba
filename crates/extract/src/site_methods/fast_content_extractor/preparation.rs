//! Implements phase 1: learns the template from pages of a site.
//!
//! Blocks are compared as in ContentExtractor: a block with similar blocks on many pages is non-content, and
//! all other blocks are content. The template stores the paths of the content blocks, and the distinct
//! non-content blocks with one of these paths.
//!
//! Limitation: the paper gives no number for "occurs many times".
//! [`FastContentExtractorParams::repeated_share`] and [`FastContentExtractorParams::repeated_pages`] define
//! it. If there is only one page, nothing is repeated and all text is content. If all pages are copies of one
//! page, everything is repeated and nothing is content. Non-content blocks that differ from page to page
//! (related links, comments) count as content, so their paths become content paths.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap, HashSet};

use gleaner_html::Page;

use super::paths::{PathId, Paths};
use super::{FastContentExtractorParams, NonContent, Template};
use crate::site_methods::blocks::Blocks;
use crate::site_methods::blocks::similarity::{Groups, Index, LookUp, WorkLimit, repeated_from};
use crate::site_methods::blocks::vector::{Features, Vector, rarest_last};

const BEGINNING: usize = 60;

/// The size of a path's or term's count in a template, in bytes.
const A_COUNT: usize = 8;

struct Candidate {
    page: u32,
    block: u32,
    path: PathId,
}

/// Learns a site's template from pages of the site. The paper uses 20 to 30 pages.
///
/// If there are no pages, the template is empty and finds no content. Time and memory are linear in the
/// pages, except for the comparison, which [`FastContentExtractorParams::max_work`] limits. The template has
/// at most [`FastContentExtractorParams::max_bytes`].
#[must_use]
pub fn prepare<P: Borrow<Page>>(pages: &[P], params: &FastContentExtractorParams) -> Template {
    let mut paths = Paths::default();
    let nothing_known = HashMap::new();
    let mut features = Features::with_known(&nothing_known);
    let mut trees = Vec::with_capacity(pages.len());
    let mut candidates = Vec::new();
    let mut vectors = Vec::new();
    for (number, page) in (0_u32..).zip(pages.iter().map(Borrow::borrow)) {
        let tree = Blocks::new(page, &params.block_tags, params.max_depth);
        let made = paths.make_all(&tree, page);
        for ((block, vector), path) in tree.iter().zip(tree.vectors(page, &mut features, |_| true)).zip(made)
        {
            if block.1.has_words {
                candidates.push(Candidate { page: number, block: block.0 as u32, path });
                vectors.push((number, vector));
            }
        }
        trees.push(tree);
    }
    let terms = rarest_last(&mut vectors, features.into_new());
    let terms: HashMap<u32, &str> = terms.iter().map(|(term, number)| (*number, term.as_str())).collect();
    let mut work = WorkLimit::new(params.max_work);
    let groups = Groups::new(&vectors, params.similarity);
    let counts = groups.of_blocks(&groups.pages_with_similar(&mut work));

    let repeated = repeated_from(pages.len(), params.repeated_share, params.repeated_pages);
    let blocks = || candidates.iter().zip(&vectors).zip(&counts);
    let content = blocks().filter(|(_, count)| (**count as usize) < repeated);
    let mut room = MemoryLimit(params.max_bytes / 2);
    let content = content_paths(content.map(|((candidate, _), _)| candidate.path), &paths, &mut room);
    room.0 += params.max_bytes - params.max_bytes / 2;
    let mut distinct = Distinct::new(params.similarity, work);
    let mut non_content = Vec::new();
    for ((candidate, (_, vector)), count) in blocks() {
        let is_stored = *count as usize >= repeated && content.contains_key(&candidate.path);
        if !is_stored || !distinct.insert(candidate.path, vector) {
            continue;
        }
        let page = pages[candidate.page as usize].borrow();
        let path = paths.name(candidate.path);
        let block = stored(page, &trees[candidate.page as usize], candidate, vector, &terms, path, *count);
        if room.take(bytes(&block)) {
            non_content.push(block);
        }
    }
    let content = content.into_iter().map(|(path, count)| (paths.name(path), count)).collect();
    Template::new(params.clone(), pages.len(), content, non_content)
}

struct MemoryLimit(usize);

impl MemoryLimit {
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

fn bytes(block: &NonContent) -> usize {
    block.path.len()
        + block.beginning.len()
        + block.terms.keys().map(|term| term.len() + A_COUNT).sum::<usize>()
}

/// Returns the content paths that fit into `room`, with their numbers of blocks. Paths with more blocks have
/// priority.
fn content_paths(
    of_blocks: impl Iterator<Item = PathId>,
    paths: &Paths,
    room: &mut MemoryLimit,
) -> BTreeMap<PathId, u32> {
    let mut content: BTreeMap<PathId, u32> = BTreeMap::new();
    for path in of_blocks {
        *content.entry(path).or_default() += 1;
    }
    let mut by_count: Vec<(PathId, u32)> = content.into_iter().collect();
    by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    by_count.into_iter().take_while(|(path, _)| room.take(paths.name(*path).len() + A_COUNT)).collect()
}

struct Distinct<'a> {
    met: HashSet<(PathId, &'a Vector)>,
    kept: HashMap<PathId, Index>,
    similarity: f64,
    look_up: LookUp,
}

impl<'a> Distinct<'a> {
    fn new(similarity: f64, work: WorkLimit) -> Self {
        Self { met: HashSet::new(), kept: HashMap::new(), similarity, look_up: LookUp::new(work) }
    }

    /// Adds a block. Returns `false` if its path already has a similar block or, after the work limit is
    /// reached, an equal block.
    fn insert(&mut self, path: PathId, vector: &'a Vector) -> bool {
        if !self.met.insert((path, vector)) {
            return false;
        }
        let index = self.kept.entry(path).or_insert_with(|| Index::new(self.similarity));
        let is_new = self.look_up.find(index, vector).is_none();
        if is_new {
            index.insert(vector.clone());
        }
        is_new
    }
}

fn stored(
    page: &Page,
    tree: &Blocks,
    candidate: &Candidate,
    vector: &Vector,
    terms: &HashMap<u32, &str>,
    path: String,
    pages: u32,
) -> NonContent {
    let block = tree.block(candidate.block as usize);
    NonContent {
        path,
        images: block.images,
        scripts: block.scripts,
        links: block.links,
        terms: vector.entries().iter().filter_map(|(f, n)| Some(((*terms.get(f)?).to_owned(), *n))).collect(),
        pages,
        beginning: tree.beginning(page, candidate.block as usize, BEGINNING),
    }
}
