//! Builds scraper's tree within a budget.
//!
//! The rules of the HTML standard repeatedly search the stack of open elements and the list of active
//! formatting elements. Therefore nested elements cost time quadratic in their depth, and unclosed formatting
//! elements are rebuilt in every block. In html5ever, and so in scraper, 256 KiB of `<div>` take 4.5 s, 256
//! KiB of `<b id=1><b id=2>...` take 9.9 s, and 256 KiB of `<ul><li>` take 6.4 s. 5 MiB would take half an
//! hour or more.
//!
//! In all these searches, the tree builder queries the sink that receives the tree, for the name of a node or
//! for the equality of two nodes. [`CountingSink`] wraps scraper's sink and counts these queries. A
//! [`BudgetGuard`] between the tokenizer and the tree builder drops every token after a [`ParseBudget`] is
//! spent. The tree built before is kept. The count needs no clock, so a page is cut at the same tag on every
//! machine.
//!
//! Limitation: everything after the cut is lost, whereas a browser would flatten the nesting. Comparisons
//! between formatting elements send no queries, so they are estimated from the depth. The counted depth can
//! be greater than the true depth, because a moved subtree keeps its old depth. Therefore a page with
//! thousands of blocks nested in unclosed formatting elements may be cut at a fifth of the maximum depth.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use ego_tree::NodeId;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, QualName, TokenizerResult};
use scraper::{Html, HtmlTreeSink};

#[derive(Debug, Clone, Copy)]
pub(crate) struct ParseBudget {
    /// Number of queries that the tree builder makes about nodes, about 3 ns each.
    pub(crate) work: u64,
    /// Number of nodes, about 160 bytes each during the build and 40 bytes afterwards.
    pub(crate) nodes: usize,
    pub(crate) depth: u32,
    /// Bytes of attribute values. The values of rebuilt elements count again.
    pub(crate) attribute_bytes: usize,
    pub(crate) attributes: usize,
}

impl ParseBudget {
    /// The limits of a page. The costliest of 1,344 recorded news pages needs an eightieth of the work. A
    /// page may have 10,000 nested elements.
    pub(crate) const PAGE: Self = Self {
        work: 200_000_000,
        nodes: 1_000_000,
        depth: 12_000,
        attribute_bytes: 32 << 20,
        attributes: 1_000,
    };
}

/// Builds the tree. Returns whether the budget cut it.
pub(crate) fn build(html: &str, budget: ParseBudget) -> (Html, bool) {
    let sink = CountingSink::new(budget);
    let guard =
        BudgetGuard { builder: TreeBuilder::new(sink, TreeBuilderOpts::default()), cut: Cell::new(false) };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    while tokenizer.feed(&input) != TokenizerResult::Done {}
    tokenizer.end();
    let BudgetGuard { builder, cut } = tokenizer.sink;
    (builder.sink.finish(), cut.get())
}

/// Passes tokens to the tree builder until the budget is spent. Always passes the end of the file.
struct BudgetGuard {
    builder: TreeBuilder<Handle, CountingSink>,
    cut: Cell<bool>,
}

impl TokenSink for BudgetGuard {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if token == Token::EOFToken || !self.cut.get() {
            let result = self.builder.process_token(token, line);
            self.cut.set(self.cut.get() || self.builder.sink.is_spent());
            return result;
        }
        TokenSinkResult::Continue
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        !self.cut.get() && self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

#[derive(Clone, Copy, PartialEq)]
struct Handle {
    id: NodeId,
    /// Index of the node's [`NodeCosts`]. A template and its content have the same index.
    known: u32,
}

/// Data that the budget needs about a node and that scraper's tree lacks.
#[derive(Clone, Copy, Default)]
struct NodeCosts {
    /// Number of nodes above the node. If the node was moved, the number before the move.
    depth: u32,
    /// Work of comparing an element with this formatting element; 0 for other elements.
    comparison: u32,
    integration_point: bool,
}

/// scraper's sink with a counter of its queries. html5ever calls it through shared references.
struct CountingSink {
    inner: HtmlTreeSink,
    known: RefCell<Vec<NodeCosts>>,
    work: Cell<u64>,
    attribute_bytes: Cell<usize>,
    depth: Cell<u32>,
    budget: ParseBudget,
}

impl CountingSink {
    fn new(budget: ParseBudget) -> Self {
        Self {
            inner: HtmlTreeSink::new(Html::new_document()),
            known: RefCell::new(vec![NodeCosts::default()]),
            work: Cell::new(0),
            attribute_bytes: Cell::new(0),
            depth: Cell::new(0),
            budget,
        }
    }

