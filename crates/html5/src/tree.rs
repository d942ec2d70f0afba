//! Stores the tree of a page as a flat list of nodes in document order.
//!
//! The tree follows the HTML standard. All nodes are in an arena, in which a subtree is a range of ids.
//! Methods iterate over this range without recursion, so deep nesting cannot overflow the stack.
//!
//! Comments, doctypes and processing instructions are omitted. The nodes directly inside `<template>` and
//! `<noscript>` are children of the element. The fragment that scraper inserts between a template and its
//! content is omitted.
//!
//! Limitation: a page that the fast builder built keeps the whole source in memory, because texts are ranges
//! of the source.

use std::ops::Range;

use html5ever::{LocalName, local_name};

use crate::tags::Display;

/// A node's index in document order. The root is 0.
pub type NodeId = u32;

/// The tree of a page: nodes in document order, each with the range of its subtree.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<(LocalName, Range<u32>)>,
    pub(crate) text: String,
    pub(crate) truncated: bool,
}

pub(crate) struct Parts {
    pub(crate) nodes: Vec<Node>,
    pub(crate) attributes: Vec<(LocalName, Range<u32>)>,
    pub(crate) text: String,
}

impl From<Parts> for Tree {
    fn from(Parts { nodes, attributes, text }: Parts) -> Self {
        Self { nodes, attributes, text, ..Self::default() }
    }
}

/// One node of a [`Tree`].
#[derive(Debug, Clone)]
pub struct Node {
    /// The parent's id. The root is its own parent.
    pub parent: NodeId,
    /// The first id after this node's subtree.
    pub end: NodeId,
    /// Number of elements above this node; 0 for the root element.
    pub depth: u32,
    /// The kind of node.
    pub kind: NodeKind,
    /// Whether the element forms lines of its own, and whether it may contain visible text.
    pub display: Display,
}

/// The kind of a node.
#[derive(Debug, Clone)]
pub enum NodeKind {
    /// An element with its name and its attributes.
    Element {
        /// The name, such as `div`. It is in lower case, except for SVG names such as `foreignObject`.
        tag: LocalName,
        /// The range of the element's attributes in the page's internal list. [`Tree::attributes`] reads
        /// them.
        attributes: Range<u32>,
    },
    /// Text with character references resolved, as a byte range of the page's internal text. [`Tree::text`]
    /// returns it.
    Text(Range<u32>),
}

impl NodeKind {
    #[inline]
    /// Returns the name of an element, or `None` for a text.
    #[must_use]
    pub fn name(&self) -> Option<&LocalName> {
        match self {
            Self::Element { tag, .. } => Some(tag),
            Self::Text(_) => None,
        }
    }
}

impl Tree {
    /// Whether the end of the page is missing because parsing the whole page would have been too costly. This
    /// indicates a trap or an attack, not a long article.
    #[must_use]
    pub fn truncated(&self) -> bool {
        self.truncated
    }

