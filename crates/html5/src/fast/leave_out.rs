//! Skips the content of elements that the caller does not need
//! ([`ElementKinds`](crate::element_kinds::ElementKinds)).
//!
//! Only links (without their text), `<link>`, `<meta>`, `<base>` and JSON-LD become children of a skipped
//! element. Of all other tags, only the name and the end are read. The end of the skipped element must be
//! certain, and no element inside it may remain open after it. This is so if every end tag closes the
//! innermost open element. Therefore each tag is compared with a list of open elements, in which paragraphs,
//! items and options may end implicitly. Any other special case of the standard ends the attempt: a link in a
//! link, a block in a paragraph with formatting, text in a table, a heading in a heading, templates. Then the
//! element is built like any other, so the rest of the page does not change.
//!
//! Limitation: the content of a failed attempt is read twice. After failed attempts have read as many bytes
//! as the page has, no further attempts are made.

use html5ever::{LocalName, local_name};

use crate::element_kinds::{self, ElementKinds};
use crate::tree::{NodeId, NodeKind};

use super::builder::{Builder, InsertionMode};
use super::names::Name;
use super::nesting::{UncertainNesting, check_table, enter, enter_foreign, is_table_part, leave};
use super::result::LeftOut;
use super::scanner;
use super::tag::Tag;

/// Maximum number of open elements inside a skipped element.
const DEPTH: usize = 200;

/// The attributes of a tag with at most this length in bytes are not counted but estimated by an upper bound.
const SHORT_TAG: usize = 400;

pub(super) struct LeaveOut<'a> {
    kinds: &'a ElementKinds,
    pub(super) found: Vec<NodeId>,
    open: Vec<(Tag, LocalName)>,
    wasted: usize,
    has_skipped: bool,
}

impl<'a> LeaveOut<'a> {
    pub(super) fn new(kinds: &'a ElementKinds) -> Self {
        Self { kinds, found: Vec::new(), open: Vec::new(), wasted: 0, has_skipped: false }
    }

    pub(super) fn left_out(self) -> LeftOut {
        LeftOut { found: self.found, has_skipped: self.has_skipped }
    }
}

