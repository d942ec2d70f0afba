//! Counts the commas and full stops of a page inside and outside main content.
//!
//! The page is split into blocks at block-level tags and `br`. Main content consists of the blocks that the
//! block measure ([`blocks`](crate::measure::blocks)) finds in the gold text. The gold text has no anchors,
//! so the anchors in main content are counted in these blocks.
//!
//! Limitation: a block elsewhere that repeats the article's words counts as main content. A block of the
//! article does not count if the gold text has different words. Time is linear in the lengths of page and gold
//! text.

use std::collections::BTreeMap;

use crate::methods::comma_score::{Marks, Punctuation};
use gleaner_html::Page;
use gleaner_html::text::{is_block, is_hidden, never_text};

use crate::measure::blocks::Blocks;
use crate::measure::words::{normal, words};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Sides {
    pub(super) main: Punctuation,
    pub(super) rest: Punctuation,
    /// The number of occurrences in main content of each character, except letters, digits and white space.
    marks: BTreeMap<char, u64>,
    letters: u64,
    latin: u64,
}

impl Sides {
    pub(super) fn new(page: &Page, gold: &str) -> Self {
        let gold = normal(gold);
        let gold = Blocks::from_text(&gold);
        let mut sides = Self::default();
        blocks(page, |text, counts| {
            sides.block(text, &counts, gold.has(&words(&normal(text)).collect::<Vec<_>>()))
        });
        sides
    }

    fn block(&mut self, text: &str, counts: &Punctuation, is_main: bool) {
        if !is_main {
            return add(&mut self.rest, counts);
        }
        add(&mut self.main, counts);
        for c in text.chars() {
            if c.is_alphabetic() {
                self.letters += 1;
                self.latin += u64::from(is_latin(c));
            } else if !c.is_numeric() && !c.is_whitespace() && !c.is_control() {
                *self.marks.entry(c).or_default() += 1;
            }
        }
    }

    pub(super) fn add(&mut self, other: &Self) {
        add(&mut self.main, &other.main);
        add(&mut self.rest, &other.rest);
        other.marks.iter().for_each(|(mark, count)| *self.marks.entry(*mark).or_default() += count);
        self.letters += other.letters;
        self.latin += other.latin;
    }

    pub(super) fn is_latin(&self) -> bool {
        2 * self.latin > self.letters
    }

    pub(super) fn most_frequent(&self) -> Vec<(char, u64)> {
        let mut marks: Vec<(char, u64)> = self.marks.iter().map(|(mark, count)| (*mark, *count)).collect();
        marks.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        marks
    }

    pub(super) fn anchor_marks_in_rest(&self) -> Option<f64> {
        let of = |counts: &Punctuation| counts.anchor_commas + counts.anchor_full_stops;
        let (main, rest) = (of(&self.main), of(&self.rest));
        (main + rest > 0).then(|| rest as f64 / (main + rest) as f64)
    }
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

fn add(sum: &mut Punctuation, counts: &Punctuation) {
    sum.characters += counts.characters;
    sum.commas += counts.commas;
    sum.full_stops += counts.full_stops;
    sum.anchor_characters += counts.anchor_characters;
    sum.anchor_commas += counts.anchor_commas;
    sum.anchor_full_stops += counts.anchor_full_stops;
}

fn blocks(page: &Page, mut block: impl FnMut(&str, Punctuation)) {
    let mut breaks = vec![false; page.len() + 1];
    for (id, node) in page.iter().filter(|(id, _)| page.tag(*id).is_some_and(|t| is_block(t) || t == "br")) {
        breaks[id as usize] = true;
        breaks[node.end as usize] = true;
    }
    let (mut text, mut counts) = (String::new(), Punctuation::default());
    let (mut id, mut anchor_end) = (0, 0);
    while (id as usize) < page.len() {
        if breaks[id as usize] && !text.is_empty() {
            block(&text, std::mem::take(&mut counts));
            text.clear();
        }
        let end = page.node(id).end;
        match page.tag(id) {
            None => add_text(&mut counts, &mut text, page.text(id).unwrap_or_default(), id < anchor_end),
            Some(tag) if never_text(tag) || is_hidden(page, id) => {
                id = end;
                continue;
            }
            Some("a") => anchor_end = anchor_end.max(end),
            Some(_) => {}
        }
        id += 1;
    }
    if !text.is_empty() {
        block(&text, counts);
    }
}

fn add_text(counts: &mut Punctuation, text: &mut String, piece: &str, is_anchor: bool) {
    let mut of = Punctuation::of_text(piece, Marks::Both);
    if is_anchor {
        of.anchor_characters = of.characters;
        of.anchor_commas = of.commas;
        of.anchor_full_stops = of.full_stops;
    }
    add(counts, &of);
    text.push_str(piece);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, gold: &str, main: [u64; 6], rest: [u64; 6]) {
        let sides = Sides::new(&Page::parse(html), gold);
        let of = |p: &Punctuation| {
            [p.characters, p.commas, p.full_stops, p.anchor_characters, p.anchor_commas, p.anchor_full_stops]
        };
        assert_eq!((of(&sides.main), of(&sides.rest)), (main, rest), "{html}");
    }

