//! A page as a flat list of nodes in document order.
//!
//! html5ever builds the tree by the rules of the HTML standard; it is copied once
//! into an arena in which a subtree is a range of ids. Every method of this
//! project walks that range forward, so none of them recurses and a page of ten
//! thousand nested elements is no danger to the stack.
//!
//! Comments, doctypes and processing instructions are left out. The content of
//! `<template>` and `<noscript>` stands where the source has it.

use std::ops::Range;

use html5ever::LocalName;
use scraper::{Html, Node as Parsed};

/// A node's place in document order; the root is 0.
pub type NodeId = u32;

/// A parsed page: nodes in document order, each with the range of its subtree.
#[derive(Debug, Clone, Default)]
pub struct Page {
    nodes: Vec<Node>,
    attributes: Vec<(LocalName, String)>,
    text: String,
}

/// One node of a [`Page`].
#[derive(Debug, Clone)]
pub struct Node {
    /// The parent's id; the root is its own parent.
    pub parent: NodeId,
    /// The first id behind this node's subtree.
    pub end: NodeId,
    /// Elements above this node; the root element has 0.
    pub depth: u32,
    /// What the node is.
    pub kind: Kind,
}

/// What a node is.
#[derive(Debug, Clone)]
pub enum Kind {
    /// An element with its lower-case name and its attributes.
    Element {
        /// The name, such as `div`.
        tag: LocalName,
        /// Where its attributes stand.
        attributes: Range<u32>,
    },
    /// Text, with character references resolved.
    Text(Range<u32>),
}

impl Page {
    /// Parses a document. Broken markup is no error: the standard says what every
    /// input means. Costs time linear in the input for all but pathological pages.
    #[must_use]
    pub fn parse(html: &str) -> Self {
        let parsed = Html::parse_document(html);
        let mut page = Self::default();
        let mut open: Vec<NodeId> = Vec::new();
        for edge in parsed.tree.root().traverse() {
            match edge {
                ego_tree::iter::Edge::Open(node) => page.open(node.value(), &mut open),
                ego_tree::iter::Edge::Close(node) => page.close(node.value(), &mut open),
            }
        }
        page
    }

    fn open(&mut self, node: &Parsed, open: &mut Vec<NodeId>) {
        let kind = match node {
            Parsed::Element(element) => {
                let from = self.attributes.len() as u32;
                self.attributes.extend(
                    element
                        .attrs
                        .iter()
                        .map(|(name, value)| (name.local.clone(), value.to_string())),
                );
                Kind::Element {
                    tag: element.name.local.clone(),
                    attributes: from..self.attributes.len() as u32,
                }
            }
            Parsed::Text(text) => {
                let from = self.text.len() as u32;
                self.text.push_str(text);
                Kind::Text(from..self.text.len() as u32)
            }
            _ => return,
        };
        let id = self.nodes.len() as NodeId;
        let parent = open.last().copied().unwrap_or(0);
        self.nodes.push(Node {
            parent,
            end: id + 1,
            depth: open.len() as u32,
            kind,
        });
        if matches!(node, Parsed::Element(_)) {
            open.push(id);
        }
    }

    fn close(&mut self, node: &Parsed, open: &mut Vec<NodeId>) {
        if matches!(node, Parsed::Element(_))
            && let Some(id) = open.pop()
        {
            self.nodes[id as usize].end = self.nodes.len() as NodeId;
        }
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the page has no node at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node with this id.
    ///
    /// # Panics
    /// If the id is not below [`Page::len`].
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// All nodes in document order.
    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Node)> {
        (0..).zip(&self.nodes)
    }

    /// The ids of a subtree, the node itself first.
    #[must_use]
    pub fn subtree(&self, id: NodeId) -> Range<NodeId> {
        id..self.node(id).end
    }

    /// An element's name, or `None` for text.
    #[must_use]
    pub fn tag(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).kind {
            Kind::Element { tag, .. } => Some(tag),
            Kind::Text(_) => None,
        }
    }

    /// A text node's text, or `None` for an element.
    #[must_use]
    pub fn text(&self, id: NodeId) -> Option<&str> {
        match &self.node(id).kind {
            Kind::Element { .. } => None,
            Kind::Text(range) => Some(&self.text[range.start as usize..range.end as usize]),
        }
    }

    /// The value of an element's attribute; `None` for text and where it is absent.
    #[must_use]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<&str> {
        self.attributes(id)
            .find(|(n, _)| *n == name)
            .map(|(_, value)| value)
    }

    /// An element's attributes as names and values; none for text.
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let range = match &self.node(id).kind {
            Kind::Element { attributes, .. } => attributes.start as usize..attributes.end as usize,
            Kind::Text(_) => 0..0,
        };
        self.attributes[range]
            .iter()
            .map(|(name, value)| (&**name, value.as_str()))
    }

    /// All elements of this name, in document order.
    pub fn elements<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = NodeId> + 'a {
        (0..self.nodes.len() as NodeId).filter(move |id| self.tag(*id) == Some(tag))
    }

    /// The text of a subtree as it stands, without separators.
    #[must_use]
    pub fn raw_text(&self, id: NodeId) -> String {
        self.subtree(id).filter_map(|n| self.text(n)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_is_a_range() {
        let page = Page::parse("<p>one <b>two</b> three</p><p>four");
        let p: Vec<NodeId> = page.elements("p").collect();
        assert_eq!(page.raw_text(p[0]), "one two three");
        assert_eq!(page.raw_text(p[1]), "four");
        assert_eq!(page.node(p[0]).end, p[1]);
        assert_eq!(page.tag(page.node(p[0]).parent), Some("body"));
    }

    #[test]
    fn attributes_are_found_by_name() {
        let page = Page::parse("<a href='/x?a=1&amp;b=2' class=c>t</a>");
        let a = page.elements("a").next().unwrap();
        assert_eq!(page.attribute(a, "href"), Some("/x?a=1&b=2"));
        assert_eq!(page.attribute(a, "title"), None);
    }

    #[test]
    fn nothing_is_a_page_too() {
        assert_eq!(Page::parse("").elements("p").count(), 0);
    }
}
