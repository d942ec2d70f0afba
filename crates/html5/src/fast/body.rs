//! Handles start tags in the body (HTML standard, 13.2.6.4.7).

use html5ever::local_name;

use super::attributes::StartTag;
use super::builder::{Builder, InsertionMode};
use super::doctype::Quirks;
use super::result::FallbackReason;
use super::stack::OpenElement;
use super::tag::{Tag, set};

impl Builder<'_> {
    pub(super) fn start_in_body(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Html => self.merge_html(start),
            Tag::Body => self.merge_body(start),
            Tag::Frameset => self.fall_back(FallbackReason::Frameset),
            Tag::Frame | Tag::Head => {}
            tag if tag.is_of_head() => self.start_of_head(start),
            tag if tag.is_of_table() => {}
            tag if tag.is_block() => self.start_block(start),
            Tag::P => self.start_block(start),
            Tag::Heading => self.start_heading(start),
            Tag::Preformatted => {
                self.start_block(start);
                self.skip_line_break();
            }
            Tag::Form => self.start_form(start),
            Tag::Li | Tag::Definition => self.start_item(start),
            Tag::Plaintext => self.fall_back(FallbackReason::RareElement),
            Tag::Button => self.start_button(start),
            Tag::A => self.start_link(start),
            Tag::Nobr => self.start_nobr(start),
            Tag::Formatting => {
                self.reconstruct();
                self.insert_formatting(start);
            }
            Tag::Embedding => {
                self.start_inline(start);
                self.formatting.push_marker();
            }
            _ => self.start_other(start),
        }
    }

    /// Handles the remaining start tags: content, controls, raw text, foreign content, and others.
    fn start_other(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Table => self.start_table(start),
            Tag::Br | Tag::Img | Tag::Void | Tag::Keygen => self.start_void(start),
            Tag::Image => self.start_void(&StartTag {
                name: local_name!("img"),
                tag: Tag::Img,
                display: start.display,
                attributes: start.attributes.clone(),
                is_self_closing: false,
            }),
            Tag::Input => self.start_input(start),
            Tag::Param => drop(self.insert_void(start)),
            Tag::Hr => self.start_rule(start),
            Tag::Textarea | Tag::Iframe | Tag::Noembed | Tag::Noscript => self.insert_raw(start),
            Tag::Xmp => {
                self.close_paragraph();
                self.reconstruct();
                self.insert_raw(start);
            }
            Tag::Select => self.start_select(start),
            Tag::Option | Tag::Optgroup => self.start_option(start),
            Tag::RubyBase | Tag::RubyText => self.start_ruby(start),
            Tag::Math | Tag::Svg => {
                self.reconstruct();
                self.insert_foreign(start, start.tag == Tag::Svg);
            }
            _ => self.start_inline(start),
        }
    }

    fn start_inline(&mut self, start: &StartTag) {
        self.reconstruct();
        self.insert_open(start);
    }

    fn start_void(&mut self, start: &StartTag) {
        self.reconstruct();
        self.insert_void(start);
    }

    pub(super) fn insert_line_break(&mut self) {
        self.reconstruct();
        self.insert(local_name!("br"), 0..0);
    }

    fn merge_body(&mut self, start: &StartTag) {
        let body = self.stack.get(1).filter(|open| open.tag == Tag::Body).map(|open| open.node);
        if let Some(body) = body
            && self.template_modes.is_empty()
        {
            self.merge_attributes(body, start);
        }
    }

    fn close_paragraph(&mut self) {
        if self.stack.has_paragraph_in_button_scope() {
            self.stack.close_paragraph();
        }
    }

    fn start_block(&mut self, start: &StartTag) {
        self.close_paragraph();
        self.insert_open(start);
    }

    fn start_heading(&mut self, start: &StartTag) {
        self.close_paragraph();
        if self.stack.is_current(Tag::Heading) {
            self.stack.pop();
        }
        self.insert_open(start);
    }

    fn start_form(&mut self, start: &StartTag) {
        let is_outside = self.template_modes.is_empty();
        if is_outside && self.form.is_some() {
            return;
        }
        self.close_paragraph();
        let form = self.insert_open(start);
        if is_outside {
            self.form = Some(form);
        }
    }

    fn start_item(&mut self, start: &StartTag) {
        let mut found = None;
        for open in self.stack.iter().rev() {
            if open.tag == start.tag {
                found = Some(*open);
                break;
            }
            if open.is(set::SPECIAL) && !matches!(open.tag, Tag::Div | Tag::P) {
                break;
            }
        }
        if let Some(item) = found
            && let Some(name) = self.name_of(item.node).cloned()
        {
            self.pop_named(item.tag, &name);
        }
        self.start_block(start);
    }

    fn start_button(&mut self, start: &StartTag) {
        if self.stack.in_scope(Tag::Button) {
            self.stack.pop_until_tag(Tag::Button);
        }
        self.start_inline(start);
    }

    fn start_link(&mut self, start: &StartTag) {
        if let Some(index) = self.formatting.last_named(&start.name)
            && let Some(node) = self.formatting.all[index].node
        {
            self.adoption_agency(&start.name);
            self.formatting.remove_node(node);
            self.stack.remove(node);
        }
        self.reconstruct();
        self.insert_formatting(start);
    }

    fn start_nobr(&mut self, start: &StartTag) {
        self.reconstruct();
        if self.stack.in_scope(Tag::Nobr) {
            self.adoption_agency(&start.name);
            self.reconstruct();
        }
        self.insert_formatting(start);
    }

    fn start_table(&mut self, start: &StartTag) {
        if self.stack.has_paragraph_in_button_scope() {
            match self.quirks {
                Quirks::No => self.close_paragraph(),
                Quirks::Yes => {}
                Quirks::Unknown => return self.fall_back(FallbackReason::Quirks),
            }
        }
        self.insert_open(start);
        self.mode = InsertionMode::InTable;
    }

    fn start_input(&mut self, start: &StartTag) {
        if self.stack.in_scope(Tag::Select) {
            self.stack.pop_until_tag(Tag::Select);
        }
        self.start_void(start);
    }

    fn start_rule(&mut self, start: &StartTag) {
        self.close_paragraph();
        if self.stack.in_scope(Tag::Select) {
            self.stack.generate_implied_end_tags(set::IMPLIED, |_| false);
        }
        self.insert_void(start);
    }

    fn start_select(&mut self, start: &StartTag) {
        if self.stack.in_scope(Tag::Select) {
            self.stack.pop_until_tag(Tag::Select);
        } else {
            self.start_inline(start);
        }
    }

    fn start_option(&mut self, start: &StartTag) {
        if self.stack.in_scope(Tag::Select) {
            let is_option = start.tag == Tag::Option;
            let stays = |open: &OpenElement| is_option && open.tag == Tag::Optgroup;
            self.stack.generate_implied_end_tags(set::IMPLIED, stays);
        } else if self.stack.is_current(Tag::Option) {
            self.stack.pop();
        }
        self.start_inline(start);
    }

    fn start_ruby(&mut self, start: &StartTag) {
        if self.stack.in_scope(Tag::Ruby) {
            let is_text = start.tag == Tag::RubyText;
            while let Some(open) = self.stack.current().copied()
                && open.is(set::IMPLIED)
                && !(is_text && self.is_named(&open, Tag::RubyBase, &local_name!("rtc")))
            {
                self.stack.pop();
            }
        }
        self.insert_open(start);
    }
}