    #[test]
    fn blocks_are_main_content_where_gold_has_them() {
        let gold = "One, two and three.\nMore";
        check("", gold, [0; 6], [0; 6]);
        check("<p>One, two and three.", gold, [16, 1, 1, 0, 0, 0], [0; 6]);
        check(
            "<p>One, <a href=/>two and,</a> three.<p>Four, five.",
            gold,
            [17, 2, 1, 7, 1, 0],
            [10, 1, 1, 0, 0, 0],
        );
        // Blocks end at `br` and at the ends of block-level elements, but not at inline tags.
        check(
            "<div><p>One, two</p><b>a</b>, b.<br>and <i>three.",
            gold,
            [16, 1, 1, 0, 0, 0],
            [4, 1, 1, 0, 0, 0],
        );
        check("<p>More<p>one<p>..", gold, [4, 0, 0, 0, 0, 0], [5, 0, 2, 0, 0, 0]);
        check("<p hidden>One, two</p><script>One, two</script>", gold, [0; 6], [0; 6]);
        check("<p>这个，那个。", "这个，那个。", [6, 1, 1, 0, 0, 0], [0; 6]);
    }

    #[test]
    fn all_marks_that_a_page_shows_are_on_one_side() {
        let html =
            "a, b.<div>One, <a href=/>two, <b>c.</b></a><ul><li>d.<li hidden>e, f</ul>g.</div>h, <td>i.";
        let page = Page::parse(html);
        let Sides { mut main, rest, .. } = Sides::new(&page, "one two c\nd");
        assert!(main.commas > 0 && rest.commas > 0);
        add(&mut main, &rest);
        assert_eq!(main, Punctuation::of_page(&page, Marks::Both));
    }

    #[test]
    fn marks_letters_and_shares() {
        let page = Page::parse("<p>Mưa, gió - và, “nắng”.<p>x <a href=/>y, z.</a>");
        let mut sides = Sides::new(&page, "mưa gió và nắng");
        assert_eq!(sides.most_frequent(), [(',', 2), ('-', 1), ('.', 1), ('“', 1), ('”', 1)]);
        assert!(sides.is_latin());
        assert_eq!(sides.anchor_marks_in_rest(), Some(1.0));
        sides.add(&Sides::new(
            &Page::parse("<p>Дождь и <a href=/>ветер, снег.</a> Гроза"),
            "дождь и ветер снег гроза",
        ));
        assert_eq!(sides.anchor_marks_in_rest(), Some(0.5));
        assert!(!sides.is_latin());
        assert_eq!(Sides::default().anchor_marks_in_rest(), None);
    }
}