    fn is_spent(&self) -> bool {
        self.work.get() > self.budget.work
            || self.depth.get() > self.budget.depth
            || self.attribute_bytes.get() > self.budget.attribute_bytes
            || self.inner.0.borrow().tree.values().len() > self.budget.nodes
    }

    fn spend(&self, work: usize) {
        self.work.set(self.work.get() + work as u64);
    }

    fn spend_attributes(&self, attributes: &[Attribute]) {
        let bytes: usize = attributes.iter().map(|a| a.value.len() + 16).sum();
        self.attribute_bytes.set(self.attribute_bytes.get() + bytes);
    }

    fn know(&self, id: NodeId, known: NodeCosts) -> Handle {
        let mut all = self.known.borrow_mut();
        all.push(known);
        Handle { id, known: (all.len() - 1) as u32 }
    }

    fn depth_of(&self, node: &Handle) -> u32 {
        self.known.borrow()[node.known as usize].depth
    }

    fn place(&self, child: NodeOrText<Handle>, depth: u32) -> NodeOrText<NodeId> {
        match child {
            NodeOrText::AppendText(text) => NodeOrText::AppendText(text),
            NodeOrText::AppendNode(node) => {
                let known = &mut self.known.borrow_mut()[node.known as usize];
                // The standard fills the copy of a formatting element before inserting the copy. Until then
                // the copy's depth is 0, so its content keeps the larger depth that it had before.
                known.depth = known.depth.max(depth);
                self.depth.set(self.depth.get().max(known.depth));
                // Before, the tree builder compared the element with each open formatting element above it.
                self.spend(known.depth as usize * known.comparison as usize);
                NodeOrText::AppendNode(node.id)
            }
        }
    }
}

fn is_formatting(tag: &str) -> bool {
    matches!(
        tag,
        "a" | "b"
            | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

/// Methods that scraper's sink does not implement have the trait's default here too, except the method for
/// MathML's integration points.
impl TreeSink for CountingSink {
    type Handle = Handle;
    type Output = Html;
    type ElemName<'a> = <HtmlTreeSink as TreeSink>::ElemName<'a>;

    fn finish(self) -> Html {
        self.inner.finish()
    }

    fn parse_error(&self, message: Cow<'static, str>) {
        self.inner.parse_error(message);
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.inner.set_quirks_mode(mode);
    }

    fn get_document(&self) -> Handle {
        Handle { id: self.inner.get_document(), known: 0 }
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        Handle { id: self.inner.get_template_contents(&target.id), known: target.known }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Self::ElemName<'a> {
        self.spend(1);
        self.inner.elem_name(&target.id)
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        self.spend(1);
        self.inner.same_node(&x.id, &y.id)
    }

    fn create_element(&self, name: QualName, mut attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        attributes.truncate(self.budget.attributes);
        self.spend_attributes(&attributes);
        let known = NodeCosts {
            depth: 0,
            comparison: if is_formatting(&name.local) { 2 + 16 * attributes.len() as u32 } else { 0 },
            integration_point: flags.mathml_annotation_xml_integration_point,
        };
        self.know(self.inner.create_element(name, attributes, flags), known)
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        self.know(self.inner.create_comment(text), NodeCosts::default())
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        self.know(self.inner.create_pi(target, data), NodeCosts::default())
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        self.inner.append_doctype_to_document(name, public, system);
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let child = self.place(child, self.depth_of(parent) + 1);
        self.inner.append(&parent.id, child);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let child = self.place(child, self.depth_of(sibling));
        self.inner.append_before_sibling(&sibling.id, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        let depth = self.depth_of(element).max(self.depth_of(previous) + 1);
        let child = self.place(child, depth);
        self.inner.append_based_on_parent_node(&element.id, &previous.id, child);
    }

    /// Passes on only attributes that the element lacks and has space for. Only these attributes are counted.
    fn add_attrs_if_missing(&self, target: &Handle, mut more: Vec<Attribute>) {
        if let Some(node) = self.inner.0.borrow().tree.get(target.id)
            && let Some(element) = node.value().as_element()
        {
            let room = self.budget.attributes.saturating_sub(element.attrs.len());
            if room > 0 {
                self.spend(element.attrs.len() * more.len());
                more.retain(|a| element.attrs.iter().all(|(name, _)| *name != a.name));
            }
            more.truncate(room);
        }
        self.spend_attributes(&more);
        self.inner.add_attrs_if_missing(&target.id, more);
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.inner.remove_from_parent(&target.id);
    }

    /// Does not count the moved nodes. Their new parent is a copy, and its children never move again.
    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        self.inner.reparent_children(&node.id, &new_parent.id);
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        self.known.borrow()[target.known as usize].integration_point
    }
}
