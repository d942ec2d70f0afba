//! Defines the stack of open elements, and the conditions on it in the standard's rules.
//!
//! An element of SVG or MathML has the tag [`Tag::Other`], so queries for HTML elements never match.

use crate::tree::NodeId;

use super::tag::Tag;
use super::tag::set::{BUTTON, IMPLIED, LIST, SCOPE, SPECIAL, TABLE};

#[derive(Debug, Clone, Copy)]
pub(super) struct OpenElement {
    pub(super) node: NodeId,
    pub(super) tag: Tag,
    pub(super) sets: u16,
}

impl OpenElement {
    pub(super) fn html(node: NodeId, tag: Tag) -> Self {
        Self { node, tag, sets: tag.sets() }
    }

    pub(super) fn is(&self, set: u16) -> bool {
        self.sets & set != 0
    }
}

#[derive(Default)]
pub(super) struct Stack {
    all: Vec<OpenElement>,
    paragraphs: usize,
}

impl Stack {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<&OpenElement> {
        self.all.get(index)
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &OpenElement> + ExactSizeIterator {
        self.all.iter()
    }

    pub(super) fn push(&mut self, open: OpenElement) {
        self.paragraphs += usize::from(open.tag == Tag::P);
        self.all.push(open);
    }

    pub(super) fn current(&self) -> Option<&OpenElement> {
        self.all.last()
    }

    pub(super) fn current_node(&self) -> NodeId {
        self.all.last().map_or(0, |open| open.node)
    }

    pub(super) fn is_current(&self, tag: Tag) -> bool {
        self.current().is_some_and(|open| open.tag == tag)
    }

    pub(super) fn is_current_in(&self, set: u16) -> bool {
        self.current().is_some_and(|open| open.is(set))
    }

    pub(super) fn pop(&mut self) {
        if let Some(open) = self.all.pop() {
            self.paragraphs -= usize::from(open.tag == Tag::P);
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.all.len() > len {
            self.pop();
        }
    }

    pub(super) fn remove(&mut self, node: NodeId) {
        if let Some(place) = self.position(node) {
            self.remove_at(place);
        }
    }

    pub(super) fn remove_at(&mut self, place: usize) {
        let open = self.all.remove(place);
        self.paragraphs -= usize::from(open.tag == Tag::P);
    }

    pub(super) fn insert(&mut self, place: usize, open: OpenElement) {
        self.all.insert(place, open);
    }

    pub(super) fn set_node(&mut self, place: usize, node: NodeId) {
        self.all[place].node = node;
    }

    pub(super) fn renumber(&mut self, moved: impl Fn(NodeId) -> NodeId) {
        self.all.iter_mut().for_each(|open| open.node = moved(open.node));
    }

    pub(super) fn position(&self, node: NodeId) -> Option<usize> {
        self.all.iter().rposition(|open| open.node == node)
    }

    fn is_within(&self, bounds: u16, is_it: impl Fn(&OpenElement) -> bool) -> bool {
        for open in self.all.iter().rev() {
            if is_it(open) {
                return true;
            }
            if open.is(bounds) {
                return false;
            }
        }
        false
    }

    pub(super) fn in_scope(&self, tag: Tag) -> bool {
        self.is_within(SCOPE, |open| open.tag == tag)
    }

    pub(super) fn node_in_scope(&self, node: NodeId) -> bool {
        self.is_within(SCOPE, |open| open.node == node)
    }

    pub(super) fn in_scope_if(&self, is_it: impl Fn(&OpenElement) -> bool) -> bool {
        self.is_within(SCOPE, is_it)
    }

    pub(super) fn in_list_scope_if(&self, is_it: impl Fn(&OpenElement) -> bool) -> bool {
        self.is_within(SCOPE | LIST, is_it)
    }

    pub(super) fn in_table_scope_if(&self, is_it: impl Fn(&OpenElement) -> bool) -> bool {
        self.is_within(TABLE, is_it)
    }

    pub(super) fn in_table_scope(&self, tag: Tag) -> bool {
        self.is_within(TABLE, |open| open.tag == tag)
    }

    pub(super) fn has_paragraph_in_button_scope(&self) -> bool {
        self.paragraphs > 0 && self.is_within(SCOPE | BUTTON, |open| open.tag == Tag::P)
    }

    /// Closes elements with implied end tags until `stays` is true for the current element.
    pub(super) fn generate_implied_end_tags(&mut self, set: u16, stays: impl Fn(&OpenElement) -> bool) {
        while self.current().is_some_and(|open| open.is(set) && !stays(open)) {
            self.pop();
        }
    }

    pub(super) fn pop_until(&mut self, is_it: impl Fn(&OpenElement) -> bool) {
        while let Some(open) = self.all.last().copied() {
            self.pop();
            if is_it(&open) {
                break;
            }
        }
    }

    pub(super) fn pop_until_tag(&mut self, tag: Tag) {
        self.pop_until(|open| open.tag == tag);
    }

    pub(super) fn clear_back_to(&mut self, set: u16) {
        while self.current().is_some_and(|open| !open.is(set)) {
            self.pop();
        }
    }

    pub(super) fn close_paragraph(&mut self) {
        self.generate_implied_end_tags(IMPLIED, |open| open.tag == Tag::P);
        self.pop_until_tag(Tag::P);
    }

    /// Returns the position of the topmost matching element. Returns `None` if a special element is above it.
    pub(super) fn above_special(&self, is_it: impl Fn(&OpenElement) -> bool) -> Option<usize> {
        for (index, open) in self.all.iter().enumerate().rev() {
            if is_it(open) {
                return Some(index);
            }
            if open.is(SPECIAL) {
                return None;
            }
        }
        None
    }
}
