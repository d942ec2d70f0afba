//! Of the blocks before and after a block.

use super::super::block::Block;
use super::own::ends_as_sentence;
use super::{FAR, Features, REACH, Sink, flag, ln, share};

impl Features<'_> {
    pub(super) fn neighbours(&self, at: usize, sink: &mut impl Sink) {
        let own = &self.scene.blocks[at];
        for offset in [-3, -2, -1, 1, 2, 3_i32] {
            let neighbour = self.neighbour(at, offset);
            let number = Some(offset);
            let mut put =
                |name, value: &dyn Fn(&Block) -> f32| sink.put(name, number, neighbour.map_or(-1.0, value));
            put("words of neighbour, log", &|block| ln(block.len()));
            put("link share of neighbour", &|block| block.link_share());
            put("sentences of neighbour, log", &|block| ln(block.sentences));
            put("neighbour ends as a sentence", &|block| flag(ends_as_sentence(&block.placed.line.text)));
            put("tag of neighbour", &|block| self.own_tag(block));
            if offset.abs() == 1 {
                put("up to what holds both", &|block| self.up_to_common(own, block));
                put("neighbour on the same path", &|block| {
                    let path = |block: &Block| self.scene.elements[block.element].path;
                    flag(path(block) == path(own))
                });
            }
        }
    }

    fn neighbour(&self, at: usize, offset: i32) -> Option<&Block> {
        let at = at.checked_add_signed(offset as isize)?;
        self.scene.blocks.get(at)
    }

    /// Elements from a block up to the first that holds another, too.
    fn up_to_common(&self, block: &Block, other: &Block) -> f32 {
        let node = self.scene.elements[other.element].node;
        let holds = |element: usize| self.page.subtree(self.scene.elements[element].node).contains(&node);
        self.scene.ancestors(block.element).take(REACH).position(holds).map_or(FAR, |up| up as f32)
    }

    /// Share of prose among the words around it.
    pub(super) fn surroundings(&self, at: usize, sink: &mut impl Sink) {
        for reach in [3, 8] {
            let (from, to) = (at.saturating_sub(reach), (at + reach + 1).min(self.len()));
            let words = self.words_before[to] - self.words_before[from];
            let prose = self.prose_before[to] - self.prose_before[from];
            sink.put("share of prose within", Some(reach as i32), share(prose, words));
        }
    }
}
