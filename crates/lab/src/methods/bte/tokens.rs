//! Implements steps 0 and 1: converts a page to runs of words and tags.
//!
//! Unlike in the paper, the tags come from the parsed page and not from the source. Every element has a start
//! tag and, unless it is void (`br`, `hr`, ...), an end tag. Therefore `<p>` without `</p>` also counts as
//! two tags.

use std::collections::HashSet;

use gleaner_html::text::{is_hidden, never_text};
use gleaner_html::{NodeId, Page};

use super::BteParams;
use gleaner_html::words::words;

/// The runs of a page, as in the array `encode[]` of Algorithm 1 by Phan and Ha, and the page's text nodes.
///
/// The entry `n` represents a run of `n` tags, and the entry `-n` a run of `n` words. Signs alternate, and no
/// entry is 0.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tokens {
    encode: Vec<i64>,
    /// Every text node with a word and the index of its run. Both are in ascending order.
    texts: Vec<(NodeId, u32)>,
}

impl Tokens {
    /// Applies step 0 (cleaning) and step 1 (tokens) to a page, in linear time.
    #[must_use]
    pub fn new(page: &Page, params: &BteParams) -> Self {
        let removed: HashSet<&str> = params.removed.iter().map(String::as_str).collect();
        let mut tokens = Self::default();
        let Some(body) = page.elements("body").next() else {
            return tokens;
        };
        let mut open: Vec<NodeId> = Vec::new();
        let mut id = body;
        while id < page.node(body).end {
            tokens.close_before(page, &mut open, id);
            let Some(tag) = page.tag(id) else {
                tokens.text(id, page.text(id).unwrap_or_default());
                id += 1;
                continue;
            };
            if removed.contains(tag) || never_text(tag) || is_hidden(page, id) {
                id = page.node(id).end;
                continue;
            }
            tokens.push(1);
            if !is_void(tag) {
                open.push(id);
            }
            id += 1;
        }
        tokens.close_before(page, &mut open, page.node(body).end);
        tokens
    }

    fn close_before(&mut self, page: &Page, open: &mut Vec<NodeId>, id: NodeId) {
        while open.last().is_some_and(|element| page.node(*element).end <= id) {
            open.pop();
            self.push(1);
        }
    }

    fn text(&mut self, id: NodeId, text: &str) {
        let mut any = false;
        for _ in words(text) {
            self.push(-1);
            any = true;
        }
        if any {
            self.texts.push((id, self.encode.len() as u32 - 1));
        }
    }

    /// Appends one element of `binary_token[]`, as in lines 14 to 21 of Algorithm 1.
    fn push(&mut self, binary: i64) {
        match self.encode.last_mut() {
            Some(run) if run.signum() == binary => *run += binary,
            _ => self.encode.push(binary),
        }
    }

    /// Returns the runs. Runs of tags are positive, and runs of words are negative.
    #[must_use]
    pub fn encode(&self) -> &[i64] {
        &self.encode
    }

    /// Returns the text nodes whose words are in the runs `first..=last`, in page order.
    pub fn text_nodes(&self, first: usize, last: usize) -> impl Iterator<Item = NodeId> {
        let from = self.texts.partition_point(|(_, run)| (*run as usize) < first);
        self.texts[from..].iter().take_while(move |(_, run)| *run as usize <= last).map(|(id, _)| *id)
    }

    #[cfg(test)]
    pub(super) fn from_runs(runs: &[i64]) -> Self {
        let mut tokens = Self::default();
        for run in runs {
            for _ in 0..run.abs() {
                tokens.push(run.signum());
            }
        }
        tokens
    }
}

fn is_void(tag: &str) -> bool {
    matches!(
        tag,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "source"
            | "track"
            | "wbr"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_runs() {
        let cases: [(&str, &[i64]); 6] = [
            // In the paper's example, 2 tags and 5 words are {2, -5}. The last run here contains the end
            // tags.
            ("<p>one two three four five", &[2, -5, 2]),
            ("", &[2]),
            ("a<br>b", &[1, -1, 1, -1, 1]),
            ("<p>a <b>b</b> c</p>", &[2, -1, 1, -1, 1, -1, 2]),
            ("<p>a</p><script>var x = 1;</script><p>b", &[2, -1, 2, -1, 2]),
            ("<head><title>t</title></head><p>a <!-- no --> b</p>", &[2, -2, 2]),
        ];
        for (html, expected) in cases {
            assert_eq!(Tokens::new(&Page::parse(html), &BteParams::default()).encode(), expected, "{html}");
        }
    }

    #[test]
    fn runs_lead_back_to_text_nodes() {
        let page = Page::parse("<p>a</p><p>b c</p> - <p>d</p>");
        let tokens = Tokens::new(&page, &BteParams::default());
        let texts: Vec<_> = tokens.text_nodes(3, 5).filter_map(|id| page.text(id)).collect();
        assert_eq!(texts, ["b c", "d"]);
        assert_eq!(tokens.encode(), [2, -1, 2, -2, 2, -1, 2]);
    }
}
