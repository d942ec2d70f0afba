//! Computes features of the blocks before and after a block.

use super::super::block::Block;
use super::inherited::Inherited;
use super::{FAR, Features, REACH, Sink, flag, ln, share};

pub(super) type Card = [f32; 5];

const CARD_NAMES: [&str; 5] = [
    "words of neighbour, log",
    "link share of neighbour",
    "sentences of neighbour, log",
    "neighbour ends as a sentence",
    "tag of neighbour",
];

pub(super) fn card(block: &Block, inherited: &[Inherited]) -> Card {
    [
        ln(block.len()),
        block.link_share(),
        ln(block.characters.sentences),
        flag(block.ends_as_sentence),
        inherited[block.element].own_tag,
    ]
}

impl Features<'_> {
    pub(super) fn neighbours(&self, at: usize, sink: &mut impl Sink) {
        let own = &self.scene.blocks[at];
        for offset in [-3, -2, -1, 1, 2, 3_i32] {
            let neighbour = at.checked_add_signed(offset as isize).filter(|at| *at < self.len());
            let card = neighbour.map_or(&[-1.0; 5], |at| &self.cards[at]);
            for (name, value) in CARD_NAMES.into_iter().zip(card) {
                sink.put(name, Some(offset), *value);
            }
            if offset.abs() == 1 {
                let other = neighbour.map(|at| &self.scene.blocks[at]);
                let up = other.map_or(-1.0, |other| self.up_to_common(own, other));
                sink.put("up to what holds both", Some(offset), up);
                let path = |block: &Block| self.scene.elements[block.element].path;
                let is_same = other.map_or(-1.0, |other| flag(path(other) == path(own)));
                sink.put("neighbour on the same path", Some(offset), is_same);
            }
        }
    }

    /// Returns the distance from a block up to the first ancestor that also contains `other`.
    fn up_to_common(&self, block: &Block, other: &Block) -> f32 {
        let node = self.scene.elements[other.element].node;
        let holds = |element: usize| self.page.subtree(self.scene.elements[element].node).contains(&node);
        self.scene.ancestors(block.element).take(REACH).position(holds).map_or(FAR, |up| up as f32)
    }

    pub(super) fn surroundings(&self, at: usize, sink: &mut impl Sink) {
        for reach in [3, 8] {
            let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(self.len()));
            let words = self.words_before[to] - self.words_before[from];
            let prose = self.prose_before[to] - self.prose_before[from];
            sink.put("share of prose within", Some(reach as i32), share(prose, words));
        }
    }
}
