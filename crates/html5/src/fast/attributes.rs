//! Reads the name and the attributes of a start tag.

use std::cmp::Ordering;
use std::ops::Range;

use html5ever::LocalName;

use crate::tags::Display;
use crate::tree::{NodeId, NodeKind};

use super::builder::Builder;
use super::names::Name;
use super::references;
use super::result::FallbackReason;
use super::scanner::is_space;
use super::tag::Tag;

/// Maximum number of attributes of a tag in this builder. html5ever keeps 1,000, and cuts the page at 20,000.
const ATTRIBUTES: usize = 400;

pub(super) struct StartTag {
    pub(super) name: LocalName,
    pub(super) tag: Tag,
    pub(super) display: Display,
    /// The attributes, sorted by name, without repetitions.
    pub(super) attributes: Range<u32>,
    pub(super) is_self_closing: bool,
}

const fn ends_name(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0C' | b' ' | b'/' | b'>')
}

impl Builder<'_> {
    pub(super) fn name_end(&self, from: usize) -> usize {
        let length = self.bytes[from..].iter().position(|b| ends_name(*b));
        length.map_or(self.bytes.len(), |length| from + length)
    }

    pub(super) fn read_start_tag(&mut self) -> Option<StartTag> {
        let (open, from) = (self.at, self.at + 1);
        let end = self.name_end(from);
        let Name { name, tag, display, .. } = self.names.get(self.arena.source, from, end).clone();
        self.at = end;
        self.has_less_than = tag == Tag::Other && self.bytes[from..end].contains(&b'<');
        self.heads.clear();
        let first = self.arena.attributes.len();
        let mut count = 0;
        let is_self_closing = loop {
            match *self.bytes.get(self.at)? {
                b'>' => break false,
                b'/' if self.bytes.get(self.at + 1) == Some(&b'>') => {
                    self.at += 1;
                    break true;
                }
                b if is_space(b) || b == b'/' => self.at += 1,
                _ => {
                    count += 1;
                    self.read_attribute(first)?;
                }
            }
        };
        self.at += 1;
        self.flood.tag(count);
        if self.has_less_than {
            self.flood.part(self.bytes, open + 1, self.at);
        }
        if count > ATTRIBUTES {
            self.fall_back(FallbackReason::Costly);
        }
        let attributes = first as u32..self.arena.attributes.len() as u32;
        Some(StartTag { name, tag, display, attributes, is_self_closing })
    }

    fn read_attribute(&mut self, first: usize) -> Option<()> {
        let from = self.at;
        let mut has_less_than = self.bytes[from] == b'<';
        let is_end = |b: &u8| {
            has_less_than |= *b == b'<';
            ends_name(*b) || *b == b'='
        };
        let length = self.bytes[from + 1..].iter().position(is_end)?;
        self.has_less_than |= has_less_than;
        self.at = from + 1 + length;
        let Name { name, head, .. } = self.names.get(self.arena.source, from, self.at).clone();
        let value = self.read_value()?;
        self.keep_attribute(first, name, head, value);
        Some(())
    }

    fn keep_attribute(&mut self, first: usize, name: LocalName, head: u64, value: Range<u32>) {
        let attributes = &self.arena.attributes[first..];
        let is_before = |index: &usize| match self.heads[*index].cmp(&head) {
            Ordering::Equal => attributes[*index].0 <= name,
            order => order.is_lt(),
        };
        let place = (0..self.heads.len()).rev().find(is_before).map_or(0, |index| index + 1);
        let is_known = place > 0 && attributes[place - 1].0 == name;
        if !is_known && self.heads.len() <= ATTRIBUTES {
            self.count_attribute(value.len());
            self.heads.insert(place, head);
            self.arena.attributes.insert(first + place, (name, value));
        }
    }

    /// Reads the value after a name. The range is empty if there is no value. Returns `None` if the source
    /// ends in the value.
    fn read_value(&mut self) -> Option<Range<u32>> {
        self.skip_space();
        if self.bytes.get(self.at) != Some(&b'=') {
            return Some(0..0);
        }
        self.at += 1;
        self.skip_space();
        match *self.bytes.get(self.at)? {
            quote @ (b'"' | b'\'') => self.quoted(quote),
            b'>' => Some(0..0),
            _ => {
                let from = self.at;
                let length = self.bytes[from..].iter().position(|b| is_space(*b) || *b == b'>')?;
                self.at = from + length;
                self.has_less_than |= self.bytes[from..self.at].contains(&b'<');
                Some(self.value(from, from + length))
            }
        }
    }

    fn quoted(&mut self, quote: u8) -> Option<Range<u32>> {
        let from = self.at + 1;
        let rest = &self.bytes[from..];
        let found = memchr::memchr3(quote, b'&', b'<', rest)?;
        if rest[found] == quote {
            self.at = from + found + 1;
            return Some(from as u32..(from + found) as u32);
        }
        let length = found + memchr::memchr(quote, &rest[found..])?;
        self.has_less_than |= memchr::memchr(b'<', &rest[..length]).is_some();
        self.at = from + length + 1;
        Some(self.value(from, from + length))
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(|b| is_space(*b)) {
            self.at += 1;
        }
    }

    fn value(&mut self, from: usize, to: usize) -> Range<u32> {
        if memchr::memchr(b'&', &self.bytes[from..to]).is_none() {
            return from as u32..to as u32;
        }
        let text = &self.arena.source[from..to];
        self.arena.write(|out| references::resolve(text, true, out))
    }

    pub(super) fn attribute(&self, start: &StartTag, name: &LocalName) -> Option<&str> {
        let of = start.attributes.start as usize..start.attributes.end as usize;
        let found = self.arena.attributes[of].iter().find(|(known, _)| known == name);
        found.map(|(_, value)| self.arena.slice(value))
    }

    pub(super) fn merge_attributes(&mut self, node: NodeId, start: &StartTag) {
        let NodeKind::Element { attributes, .. } = &self.arena.nodes[node as usize].kind else { return };
        let has = attributes.start as usize..attributes.end as usize;
        let more = start.attributes.start as usize..start.attributes.end as usize;
        self.spend((has.len() * more.len()) as u64);
        let all = &self.arena.attributes;
        let lacks = |new: &&(LocalName, Range<u32>)| all[has.clone()].iter().all(|(name, _)| *name != new.0);
        let mut merged: Vec<_> = all[more].iter().filter(lacks).cloned().collect();
        if merged.is_empty() {
            return;
        }
        merged.extend_from_slice(&all[has]);
        merged.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        if merged.len() > ATTRIBUTES {
            self.fall_back(FallbackReason::Costly);
        }
        let from = self.arena.attributes.len() as u32;
        self.arena.attributes.append(&mut merged);
        let merged = from..self.arena.attributes.len() as u32;
        if let NodeKind::Element { attributes, .. } = &mut self.arena.nodes[node as usize].kind {
            *attributes = merged;
        }
    }
}
