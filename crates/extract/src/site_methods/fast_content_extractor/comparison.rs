//! Compares extracted blocks with the stored non-content blocks.
//!
//! The paper states: "Each extracted block is then compared with non-content blocks". The template stores
//! atomic blocks. An outermost block with all its sub-blocks is rarely similar to an atomic block. Therefore
//! the own content of each extracted block is compared with the stored blocks of its path. In addition, an
//! outermost block is compared as a whole, as the paper states literally.
//!
//! Most blocks contain so many unknown terms that they cannot be similar to a stored block. A first test
//! finds these blocks without distinguishing the unknown terms. All look-ups of a page share the limit
//! [`FastContentExtractorParams::max_work`](super::FastContentExtractorParams::max_work).

use std::borrow::Cow;
use std::collections::HashMap;

use gleaner_html::Page;

use super::Template;
use super::detection::BlockState;
use super::paths::PathId;
use crate::site_methods::blocks::Blocks;
use crate::site_methods::blocks::similarity::{Index, LookUp, WorkLimit};
use crate::site_methods::blocks::vector::{Features, Vector};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Similar {
    No,
    Perhaps,
    Yes,
}

impl Similar {
    fn new(vector: &Vector, index: &Index, look_up: &mut LookUp) -> Self {
        match (look_up.find(index, vector), vector.is_rough()) {
            (None, _) => Self::No,
            (Some(_), true) => Self::Perhaps,
            (Some(_), false) => Self::Yes,
        }
    }
}

struct Comparison<'a> {
    page: &'a Page,
    blocks: &'a Blocks,
    state: &'a [BlockState],
    /// For each extracted block, its path and the stored blocks with this path, or `None` if no stored block has it.
    stored: Vec<Option<(PathId, &'a Index)>>,
    own: Vec<Similar>,
    whole: Vec<Similar>,
}

impl Template {
    /// Removes blocks that are similar to a stored block of their path. Returns whether the work limit was
    /// high enough.
    pub(super) fn compare(
        &self,
        page: &Page,
        blocks: &Blocks,
        paths: &[Option<PathId>],
        state: &mut [BlockState],
    ) -> bool {
        let stored = |(path, state): (&Option<PathId>, &BlockState)| {
            let path = path.filter(|_| *state != BlockState::Out)?;
            Some((path, self.matcher.stored(path)?))
        };
        let stored = paths.iter().zip(&*state).map(stored).collect();
        let mut comparison = Comparison::new(page, blocks, state, stored);
        let mut look_up = LookUp::new(WorkLimit::new(self.params().max_work));
        comparison.settle(&mut Features::with_known_only(&self.matcher.terms), &mut look_up);
        comparison.settle(&mut Features::with_known(&self.matcher.terms), &mut look_up);
        let Comparison { own, whole, .. } = comparison;
        for (number, block) in blocks.iter() {
            if whole[number] == Similar::Yes {
                state[number..block.end as usize].fill(BlockState::Out);
            } else if own[number] == Similar::Yes {
                state[number] = BlockState::Out;
            }
        }
        !look_up.work.is_spent()
    }
}

impl<'a> Comparison<'a> {
    fn new(
        page: &'a Page,
        blocks: &'a Blocks,
        state: &'a [BlockState],
        stored: Vec<Option<(PathId, &'a Index)>>,
    ) -> Self {
        let pending = |number: usize, compared: bool| {
            if compared && stored[number].is_some() { Similar::Perhaps } else { Similar::No }
        };
        let own = blocks.iter().map(|(number, block)| pending(number, block.has_words)).collect();
        let whole = blocks.iter().map(|(number, block)| {
            let has_parts = block.end as usize > number + 1;
            pending(number, has_parts && state[number] == BlockState::Outermost)
        });
        let whole = whole.collect();
        Self { page, blocks, state, stored, own, whole }
    }

    fn settle(&mut self, features: &mut Features<'_>, look_up: &mut LookUp) {
        let vectors = self.vectors(features);
        let mut known: HashMap<(PathId, Cow<'_, Vector>), Similar> = HashMap::new();
        for (number, stored) in self.stored.iter().enumerate() {
            let Some((path, index)) = *stored else { continue };
            let mut likeness = |vector| {
                let known = known.entry((path, vector));
                *known.or_insert_with_key(|(_, vector)| Similar::new(vector, index, look_up))
            };
            if self.whole[number] == Similar::Perhaps {
                let below = number..self.blocks.block(number).end as usize;
                let whole = vectors[below].iter().flat_map(Vector::entries).copied();
                self.whole[number] = likeness(Cow::Owned(Vector::new(whole)));
            }
            if self.own[number] == Similar::Perhaps {
                self.own[number] = likeness(Cow::Borrowed(&vectors[number]));
            }
        }
    }

    fn vectors(&self, features: &mut Features<'_>) -> Vec<Vector> {
        let mut wanted: Vec<bool> = self.own.iter().map(|own| *own == Similar::Perhaps).collect();
        for (number, block) in self.blocks.iter() {
            if self.whole[number] == Similar::Perhaps {
                wanted[number..block.end as usize].fill(true);
            }
        }
        self.blocks
            .vectors(self.page, features, |number| wanted[number] && self.state[number] != BlockState::Out)
    }
}
