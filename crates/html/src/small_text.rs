//! Reads the text of small elements (dates, names, labels), and lists the ancestors of nodes.

use crate::date::latin_digit;
use crate::text::{is_plain, tidy};
use crate::{NodeId, Page};

/// Maximum size of an element whose text is read, in nodes and in bytes of text.
const MOST_NODES: usize = 20;
pub(crate) const MAX_BYTES: usize = 400;

const MAX_ANCESTORS: usize = 100;

pub(crate) fn ancestors(page: &Page, id: NodeId) -> impl Iterator<Item = NodeId> {
    page.ancestors(id).take(MAX_ANCESTORS)
}

/// Returns the text of a small subtree on one line, with spaces between its text nodes. Returns `None` if the
/// element never has text (such as a script), or is larger than any date or name.
pub(crate) fn small_text(page: &Page, id: NodeId) -> Option<String> {
    SmallText::from_element(page, id).map(|small| small.text())
}

/// Like [`small_text`], but the beginnings and ends of blocks and `<br>` separate lines. Lines without text are
/// omitted.
pub(crate) fn small_lines(page: &Page, id: NodeId) -> Option<String> {
    let small = SmallText::from_element(page, id)?;
    if small.len <= 1 {
        return Some(small.text());
    }
    let mut lines = String::new();
    let mut block_end = NodeId::MAX;
    for at in page.subtree(id) {
        if at >= block_end || page.is_block(at) || page.tag(at) == Some("br") {
            lines.push('\n');
            block_end = NodeId::MAX;
        }
        if page.is_block(at) {
            block_end = page.node(at).end;
        }
        let Some(text) = page.text(at) else { continue };
        if !page.is_never_text(page.node(at).parent) {
            lines.push(' ');
            lines.push_str(&tidy(text));
        }
    }
    let lines: Vec<String> = lines.split('\n').map(tidy).filter(|line| !line.is_empty()).collect();
    Some(lines.join("\n"))
}

/// The separate texts of a small element. Most elements can be rejected before their texts are joined.
pub(crate) struct SmallText<'a> {
    parts: [&'a str; MOST_NODES],
    len: usize,
}

impl<'a> SmallText<'a> {
    pub(crate) fn from_element(page: &'a Page, id: NodeId) -> Option<Self> {
        let range = page.subtree(id);
        if range.len() > MOST_NODES || page.text(id).is_some() || page.is_never_text(id) {
            return None;
        }
        let (mut small, mut bytes) = (Self { parts: [""; MOST_NODES], len: 0 }, 0);
        for id in range {
            let Some(text) = page.text(id) else { continue };
            if !page.is_never_text(page.node(id).parent) {
                small.parts[small.len] = text;
                small.len += 1;
                bytes += text.len();
            }
        }
        (bytes < MAX_BYTES).then_some(small)
    }

    pub(crate) fn text(&self) -> String {
        match &self.parts[..self.len] {
            [text] => tidy(text),
            parts => tidy(&parts.join(" ")),
        }
    }

    pub(crate) fn contains(&self, is_wanted: fn(char) -> bool) -> bool {
        self.parts[..self.len].iter().any(|text| text.contains(is_wanted))
    }

    pub(crate) fn digits(&self) -> usize {
        self.parts[..self.len].iter().map(|text| digits(text)).sum()
    }

    /// Returns the first character in lower case. Returns `None` if it is not ASCII, or if a combining mark
    /// may follow.
    pub(crate) fn first_ascii(&self) -> Option<u8> {
        match self.beginning()?.as_bytes() {
            [first] | [first, 0..0x80, ..] => Some(first.to_ascii_lowercase()).filter(u8::is_ascii_graphic),
            _ => None,
        }
    }

    fn beginning(&self) -> Option<&'a str> {
        self.parts[..self.len].iter().find_map(|text| begun(text))
    }
}

fn begun(text: &str) -> Option<&str> {
    Some(text.trim_ascii_start()).filter(|it| !it.is_empty())
}

/// Returns the beginning of the small text of a subtree, so that a caller can reject most texts by the first
/// letter. Returns `None` if the subtree is too large or has no text.
pub(crate) fn beginning(page: &Page, id: NodeId) -> Option<&str> {
    let range = page.subtree(id);
    let is_seen = |id: NodeId| !page.is_never_text(page.node(id).parent);
    let text = |id| page.text(id).and_then(begun).filter(|_| is_seen(id));
    if range.len() > MOST_NODES { None } else { range.into_iter().find_map(text) }
}

/// Whether a text with this beginning may equal `other`, which must be in lower case and on one line.
/// Compares only the characters of `beginning`.
pub(crate) fn may_be(beginning: &str, other: &str) -> bool {
    let mut others = other.chars();
    let mut own = beginning.chars().peekable();
    while let Some(c) = own.next() {
        // A combining mark may follow, and the lower case of `Σ` depends on its position in the word.
        let is_whole = own.peek().is_none_or(|next| is_plain(*next) || next.is_ascii_whitespace());
        if !is_whole || !is_plain(c) || c == 'Σ' {
            return true;
        }
        let is_next = |c: char| others.next() == Some(c);
        let is_begun = if c.is_ascii() {
            Some(c.to_ascii_lowercase()).into_iter().all(is_next)
        } else {
            c.to_lowercase().all(is_next)
        };
        if !is_begun {
            return false;
        }
    }
    true
}

pub(crate) fn digits(text: &str) -> usize {
    if text.is_ascii() {
        return text.bytes().filter(u8::is_ascii_digit).count();
    }
    text.chars().filter(|c| latin_digit(*c).is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_tells_what_the_text_is() {
        let page =
            Page::parse("<div><p> <b> By 12</b> An<i>3</i><p>e\u{301}x<p>\u{AD}Ab<p> <p>B<b>\u{301}</b>");
        let small: Vec<_> =
            page.elements("p").map(|id| SmallText::from_element(&page, id).unwrap()).collect();
        let texts: Vec<String> = small.iter().map(SmallText::text).collect();
        assert_eq!(texts, ["By 12 An 3", "éx", "Ab", "", "B \u{301}"]);
        let firsts: Vec<_> = small.iter().map(SmallText::first_ascii).collect();
        assert_eq!(firsts, [Some(b'b'), None, None, None, Some(b'b')]);
        assert_eq!(small[0].digits(), 3);
        for (id, text) in page.elements("p").zip(&texts) {
            let beginning = beginning(&page, id);
            assert_eq!(beginning, SmallText::from_element(&page, id).unwrap().beginning());
            assert!(beginning.map_or(text.is_empty(), |it| may_be(it, &text.to_lowercase())), "{text}");
        }
        let others =
            [("by 12 an 3", true), ("by", true), ("by the", true), ("bye", true), ("bz", false), ("", false)];
        for (other, expected) in others {
            assert_eq!(may_be("By 12", other), expected, "{other}");
        }
    }
}
