//! Handles tables (HTML standard, 13.2.6.4.9 to 13.2.6.4.15). Foster parenting is left to the reference.

use html5ever::local_name;

use super::attributes::StartTag;
use super::builder::{Builder, InsertionMode};
use super::names::Name;
use super::result::FallbackReason;
use super::tag::{Tag, set};

impl Builder<'_> {
    fn is_in_table_scope(&self, end: &Name) -> bool {
        self.stack.in_table_scope_if(|open| self.is_named(open, end.tag, &end.name))
    }

    pub(super) fn start_in_table(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Caption => {
                self.stack.clear_back_to(set::TABLE);
                self.formatting.push_marker();
                self.open_part(start, InsertionMode::InCaption);
            }
            Tag::Colgroup => {
                self.stack.clear_back_to(set::TABLE);
                self.open_part(start, InsertionMode::InColumnGroup);
            }
            Tag::Col => {
                self.stack.clear_back_to(set::TABLE);
                self.insert_phantom(local_name!("colgroup"), Tag::Colgroup);
                self.mode = InsertionMode::InColumnGroup;
                self.start_in_column_group(start);
            }
            Tag::TableBody => {
                self.stack.clear_back_to(set::TABLE);
                self.open_part(start, InsertionMode::InTableBody);
            }
            Tag::Cell | Tag::Tr => {
                self.stack.clear_back_to(set::TABLE);
                self.insert_phantom(local_name!("tbody"), Tag::TableBody);
                self.mode = InsertionMode::InTableBody;
                self.start_in_table_body(start);
            }
            Tag::Table => {
                if self.close_table() {
                    self.start(start);
                }
            }
            _ => self.start_within_table(start),
        }
    }

    fn start_within_table(&mut self, start: &StartTag) {
        let is_style = start.name == local_name!("style");
        match start.tag {
            Tag::Script | Tag::Template => self.start_of_head(start),
            Tag::HeadRaw if is_style => self.start_of_head(start),
            Tag::Input if self.is_hidden(start) => drop(self.insert_void(start)),
            Tag::Form => {
                if self.template_modes.is_empty() && self.form.is_none() {
                    self.form = Some(self.insert_void(start));
                }
            }
            _ => self.fall_back(FallbackReason::Foster),
        }
    }

    fn is_hidden(&self, start: &StartTag) -> bool {
        self.attribute(start, &local_name!("type")).is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"))
    }

    fn open_part(&mut self, start: &StartTag, mode: InsertionMode) {
        self.insert_open(start);
        self.mode = mode;
    }

    fn close_table(&mut self) -> bool {
        let is_open = self.stack.in_table_scope(Tag::Table);
        if is_open {
            self.stack.pop_until_tag(Tag::Table);
            self.mode = self.appropriate_mode();
        }
        is_open
    }

    pub(super) fn end_in_table(&mut self, end: &Name) {
        match end.tag {
            Tag::Table => drop(self.close_table()),
            Tag::Body | Tag::Html => {}
            tag if tag.is_of_table() => {}
            Tag::Template => self.end_template(),
            // Only the end tags `</p>` and `</br>` add an element.
            Tag::P | Tag::Br => self.fall_back(FallbackReason::Foster),
            _ => self.end_in_body(end),
        }
    }

    pub(super) fn start_in_caption(&mut self, start: &StartTag) {
        if !start.tag.is_of_table() {
            self.start_in_body(start);
        } else if self.close_caption() {
            self.start_in_table(start);
        }
    }

    fn close_caption(&mut self) -> bool {
        let is_open = self.stack.in_table_scope(Tag::Caption);
        if is_open {
            self.stack.pop_until_tag(Tag::Caption);
            self.formatting.clear_to_marker();
            self.mode = InsertionMode::InTable;
        }
        is_open
    }

    pub(super) fn end_in_caption(&mut self, end: &Name) {
        match end.tag {
            Tag::Caption => drop(self.close_caption()),
            Tag::Table => {
                if self.close_caption() {
                    self.end_in_table(end);
                }
            }
            Tag::Body | Tag::Html => {}
            tag if tag.is_of_table() => {}
            _ => self.end_in_body(end),
        }
    }

    pub(super) fn start_in_column_group(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Html => self.merge_html(start),
            Tag::Col => drop(self.insert_void(start)),
            Tag::Template => self.start_of_head(start),
            _ => {
                if self.close_column_group() {
                    self.start_in_table(start);
                }
            }
        }
    }

    fn close_column_group(&mut self) -> bool {
        let is_current = self.stack.is_current(Tag::Colgroup);
        if is_current {
            self.stack.pop();
            self.mode = InsertionMode::InTable;
        }
        is_current
    }

    pub(super) fn end_in_column_group(&mut self, end: &Name) {
        match end.tag {
            Tag::Colgroup => drop(self.close_column_group()),
            Tag::Col => {}
            Tag::Template => self.end_template(),
            _ => {
                if self.close_column_group() {
                    self.end_in_table(end);
                }
            }
        }
    }

    pub(super) fn start_in_table_body(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Tr => {
                self.stack.clear_back_to(set::TABLE_BODY);
                self.open_part(start, InsertionMode::InRow);
            }
            Tag::Cell => {
                self.stack.clear_back_to(set::TABLE_BODY);
                self.insert_phantom(local_name!("tr"), Tag::Tr);
                self.mode = InsertionMode::InRow;
                self.start_in_row(start);
            }
            tag if tag.is_of_table() => {
                if self.close_table_body() {
                    self.start_in_table(start);
                }
            }
            _ => self.start_in_table(start),
        }
    }

    /// Closes the current part of the table. html5ever does not check for `thead`, unlike the standard.
    fn close_table_body(&mut self) -> bool {
        let is_outer = |open: &super::stack::OpenElement| {
            open.tag == Tag::Table
                || (open.tag == Tag::TableBody && self.name_of(open.node) != Some(&local_name!("thead")))
        };
        let is_open = self.stack.in_table_scope_if(is_outer);
        if is_open {
            self.stack.clear_back_to(set::TABLE_BODY);
            self.stack.pop();
            self.mode = InsertionMode::InTable;
        }
        is_open
    }

    pub(super) fn end_in_table_body(&mut self, end: &Name) {
        match end.tag {
            Tag::TableBody => {
                if self.is_in_table_scope(end) {
                    self.stack.clear_back_to(set::TABLE_BODY);
                    self.stack.pop();
                    self.mode = InsertionMode::InTable;
                }
            }
            Tag::Table => {
                if self.close_table_body() {
                    self.end_in_table(end);
                }
            }
            _ => self.end_in_table(end),
        }
    }

    pub(super) fn start_in_row(&mut self, start: &StartTag) {
        match start.tag {
            Tag::Cell => {
                self.stack.clear_back_to(set::ROW);
                self.open_part(start, InsertionMode::InCell);
                self.formatting.push_marker();
            }
            tag if tag.is_of_table() => {
                if self.close_row() {
                    self.start_in_table_body(start);
                }
            }
            _ => self.start_in_table(start),
        }
    }

    fn close_row(&mut self) -> bool {
        let is_open = self.stack.in_table_scope(Tag::Tr);
        if is_open {
            self.stack.clear_back_to(set::ROW);
            self.stack.pop();
            self.mode = InsertionMode::InTableBody;
        }
        is_open
    }

    pub(super) fn end_in_row(&mut self, end: &Name) {
        match end.tag {
            Tag::Tr => drop(self.close_row()),
            Tag::Table => {
                if self.close_row() {
                    self.end_in_table_body(end);
                }
            }
            Tag::TableBody => {
                if self.is_in_table_scope(end) && self.close_row() {
                    self.end_in_table_body(end);
                }
            }
            _ => self.end_in_table(end),
        }
    }

    pub(super) fn start_in_cell(&mut self, start: &StartTag) {
        if !start.tag.is_of_table() {
            self.start_in_body(start);
        } else if self.stack.in_table_scope(Tag::Cell) {
            self.close_cell();
            self.start_in_row(start);
        }
    }

    fn close_cell(&mut self) {
        self.stack.pop_until_tag(Tag::Cell);
        self.formatting.clear_to_marker();
        self.mode = InsertionMode::InRow;
    }

    pub(super) fn end_in_cell(&mut self, end: &Name) {
        match end.tag {
            Tag::Cell => {
                if self.is_in_table_scope(end) {
                    self.pop_named(end.tag, &end.name);
                    self.formatting.clear_to_marker();
                    self.mode = InsertionMode::InRow;
                }
            }
            Tag::Table | Tag::TableBody | Tag::Tr => {
                if self.is_in_table_scope(end) {
                    self.close_cell();
                    self.end_in_row(end);
                }
            }
            Tag::Body | Tag::Html => {}
            tag if tag.is_of_table() => {}
            _ => self.end_in_body(end),
        }
    }
}
