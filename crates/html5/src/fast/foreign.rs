//! Handles SVG and MathML (HTML standard, 13.2.6.5).

use std::ops::Range;

use html5ever::LocalName;

use super::attributes::StartTag;
use super::builder::Builder;
use super::foreign_names::{attribute_name, element_name};
use super::names::Name;
use super::result::FallbackReason;
use super::stack::OpenElement;
use super::tag::{Tag, set};

impl Builder<'_> {
    pub(super) fn is_foreign(&self) -> bool {
        self.stack.is_current_in(set::FOREIGN)
    }

    pub(super) fn is_foreign_to(&self, start: &StartTag) -> bool {
        let Some(current) = self.stack.current().filter(|open| open.is(set::FOREIGN)) else {
            return false;
        };
        let is_text = current.is(set::TEXT_POINT) && start.tag != Tag::MathGlyph;
        !(is_text || current.is(set::HTML_POINT))
    }

    pub(super) fn start_in_foreign(&mut self, start: &StartTag) {
        let is_font = start.tag == Tag::Formatting && *start.name == *"font";
        let is_styled =
            || self.names_in(&start.attributes).any(|name| matches!(name, "color" | "face" | "size"));
        if start.tag.breaks_out(&start.name) || (is_font && is_styled()) {
            self.leave_foreign();
            return self.start_in_mode(start);
        }
        let is_svg = self.stack.is_current_in(set::SVG);
        self.insert_foreign(start, is_svg);
    }

    fn names_in(&self, attributes: &Range<u32>) -> impl Iterator<Item = &str> {
        let of = attributes.start as usize..attributes.end as usize;
        self.arena.attributes[of].iter().map(|(name, _)| &**name)
    }

    fn leave_foreign(&mut self) {
        while self.is_foreign() && !self.stack.is_current_in(set::HTML_POINT | set::TEXT_POINT) {
            self.stack.pop();
        }
    }

    pub(super) fn insert_foreign(&mut self, start: &StartTag, is_svg: bool) {
        let mut sets = set::FOREIGN | if is_svg { set::SVG } else { 0 };
        let mut name = start.name.clone();
        match start.tag {
            Tag::AnnotationXml if !is_svg => self.fall_back(FallbackReason::Annotation),
            Tag::MathPoint if !is_svg => sets |= set::TEXT_POINT | set::SCOPE,
            Tag::Desc | Tag::ForeignObject | Tag::Title if is_svg => sets |= set::HTML_POINT | set::SCOPE,
            _ => {}
        }
        if is_svg {
            name = element_name(&name).map_or(name, LocalName::from);
        }
        let attributes = self.adjusted(&start.attributes, is_svg);
        let node = self.insert(name, attributes);
        if !start.is_self_closing {
            self.stack.push(OpenElement { node, tag: Tag::Other, sets });
        }
    }

    /// Renames and sorts foreign attributes. Attributes without a prefix come first, and the others follow by
    /// prefix.
    fn adjusted(&mut self, attributes: &Range<u32>, is_svg: bool) -> Range<u32> {
        let of = attributes.start as usize..attributes.end as usize;
        let mut all: Vec<(u8, (LocalName, Range<u32>))> = Vec::with_capacity(of.len());
        for (name, value) in &self.arena.attributes[of.clone()] {
            let (prefix, adjusted) = attribute_name(name, is_svg);
            let name = adjusted.map_or_else(|| name.clone(), LocalName::from);
            all.push((prefix, (name, value.clone())));
        }
        all.sort_by(|a, b| (a.0, &a.1.0).cmp(&(b.0, &b.1.0)));
        for (place, (_, attribute)) in self.arena.attributes[of].iter_mut().zip(all) {
            *place = attribute;
        }
        attributes.clone()
    }

    /// Closes the nearest foreign element of this name. At an HTML element, the insertion mode's rules apply.
    pub(super) fn end_in_foreign(&mut self, end: &Name) {
        if matches!(end.tag, Tag::Br | Tag::P) {
            self.leave_foreign();
            return self.end_in_mode(end);
        }
        for index in (1..self.stack.len()).rev() {
            let Some(open) = self.stack.get(index).copied() else { return };
            if !open.is(set::FOREIGN) {
                return self.end_in_mode(end);
            }
            if self.name_of(open.node).is_some_and(|name| name.eq_ignore_ascii_case(&end.name)) {
                self.stack.truncate(index);
                return;
            }
        }
    }
}
