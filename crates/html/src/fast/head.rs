//! Implements the insertion modes up to the body (HTML standard, 13.2.6.4.1 to 13.2.6.4.6), and chooses the
//! handler by mode.

use html5ever::local_name;

use super::Unsure;
use super::attributes::Start;
use super::builder::{Builder, Mode};
use super::doctype::Quirks;
use super::names::Name;
use super::stack::Open;
use super::tag::{Tag, set};

impl Builder<'_> {
    pub(super) fn start(&mut self, start: &Start) {
        if self.is_foreign_to(start) { self.start_in_foreign(start) } else { self.start_in_mode(start) }
    }

    pub(super) fn start_in_mode(&mut self, start: &Start) {
        match self.mode {
            Mode::Initial | Mode::BeforeHtml => self.start_before_html(start),
            Mode::BeforeHead => self.start_before_head(start),
            Mode::InHead => self.start_in_head(start),
            Mode::AfterHead => self.start_after_head(start),
            Mode::InBody => self.start_in_body(start),
            Mode::InTable => self.start_in_table(start),
            Mode::InCaption => self.start_in_caption(start),
            Mode::InColumnGroup => self.start_in_column_group(start),
            Mode::InTableBody => self.start_in_table_body(start),
            Mode::InRow => self.start_in_row(start),
            Mode::InCell => self.start_in_cell(start),
            Mode::InTemplate => self.start_in_template(start),
            Mode::AfterBody | Mode::AfterAfterBody => self.start_after_body(start),
        }
    }

    pub(super) fn end(&mut self, end: &Name) {
        if self.is_foreign() { self.end_in_foreign(end) } else { self.end_in_mode(end) }
    }

    pub(super) fn end_in_mode(&mut self, end: &Name) {
        match self.mode {
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead | Mode::InHead | Mode::AfterHead => {
                self.end_before_body(end);
            }
            Mode::InBody => self.end_in_body(end),
            Mode::InTable => self.end_in_table(end),
            Mode::InCaption => self.end_in_caption(end),
            Mode::InColumnGroup => self.end_in_column_group(end),
            Mode::InTableBody => self.end_in_table_body(end),
            Mode::InRow => self.end_in_row(end),
            Mode::InCell => self.end_in_cell(end),
            Mode::InTemplate if end.tag == Tag::Template => self.end_template(),
            Mode::InTemplate => {}
            Mode::AfterBody if end.tag == Tag::Html => self.mode = Mode::AfterAfterBody,
            Mode::AfterBody | Mode::AfterAfterBody => {
                self.mode = Mode::InBody;
                self.end_in_body(end);
            }
        }
    }

    fn start_before_html(&mut self, start: &Start) {
        if start.tag == Tag::Html {
            self.leave_initial();
            self.insert_open(start);
            self.mode = Mode::BeforeHead;
        } else {
            self.open_html();
            self.start_before_head(start);
        }
    }

    fn start_before_head(&mut self, start: &Start) {
        match start.tag {
            Tag::Html => self.merge_html(start),
            Tag::Head => {
                self.head = Some(self.insert_open(start));
                self.mode = Mode::InHead;
            }
            _ => {
                self.open_head();
                self.start_in_head(start);
            }
        }
    }

    fn start_in_head(&mut self, start: &Start) {
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

    pub(super) fn start_of_head(&mut self, start: &Start) {
        match start.tag {
            Tag::HeadVoid => drop(self.insert_void(start)),
            Tag::Template => {
                self.formatting.push_marker();
                self.mode = Mode::InTemplate;
                self.template_modes.push(Mode::InTemplate);
                self.insert_open(start);
            }
            _ => self.insert_raw(start),
        }
    }

    fn start_after_head(&mut self, start: &Start) {
        match start.tag {
            Tag::Html => self.merge_html(start),
            Tag::Body => {
                self.write_behind_head();
                self.insert_open(start);
                self.mode = Mode::InBody;
            }
            Tag::Frameset => self.give_up(Unsure::Frameset),
            Tag::Head => {}
            tag if tag.is_of_head() => {
                let head = self.head.unwrap_or(0);
                self.stack.push(Open::html(head, Tag::Head));
                self.start_of_head(start);
                self.stack.remove(head);
            }
            _ => {
                self.open_body();
                self.start_in_body(start);
            }
        }
    }

    fn start_after_body(&mut self, start: &Start) {
        if start.tag == Tag::Html {
            return self.merge_html(start);
        }
        self.mode = Mode::InBody;
        self.start_in_body(start);
    }

    fn end_before_body(&mut self, end: &Name) {
        if self.mode == Mode::Initial {
            self.leave_initial();
        }
        match end.tag {
            Tag::Head if self.mode == Mode::AfterHead => {}
            Tag::Head => {
                self.open_head();
                self.close_head();
            }
            Tag::Body | Tag::Html | Tag::Br => {
                self.open_body();
                self.end_in_body(end);
            }
            Tag::Template if matches!(self.mode, Mode::InHead | Mode::AfterHead) => self.end_template(),
            _ => {}
        }
    }

    fn leave_initial(&mut self) {
        if self.mode == Mode::Initial {
            self.quirks = Quirks::Yes;
            self.mode = Mode::BeforeHtml;
        }
    }

    fn open_html(&mut self) {
        self.leave_initial();
        if self.mode == Mode::BeforeHtml {
            self.insert_phantom(local_name!("html"), Tag::Html);
            self.mode = Mode::BeforeHead;
        }
    }

    fn open_head(&mut self) {
        self.open_html();
        if self.mode == Mode::BeforeHead {
            self.head = Some(self.insert_phantom(local_name!("head"), Tag::Head));
            self.mode = Mode::InHead;
        }
    }

    fn close_head(&mut self) {
        self.stack.pop();
        self.mode = Mode::AfterHead;
    }

    pub(super) fn open_body(&mut self) {
        self.open_head();
        if self.mode == Mode::InHead {
            self.close_head();
        }
        self.write_behind_head();
        self.insert_phantom(local_name!("body"), Tag::Body);
        self.mode = Mode::InBody;
    }

    fn write_behind_head(&mut self) {
        for text in std::mem::take(&mut self.behind_head) {
            self.arena.last_text = None;
            self.append(text);
        }
    }

    pub(super) fn merge_html(&mut self, start: &Start) {
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

    fn start_in_template(&mut self, start: &Start) {
        let mode = match start.tag {
            tag if tag.is_of_head() => return self.start_of_head(start),
            Tag::Caption | Tag::Colgroup | Tag::TableBody => Mode::InTable,
            Tag::Col => Mode::InColumnGroup,
            Tag::Tr => Mode::InTableBody,
            Tag::Cell => Mode::InRow,
            _ => Mode::InBody,
        };
        self.template_modes.pop();
        self.template_modes.push(mode);
        self.mode = mode;
        self.start_in_mode(start);
    }

    pub(super) fn appropriate_mode(&self) -> Mode {
        for open in self.stack.iter().rev() {
            return match open.tag {
                Tag::Cell => Mode::InCell,
                Tag::Tr => Mode::InRow,
                Tag::TableBody => Mode::InTableBody,
                Tag::Caption => Mode::InCaption,
                Tag::Colgroup => Mode::InColumnGroup,
                Tag::Table => Mode::InTable,
                Tag::Template => self.template_modes.last().copied().unwrap_or(Mode::InBody),
                Tag::Head => Mode::InHead,
                Tag::Body => Mode::InBody,
                Tag::Html if self.head.is_none() => Mode::BeforeHead,
                Tag::Html => Mode::AfterHead,
                _ => continue,
            };
        }
        Mode::InBody
    }
}
