//! Stores the tree of a page as a flat list of nodes in document order.
//!
//! The tree follows the HTML standard. All nodes are in an arena, in which a subtree is a range of ids.
//! Methods iterate over this range without recursion, so deep nesting cannot overflow the stack.
//!
//! Two builders fill the arena, and build equal pages. The module `fast` builds nearly every page in one pass
//! over its bytes. If its result is not certain, the reference builder (scraper on html5ever) builds a tree,
//! which is then copied.
//!
//! Comments, doctypes and processing instructions are omitted. The nodes directly inside `<template>` and
//! `<noscript>` are children of the element. The fragment that scraper inserts between a template and its
//! content is omitted.
//!
//! Limitation: a page that the fast builder built keeps the whole source in memory, because texts are ranges
//! of the source.

use std::ops::Range;

use ego_tree::iter::Edge;
use html5ever::{LocalName, local_name};
use scraper::{Html, Node as Parsed};

use crate::attribute_flood;
use crate::element_kinds::ElementKinds;
use crate::fast::{self, BuildResult, FallbackReason};
use crate::reference::{self, ParseBudget};
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

/// Maximum number of input bytes. It ensures that offsets fit in 32 bits.
const MAX_BYTES: usize = 64 << 20;

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
    /// Parses a document. Broken markup is not an error: the standard defines a tree for every input.
    ///
    /// The time is linear in the input: 700 MB/s on recorded news pages of median size, ten times the speed
    /// of the reference ([`Self::parse_reference`]). The fast builder leaves 4 of 1,344 recorded pages, and
    /// all costly pages, to the reference. The worst of 57 pathological pages of 5 MiB took 0.8 s and 165 MB.
    /// A page is cut if nesting, formatting elements or attributes would make the time quadratic (see
    /// [`Tree::truncated`]). The limits are 200 million queries of the tree builder, a million nodes, a depth
    /// of 12,000, 32 MiB of attributes and 64 MiB of input. Only the first 1,000 attributes of an element are
    /// kept.
    #[must_use]
    pub fn parse(html: &str) -> Self {
        match Self::build_fast(html, &ElementKinds::default()) {
            BuildResult::Sure(parts, _) => Self::from(parts),
            BuildResult::Unsure(_) => Self::parse_reference(html),
        }
    }

    /// Returns why only the reference can parse this document, or `None` if the fast builder can parse it.
    #[must_use]
    pub fn left_to_reference(html: &str) -> Option<&'static str> {
        match Self::build_fast(html, &ElementKinds::default()) {
            BuildResult::Sure(..) => None,
            BuildResult::Unsure(reason) => Some(reason.name()),
        }
    }

    pub(crate) fn build_fast(html: &str, without: &ElementKinds) -> BuildResult {
        if html.len() > MAX_BYTES {
            return BuildResult::Unsure(FallbackReason::Costly);
        }
        fast::build(html, without, ParseBudget::PAGE.work)
    }

    /// Parses a document with the reference: html5ever and scraper. [`Tree::parse`] uses the reference if the
    /// fast builder gives up.
    #[must_use]
    pub fn parse_reference(html: &str) -> Self {
        let mut input = &html[..html.floor_char_boundary(MAX_BYTES)];
        if let Some(flood) = attribute_flood::find(input) {
            input = &input[..flood];
        }
        let (parsed, cut) = reference::build(input, ParseBudget::PAGE);
        let mut page = Self { truncated: cut || input.len() < html.len(), ..Self::default() };
        page.copy(&parsed);
        page
    }

    fn copy(&mut self, parsed: &Html) {
        let mut open: Vec<NodeId> = Vec::new();
        for edge in parsed.tree.root().traverse() {
            match edge {
                Edge::Open(node) => {
                    let id = self.nodes.len() as NodeId;
                    self.push(node.value(), &open);
                    if node.value().is_element() {
                        open.push(id);
                    }
                }
                Edge::Close(node) => {
                    if node.value().is_element()
                        && let Some(id) = open.pop()
                    {
                        self.nodes[id as usize].end = self.nodes.len() as NodeId;
                    }
                }
            }
        }
    }

    fn push(&mut self, node: &Parsed, open: &[NodeId]) {
        let kind = match node {
            Parsed::Element(element) => {
                let from = self.attributes.len() as u32;
                for (name, value) in &element.attrs {
                    let value = self.keep(value);
                    self.attributes.push((name.local.clone(), value));
                }
                NodeKind::Element {
                    tag: element.name.local.clone(),
                    attributes: from..self.attributes.len() as u32,
                }
            }
            Parsed::Text(text) => NodeKind::Text(self.keep(text)),
            _ => return,
        };
        let id = self.nodes.len() as NodeId;
        let parent = open.last().copied().unwrap_or(0);
        let display = kind.name().map_or_else(Display::default, |name| Display::from_name(name));
        self.nodes.push(Node { parent, end: id + 1, depth: open.len() as u32, kind, display });
    }

    fn keep(&mut self, text: &str) -> Range<u32> {
        let from = self.text.len() as u32;
        self.text.push_str(text);
        from..self.text.len() as u32
    }

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
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + use<'_> {
        let up = |id: &NodeId| Some(self.node(*id).parent).filter(|parent| parent != id);
        std::iter::successors(Some(id), up)
    }

    /// Whether the node is an element that starts and ends a line ([`is_block`](crate::text::is_block)).
    #[must_use]
    #[inline]
    pub fn is_block(&self, id: NodeId) -> bool {
        self.node(id).display.is_block()
    }

    /// Whether the node is an element that never has text ([`never_text`](crate::text::never_text)).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_is_a_range() {
        let page = Tree::parse("<p>one <b>two</b> three</p><p>four");
        let p: Vec<NodeId> = page.elements("p").collect();
        assert_eq!(page.raw_text(p[0]), "one two three");
        assert_eq!(page.raw_text(p[1]), "four");
        assert_eq!(page.node(p[0]).end, p[1]);
        assert_eq!(page.tag(page.node(p[0]).parent), Some("body"));
    }

    #[test]
    fn attributes_are_found_by_name() {
        let page = Tree::parse("<a href='/x?a=1&amp;b=2' class=c>t</a>");
        let a = page.elements("a").next().unwrap();
        assert_eq!(page.attribute(a, "href"), Some("/x?a=1&b=2"));
        assert_eq!(page.attribute(a, "title"), None);
    }

    #[test]
    fn attributes_are_sorted_and_the_first_of_a_name_counts() {
        let page = Tree::parse("<html lang=vi><html id=x lang=en class=y><p title=1 TITLE=2>");
        let of = |tag| page.attributes(page.elements(tag).next().unwrap()).collect::<Vec<_>>();
        assert_eq!(of("html"), [("class", "y"), ("id", "x"), ("lang", "vi")]);
        assert_eq!(of("p"), [("title", "1")]);
        let page = Tree::parse("<svg><a xlink:href=1 href=2></svg>");
        assert_eq!(page.attribute(page.elements("a").next().unwrap(), "href"), Some("2"));
    }

    #[test]
    fn a_template_holds_its_content() {
        let page = Tree::parse("<div><template><p>a<b>b</b></template>c</div>");
        let template = page.elements("template").next().unwrap();
        assert_eq!(page.tag(template + 1), Some("p"));
        assert_eq!(page.node(template + 1).parent, template);
        assert_eq!(page.raw_text(template), "ab");
        assert_eq!(page.raw_text(page.node(template).parent), "abc");
    }

    #[test]
    fn html_in_mathematics_follows_the_standard() {
        let page = Tree::parse("<math><annotation-xml encoding=text/html><p>a</annotation-xml></math>");
        let p = page.elements("p").next().unwrap();
        assert_eq!(page.tag(page.node(p).parent), Some("annotation-xml"));
        let page = Tree::parse("<math><annotation-xml><p>a</annotation-xml></math>");
        let p = page.elements("p").next().unwrap();
        assert_eq!(page.tag(page.node(p).parent), Some("body"));
    }

    #[test]
    fn nothing_is_a_page_too() {
        assert_eq!(Tree::parse("").elements("p").count(), 0);
    }

    #[track_caller]
    fn check(html: &str, truncated: bool) -> Tree {
        let page = Tree::parse(html);
        assert_eq!(page.truncated(), truncated);
        page
    }

    #[test]
    fn ten_thousand_nested_elements_are_a_page() {
        for tag in ["div", "b", "span", "ul"] {
            let page = check(&format!("{}x", format!("<{tag}>").repeat(10_000)), false);
            assert_eq!(page.elements(tag).count(), 10_000);
            assert_eq!(page.text(page.len() as NodeId - 1), Some("x"));
        }
        let tables = check(&"<table><tr><td>".repeat(2_000), false);
        assert_eq!(tables.elements("td").count(), 2_000);
    }

    #[test]
    fn moved_blocks_are_as_deep_as_any() {
        for soup in ["<b><i><div></b>", "<a><i><div>", "<a><div>", "<b><i><table></b></i><td>"] {
            let page = check(&soup.repeat(60_000), true);
            let deepest = page.iter().map(|(_, node)| node.depth).max().unwrap();
            assert!(deepest <= ParseBudget::PAGE.depth + 8, "{soup} {deepest}");
        }
    }

    #[test]
    fn five_mebibytes_of_one_tag_are_cut() {
        let soups = ["<div>", "<b>", "<a><b><p>", "<ul><li>", "<table><tr><td>"];
        for soup in soups {
            let page = check(&soup.repeat((5 << 20) / soup.len()), true);
            assert!(page.len() <= ParseBudget::PAGE.nodes + ParseBudget::PAGE.depth as usize, "{soup}");
        }
        let distinct: String = (0..400_000).map(|i| format!("<b id={i}>")).collect();
        check(&distinct, true);
    }

    #[test]
    fn attributes_are_bounded() {
        let page = check(&format!("<p title='{}'>x", "a ".repeat(500_000)), false);
        let p = page.elements("p").next().unwrap();
        assert_eq!(page.attribute(p, "title").unwrap().len(), 1_000_000);

        let flood: String = (0..400_000).map(|i| format!(" a{i}")).collect();
        assert_eq!(check(&format!("<p>kept<a{flood}>"), true).raw_text(0), "kept");
        let few: String = (0..2_000).map(|i| format!(" a{i}")).collect();
        let page = check(&format!("<p{few}>"), false);
        assert_eq!(page.attributes(page.elements("p").next().unwrap()).count(), 1_000);

        let heavy = format!("<b id='{}'>{}", "x".repeat(100_000), "<p>y</p>".repeat(10_000));
        check(&heavy, false);
        let rebuilt = format!("<p><b id='{}'>{}", "x".repeat(100_000), "<p>y".repeat(10_000));
        check(&rebuilt, true);
        check(&(0..100_000).map(|i| format!("<html a{i}>")).collect::<String>(), false);
    }

    #[test]
    fn any_bytes_are_a_page() {
        for html in [
            "\0\0<\0p>\0",
            "\u{1}\u{FFFF}\u{FFFD}",
            "<",
            "</",
            "<!",
            "<!--",
            "<p a",
            "<p a='",
            "&#x110000;",
            "<![CDATA[x",
        ] {
            check(html, false);
        }
        assert_eq!(check("<p>a<div>b<li>c<td>d</p><b>e", false).raw_text(0), "abcde");
    }

    #[test]
    fn misnested_markup_follows_the_standard() {
        let page = Tree::parse("<b>1<p>2</b>3</p><table><tr><td>in</td></tr>out</table><a>x<a>y");
        assert_eq!(page.raw_text(0), "123outinxy");
        let p = page.elements("p").next().unwrap();
        assert_eq!(page.tag(p + 1), Some("b"));
        assert_eq!(page.raw_text(p + 1), "2");
        for (id, node) in page.iter().skip(1) {
            assert!(page.subtree(node.parent).contains(&id));
            assert_eq!(node.depth, page.node(node.parent).depth + 1);
            assert!(node.end <= page.node(node.parent).end);
        }
    }
}
