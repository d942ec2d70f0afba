//! Defines the state of the builder, and its single pass over the source.

use std::borrow::Cow;
use std::ops::Range;

use html5ever::LocalName;

use crate::element_kinds::ElementKinds;
use crate::tags::Display;
use crate::tree::{NodeId, NodeKind, Parts};

use super::arena::Arena;
use super::attributes::StartTag;
use super::doctype::{self, Quirks};
use super::flood::Flood;
use super::formatting::{Entry, Formatting};
use super::leave_out::LeaveOut;
use super::names::Names;
use super::result::{BuildResult, FallbackReason};
use super::stack::{OpenElement, Stack};
use super::tag::{Tag, set};
use super::{scanner, source};

/// Limits of nodes, depth and attribute bytes. The reference (html5ever) parses larger pages. The limits are
/// half of the reference's, because the reference also counts comments and the document node.
const NODES: usize = 500_000;
const DEPTH: usize = 6_000;
const ATTRIBUTE_BYTES: usize = 16 << 20;

/// Maximum number of queries that the reference makes per tag and per node on the stack.
const QUESTIONS: u64 = 24;

/// The insertion modes (HTML standard, 13.2.4.1). Some are not needed: raw text is read at its start tag,
/// text in tables is handled immediately, and the reference parses pages with frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InsertionMode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    AfterHead,
    InBody,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    AfterAfterBody,
}

pub(super) struct Builder<'a> {
    pub(super) arena: Arena<'a>,
    pub(super) names: Names,
    pub(super) heads: Vec<u64>,
    pub(super) has_less_than: bool,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    pub(super) stack: Stack,
    pub(super) formatting: Formatting,
    pub(super) mode: InsertionMode,
    pub(super) template_modes: Vec<InsertionMode>,
    pub(super) head: Option<NodeId>,
    pub(super) form: Option<NodeId>,
    pub(super) quirks: Quirks,
    /// White space after the head. It is inserted when no more elements can be added to the head.
    pub(super) behind_head: Vec<Range<u32>>,
    /// Whether a comment separates white space that follows the head from earlier white space.
    pub(super) is_behind_comment: bool,
    pub(super) flood: Flood,
    pub(super) leave_out: Option<LeaveOut<'a>>,
    unsure: Option<FallbackReason>,
    /// Upper bound of the number of queries that the reference parser would have made so far.
    work: u64,
    most_work: u64,
    comments: usize,
    attribute_bytes: usize,
    /// Number of levels by which blocks have moved up in total. The depth limit of the reference parser
    /// ignores these moves.
    pub(super) rose: usize,
}

/// Builds a page without the content of elements of `kinds`, or returns the reason why this is not possible.
/// `most_work` is the maximum number of queries that the reference's tree builder may make.
pub(crate) fn build(html: &str, kinds: &ElementKinds, most_work: u64) -> BuildResult {
    if memchr::memchr(0, html.as_bytes()).is_some() {
        return BuildResult::Unsure(FallbackReason::RareCharacter);
    }
    let source = source::normalise(html);
    let mut builder = Builder::new(&source, kinds, most_work);
    builder.run();
    builder.names.leave();
    if let Some(reason) = builder.unsure {
        return BuildResult::Unsure(reason);
    }
    builder.arena.close();
    let left_out = builder.leave_out.map(LeaveOut::left_out).unwrap_or_default();
    let Arena { nodes, attributes, extra, .. } = builder.arena;
    let mut text = match source {
        Cow::Owned(source) => source,
        Cow::Borrowed(source) => {
            let mut text = String::with_capacity(source.len() + extra.len());
            text.push_str(source);
            text
        }
    };
    text.push_str(&extra);
    BuildResult::Sure(Parts { nodes, attributes, text }, left_out)
}

