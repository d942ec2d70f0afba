//! Defines commas and full stops, and counts them in a text.
//!
//! The papers do not define commas and full stops. Here, Latin marks are `,` and `.`, also in numbers and
//! abbreviations. Chinese marks are the full-width comma, the full-width full stop and the enumeration comma,
//! including their small and half-width forms. The full-width `．` counts too, because it ends sentences in
//! technical Chinese.

use gleaner_html::Page;
use gleaner_html::text::{is_hidden, never_text};

/// The writing systems whose commas and full stops count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Marks {
    /// `,` and `.`.
    Latin,
    /// `，`, `、`, `。`, `．` and their other forms.
    Chinese,
    /// Latin and Chinese marks, for pages in any language.
    #[default]
    Both,
}

/// The kind of a punctuation mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A comma.
    Comma,
    /// A full stop.
    FullStop,
}

impl Marks {
    /// Returns the kind of a character, or `None` if it is not a mark of these writing systems.
    #[must_use]
    pub fn mark(self, c: char) -> Option<Mark> {
        let (latin, chinese) = (self != Self::Chinese, self != Self::Latin);
        match c {
            ',' if latin => Some(Mark::Comma),
            '.' if latin => Some(Mark::FullStop),
            '，' | '、' | '﹐' | '﹑' | '､' if chinese => Some(Mark::Comma),
            '。' | '．' | '｡' | '﹒' if chinese => Some(Mark::FullStop),
            _ => None,
        }
    }
}

/// Counts of characters, commas and full stops in a text. Each count is given for the whole text and for the
/// text in anchors (`<a>`) only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Punctuation {
    /// CL: all characters except white space, inside and outside anchors.
    pub characters: u64,
    /// CS: all commas, inside and outside anchors.
    pub commas: u64,
    /// All full stops, inside and outside anchors.
    pub full_stops: u64,
    /// ACL: characters in anchors, except white space.
    pub anchor_characters: u64,
    /// Commas in anchors. ACFL is the sum of `anchor_commas` and `anchor_full_stops`.
    pub anchor_commas: u64,
    /// Full stops in anchors.
    pub anchor_full_stops: u64,
}

impl Punctuation {
    /// Counts the characters and marks of a text that is outside anchors.
    #[must_use]
    pub fn of_text(text: &str, marks: Marks) -> Self {
        let mut counts = Self::default();
        counts.add(text, marks, Place::Text);
        counts
    }

    /// Counts the characters and marks of all text that a page shows.
    #[must_use]
    pub fn of_page(page: &Page, marks: Marks) -> Self {
        let mut counts = Self::default();
        let mut texts = Texts::from_page(page);
        while let Some((_, text, place)) = texts.next(|_| ()) {
            counts.add(text, marks, place);
        }
        counts
    }

    pub(super) fn add(&mut self, text: &str, marks: Marks, place: Place) {
        let (mut characters, mut commas, mut full_stops) = (0, 0, 0);
        for c in text.chars() {
            characters += u64::from(!c.is_whitespace());
            match marks.mark(c) {
                Some(Mark::Comma) => commas += 1,
                Some(Mark::FullStop) => full_stops += 1,
                None => {}
            }
        }
        self.characters += characters;
        self.commas += commas;
        self.full_stops += full_stops;
        if place == Place::Anchor {
            self.anchor_characters += characters;
            self.anchor_commas += commas;
            self.anchor_full_stops += full_stops;
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Anchor,
    Text,
}

/// Iterates over the texts that a page shows. Skips scripts, form controls and hidden elements.
pub(super) struct Texts<'a> {
    page: &'a Page,
    at: u32,
    anchor_end: u32,
}

impl<'a> Texts<'a> {
    pub(super) fn from_page(page: &'a Page) -> Self {
        Self { page, at: 0, anchor_end: 0 }
    }

    /// Returns the next text with its node, and whether it is in an anchor. Calls `entered` for every element
    /// before this text.
    pub(super) fn next(&mut self, mut entered: impl FnMut(u32)) -> Option<(u32, &'a str, Place)> {
        while (self.at as usize) < self.page.len() {
            let id = self.at;
            let Some(tag) = self.page.tag(id) else {
                self.at += 1;
                let place = if id < self.anchor_end { Place::Anchor } else { Place::Text };
                return self.page.text(id).map(|text| (id, text, place));
            };
            let end = self.page.node(id).end;
            if never_text(tag) || is_hidden(self.page, id) {
                self.at = end;
                continue;
            }
            if tag == "a" {
                self.anchor_end = self.anchor_end.max(end);
            }
            entered(id);
            self.at += 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_script_has_its_marks() {
        let text = "a, b. c; 甲，乙、丙。丁． 戊｡";
        let cases = [(Marks::Latin, 1, 1), (Marks::Chinese, 2, 3), (Marks::Both, 3, 4)];
        for (marks, commas, full_stops) in cases {
            let counts = Punctuation::of_text(text, marks);
            assert_eq!((counts.commas, counts.full_stops, counts.characters), (commas, full_stops, 16));
        }
    }

    #[test]
    fn anchors_are_counted_apart() {
        let page = Page::parse(
            "<title>x, y.</title><p>One, two. <a href=/>a, <b>b.</b></a> c<p hidden>d, e<script>f, g</script>",
        );
        let expected = Punctuation {
            characters: 13,
            commas: 2,
            full_stops: 2,
            anchor_characters: 4,
            anchor_commas: 1,
            anchor_full_stops: 1,
        };
        assert_eq!(Punctuation::of_page(&page, Marks::Both), expected);
    }
}
