//! Phase 2: a page of the site to its content, by the template.
//!
//! The paper's two extraction rules, for a block B whose path is in P:
//! * all sub-blocks of B have a path in P: B is extracted whole;
//! * B contains B' whose path is not in P: when no sub-block of B' has a path in P,
//!   B is extracted without B', otherwise including B'.
//!
//! Readings. "Sub-blocks" are all blocks below, not only the next ones: with the
//! next ones only, B' would go with content that stands two levels down. So inside
//! an extracted block the own content of a block stays when its path is in P or
//! that of any block below it is.
//!
//! "Each extracted block is then compared with non-content blocks": the template
//! stores atomic blocks, and an outermost block that was extracted with all its
//! parts resembles none of them. So the comparison is made part by part: each
//! block's own content against the stored blocks of the same path. The outermost
//! block is compared as a whole, too, which is what the paper says to the letter
//! and matters for blocks without parts only.

use std::collections::{BTreeMap, HashMap};

use gleaner_html::text::{Line, lines};
use gleaner_html::{NodeId, Page};

use super::blocks::Blocks;
use super::paths::{PathId, Paths};
use super::similarity::{Features, Index, Vector};
use super::{NonContent, Params, Template};

/// What detection needs of a template, ready for use.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matcher {
    paths: Paths,
    /// Of every path whether it is in P.
    content: Vec<bool>,
    terms: HashMap<String, u32>,
    /// The stored blocks of each path that has any.
    stored: HashMap<PathId, Index>,
}

impl Matcher {
    pub(super) fn new<'a>(
        params: &Params,
        content: impl Iterator<Item = &'a String>,
        stored: &[NonContent],
    ) -> Self {
        let mut paths = Paths::default();
        let in_p: Vec<PathId> = content.map(|name| paths.named(name)).collect();
        let terms = terms_of(stored);
        let mut by_path: HashMap<PathId, Index> = HashMap::new();
        for block in stored {
            let counted = Features::counted(block.images, block.scripts, block.links);
            let words = block.terms.iter().filter_map(|(term, n)| Some((*terms.get(term)?, *n)));
            let index =
                by_path.entry(paths.named(&block.path)).or_insert_with(|| Index::new(params.similarity));
            index.insert(Vector::new(counted.chain(words)));
        }
        let mut content = vec![false; paths.len()];
        for path in in_p {
            content[path as usize] = true;
        }
        Self { paths, content, terms, stored: by_path }
    }

    fn in_p(&self, path: Option<PathId>) -> bool {
        path.is_some_and(|path| self.content[path as usize])
    }

    fn is_non_content(&self, path: Option<PathId>, vector: &Vector) -> bool {
        let index = path.and_then(|path| self.stored.get(&path));
        index.is_some_and(|index| index.find(vector).is_some())
    }
}

/// Numbers for the terms of the stored blocks, rarer ones higher.
fn terms_of(stored: &[NonContent]) -> HashMap<String, u32> {
    let mut blocks_with: BTreeMap<&str, usize> = BTreeMap::new();
    for term in stored.iter().flat_map(|block| block.terms.keys()) {
        *blocks_with.entry(term).or_default() += 1;
    }
    let counted = blocks_with.into_iter().map(|(term, count)| (count, term.to_owned(), ()));
    Features::by_rarity(counted).into_iter().map(|(number, (term, ()))| (term, number)).collect()
}

/// What detection found on a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detection {
    /// The text nodes of the content, in document order.
    pub text_nodes: Vec<NodeId>,
    /// Extracted blocks that stand in no other: NumBlock of the paper's table II.
    pub blocks: usize,
    /// Blocks with words, in them or themselves, that were compared.
    pub parts: usize,
    /// Of these the ones that are similar to a stored non-content block.
    pub non_content: usize,
}

impl Template {
    /// The page's content as lines in page order; none where nothing was found.
    /// Time linear in the page, but for the comparison of its blocks with the
    /// stored blocks of their path.
    #[must_use]
    pub fn detect(&self, page: &Page) -> Vec<Line> {
        let mut kept = vec![false; page.len()];
        for node in self.find(page).text_nodes {
            kept[node as usize] = true;
        }
        // Space between two kept blocks may belong to one that is not.
        let blank = |id| page.text(id).is_some_and(|text| text.trim().is_empty());
        lines(page, 0, |id| kept[id as usize] || page.tag(id).is_some() || blank(id))
    }

    /// The page's content as text nodes, with what was counted on the way.
    #[must_use]
    pub fn find(&self, page: &Page) -> Detection {
        let blocks = Blocks::of(page, self.params());
        let paths = blocks.find_paths(page, &self.matcher.paths);
        let mut features = Features::beside(&self.matcher.terms);
        let vectors = blocks.vectors(page, &mut features);
        let mut state = self.extracted(&blocks, &paths);
        let mut found = Detection {
            blocks: state.iter().filter(|s| **s == State::Outermost).count(),
            ..Detection::default()
        };
        let mut dropped_until = 0;
        for (number, block) in blocks.iter() {
            if state[number] == State::Outermost {
                let whole = Vector::new(
                    vectors[number..block.end as usize].iter().flat_map(|v| v.entries()).copied(),
                );
                if self.matcher.is_non_content(paths[number], &whole) {
                    dropped_until = block.end as usize;
                }
            }
            if state[number] == State::Out || !block.has_words {
                continue;
            }
            found.parts += 1;
            if number < dropped_until || self.matcher.is_non_content(paths[number], &vectors[number]) {
                state[number] = State::Out;
                found.non_content += 1;
            }
        }
        found.text_nodes =
            blocks.texts().filter(|(_, block)| state[*block] != State::Out).map(|(node, _)| node).collect();
        found
    }

    /// The two extraction rules.
    fn extracted(&self, blocks: &Blocks, paths: &[Option<PathId>]) -> Vec<State> {
        let mut leads_to_p: Vec<bool> = paths.iter().map(|path| self.matcher.in_p(*path)).collect();
        for (number, block) in blocks.iter().rev() {
            if let Some(parent) = block.parent {
                leads_to_p[parent as usize] |= leads_to_p[number];
            }
        }
        let mut state = Vec::with_capacity(paths.len());
        for (number, block) in blocks.iter() {
            let inside = block.parent.is_some_and(|parent| state[parent as usize] != State::Out);
            state.push(match (inside, self.matcher.in_p(paths[number])) {
                (true, _) if leads_to_p[number] => State::Inside,
                (false, true) => State::Outermost,
                _ => State::Out,
            });
        }
        state
    }
}

/// What the rules say of a block's own content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Out,
    Outermost,
    Inside,
}
