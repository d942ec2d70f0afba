//! Adds text according to the insertion mode, and reads raw text and CDATA sections.

use std::ops::Range;

use super::attributes::StartTag;
use super::builder::{Builder, InsertionMode};
use super::result::FallbackReason;
use super::tag::{Tag, set};
use super::{references, scanner};

impl Builder<'_> {
    pub(super) fn text_run(&mut self) {
        let from = self.at;
        let (to, has_reference) = scanner::text_end(self.bytes, from);
        self.at = to;
        // The reference drops a byte order mark after a script and some other tags.
        if self.bytes[from..to].starts_with("\u{FEFF}".as_bytes()) {
            self.fall_back(FallbackReason::RareCharacter);
        }
        let text = if has_reference { self.resolved(from, to) } else { from as u32..to as u32 };
        let depth = if self.formatting.all.is_empty() { 8 } else { self.stack.len() + 8 };
        self.spend((to - from) as u64 * depth as u64);
        self.text(text);
    }

    fn resolved(&mut self, from: usize, to: usize) -> Range<u32> {
        if memchr::memchr(b'&', &self.bytes[from..to]).is_none() {
            return from as u32..to as u32;
        }
        let text = &self.arena.source[from..to];
        self.arena.write(|out| references::resolve(text, false, out))
    }

    fn text(&mut self, text: Range<u32>) {
        if self.is_foreign() && !self.stack.is_current_in(set::HTML_POINT | set::TEXT_POINT) {
            return self.append(text);
        }
        match self.mode {
            InsertionMode::Initial
            | InsertionMode::BeforeHtml
            | InsertionMode::BeforeHead
            | InsertionMode::InHead
            | InsertionMode::AfterHead => {
                self.text_before_body(text);
            }
            InsertionMode::InTable | InsertionMode::InTableBody | InsertionMode::InRow => {
                self.text_in_table(text)
            }
            InsertionMode::InColumnGroup => match self.split(&text) {
                (space, rest) if rest.is_empty() => self.append(space),
                _ => self.fall_back(FallbackReason::TableText),
            },
            InsertionMode::AfterBody | InsertionMode::AfterAfterBody => {
                if !self.split(&text).1.is_empty() {
                    self.mode = InsertionMode::InBody;
                }
                self.text_in_body(text);
            }
            InsertionMode::InBody
            | InsertionMode::InCaption
            | InsertionMode::InCell
            | InsertionMode::InTemplate => self.text_in_body(text),
        }
    }

    fn text_in_body(&mut self, text: Range<u32>) {
        self.reconstruct();
        self.append(text);
    }

    fn text_before_body(&mut self, text: Range<u32>) {
        let (space, rest) = self.split(&text);
        if !space.is_empty() {
            match self.mode {
                InsertionMode::InHead => self.append(space),
                InsertionMode::AfterHead => self.keep_behind_head(space),
                _ => {}
            }
        }
        if !rest.is_empty() {
            self.open_body();
            self.text_in_body(rest);
        }
    }

    /// Stores white space after the head until the body starts, because the head may still get elements.
    fn keep_behind_head(&mut self, space: Range<u32>) {
        match self.behind_head.pop() {
            Some(before) if !self.is_behind_comment => {
                let (joined, copied) = self.arena.join(before, space);
                self.spend(copied as u64);
                self.behind_head.push(joined);
            }
            before => {
                self.behind_head.extend(before);
                self.behind_head.push(space);
            }
        }
        self.is_behind_comment = false;
    }

    fn text_in_table(&mut self, text: Range<u32>) {
        let is_in_place = self.stack.is_current_in(set::TABLE_OUTER);
        if is_in_place && self.split(&text).1.is_empty() {
            self.append(text);
        } else {
            self.fall_back(FallbackReason::TableText);
        }
    }

    pub(super) fn append(&mut self, text: Range<u32>) {
        if !text.is_empty() {
            let copied = self.arena.text(self.stack.current_node(), text);
            self.spend(copied as u64);
        }
    }

    fn split(&self, text: &Range<u32>) -> (Range<u32>, Range<u32>) {
        let content = self.arena.slice(text);
        let space = content.len() - content.trim_ascii_start().len();
        let middle = text.start + space as u32;
        (text.start..middle, middle..text.end)
    }

    pub(super) fn insert_raw(&mut self, start: &StartTag) {
        let parent = self.insert_void(start);
        if start.tag == Tag::Textarea {
            self.skip_line_break();
        }
        let from = self.at;
        let (to, name_end) = match start.tag {
            Tag::Script => scanner::script_end(self.bytes, from),
            _ => scanner::raw_text_end(self.bytes, from, &start.name),
        };
        self.flood.part(self.bytes, from, to);
        self.at = scanner::tag_end(self.bytes, name_end).unwrap_or(self.bytes.len());
        self.flood.part(self.bytes, name_end, self.at);
        let text = match start.tag {
            Tag::Title | Tag::Textarea => self.resolved(from, to),
            _ => from as u32..to as u32,
        };
        self.spend(8 * (to - from) as u64 + 64);
        if !text.is_empty() {
            self.arena.text(parent, text);
        }
    }

    /// Skips the line break after `<pre>`, `<listing>` and `<textarea>`, which html5ever ignores.
    pub(super) fn skip_line_break(&mut self) {
        match self.bytes.get(self.at) {
            Some(b'\n') => self.at += 1,
            // The line break may also be `&#10;` or `&NewLine;`.
            Some(b'&') if matches!(self.bytes.get(self.at + 1), Some(b'#' | b'N')) => {
                self.fall_back(FallbackReason::RareElement);
            }
            _ => {}
        }
    }

    pub(super) fn character_data(&mut self) {
        let from = self.at + 9;
        let Some(length) = memchr::memmem::find(&self.bytes[from..], b"]]>") else {
            return self.fall_back(FallbackReason::RareCharacter);
        };
        self.flood.part(self.bytes, self.at, from + length);
        self.at = from + length + 3;
        self.spend((length * (self.stack.len() + 8)) as u64);
        if length > 0 {
            self.text(from as u32..(from + length) as u32);
        }
    }
}
