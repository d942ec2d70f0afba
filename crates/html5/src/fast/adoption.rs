//! Implements the adoption agency algorithm (HTML standard, 13.2.6.4.7), which ends a formatting element
//! while blocks inside it are open.
//!
//! The furthest block (a term of the standard) is still open, so only its subtree follows it in the flat
//! list. Therefore all moved nodes are at the end of the list. In `<i>1<b>2<p>3</i>`, the block is `p`, and
//! `</i>` ends `i`. A copy `b'` of `b` is inserted around the block, and a copy `i'` of `i` inside it. The
//! text 3 is then in `b' > p > i'`. Nodes are inserted in one place, and the ids of later nodes increase.
//!
//! Limitation: a move takes time proportional to the size of the block's subtree. Therefore pages with many
//! moves are left to html5ever.

use html5ever::LocalName;

use crate::element_kinds;
use crate::tags::Display;
use crate::tree::{Node, NodeId, NodeKind};

use super::builder::Builder;
use super::formatting::Entry;
use super::names::Name;
use super::result::FallbackReason;
use super::stack::OpenElement;
use super::tag::{Tag, set};

/// Maximum number of rounds (step 4.1) and of copied formatting elements (step 4.13.4).
const ROUNDS: usize = 8;
const COPIES: usize = 3;

struct Ended {
    index: usize,
    place: usize,
    entry: Entry,
}

/// Whether a node belongs to a kind. Moving a node to another parent may change its kind.
fn has_kind(node: &Node) -> bool {
    matches!(&node.kind, NodeKind::Element { tag, .. } if element_kinds::has_kind(tag))
}

