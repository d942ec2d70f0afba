//! A parsed page: its tree, and what it declares about itself.

use std::ops::Deref;
use std::sync::OnceLock;

use gleaner_html5::element_kinds::ElementKinds;
use gleaner_html5::{NodeId, Tree};

use crate::declared::Declared;
use crate::json_ld::{states_free, values};

/// A parsed page. All functions of its [`Tree`] can be called on it.
#[derive(Debug, Clone, Default)]
pub struct Page {
    tree: Tree,
    declared: OnceLock<Declared>,
    is_free: OnceLock<bool>,
}

impl From<Tree> for Page {
    fn from(tree: Tree) -> Self {
        Self { tree, ..Self::default() }
    }
}

impl Deref for Page {
    type Target = Tree;

    #[inline]
    fn deref(&self) -> &Tree {
        &self.tree
    }
}

/// Pages are equal if their trees are.
impl PartialEq for Page {
    fn eq(&self, other: &Self) -> bool {
        self.tree == other.tree
    }
}

impl Page {
    /// Parses a document ([`Tree::parse`]).
    #[must_use]
    pub fn parse(html: &str) -> Self {
        Self::from(Tree::parse(html))
    }

    /// Parses a document with the reference, html5ever ([`Tree::parse_reference`]).
    #[must_use]
    pub fn parse_reference(html: &str) -> Self {
        Self::from(Tree::parse_reference(html))
    }

    /// Parses a document, but skips the content of elements of the kinds in `without` if their end is certain
    /// ([`Tree::parse_partly`]).
    #[must_use]
    pub fn parse_partly(html: &str, without: &ElementKinds) -> PartialPage {
        let partly = Tree::parse_partly(html, without);
        PartialPage { page: Self::from(partly.tree), left_out: partly.left_out, is_whole: partly.is_whole }
    }

    /// Returns a copy without the content of the elements in `left_out` ([`Tree::without`]).
    #[must_use]
    pub fn without(&self, left_out: &[NodeId]) -> Self {
        Self::from(self.tree.without(left_out))
    }

    /// Returns the declarations of the page. They are read at the first call.
    pub(crate) fn declared(&self) -> &Declared {
        self.declared.get_or_init(|| Declared::from_page(self))
    }

    /// Whether the page's JSON-LD declares its article as free to read. It is read at the first call, without the other
    /// declarations, which need the visible text.
    pub(crate) fn is_declared_free(&self) -> bool {
        *self.is_free.get_or_init(|| states_free(&values(self)))
    }
}

/// A page without the content of unwanted elements, with the list of these elements.
#[derive(Debug, Clone, Default)]
pub struct PartialPage {
    /// The page.
    pub page: Page,
    /// The outermost unwanted elements, in page order. If the content of an element was skipped, the element
    /// contains only its links and metadata. Otherwise, it is complete.
    pub left_out: Vec<NodeId>,
    is_whole: bool,
}

impl PartialPage {
    /// Returns the whole page. `html` is its source. The page is parsed again only if some of its content was
    /// skipped.
    #[must_use]
    pub fn into_whole(self, html: &str) -> Page {
        if self.is_whole { self.page } else { Page::parse(html) }
    }
}
