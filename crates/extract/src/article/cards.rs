//! Finds cards (teasers, tiles, search results): similar elements, each with a link.
//!
//! Similar elements have the same parent, tag and class. Unlike menus and paragraphs with links, a card has 3
//! to 300 words and either a picture or two blocks. At least three cards form a group. A group that begins
//! inside an earlier group is ignored, for example a group of nested cards.

use std::collections::HashMap;

use gleaner_html::text::PlacedLine;
use gleaner_html::{NodeId, Page};

use crate::block_model::ClassifiedBlock;

const GROUP: usize = 3;

/// The number of words of a card. A larger element is a section of the page and not a card.
const WORDS: std::ops::RangeInclusive<f32> = 3.0..=300.0;

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cards {
    pub(super) count: f32,
    /// The number of cards in the group with the most words.
    pub(super) largest: f32,
    /// The number of words in the group with the most words.
    pub(super) largest_words: f32,
    pub(super) words: f32,
    /// The number of `words` that are in blocks of body text.
    pub(super) content: f32,
    pub(super) dated: f32,
    pub(super) priced: f32,
}

/// The counted properties of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineMarks {
    /// The first text node of the line.
    node: NodeId,
    words: u32,
    is_content: bool,
    /// Whether the line is short and has a date, or a price.
    pub(super) has_date: bool,
    pub(super) has_price: bool,
}

/// Maximum number of words of a line whose date or price counts.
const SHORT: u32 = 12;

impl LineMarks {
    pub(super) fn new(placed: &PlacedLine, words: u32, is_content: bool) -> Self {
        let (text, is_short) = (placed.line.text.as_str(), words <= SHORT);
        let (has_date, has_price) = (is_short && has_date(text), is_short && has_price(text));
        Self { node: placed.nodes.start, words, is_content, has_date, has_price }
    }

    pub(super) fn from_judged(block: &ClassifiedBlock) -> Self {
        Self::new(&block.placed, block.words, block.is_content())
    }
}

struct Running(Vec<[f32; KINDS]>);

const KINDS: usize = 7;
const BLOCKS: usize = 0;
const ALL: usize = 1;
const CONTENT: usize = 2;
const LINKS: usize = 3;
const IMAGES: usize = 4;
const DATES: usize = 5;
const PRICES: usize = 6;

impl Running {
    fn new(page: &Page, marks: &[LineMarks]) -> Self {
        let mut at = vec![[0.0; KINDS]; page.len() + 1];
        for mark in marks {
            let own = &mut at[mark.node as usize + 1];
            own[BLOCKS] += 1.0;
            own[ALL] += mark.words as f32;
            own[CONTENT] += if mark.is_content { mark.words as f32 } else { 0.0 };
            own[DATES] += f32::from(u8::from(mark.has_date));
            own[PRICES] += f32::from(u8::from(mark.has_price));
        }
        for (id, _) in page.iter() {
            match page.tag(id) {
                Some("a") if page.attribute(id, "href").is_some() => at[id as usize + 1][LINKS] += 1.0,
                Some("img" | "picture" | "video") => at[id as usize + 1][IMAGES] += 1.0,
                _ => {}
            }
        }
        let mut sums = [0.0; KINDS];
        for own in &mut at {
            sums.iter_mut().zip(own.iter()).for_each(|(sum, own)| *sum += own);
            *own = sums;
        }
        Self(at)
    }

    fn within(&self, from: NodeId, to: NodeId) -> [f32; KINDS] {
        let (from, to) = (self.0[from as usize], self.0[to as usize]);
        std::array::from_fn(|kind| to[kind] - from[kind])
    }
}

impl Cards {
    pub(super) fn new(page: &Page, marks: &[LineMarks]) -> Self {
        let running = Running::new(page, marks);
        let mut groups: HashMap<(NodeId, &str, &str), Vec<NodeId>> = HashMap::new();
        for (id, node) in page.iter() {
            let Some(tag) = page.tag(id) else { continue };
            if may_be_card(tag) && is_card(&running.within(id, node.end)) {
                let class = page.attribute(id, "class").unwrap_or_default();
                groups.entry((node.parent, tag, class)).or_default().push(id);
            }
        }
        let mut groups: Vec<Vec<NodeId>> =
            groups.into_values().filter(|group| group.len() >= GROUP).collect();
        groups.sort_unstable();
        let mut cards = Self::default();
        let mut seen_to = 0;
        for group in groups {
            if group[0] >= seen_to {
                seen_to = page.node(*group.last().expect("a group has members")).end;
                cards.take(page, &running, &group);
            }
        }
        cards
    }