    /// Returns the number of nodes.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the page has no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the node with this id.
    ///
    /// # Panics
    /// If the id is not below [`Tree::len`].
    #[must_use]
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Iterates over all nodes in document order.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).zip(&self.nodes)
    }

    /// Returns the ids of a subtree, starting with the node itself.
    #[must_use]
    #[inline]
    pub fn subtree(&self, id: NodeId) -> Range<NodeId> {
        id..self.node(id).end
    }

    /// Returns an element's name, or `None` for a text node.
    #[must_use]
    #[inline]
    pub fn tag(&self, id: NodeId) -> Option<&str> {
        self.node(id).kind.name().map(|name| &**name)
    }

    /// Returns a node and the nodes around it, innermost first.
    #[inline]
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'_> {
        let up = |id: &NodeId| Some(self.node(*id).parent).filter(|parent| parent != id);
        std::iter::successors(Some(id), up)
    }

    /// Whether the node is an element that starts and ends a line ([`is_block`](crate::tags::is_block)).
    #[must_use]
    #[inline]
    pub fn is_block(&self, id: NodeId) -> bool {
        self.node(id).display.is_block()
    }

    /// Whether the node is an element that never has text ([`never_text`](crate::tags::never_text)).
    #[must_use]
    #[inline]
    pub fn is_never_text(&self, id: NodeId) -> bool {
        self.node(id).display.is_never_text()
    }

    /// Returns a text node's text, or `None` for an element.
    #[must_use]
    #[inline]
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).kind {
            NodeKind::Element { .. } => None,
            NodeKind::Text(range) => Some(self.slice(range)),
        }
    }

    #[inline]
    fn slice(&self, range: &Range<u32>) -> &str {
        &self.text[range.start as usize..range.end as usize]
    }

    /// Returns an attribute's value, or `None` if the attribute is absent or the node is a text.
    #[must_use]
    #[inline]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id).find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// Like [`attribute`](Self::attribute), but faster, because interned names are compared as numbers.
    #[inline]
    pub fn named(&self, id: NodeId, name: &LocalName) -> Option<&str> {
        self.interned_attributes(id).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Like [`attributes`](Self::attributes), with interned names.
    #[inline]
    pub fn interned_attributes(&self, id: NodeId) -> impl Iterator<Item = (&LocalName, &str)> {
        let range = match &self.node(id).kind {
            NodeKind::Element { attributes, .. } => attributes.start as usize..attributes.end as usize,
            NodeKind::Text(_) => 0..0,
        };
        self.attributes[range].iter().map(|(name, value)| (name, self.slice(value)))
    }

    /// Whether any element of the page has the attribute. This is faster than a check of each element.
    #[inline]
    pub fn has_attribute(&self, name: &LocalName) -> bool {
        self.attributes.iter().any(|(known, _)| known == name)
    }

    /// Returns the values of `class` and `id`. An absent attribute is empty.
    #[must_use]
    #[inline]
    pub fn class_and_id(&self, id: NodeId) -> [&str; 2] {
        let mut values = [""; 2];
        for (name, value) in self.interned_attributes(id) {
            match *name {
                local_name!("class") if values[0].is_empty() => values[0] = value,
                local_name!("id") if values[1].is_empty() => values[1] = value,
                _ => {}
            }
        }
        values
    }

    /// Iterates over an element's attributes as pairs of name and value. A text node has no attributes. The
    /// attributes are sorted by name as in scraper. Attributes with a prefix, such as `xlink:href`, come
    /// last, under the name without the prefix (`href`).
    #[inline]
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.interned_attributes(id).map(|(name, value)| (&**name, value))
    }

    /// Iterates over all elements of this name, in document order.
    #[inline]
    pub fn elements(&self, tag: &str) -> impl Iterator<Item = NodeId> + use<'_> {
        // Interned names are compared as numbers.
        let wanted = LocalName::from(tag);
        let is_wanted =
            move |node: &Node| matches!(&node.kind, NodeKind::Element { tag, .. } if *tag == wanted);
        self.iter().filter(move |(_, node)| is_wanted(node)).map(|(id, _)| id)
    }

    /// Returns the texts of a subtree, joined without separators.
    #[must_use]
    pub fn raw_text(&self, id: NodeId) -> String {
        self.subtree(id).filter_map(|n| self.text(n)).collect()
    }
}

/// Pages are equal if they have the same nodes, attributes and texts, wherever the texts are stored.
impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        let is_same = |id: NodeId| {
            let (one, two) = (self.node(id), other.node(id));
            (one.parent, one.end, one.depth) == (two.parent, two.end, two.depth)
                && (self.tag(id), self.text(id)) == (other.tag(id), other.text(id))
                && self.attributes(id).eq(other.attributes(id))
        };
        (self.truncated, self.len()) == (other.truncated, other.len())
            && (0..self.len() as NodeId).all(is_same)
    }
}
