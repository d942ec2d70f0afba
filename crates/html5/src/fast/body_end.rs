//! Handles end tags in the body (HTML standard, 13.2.6.4.7).

use html5ever::{LocalName, local_name};

use super::builder::{Builder, InsertionMode};
use super::names::Name;
use super::tag::{Tag, set};

impl Builder<'_> {
    pub(super) fn end_in_body(&mut self, end: &Name) {
        match end.tag {
            Tag::Template => self.end_template(),
            Tag::Body | Tag::Html => self.end_body(end),
            tag if tag.is_block() => drop(self.end_block(end)),
            Tag::Button | Tag::Preformatted | Tag::Select => drop(self.end_block(end)),
            Tag::Form => self.end_form(),
            Tag::P => self.end_paragraph(),
            Tag::Li | Tag::Definition => self.end_item(end),
            Tag::Heading => self.end_heading(),
            Tag::A | Tag::Nobr | Tag::Formatting => self.adoption_agency(&end.name),
            Tag::Embedding => {
                if self.end_block(end) {
                    self.formatting.clear_to_marker();
                }
            }
            Tag::Br => self.insert_line_break(),
            _ => self.end_other(end),
        }
    }

    fn end_body(&mut self, end: &Name) {
        if self.stack.in_scope(Tag::Body) {
            self.mode =
                if end.tag == Tag::Html { InsertionMode::AfterAfterBody } else { InsertionMode::AfterBody };
        }
    }

    fn is_in_scope(&self, end: &Name) -> bool {
        self.stack.in_scope_if(|open| self.is_named(open, end.tag, &end.name))
    }

    fn end_block(&mut self, end: &Name) -> bool {
        let is_open = self.is_in_scope(end);
        if is_open {
            self.pop_named(end.tag, &end.name);
        }
        is_open
    }

    pub(super) fn pop_named(&mut self, tag: Tag, name: &LocalName) {
        while let Some(open) = self.stack.current().copied() {
            self.stack.pop();
            if self.is_named(&open, tag, name) {
                break;
            }
        }
    }

    fn end_form(&mut self) {
        if !self.template_modes.is_empty() {
            if self.stack.in_scope(Tag::Form) {
                self.stack.pop_until_tag(Tag::Form);
            }
            return;
        }
        if let Some(form) = self.form.take()
            && self.stack.node_in_scope(form)
        {
            self.stack.generate_implied_end_tags(set::IMPLIED, |_| false);
            self.stack.remove(form);
        }
    }

    fn end_paragraph(&mut self) {
        if !self.stack.has_paragraph_in_button_scope() {
            self.insert_phantom(local_name!("p"), Tag::P);
        }
        self.stack.close_paragraph();
    }

    fn end_item(&mut self, end: &Name) {
        let is_it = |open: &_| self.is_named(open, end.tag, &end.name);
        let is_open = match end.tag {
            Tag::Li => self.stack.in_list_scope_if(is_it),
            _ => self.stack.in_scope_if(is_it),
        };
        if is_open {
            self.pop_named(end.tag, &end.name);
        }
    }

    fn end_heading(&mut self) {
        if self.stack.in_scope(Tag::Heading) {
            self.stack.pop_until_tag(Tag::Heading);
        }
    }

    pub(super) fn end_other(&mut self, end: &Name) {
        if let Some(index) = self.stack.above_special(|open| self.is_named(open, end.tag, &end.name)) {
            self.stack.truncate(index);
        }
    }
}