impl Builder<'_> {
    pub(super) fn leave_out(&mut self, tag: Tag) {
        let Some(leave_out) = &self.leave_out else { return };
        let Some(current) = self.stack.current() else { return };
        let node = current.node;
        let is_new = node as usize + 1 == self.arena.nodes.len() && current.tag == tag;
        if !is_new || !self.is_of(leave_out.kinds, node) {
            return;
        }
        let is_within = leave_out.found.last().is_some_and(|last| self.stack.position(*last).is_some());
        if is_within {
            return;
        }
        let Some(mut leave_out) = self.leave_out.take() else { return };
        leave_out.found.push(node);
        if leave_out.wasted <= self.bytes.len() && self.is_self_contained() {
            self.try_skip(&mut leave_out, tag);
        }
        self.leave_out = Some(leave_out);
    }

    fn is_of(&self, kinds: &ElementKinds, node: NodeId) -> bool {
        let parent = self.arena.nodes[node as usize].parent;
        self.name_of(node).is_some_and(|name| element_kinds::has_kind(name))
            && kinds.has(self.kind_hash(node), || self.kind_hash(parent))
    }

    fn kind_hash(&self, node: NodeId) -> u64 {
        let NodeKind::Element { tag, attributes } = &self.arena.nodes[node as usize].kind else { return 0 };
        let of = &self.arena.attributes[attributes.start as usize..attributes.end as usize];
        let value = |name: LocalName| {
            of.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| self.arena.slice(value))
        };
        element_kinds::hash(tag, value(local_name!("class")), value(local_name!("id")))
    }

    /// Whether the content of the current element can neither close elements outside it nor reopen them.
    fn is_self_contained(&self) -> bool {
        matches!(self.mode, InsertionMode::InBody | InsertionMode::InCell)
            && self.template_modes.is_empty()
            && self.formatting.all.last().is_none_or(|entry| entry.node.is_none())
            && !self.stack.in_scope(Tag::Button)
            && !self.stack.in_scope(Tag::Select)
            && !self.stack.in_scope(Tag::Heading)
    }

    /// Tries to skip the content of the current element and to close it. Writes nothing if the end is
    /// uncertain.
    fn try_skip(&mut self, leave_out: &mut LeaveOut<'_>, tag: Tag) {
        let (at, nodes) = (self.at, self.arena.nodes.len());
        let (attributes, extra) = (self.arena.attributes.len(), self.arena.extra.len());
        leave_out.open.clear();
        leave_out.open.push((tag, self.name_of(self.stack.current_node()).cloned().unwrap_or_default()));
        if self.skip_content(&mut leave_out.open).is_ok() {
            self.stack.pop();
            leave_out.has_skipped = true;
        } else {
            leave_out.wasted += self.at.max(at + 1) - at;
            self.at = at;
            self.arena.nodes.truncate(nodes);
            self.arena.attributes.truncate(attributes);
            self.arena.extra.truncate(extra);
        }
        self.arena.last_text = None;
    }

    fn skip_content(&mut self, open: &mut Vec<(Tag, LocalName)>) -> Result<(), UncertainNesting> {
        let mut svg = None;
        while let Some(length) = memchr::memchr(b'<', &self.bytes[self.at..]) {
            let is_table = open.last().is_some_and(|(tag, _)| is_table_part(*tag));
            if is_table && !self.bytes[self.at..self.at + length].trim_ascii().is_empty() {
                return Err(UncertainNesting);
            }
            self.at += length;
            match self.bytes.get(self.at + 1) {
                Some(b) if b.is_ascii_alphabetic() => self.pass_start_tag(open, &mut svg)?,
                Some(b'/') => {
                    self.pass_end_tag(open, &mut svg)?;
                    if open.is_empty() {
                        return Ok(());
                    }
                }
                Some(b'!' | b'?') => self.pass_declaration(svg.is_some())?,
                _ if is_table => return Err(UncertainNesting),
                _ => self.at += 1,
            }
        }
        Err(UncertainNesting)
    }

    fn pass_declaration(&mut self, is_foreign: bool) -> Result<(), UncertainNesting> {
        let rest = &self.bytes[self.at + 1..];
        let end = if rest.starts_with(b"!--") {
            scanner::comment_end(self.bytes, self.at + 4)
        } else if is_foreign {
            return Err(UncertainNesting);
        } else {
            scanner::bogus_end(self.bytes, self.at + 1)
        };
        self.flood.part(self.bytes, self.at + 1, end);
        self.at = end;
        Ok(())
    }

    fn pass_tag(&mut self, name_end: usize) -> Result<bool, UncertainNesting> {
        let end = scanner::quick_tag_end(self.bytes, name_end).ok_or(UncertainNesting)?;
        let tag = &self.bytes[self.at + 1..end];
        if tag.len() > SHORT_TAG {
            self.flood.part(self.bytes, self.at, end);
        } else if tag.len() > name_end - self.at {
            // An attribute has at least a separator and a name of one byte.
            self.flood.tag(tag.len() / 2);
            if memchr::memchr(b'<', tag).is_some() {
                self.flood.part(self.bytes, self.at + 1, end);
            }
        }
        self.at = end;
        Ok(tag.ends_with(b"/>"))
    }

    fn pass_start_tag(
        &mut self,
        open: &mut Vec<(Tag, LocalName)>,
        svg: &mut Option<usize>,
    ) -> Result<(), UncertainNesting> {
        let from = self.at + 1;
        let end = self.name_end(from);
        let Name { name, tag, .. } = self.names.get(self.arena.source, from, end).clone();
        self.spend_passed(open.len());
        if open.len() > DEPTH || is_asked_for(tag, &name) {
            return Err(UncertainNesting);
        }
        if svg.is_some() {
            let is_closed = self.pass_tag(end)?;
            return enter_foreign(open, tag, name, is_closed);
        }
        match tag {
            Tag::A | Tag::HeadVoid => self.keep_tag()?,
            Tag::Void if name == local_name!("area") => self.keep_tag()?,
            Tag::Script => return self.pass_script(),
            Tag::HeadRaw | Tag::Textarea | Tag::Iframe | Tag::Noembed | Tag::Noscript => {
                check_table(open, tag)?;
                self.pass_tag(end)?;
                return self.pass_raw(tag, &name);
            }
            Tag::Svg => {
                check_table(open, tag)?;
                if !self.pass_tag(end)? {
                    *svg = Some(open.len());
                    open.push((tag, name));
                }
                return Ok(());
            }
            Tag::Form if self.form.is_some() => return Err(UncertainNesting),
            _ => drop(self.pass_tag(end)?),
        }
        enter(open, tag, name)
    }

    /// Writes the tag at the current position as a child of the skipped element.
    fn keep_tag(&mut self) -> Result<(), UncertainNesting> {
        let start = self.read_start_tag().ok_or(UncertainNesting)?;
        self.insert_void(&start);
        Ok(())
    }

    fn pass_script(&mut self) -> Result<(), UncertainNesting> {
        let attributes = self.arena.attributes.len();
        let start = self.read_start_tag().ok_or(UncertainNesting)?;
        let kind = self.attribute(&start, &local_name!("type")).unwrap_or_default();
        if is_json_ld(kind) {
            self.insert_raw(&start);
            return Ok(());
        }
        self.arena.attributes.truncate(attributes);
        self.pass_raw(Tag::Script, &start.name)
    }

    fn pass_raw(&mut self, tag: Tag, name: &LocalName) -> Result<(), UncertainNesting> {
        let from = self.at;
        let (to, name_end) = match tag {
            Tag::Script => scanner::script_end(self.bytes, from),
            _ => scanner::raw_text_end(self.bytes, from, name),
        };
        self.at = scanner::tag_end(self.bytes, name_end).ok_or(UncertainNesting)?;
        self.flood.part(self.bytes, from, to);
        self.spend(8 * (to - from) as u64 + 64);
        Ok(())
    }

    fn pass_end_tag(
        &mut self,
        open: &mut Vec<(Tag, LocalName)>,
        svg: &mut Option<usize>,
    ) -> Result<(), UncertainNesting> {
        let from = self.at + 2;
        if !self.bytes.get(from).is_some_and(u8::is_ascii_alphabetic) {
            return Err(UncertainNesting);
        }
        let end = self.name_end(from);
        let Name { name, tag, .. } = self.names.get(self.arena.source, from, end).clone();
        self.spend_passed(open.len());
        self.pass_tag(end)?;
        if let Some(outer) = *svg {
            if open.pop().is_none_or(|(_, open)| open != name) {
                return Err(UncertainNesting);
            }
            if open.len() == outer {
                *svg = None;
            }
            return Ok(());
        }
        leave(open, tag, &name)
    }

    fn spend_passed(&mut self, open: usize) {
        // The same amount as in `spend_tag`.
        self.spend(((self.stack.len() + open + 8) * 24) as u64);
    }
}

pub(crate) fn is_json_ld(kind: &str) -> bool {
    kind.trim().get(..19).is_some_and(|kind| kind.eq_ignore_ascii_case("application/ld+json"))
}

/// Whether metadata are read from this element anywhere on the page.
fn is_asked_for(tag: Tag, name: &LocalName) -> bool {
    match tag {
        Tag::Heading => *name == local_name!("h1"),
        Tag::Other => *name == local_name!("time"),
        _ => false,
    }
}
