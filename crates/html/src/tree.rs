//! html5ever's tree builder run against a budget.
//!
//! The rules of the HTML standard search the stack of open elements and the list
//! of active formatting elements again and again, so that nesting costs time
//! quadratic in its depth and formatting elements that are never closed are built
//! anew in every block. html5ever follows the rules, and 256 KiB of `<div>` cost
//! it 4.5 s, of `<b id=1><b id=2>...` 9.9 s, of `<ul><li>` 6.4 s; 5 MiB would take
//! half an hour and more.
//!
//! All of these searches ask the sink that receives the tree for a name or for
//! the sameness of two nodes. This sink counts the questions, and a [`Guard`] between tokenizer
//! and tree builder drops every token behind the one with which a [`Budget`] is
//! spent. The count needs no clock, so a page is cut at the same tag on every
//! machine. What was built by then is kept.
//!
//! The awkward truth: the cut loses the rest of the page, where a browser would
//! flatten the nesting; nobody reads such pages. Comparing formatting elements
//! with one another does not ask the sink; that work is estimated from the depth.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, QualName, TokenizerResult};

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// What one page may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// Questions of the tree builder, each some 3 ns.
    pub(crate) work: u64,
    /// Nodes, each some 120 bytes until the page stands, 40 after.
    pub(crate) nodes: usize,
    /// Elements above an element.
    pub(crate) depth: u32,
    /// Bytes of attribute values, those of elements built anew counted again.
    pub(crate) attribute_bytes: usize,
    /// Attributes of one element.
    pub(crate) attributes: usize,
}

/// A node with its neighbours, [`NONE`] where there is none.
#[derive(Debug)]
pub(crate) struct Linked {
    pub(crate) parent: u32,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) previous: u32,
    pub(crate) next: u32,
    depth: u32,
    pub(crate) data: Data,
}

#[derive(Debug)]
pub(crate) enum Data {
    Element {
        name: QualName,
        attributes: Vec<Attribute>,
        integration_point: bool,
    },
    Text(StrTendril),
    /// The document, comments and processing instructions.
    Other,
}

/// Builds the tree of a document: node 0 is the document. The flag tells whether
/// the budget cut it.
pub(crate) fn build(html: &str, budget: Budget) -> (Vec<Linked>, bool) {
    let sink = Tree {
        nodes: RefCell::default(),
        work: Cell::new(0),
        attribute_bytes: Cell::new(0),
        depth: Cell::new(0),
        budget,
    };
    sink.add(Data::Other);
    let guard = Guard { builder: TreeBuilder::new(sink, TreeBuilderOpts::default()), cut: Cell::new(false) };
    let tokenizer = Tokenizer::new(guard, TokenizerOpts::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(html));
    while tokenizer.feed(&input) != TokenizerResult::Done {}
    tokenizer.end();
    let Guard { builder, cut } = tokenizer.sink;
    (builder.sink.nodes.into_inner(), cut.get())
}

/// Lets tokens through as long as there is budget; the end of the file always.
struct Guard {
    builder: TreeBuilder<u32, Tree>,
    cut: Cell<bool>,
}

