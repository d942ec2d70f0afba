//! Parses a page. Two builders build equal trees.
//!
//! The module `fast` builds nearly every tree in one pass over the bytes of the page. If its result is not certain, the
//! reference (scraper on html5ever) builds a tree, which is then copied.

use std::ops::Range;

use ego_tree::iter::Edge;
use scraper::{Html, Node as Parsed};

use crate::attribute_flood;
use crate::element_kinds::ElementKinds;
use crate::fast::{self, BuildResult, FallbackReason};
use crate::reference::{self, ParseBudget};
use crate::tags::Display;
use crate::tree::{Node, NodeId, NodeKind, Tree};

/// Maximum number of input bytes. It ensures that offsets fit in 32 bits.
const MAX_BYTES: usize = 64 << 20;

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