impl<'a> Builder<'a> {
    fn new(source: &'a str, kinds: &'a ElementKinds, most_work: u64) -> Self {
        Self {
            arena: Arena::new(source),
            names: Names::take(),
            heads: Vec::new(),
            has_less_than: false,
            bytes: source.as_bytes(),
            at: if source.starts_with('\u{FEFF}') { 3 } else { 0 },
            stack: Stack::default(),
            formatting: Formatting::default(),
            mode: InsertionMode::Initial,
            template_modes: Vec::new(),
            head: None,
            form: None,
            quirks: Quirks::Unknown,
            behind_head: Vec::new(),
            is_behind_comment: false,
            flood: Flood::default(),
            leave_out: Some(LeaveOut::new(kinds)).filter(|_| !kinds.is_empty()),
            unsure: None,
            work: 0,
            most_work,
            comments: 0,
            attribute_bytes: 0,
            rose: 0,
        }
    }

    fn run(&mut self) {
        while self.at < self.bytes.len() && self.unsure.is_none() {
            match (self.bytes[self.at], self.bytes.get(self.at + 1)) {
                (b'<', Some(b)) if b.is_ascii_alphabetic() => self.start_tag(),
                (b'<', Some(b'/')) => self.end_tag(),
                (b'<', Some(b'!' | b'?')) => self.declaration(),
                _ => self.text_run(),
            }
        }
        if self.unsure.is_none() {
            self.end_of_file();
        }
        if self.flood.is_possible() {
            self.fall_back(FallbackReason::Costly);
        }
    }

    /// Leaves the page to the reference. Only the first reason is kept. The current token has no effect.
    pub(super) fn fall_back(&mut self, reason: FallbackReason) {
        self.unsure = self.unsure.or(Some(reason));
    }

    /// Counts the reference's maximum number of queries for a tag, and checks the other limits.
    fn spend_tag(&mut self) {
        let searched = (self.stack.len() + self.formatting.all.len() + 8) as u64;
        self.spend(searched * QUESTIONS);
        let is_large = self.arena.nodes.len() + self.comments > NODES || self.stack.len() + self.rose > DEPTH;
        if is_large || self.attribute_bytes > ATTRIBUTE_BYTES {
            self.fall_back(FallbackReason::Costly);
        }
    }

    pub(super) fn spend(&mut self, work: u64) {
        self.work += work;
        if self.work > self.most_work {
            self.fall_back(FallbackReason::Costly);
        }
    }

    fn start_tag(&mut self) {
        match self.read_start_tag() {
            None => self.at = self.bytes.len(),
            Some(start) => {
                self.spend_tag();
                self.start(&start);
                if self.leave_out.is_some() && start.tag.is_block() {
                    self.leave_out(start.tag);
                }
            }
        }
    }

    fn end_tag(&mut self) {
        let from = self.at + 2;
        match self.bytes.get(from) {
            Some(b'>') => self.at = from + 1,
            Some(b) if b.is_ascii_alphabetic() => self.named_end_tag(from),
            Some(_) => self.bogus_comment(),
            // At the end of the page, the reference reads `</` as text.
            None => self.fall_back(FallbackReason::RareCharacter),
        }
    }

    fn named_end_tag(&mut self, from: usize) {
        let end = self.name_end(from);
        let Some(behind) = scanner::tag_end(self.bytes, end) else {
            self.at = self.bytes.len();
            return;
        };
        if behind > end + 1 {
            self.flood.part(self.bytes, self.at, behind);
        }
        self.at = behind;
        let name = self.names.get(self.arena.source, from, end).clone();
        self.spend_tag();
        self.end(&name);
    }

    fn declaration(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        if rest.starts_with(b"!--") {
            let end = scanner::comment_end(self.bytes, self.at + 4);
            self.flood.part(self.bytes, self.at + 4, end);
            self.at = end;
            self.comment();
        } else if rest.len() >= 8 && rest[..8].eq_ignore_ascii_case(b"!doctype") {
            self.document_type();
        } else if rest.starts_with(b"![CDATA[") && self.is_foreign() {
            self.character_data();
        } else {
            self.bogus_comment();
        }
    }

    fn bogus_comment(&mut self) {
        let end = scanner::bogus_end(self.bytes, self.at + 1);
        self.flood.part(self.bytes, self.at, end);
        self.at = end;
        self.comment();
    }

    /// Handles a comment. In the current node, it separates two texts.
    fn comment(&mut self) {
        self.comments += 1;
        self.spend(QUESTIONS);
        match self.mode {
            InsertionMode::AfterBody | InsertionMode::AfterAfterBody if !self.is_foreign() => {}
            InsertionMode::AfterHead => self.is_behind_comment = true,
            _ => self.arena.last_text = None,
        }
    }

