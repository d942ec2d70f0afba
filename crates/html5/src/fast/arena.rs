//! Stores a page under construction: its nodes in document order, their attributes and their texts.
//!
//! Most texts are ranges of the source, which becomes the page's text. Resolved or joined texts are appended
//! to the source. Most texts are therefore not copied, but the markup stays in memory.

use std::ops::Range;

use html5ever::LocalName;

use crate::tags::Display;
use crate::tree::{Node, NodeId, NodeKind};

/// Maximum number of preallocated nodes. Few pages have more.
const EXPECTED: usize = 1 << 15;

pub(super) struct Arena<'a> {
    pub(super) source: &'a str,
    /// Texts that are not in the source. Their offsets start at the source's end.
    pub(super) extra: String,
    pub(super) nodes: Vec<Node>,
    pub(super) attributes: Vec<(LocalName, Range<u32>)>,
    pub(super) last_text: Option<NodeId>,
}

impl<'a> Arena<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self {
            source,
            extra: String::new(),
            nodes: Vec::with_capacity((source.len() / 32).min(EXPECTED)),
            attributes: Vec::with_capacity((source.len() / 48).min(EXPECTED)),
            last_text: None,
        }
    }

    pub(super) fn slice(&self, range: &Range<u32>) -> &str {
        let (from, to) = (range.start as usize, range.end as usize);
        match from.checked_sub(self.source.len()) {
            Some(from) => &self.extra[from..to - self.source.len()],
            None => &self.source[from..to],
        }
    }

    /// Appends to the texts that are not in the source. Returns the written range.
    pub(super) fn write(&mut self, write: impl FnOnce(&mut String)) -> Range<u32> {
        let from = self.end();
        write(&mut self.extra);
        from..self.end()
    }

    fn end(&self) -> u32 {
        (self.source.len() + self.extra.len()) as u32
    }

    pub(super) fn element(
        &mut self,
        parent: NodeId,
        tag: LocalName,
        display: Display,
        attributes: Range<u32>,
    ) -> NodeId {
        self.last_text = None;
        self.node(parent, NodeKind::Element { tag, attributes }, display)
    }

    pub(super) fn node(&mut self, parent: NodeId, kind: NodeKind, display: Display) -> NodeId {
        let id = self.nodes.len() as NodeId;
        let depth = self.nodes.get(parent as usize).map_or(0, |node| node.depth + 1);
        self.nodes.push(Node { parent, end: id + 1, depth, kind, display });
        id
    }

    /// Appends text to a node. Joins it with text directly before it. Returns the number of copied bytes.
    pub(super) fn text(&mut self, parent: NodeId, text: Range<u32>) -> usize {
        if let Some(id) = self.last_text
            && self.nodes[id as usize].parent == parent
            && let NodeKind::Text(before) = &self.nodes[id as usize].kind
        {
            let before = before.clone();
            let (joined, copied) = self.join(before, text);
            self.nodes[id as usize].kind = NodeKind::Text(joined);
            return copied;
        }
        self.last_text = Some(self.node(parent, NodeKind::Text(text), Display::default()));
        0
    }

    pub(super) fn join(&mut self, first: Range<u32>, second: Range<u32>) -> (Range<u32>, usize) {
        if first.end == second.start {
            return (first.start..second.end, 0);
        }
        let is_at_end = first.end == self.end() && first.start as usize >= self.source.len();
        let (first_text, second_text) = (self.slice(&first).to_owned(), self.slice(&second).to_owned());
        let start = if is_at_end { first.start } else { self.end() };
        if !is_at_end {
            self.extra.push_str(&first_text);
        }
        self.extra.push_str(&second_text);
        (start..self.end(), first_text.len() + second_text.len())
    }

    pub(super) fn close(&mut self) {
        for id in (1..self.nodes.len()).rev() {
            let (parent, end) = (self.nodes[id].parent as usize, self.nodes[id].end);
            let parent = &mut self.nodes[parent];
            parent.end = parent.end.max(end);
        }
    }
}