    fn take(&mut self, page: &Page, running: &Running, group: &[NodeId]) {
        let mut words = 0.0;
        for card in group {
            let sums = running.within(*card, page.node(*card).end);
            words += sums[ALL];
            self.content += sums[CONTENT];
            self.dated += f32::from(u8::from(sums[DATES] > 0.0));
            self.priced += f32::from(u8::from(sums[PRICES] > 0.0));
        }
        self.count += group.len() as f32;
        self.words += words;
        if words > self.largest_words {
            self.largest_words = words;
            self.largest = group.len() as f32;
        }
    }
}

fn may_be_card(tag: &str) -> bool {
    matches!(tag, "div" | "li" | "article" | "section" | "a" | "tr" | "td" | "dl" | "figure" | "span")
}

fn is_card(sums: &[f32; KINDS]) -> bool {
    sums[LINKS] > 0.0 && WORDS.contains(&sums[ALL]) && (sums[IMAGES] > 0.0 || sums[BLOCKS] >= 2.0)
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

pub(super) fn has_date(text: &str) -> bool {
    if !has_digit(text) {
        return false;
    }
    let mut before: Option<(usize, char)> = None;
    let mut digits = 0;
    let mut last = ' ';
    let mut year = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_ascii_digit() {
            digits += 1;
            year.push(c);
        } else {
            if digits == 4 && (year.starts_with("19") || year.starts_with("20")) {
                return true;
            }
            let clock = |(n, sign): (usize, char)| n <= 2 && digits == 2 && matches!(sign, ':' | 'h');
            if last.is_ascii_digit() && before.is_some_and(clock) {
                return true;
            }
            before = last.is_ascii_digit().then_some((digits, c));
            digits = 0;
            year.clear();
        }
        last = c;
    }
    false
}

fn has_price(text: &str) -> bool {
    const SIGNS: [&str; 16] =
        ["$", "€", "£", "¥", "₫", "₽", "₹", "₩", "zł", "đ", "руб", "元", "円", "USD", "EUR", "VND"];
    has_digit(text)
        && SIGNS.iter().any(|sign| {
            text.match_indices(sign).any(|(at, _)| {
                let before = text[..at].trim_end().chars().next_back();
                let after = text[at + sign.len()..].trim_start().chars().next();
                let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
                let letters = sign.chars().all(char::is_alphabetic);
                let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
                (digit(before) && !(letters && is_letter(text[at + sign.len()..].chars().next())))
                    || (digit(after) && !letters)
            })
        })
}

#[cfg(test)]
mod tests {
    use crate::block_model;

    use super::*;

    fn cards(html: &str) -> Cards {
        let page = Page::parse(html);
        let judged = block_model::classify(&page, block_model::built_in());
        Cards::new(&page, &judged.iter().map(LineMarks::from_judged).collect::<Vec<_>>())
    }

    #[test]
    fn cards_are_alike_and_hold_links() {
        let card = "<div class=c><h3><a href=/x>Rain falls on the hills</a></h3><p>At 9:30, $12.50</p></div>";
        let found = cards(&card.repeat(4));
        assert_eq!((found.count, found.largest, found.dated, found.priced), (4.0, 4.0, 4.0, 4.0));
        assert_eq!(found.words, found.largest_words);
        assert_eq!(cards(&card.repeat(2)), Cards::default());
        let paragraph = "<p>Rain falls, says <a href=/x>the council of the valley</a>, and so on.</p>";
        assert_eq!(cards(&paragraph.repeat(9)), Cards::default());
        assert_eq!(cards(&"<li><a href=/x>Rain falls on the hills</a></li>".repeat(9)), Cards::default());
    }

    #[test]
    fn cards_in_cards_count_once() {
        let inner = "<li class=i><a href=/x><img src=a>Rain falls on</a></li>".repeat(3);
        let outer = format!("<div class=o><ul>{inner}</ul></div>").repeat(3);
        assert_eq!(cards(&outer).count, 3.0);
    }

    #[test]
    fn dates_and_prices() {
        for text in ["at 9:30", "20.11.2026", "9h30", "in 1998"] {
            assert!(has_date(text), "{text}");
        }
        for text in ["", "12", "12345", "3,500"] {
            assert!(!has_date(text), "{text}");
        }
        for text in ["$12", "12 €", "199.000đ", "from £9.99", "99 zł", "12 USD"] {
            assert!(has_price(text), "{text}");
        }
        for text in ["", "$", "12 dollars", "3 đồng bào", "AUD"] {
            assert!(!has_price(text), "{text}");
        }
    }
}
