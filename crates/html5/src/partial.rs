//! Builds trees without the content of unwanted elements.

use crate::element_kinds::ElementKinds;
use crate::fast::{self, BuildResult, LeftOut};
use crate::tree::{Node, NodeId, Tree};

/// A tree without the content of unwanted elements, with the list of these elements.
#[derive(Debug, Clone, Default)]
pub struct PartialTree {
    /// The tree.
    pub tree: Tree,
    /// The outermost unwanted elements, in page order. If the content of an element was skipped, the element
    /// contains only its links and metadata. Otherwise, it is complete.
    pub left_out: Vec<NodeId>,
    /// Whether no content was skipped.
    pub is_whole: bool,
}

impl Tree {
    /// Parses a document, but skips the content of elements of the kinds in `without` if their end is
    /// certain. Of skipped content, only links (without their text), `<link>`, `<meta>`, `<base>` and JSON-LD
    /// are kept. The rest of the page equals the result of [`Tree::parse`].
    ///
    /// ```
    /// use gleaner_html5::{Tree, element_kinds::ElementKinds};
    ///
    /// let html = "<ul class=menu><li><a href=/n>News</a></ul><p>Rain.";
    /// let partly = Tree::parse_partly(html, &ElementKinds::from_names(["body > ul.menu"]));
    /// assert_eq!(partly.tree.raw_text(0), "Rain.");
    /// assert_eq!(partly.tree.elements("a").count(), 1);
    /// assert_eq!(partly.left_out, [3]);
    /// ```
    #[must_use]
    pub fn parse_partly(html: &str, without: &ElementKinds) -> PartialTree {
        match Self::build_fast(html, without) {
            BuildResult::Sure(parts, LeftOut { found, has_skipped }) => {
                PartialTree { tree: Self::from(parts), left_out: found, is_whole: !has_skipped }
            }
            BuildResult::Unsure(_) => {
                let tree = Self::parse(html);
                PartialTree { left_out: without.outermost(&tree), tree, is_whole: true }
            }
        }
    }

    /// Returns a copy without the content of the elements in `left_out`, except for the links and metadata
    /// that [`parse_partly`](Self::parse_partly) keeps. A text node in `left_out` is removed. The nodes must
    /// be in page order, and none may contain another.
    #[must_use]
    pub fn without(&self, left_out: &[NodeId]) -> Self {
        let mut copy = Self {
            nodes: Vec::with_capacity(self.nodes.len()),
            attributes: self.attributes.clone(),
            text: self.text.clone(),
            truncated: self.truncated,
        };
        let mut moved: Vec<NodeId> = Vec::with_capacity(self.nodes.len());
        let mut roots = left_out.iter().copied().peekable();
        let (mut root, mut behind) = (0, 0);
        for (id, node) in self.iter() {
            moved.push(copy.nodes.len() as NodeId);
            let is_inside = id < behind;
            if is_inside && !self.is_kept(id) || self.text(id).is_some() && roots.next_if_eq(&id).is_some() {
                continue;
            }
            let is_json = self.tag(id).is_none();
            let parent = moved[if is_inside && !is_json { root } else { node.parent } as usize];
            let depth = copy.nodes.get(parent as usize).map_or(0, |parent| parent.depth + 1);
            let end = copy.nodes.len() as NodeId + 1;
            copy.nodes.push(Node { parent, end, depth, ..node.clone() });
            if roots.next_if_eq(&id).is_some() {
                (root, behind) = (id, node.end);
            }
        }
        copy.set_ends();
        copy
    }

    fn is_kept(&self, id: NodeId) -> bool {
        let is_json = |id| self.attribute(id, "type").is_some_and(fast::is_json_ld);
        match self.tag(id) {
            Some("a" | "area" | "link" | "meta" | "base") => true,
            Some("script") => is_json(id),
            Some(_) => false,
            None => self.tag(self.node(id).parent) == Some("script") && is_json(self.node(id).parent),
        }
    }

    fn set_ends(&mut self) {
        for id in (1..self.nodes.len()).rev() {
            let (parent, end) = (self.nodes[id].parent as usize, self.nodes[id].end);
            self.nodes[parent].end = self.nodes[parent].end.max(end);
        }
    }
}
