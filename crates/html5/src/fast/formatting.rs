//! Defines the list of active formatting elements (HTML standard, 13.2.4.3).

use std::ops::Range;

use html5ever::LocalName;

use crate::tree::NodeId;

use super::arena::Arena;

#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) node: Option<NodeId>,
    pub(super) name: LocalName,
    pub(super) attributes: Range<u32>,
}

#[derive(Default)]
pub(super) struct Formatting {
    pub(super) all: Vec<Entry>,
}

impl Formatting {
    pub(super) fn push_marker(&mut self) {
        self.all.push(Entry { node: None, name: LocalName::default(), attributes: 0..0 });
    }

    pub(super) fn clear_to_marker(&mut self) {
        while self.all.pop().is_some_and(|entry| entry.node.is_some()) {}
    }

    pub(super) fn last_named(&self, name: &LocalName) -> Option<usize> {
        let from = self.from();
        (from..self.all.len()).rev().find(|index| self.all[*index].name == *name)
    }

    fn from(&self) -> usize {
        self.all.iter().rposition(|entry| entry.node.is_none()).map_or(0, |marker| marker + 1)
    }

    pub(super) fn position(&self, node: NodeId) -> Option<usize> {
        self.all.iter().position(|entry| entry.node == Some(node))
    }

    pub(super) fn remove_node(&mut self, node: NodeId) {
        if let Some(index) = self.position(node) {
            self.all.remove(index);
        }
    }

    pub(super) fn renumber(&mut self, moved: impl Fn(NodeId) -> NodeId) {
        self.all.iter_mut().for_each(|entry| entry.node = entry.node.map(&moved));
    }

    /// Adds an entry. If more than three equal entries exist, the earliest is removed ("Noah's Ark clause").
    pub(super) fn push(&mut self, entry: Entry, arena: &Arena<'_>) {
        let from = self.from();
        let alike = |index: &usize| is_alike(&self.all[*index], &entry, arena);
        let mut matches = (from..self.all.len()).filter(alike);
        if let Some(first) = matches.next()
            && matches.count() >= 2
        {
            self.all.remove(first);
        }
        self.all.push(entry);
    }
}

fn is_alike(one: &Entry, other: &Entry, arena: &Arena<'_>) -> bool {
    if one.name != other.name || one.attributes.len() != other.attributes.len() {
        return false;
    }
    let of =
        |entry: &Entry| &arena.attributes[entry.attributes.start as usize..entry.attributes.end as usize];
    let pairs = of(one).iter().zip(of(other));
    pairs.into_iter().all(|(a, b)| a.0 == b.0 && arena.slice(&a.1) == arena.slice(&b.1))
}
