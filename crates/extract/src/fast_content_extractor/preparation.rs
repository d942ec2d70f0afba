//! Phase 1: pages of a site to its template.
//!
//! Blocks are compared as in ContentExtractor: one whose like stands on many pages
//! is non-content, any other is content. The paths of the content blocks are kept,
//! and of the non-content blocks those on such a path, each once.
//!
//! The awkward truth: "occurs many times" has no number in the paper; ours are
//! [`Params::repeated_share`] and [`Params::repeated_pages`]. With one page nothing
//! can occur twice and all is content; on copies of one page all is repeated and
//! nothing is. Blocks that differ page by page without being content (related
//! links, comments) put their paths among the content paths: the known weakness of
//! the method.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap};

use gleaner_html::Page;

use super::paths::{PathId, Paths};
use super::{NonContent, Params, Template};
use crate::blocks::Blocks;
use crate::blocks::similarity::{Groups, Index, repeated_from};
use crate::blocks::vector::{Features, Vector, rarest_last};

/// Characters of a non-content block that are kept for people to read.
const BEGINNING: usize = 60;

/// A block that may be content.
struct Candidate {
    page: u32,
    block: u32,
    path: PathId,
}

/// The template of the site that these pages are from, 20 to 30 in the paper.
///
/// No page gives an empty template, which finds nothing. Time and memory are
/// linear in the pages' size but for the comparison, which [`Params::max_work`]
/// bounds.
#[must_use]
pub fn prepare<P: Borrow<Page>>(pages: &[P], params: &Params) -> Template {
    let mut paths = Paths::default();
    let nothing_known = HashMap::new();
    let mut features = Features::beside(&nothing_known);
    let mut trees = Vec::with_capacity(pages.len());
    let mut candidates = Vec::new();
    let mut vectors = Vec::new();
    for (number, page) in (0_u32..).zip(pages.iter().map(Borrow::borrow)) {
        let tree = Blocks::of(page, &params.block_tags, params.max_depth);
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
    let groups = Groups::of(&vectors, params.similarity);
    let counts = groups.of_blocks(&groups.pages_with_similar(params.max_work));

    let repeated = repeated_from(pages.len(), params.repeated_share, params.repeated_pages);
    let mut content: BTreeMap<PathId, u32> = BTreeMap::new();
    for (candidate, count) in candidates.iter().zip(&counts) {
        if (*count as usize) < repeated {
            *content.entry(candidate.path).or_default() += 1;
        }
    }
    let mut kept: HashMap<PathId, Index> = HashMap::new();
    let mut non_content = Vec::new();
    for ((candidate, (_, vector)), count) in candidates.iter().zip(&vectors).zip(&counts) {
        if (*count as usize) < repeated || !content.contains_key(&candidate.path) {
            continue;
        }
        let index = kept.entry(candidate.path).or_insert_with(|| Index::new(params.similarity));
        if index.find(vector).is_none() {
            index.insert(vector.clone());
            let (page, tree) = (pages[candidate.page as usize].borrow(), &trees[candidate.page as usize]);
            non_content.push(stored(
                page,
                tree,
                candidate,
                vector,
                &terms,
                paths.name(candidate.path),
                *count,
            ));
        }
    }
    let content = content.into_iter().map(|(path, count)| (paths.name(path), count)).collect();
    Template::new(params.clone(), pages.len(), content, non_content)
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