    fn document_type(&mut self) {
        let end = scanner::bogus_end(self.bytes, self.at + 9);
        let rest = self.arena.source[self.at + 9..end].trim_end_matches('>');
        if self.mode == InsertionMode::Initial {
            self.quirks = doctype::quirks(rest);
            self.mode = InsertionMode::BeforeHtml;
        }
        self.flood.part(self.bytes, self.at, end);
        self.at = end;
    }

    fn end_of_file(&mut self) {
        loop {
            match self.mode {
                InsertionMode::Initial
                | InsertionMode::BeforeHtml
                | InsertionMode::BeforeHead
                | InsertionMode::InHead
                | InsertionMode::AfterHead => {
                    self.open_body();
                }
                _ if self.template_modes.is_empty() => return,
                _ => self.close_template(),
            }
        }
    }

    pub(super) fn insert(&mut self, name: LocalName, attributes: Range<u32>) -> NodeId {
        let display = Display::from_name(&name);
        self.arena.element(self.stack.current_node(), name, display, attributes)
    }

    pub(super) fn insert_open(&mut self, start: &StartTag) -> NodeId {
        let node = self.insert_void(start);
        self.stack.push(OpenElement::html(node, start.tag));
        node
    }

    pub(super) fn insert_void(&mut self, start: &StartTag) -> NodeId {
        let StartTag { name, display, attributes, .. } = start;
        self.arena.element(self.stack.current_node(), name.clone(), *display, attributes.clone())
    }

    pub(super) fn insert_phantom(&mut self, name: LocalName, tag: Tag) -> NodeId {
        let node = self.insert(name, 0..0);
        self.stack.push(OpenElement::html(node, tag));
        node
    }

    pub(super) fn count_attribute(&mut self, bytes: usize) {
        self.attribute_bytes += bytes + 16;
    }

    pub(super) fn name_of(&self, node: NodeId) -> Option<&LocalName> {
        match &self.arena.nodes.get(node as usize)?.kind {
            NodeKind::Element { tag, .. } => Some(tag),
            NodeKind::Text(_) => None,
        }
    }

    pub(super) fn is_named(&self, open: &OpenElement, tag: Tag, name: &LocalName) -> bool {
        let is_same = || !open.is(set::FOREIGN) && self.name_of(open.node) == Some(name);
        open.tag == tag && (tag.is_one() || is_same())
    }

    pub(super) fn reconstruct(&mut self) {
        let is_closed =
            |entry: &Entry, stack: &Stack| entry.node.is_some_and(|node| stack.position(node).is_none());
        let Some(last) = self.formatting.all.last() else { return };
        if !is_closed(last, &self.stack) {
            return;
        }
        let open = self.formatting.all.iter().rposition(|entry| !is_closed(entry, &self.stack));
        let from = open.map_or(0, |index| index + 1);
        let built = (self.formatting.all.len() - from + 1) as u64;
        self.spend(built * (self.stack.len() as u64 + built) * QUESTIONS);
        for index in from..self.formatting.all.len() {
            let Entry { name, attributes, .. } = self.formatting.all[index].clone();
            self.spend_formatting(&attributes);
            let tag = Tag::from_name(&name);
            let node = self.insert(name, attributes);
            self.stack.push(OpenElement::html(node, tag));
            self.formatting.all[index].node = Some(node);
        }
    }

    pub(super) fn spend_formatting(&mut self, attributes: &Range<u32>) {
        let depth = self.stack.len() as u64 + 2;
        self.spend(depth * (2 + 16 * attributes.len() as u64));
        let of = attributes.start as usize..attributes.end as usize;
        let bytes: usize = self.arena.attributes[of].iter().map(|(_, value)| value.len() + 16).sum();
        self.attribute_bytes += bytes;
    }

    pub(super) fn insert_formatting(&mut self, start: &StartTag) {
        let node = self.insert_open(start);
        self.spend_formatting(&start.attributes);
        let entry =
            Entry { node: Some(node), name: start.name.clone(), attributes: start.attributes.clone() };
        self.formatting.push(entry, &self.arena);
    }
}