impl Builder<'_> {
    pub(super) fn adoption_agency(&mut self, subject: &LocalName) {
        let current = self.stack.current_node();
        let is_subject = !self.is_foreign() && self.name_of(current) == Some(subject);
        if is_subject && self.formatting.position(current).is_none() {
            return self.stack.pop();
        }
        for _ in 0..ROUNDS {
            let searched = (self.stack.len() + 8) * (self.formatting.all.len() + 8);
            self.spend(4 * searched as u64);
            let Some(ended) = self.ended(subject) else { return };
            let block = self.stack.iter().skip(ended.place).position(|open| open.is(set::SPECIAL));
            match block {
                None => {
                    self.stack.truncate(ended.place);
                    self.formatting.all.remove(ended.index);
                    return;
                }
                Some(above) => self.adopt(&ended, ended.place + above),
            }
        }
    }

    /// Steps 4.3 to 4.6: finds the element that ends. Returns `None` if the algorithm ends here.
    fn ended(&mut self, subject: &LocalName) -> Option<Ended> {
        let Some(index) = self.formatting.last_named(subject) else {
            self.end_other(&Name::new(subject.clone()));
            return None;
        };
        let entry = self.formatting.all[index].clone();
        let node = entry.node?;
        let Some(place) = self.stack.position(node) else {
            self.formatting.all.remove(index);
            return None;
        };
        self.stack.node_in_scope(node).then_some(Ended { index, place, entry })
    }

    fn adopt(&mut self, ended: &Ended, block_place: usize) {
        let ancestor = ended.place.checked_sub(1).and_then(|place| self.stack.get(place)).copied();
        let (Some(ancestor), Some(block)) = (ancestor, self.stack.get(block_place).copied()) else { return };
        if ancestor.is(set::TABLE_OUTER) {
            return self.fall_back(FallbackReason::Foster);
        }
        let copied = self.leave_between(ended, block_place);
        let block_place = ended.place + 1 + copied.len();
        self.spend((self.arena.nodes.len() - block.node as usize) as u64);
        let (first, depth) = (block.node, self.depth_of(block.node));
        let entries: Vec<Entry> = copied.iter().map(|index| self.formatting.all[*index].clone()).collect();
        self.make_room(block.node, ancestor.node, &entries, &ended.entry);
        for (offset, index) in copied.iter().enumerate() {
            let node = first + offset as NodeId;
            self.formatting.all[*index].node = Some(node);
            self.stack.set_node(ended.place + 1 + offset, node);
        }
        let block_node = first + copied.len() as NodeId;
        self.rose += depth.saturating_sub(self.depth_of(block_node)) as usize + 2;
        self.replace_entry(&ended.entry, copied.last().copied(), block_node + 1);
        self.stack
            .insert(block_place + 1, OpenElement::html(block_node + 1, Tag::from_name(&ended.entry.name)));
        self.stack.remove_at(ended.place);
    }

    fn depth_of(&self, node: NodeId) -> u32 {
        self.arena.nodes[node as usize].depth
    }

    /// Step 4.13 without moving nodes: removes the elements between the ended element and the block from the
    /// stack, unless they are copied. Returns the list indexes of the copied elements, outermost first.
    fn leave_between(&mut self, ended: &Ended, block_place: usize) -> Vec<usize> {
        let mut copied = Vec::new();
        let mut forgotten = Vec::new();
        for (count, place) in (ended.place + 1..block_place).rev().enumerate() {
            let node = self.stack.get(place).map_or(0, |open| open.node);
            match self.formatting.position(node) {
                Some(_) if count < COPIES => copied.push(node),
                entry => {
                    forgotten.extend(entry.map(|_| node));
                    self.stack.remove_at(place);
                }
            }
        }
        for node in forgotten {
            self.formatting.remove_node(node);
        }
        copied.reverse();
        copied.iter().filter_map(|node| self.formatting.position(*node)).collect()
    }

    /// Inserts copies of `copied` before the block, and a copy of the ended element after it, which becomes
    /// the parent of the block's content. The ids of later nodes increase.
    fn make_room(&mut self, block: NodeId, ancestor: NodeId, copied: &[Entry], ended: &Entry) {
        if self.leave_out.is_some() && self.arena.nodes[block as usize..].iter().any(has_kind) {
            self.fall_back(FallbackReason::Moved);
        }
        let tail = self.arena.nodes.split_off(block as usize);
        let count = copied.len() as NodeId;
        let moved = |id: NodeId| match id.cmp(&block) {
            std::cmp::Ordering::Less => id,
            std::cmp::Ordering::Equal => id + count,
            std::cmp::Ordering::Greater => id + count + 1,
        };
        let last_text = self.arena.last_text.map(moved);
        let mut parent = ancestor;
        for entry in copied {
            self.spend_formatting(&entry.attributes);
            let display = Display::from_name(&entry.name);
            parent = self.arena.element(parent, entry.name.clone(), display, entry.attributes.clone());
        }
        self.spend_formatting(&ended.attributes);
        for (offset, node) in tail.into_iter().enumerate() {
            let parent = match offset {
                0 => parent,
                _ if node.parent == block => block + count + 1,
                _ => moved(node.parent),
            };
            let copy = self.arena.node(parent, node.kind, node.display);
            if offset == 0 {
                let display = Display::from_name(&ended.name);
                let _ = self.arena.element(copy, ended.name.clone(), display, ended.attributes.clone());
            }
        }
        self.arena.last_text = last_text;
        self.stack.renumber(moved);
        self.formatting.renumber(moved);
        self.form = self.form.map(moved);
    }

    /// Step 4.18: removes the entry of the ended element and inserts one for its copy. The new entry follows
    /// the entry of the innermost copied element, if an element was copied.
    fn replace_entry(&mut self, ended: &Entry, innermost: Option<usize>, node: NodeId) {
        let all = &mut self.formatting.all;
        let entry = Entry { node: Some(node), ..ended.clone() };
        let Some(old) = all.iter().position(|known| known.node == ended.node) else { return };
        match innermost {
            None => all[old] = entry,
            Some(innermost) => {
                all.insert(innermost + 1, entry);
                all.remove(if innermost < old { old + 1 } else { old });
            }
        }
    }
}
