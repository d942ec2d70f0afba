//! Implements the insertion modes up to the body (HTML standard, 13.2.6.4.1 to 13.2.6.4.6), and chooses the
//! handler by mode.

use html5ever::local_name;

use super::attributes::StartTag;
use super::builder::{Builder, InsertionMode};
use super::doctype::Quirks;
use super::names::Name;
use super::result::FallbackReason;
use super::stack::OpenElement;
use super::tag::{Tag, set};

impl Builder<'_> {
    pub(super) fn start(&mut self, start: &StartTag) {
        if self.is_foreign_to(start) { self.start_in_foreign(start) } else { self.start_in_mode(start) }
    }

    pub(super) fn start_in_mode(&mut self, start: &StartTag) {
        match self.mode {
            InsertionMode::Initial | InsertionMode::BeforeHtml => self.start_before_html(start),
            InsertionMode::BeforeHead => self.start_before_head(start),
            InsertionMode::InHead => self.start_in_head(start),
            InsertionMode::AfterHead => self.start_after_head(start),
            InsertionMode::InBody => self.start_in_body(start),
            InsertionMode::InTable => self.start_in_table(start),
            InsertionMode::InCaption => self.start_in_caption(start),
            InsertionMode::InColumnGroup => self.start_in_column_group(start),
            InsertionMode::InTableBody => self.start_in_table_body(start),
            InsertionMode::InRow => self.start_in_row(start),
            InsertionMode::InCell => self.start_in_cell(start),
            InsertionMode::InTemplate => self.start_in_template(start),
            InsertionMode::AfterBody | InsertionMode::AfterAfterBody => self.start_after_body(start),
        }
    }

    pub(super) fn end(&mut self, end: &Name) {
        if self.is_foreign() { self.end_in_foreign(end) } else { self.end_in_mode(end) }
    }

    pub(super) fn end_in_mode(&mut self, end: &Name) {
        match self.mode {
            InsertionMode::Initial
            | InsertionMode::BeforeHtml
            | InsertionMode::BeforeHead
            | InsertionMode::InHead
            | InsertionMode::AfterHead => {
                self.end_before_body(end);
            }
            InsertionMode::InBody => self.end_in_body(end),
            InsertionMode::InTable => self.end_in_table(end),
            InsertionMode::InCaption => self.end_in_caption(end),
            InsertionMode::InColumnGroup => self.end_in_column_group(end),
            InsertionMode::InTableBody => self.end_in_table_body(end),
            InsertionMode::InRow => self.end_in_row(end),
            InsertionMode::InCell => self.end_in_cell(end),
            InsertionMode::InTemplate if end.tag == Tag::Template => self.end_template(),
            InsertionMode::InTemplate => {}
            InsertionMode::AfterBody if end.tag == Tag::Html => self.mode = InsertionMode::AfterAfterBody,
            InsertionMode::AfterBody | InsertionMode::AfterAfterBody => {
                self.mode = InsertionMode::InBody;
                self.end_in_body(end);
            }
        }
    }

    fn start_before_html(&mut self, start: &StartTag) {
        if start.tag == Tag::Html {
            self.leave_initial();
            self.insert_open(start);
            self.mode = InsertionMode::BeforeHead;
        } else {
            self.open_html();
            self.start_before_head(start);
        }
    }

    fn start_before_head(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Html => self.merge_html(start),
            Tag::Head => {
                self.head = Some(self.insert_open(start));
                self.mode = InsertionMode::InHead;
            }
            _ => {
                self.open_head();
                self.start_in_head(start);
            }
        }
    }

    fn start_in_head(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Html => self.merge_html(start),
            Tag::Noscript => self.insert_raw(start),
            Tag::Head => {}
            tag if tag.is_of_head() => self.start_of_head(start),
            _ => {
                self.close_head();
                self.start_after_head(start);
            }
        }
    }

    pub(super) fn start_of_head(&mut self, start: &StartTag) {
        match start.tag {
            Tag::HeadVoid => drop(self.insert_void(start)),
            Tag::Template => {
                self.formatting.push_marker();
                self.mode = InsertionMode::InTemplate;
                self.template_modes.push(InsertionMode::InTemplate);
                self.insert_open(start);
            }
            _ => self.insert_raw(start),
        }
    }

    fn start_after_head(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Html => self.merge_html(start),
            Tag::Body => {
                self.write_behind_head();
                self.insert_open(start);
                self.mode = InsertionMode::InBody;
            }
            Tag::Frameset => self.fall_back(FallbackReason::Frameset),
            Tag::Head => {}
            tag if tag.is_of_head() => {
                let head = self.head.unwrap_or(0);
                self.stack.push(OpenElement::html(head, Tag::Head));
                self.start_of_head(start);
                self.stack.remove(head);
            }
            _ => {
                self.open_body();
                self.start_in_body(start);
            }
        }
    }

    fn start_after_body(&mut self, start: &StartTag) {
        if start.tag == Tag::Html {
            return self.merge_html(start);
        }
        self.mode = InsertionMode::InBody;
        self.start_in_body(start);
    }

    fn end_before_body(&mut self, end: &Name) {
        if self.mode == InsertionMode::Initial {
            self.leave_initial();
        }
        match end.tag {
            Tag::Head if self.mode == InsertionMode::AfterHead => {}
            Tag::Head => {
                self.open_head();
                self.close_head();
            }
            Tag::Body | Tag::Html | Tag::Br => {
                self.open_body();
                self.end_in_body(end);
            }
            Tag::Template if matches!(self.mode, InsertionMode::InHead | InsertionMode::AfterHead) => {
                self.end_template()
            }
            _ => {}
        }
    }

    fn leave_initial(&mut self) {
        if self.mode == InsertionMode::Initial {
            self.quirks = Quirks::Yes;
            self.mode = InsertionMode::BeforeHtml;
        }
    }

    fn open_html(&mut self) {
        self.leave_initial();
        if self.mode == InsertionMode::BeforeHtml {
            self.insert_phantom(local_name!("html"), Tag::Html);
            self.mode = InsertionMode::BeforeHead;
        }
    }

    fn open_head(&mut self) {
        self.open_html();
        if self.mode == InsertionMode::BeforeHead {
            self.head = Some(self.insert_phantom(local_name!("head"), Tag::Head));
            self.mode = InsertionMode::InHead;
        }
    }

    fn close_head(&mut self) {
        self.stack.pop();
        self.mode = InsertionMode::AfterHead;
    }

    pub(super) fn open_body(&mut self) {
        self.open_head();
        if self.mode == InsertionMode::InHead {
            self.close_head();
        }
        self.write_behind_head();
        self.insert_phantom(local_name!("body"), Tag::Body);
        self.mode = InsertionMode::InBody;
    }

    fn write_behind_head(&mut self) {
        for text in std::mem::take(&mut self.behind_head) {
            self.arena.last_text = None;
            self.append(text);
        }
    }

    pub(super) fn merge_html(&mut self, start: &StartTag) {
        if self.template_modes.is_empty()
            && let Some(html) = self.stack.get(0)
        {
            self.merge_attributes(html.node, start);
        }
    }

    pub(super) fn end_template(&mut self) {
        if !self.template_modes.is_empty() {
            self.stack.generate_implied_end_tags(set::THOROUGH, |_| false);
            self.close_template();
        }
    }

    pub(super) fn close_template(&mut self) {
        self.stack.pop_until_tag(Tag::Template);
        self.formatting.clear_to_marker();
        self.template_modes.pop();
        self.mode = self.appropriate_mode();
    }

    fn start_in_template(&mut self, start: &StartTag) {
        let mode = match start.tag {
            tag if tag.is_of_head() => return self.start_of_head(start),
            Tag::Caption | Tag::Colgroup | Tag::TableBody => InsertionMode::InTable,
            Tag::Col => InsertionMode::InColumnGroup,
            Tag::Tr => InsertionMode::InTableBody,
            Tag::Cell => InsertionMode::InRow,
            _ => InsertionMode::InBody,
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        self.mode = mode;
        self.start_in_mode(start);
    }

    pub(super) fn appropriate_mode(&self) -> InsertionMode {
        for open in self.stack.iter().rev() {
            return match open.tag {
                Tag::Cell => InsertionMode::InCell,
                Tag::Tr => InsertionMode::InRow,
                Tag::TableBody => InsertionMode::InTableBody,
                Tag::Caption => InsertionMode::InCaption,
                Tag::Colgroup => InsertionMode::InColumnGroup,
                Tag::Table => InsertionMode::InTable,
                Tag::Template => self.template_modes.last().copied().unwrap_or(InsertionMode::InBody),
                Tag::Head => InsertionMode::InHead,
                Tag::Body => InsertionMode::InBody,
                Tag::Html if self.head.is_none() => InsertionMode::BeforeHead,
                Tag::Html => InsertionMode::AfterHead,
                _ => continue,
            };
        }
        InsertionMode::InBody
    }
}