impl TokenSink for Guard {
    type Handle = u32;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<u32> {
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

/// The tree as it grows. html5ever wants shared access, hence the cells.
struct Tree {
    nodes: RefCell<Vec<Linked>>,
    work: Cell<u64>,
    attribute_bytes: Cell<usize>,
    depth: Cell<u32>,
    budget: Budget,
}

impl Tree {
    fn is_spent(&self) -> bool {
        self.work.get() > self.budget.work
            || self.depth.get() > self.budget.depth
            || self.attribute_bytes.get() > self.budget.attribute_bytes
            || self.nodes.borrow().len() > self.budget.nodes
    }

    fn spend(&self, work: usize) {
        self.work.set(self.work.get() + work as u64);
    }

    fn add(&self, data: Data) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(Linked {
            parent: NONE,
            first: NONE,
            last: NONE,
            previous: NONE,
            next: NONE,
            depth: 0,
            data,
        });
        (nodes.len() - 1) as u32
    }

    fn detach(&self, id: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let Linked { parent, previous, next, .. } = nodes[id as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first = next,
            before => nodes[before as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last = previous,
            after => nodes[after as usize].previous = previous,
        }
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Puts `child` under `parent`, before `next` or last. Text is merged into a
    /// text before it.
    fn insert(&self, parent: u32, next: u32, child: NodeOrText<u32>) {
        let previous = match next {
            NONE => self.nodes.borrow()[parent as usize].last,
            next => self.nodes.borrow()[next as usize].previous,
        };
        let id = match child {
            NodeOrText::AppendNode(id) => id,
            NodeOrText::AppendText(text) => {
                if previous != NONE
                    && let Data::Text(before) = &mut self.nodes.borrow_mut()[previous as usize].data
                {
                    before.push_tendril(&text);
                    return;
                }
                self.add(Data::Text(text))
            }
        };
        let mut nodes = self.nodes.borrow_mut();
        let depth = nodes[parent as usize].depth + 1;
        let node = &mut nodes[id as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, next, depth);
        match previous {
            NONE => nodes[parent as usize].first = id,
            before => nodes[before as usize].next = id,
        }
        match next {
            NONE => nodes[parent as usize].last = id,
            after => nodes[after as usize].previous = id,
        }
        self.depth.set(self.depth.get().max(depth));
        if let Data::Element { name, attributes, .. } = &nodes[id as usize].data
            && is_formatting(&name.local)
        {
            // It was compared with each formatting element open above it.
            self.spend(depth as usize * (2 + 16 * attributes.len()));
        }
    }
}

/// The formatting elements of the HTML standard, section 13.2.4.3.
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

impl TreeSink for Tree {
    type Handle = u32;
    type Output = ();
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) {}

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn get_document(&self) -> u32 {
        0
    }

    /// A template's content stands in the template itself.
    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Ref<'a, QualName> {
        self.spend(1);
        Ref::map(self.nodes.borrow(), |nodes| match &nodes[*target as usize].data {
            Data::Element { name, .. } => name,
            Data::Text(_) | Data::Other => {
                unreachable!("the tree builder asks elements only for a name")
            }
        })
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        self.spend(1);
        x == y
    }

    fn create_element(&self, name: QualName, mut attributes: Vec<Attribute>, flags: ElementFlags) -> u32 {
        attributes.truncate(self.budget.attributes);
        let bytes: usize = attributes.iter().map(|a| a.value.len() + 16).sum();
        self.attribute_bytes.set(self.attribute_bytes.get() + bytes);
        let integration_point = flags.mathml_annotation_xml_integration_point;
        self.add(Data::Element { name, attributes, integration_point })
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        self.add(Data::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        self.add(Data::Other)
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.insert(*parent, NONE, child);
    }

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        if let NodeOrText::AppendNode(id) = &child {
            self.detach(*id);
        }
        let parent = self.nodes.borrow()[*sibling as usize].parent;
        if parent != NONE {
            self.insert(parent, *sibling, child);
        }
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        if self.nodes.borrow()[*element as usize].parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &u32, more: Vec<Attribute>) {
        let mut nodes = self.nodes.borrow_mut();
        let Data::Element { attributes, .. } = &mut nodes[*target as usize].data else {
            return;
        };
        for attribute in more {
            self.spend(attributes.len());
            if attributes.len() < self.budget.attributes
                && attributes.iter().all(|a| a.name != attribute.name)
            {
                self.attribute_bytes.set(self.attribute_bytes.get() + attribute.value.len() + 16);
                attributes.push(attribute);
            }
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        loop {
            let child = self.nodes.borrow()[*node as usize].first;
            if child == NONE {
                return;
            }
            self.spend(1);
            self.detach(child);
            self.insert(*new_parent, NONE, NodeOrText::AppendNode(child));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &u32) -> bool {
        matches!(self.nodes.borrow()[*target as usize].data, Data::Element { integration_point: true, .. })
    }
}
