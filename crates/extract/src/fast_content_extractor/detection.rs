//! Phase 2: finds the content of a page of the site by the template.
//!
//! The paper's two extraction rules, for a block B whose path is in P:
//! * all sub-blocks of B have a path in P: B is extracted whole;
//! * B contains B' whose path is not in P: when no sub-block of B' has a path in P, B is extracted without
//!   B', otherwise including B'.
//!
//! Readings. "Sub-blocks" are all blocks below, not only the next ones: with the next ones only, B' would be
//! dropped together with content two levels down. So inside an extracted block the own content of a block
//! stays if its path, or that of any block below it, is in P.
//!
//! `comparison.rs` compares the extracted blocks with the stored ones.

use std::collections::{BTreeMap, HashMap};

use gleaner_html::text::{Line, PlacedLine, is_block, placed_lines};
use gleaner_html::{NodeId, Page};

use super::paths::{PathId, Paths};
use super::{FastContentExtractorParams, NonContent, Template};
use crate::blocks::Blocks;
use crate::blocks::similarity::Index;
use crate::blocks::vector::{Features, Vector};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Matcher {
    paths: Paths,
    content: Vec<bool>,
    pub(super) terms: HashMap<String, u32>,
    stored: HashMap<PathId, Index>,
}

impl Matcher {
    pub(super) fn new<'a>(
        params: &FastContentExtractorParams,
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

    pub(super) fn stored(&self, path: PathId) -> Option<&Index> {
        self.stored.get(&path)
    }
}

fn terms_of(stored: &[NonContent]) -> HashMap<String, u32> {
    let mut blocks_with: BTreeMap<&str, usize> = BTreeMap::new();
    for term in stored.iter().flat_map(|block| block.terms.keys()) {
        *blocks_with.entry(term).or_default() += 1;
    }
    let counted = blocks_with.into_iter().map(|(term, count)| (count, term.to_owned(), ()));
    Features::by_rarity(counted).into_iter().map(|(number, (term, ()))| (term, number)).collect()
}

/// The result of detection on a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Detection {
    /// The text nodes of the content, in document order.
    pub text_nodes: Vec<NodeId>,
    /// The text nodes that the paths extract and the comparison drops, in document order.
    pub non_content_nodes: Vec<NodeId>,
    /// Extracted blocks with words that are not inside another: NumBlock of the paper's table II, "generated
    /// by using the paths of content blocks".
    pub blocks: usize,
    /// Blocks that were compared: those with words, in them or in their parts.
    pub parts: usize,
    /// Of the compared blocks, those similar to a stored non-content block.
    pub non_content: usize,
    /// Whether the comparison was complete. `false` if it reached [`FastContentExtractorParams::max_work`]; then a repeated block
    /// may be among the content.
    pub exact: bool,
}

impl Detection {
    /// The content as lines with their places, in page order.
    #[must_use]
    pub fn lines(&self, page: &Page) -> Vec<PlacedLine> {
        let kept = &self.text_nodes;
        let kept_in = |id| {
            let first = kept.partition_point(|node| *node < id);
            kept.get(first).is_some_and(|node| *node < page.node(id).end)
        };
        // Space between two kept blocks may belong to one that is not kept.
        placed_lines(page, 0, |id| match (page.tag(id), page.text(id)) {
            (Some(tag), _) => !is_block(tag) || kept_in(id),
            (_, text) => kept_in(id) || text.is_some_and(|text| text.trim().is_empty()),
        })
    }
}

impl Template {
    /// The page's content as lines in page order; none if nothing was found. Time linear in the page, except
    /// for the comparison with the stored blocks, which [`FastContentExtractorParams::max_work`] limits.
    #[must_use]
    pub fn detect(&self, page: &Page) -> Vec<Line> {
        self.find(page).lines(page).into_iter().map(|placed| placed.line).collect()
    }

    /// The page's content as text nodes, with counts.
    #[must_use]
    pub fn find(&self, page: &Page) -> Detection {
        let params = self.params();
        let blocks = Blocks::new(page, &params.block_tags, params.max_depth);
        let paths = self.matcher.paths.find_all(&blocks, page);
        let mut state = self.extracted(&blocks, &paths);
        let is_part =
            |state: &[State], number: usize| state[number] != State::Out && blocks.block(number).has_words;
        let parts = |state: &[State]| (0..state.len()).filter(|number| is_part(state, *number)).count();
        let extracted = parts(&state);
        let outermost = blocks.iter().filter(|(number, block)| {
            state[*number] == State::Outermost
                && (*number..block.end as usize).any(|below| is_part(&state, below))
        });
        let outermost = outermost.count();
        let by_paths = state.clone();
        let exact = self.compare(page, &blocks, &paths, &mut state);
        let is_content = |block: usize| state[block] != State::Out;
        let texts = |is: &dyn Fn(usize) -> bool| {
            blocks.texts().filter(|(_, block)| is(*block)).map(|(node, _)| node).collect()
        };
        Detection {
            text_nodes: texts(&is_content),
            non_content_nodes: texts(&|block| by_paths[block] != State::Out && !is_content(block)),
            blocks: outermost,
            parts: extracted,
            non_content: extracted - parts(&state),
            exact,
        }
    }

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Out,
    Outermost,
    Inside,
}
