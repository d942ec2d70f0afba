//! Splits a page's source into lines, for the methods that do not use the parsed tree.
//!
//! Each line has the length of its text and its number of tags. Scripts, style sheets and HTML comments are
//! excluded. A line without tags and without text is omitted. Before the length of a text is measured, tags
//! are removed, character references are resolved, and white space is collapsed. Neither indentation nor
//! `&nbsp;` counts as text.
//!
//! A line break inside a tag, a script or a comment does not end a line, so a line contains only whole tags.
//! A tag counts in the line where it begins. If a method requires whole links, a break inside a complete link
//! ([`complete`]) does not end a line either.
//!
//! Limitation: hidden text and text in `noscript`, `button` or `select` counts, because the source does not
//! show which elements are hidden.
//!
//! Cost: linear in time and memory. If the source has too few line breaks, [`LineEnds::Auto`] doubles the
//! time.

use std::ops::Range;

use gleaner_html::source::{Piece, PieceKind, pieces, resolve};
use gleaner_html::text::{Line, LineKind, is_block, tidy};

use crate::methods::source_links::{complete, has_address};

/// Maximum number of block-level tags and `br` in a source line that [`LineEnds::Auto`] accepts as a line.
const MAX_BLOCK_TAGS: usize = 12;

/// The positions at which lines end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LineEnds {
    /// At the line breaks of the source, as in the papers.
    AsWritten,
    /// Before the start tag and after the end tag of a block-level element ([`is_block`]), and after `br`.
    /// Line breaks in the source count only as white space. Most programs that write HTML end lines at these
    /// positions.
    AtBlocks,
    /// Like [`Self::AsWritten`], unless more than half of the page's text is in source lines with more than
    /// 12 block-level tags each. Then like [`Self::AtBlocks`].
    #[default]
    Auto,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeadState {
    Kept,
    /// Excludes every `title` and the head. The head ends at `</head>` or before the first block-level
    /// element.
    Removed,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceLine {
    text: Range<usize>,
    pub(crate) length: usize,
    pub(crate) tags: usize,
    /// The number of characters in links (`a` with `href`). At most `length`.
    pub(crate) anchor_length: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct SourceLines {
    /// The text of all lines. `'\n'` marks a block-level tag or `br`.
    text: String,
    lines: Vec<SourceLine>,
    title: String,
}

impl SourceLines {
    pub(crate) fn new(source: &str, lines: LineEnds, head: HeadState) -> Self {
        Self::read(source, lines, head, &[])
    }

    pub(crate) fn with_whole_links(source: &str, lines: LineEnds, head: HeadState) -> Self {
        Self::read(source, lines, head, &complete(source))
    }

    /// Splits a source into lines. `whole` has an entry for each `a`. An entry is `true` if no line may end
    /// inside its `a`.
    fn read(source: &str, lines: LineEnds, head: HeadState, whole: &[bool]) -> Self {
        match lines {
            LineEnds::AsWritten => LineReader::new(false, head, whole).read(source),
            LineEnds::AtBlocks => LineReader::new(true, head, whole).read(source),
            LineEnds::Auto => {
                let written = Self::read(source, LineEnds::AsWritten, head, whole);
                if written.has_too_few() {
                    Self::read(source, LineEnds::AtBlocks, head, whole)
                } else {
                    written
                }
            }
        }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = &SourceLine> {
        self.lines.iter()
    }

    /// Returns the text of the first `title` that has text, with white space collapsed. Returns an empty text
    /// if there is none.
    pub(crate) fn title(&self) -> &str {
        &self.title
    }

    pub(crate) fn text(&self, line: &SourceLine) -> &str {
        &self.text[line.text.clone()]
    }

    /// Returns the text of the selected lines. Joins adjacent selected lines, so a paragraph of several
    /// source lines becomes one line. A block-level tag or `br` still ends a line.
    pub(crate) fn selected(&self, is_selected: impl Fn(usize) -> bool) -> Vec<Line> {
        let mut out = Vec::new();
        let mut number = 0;
        while number < self.lines.len() {
            let first = number;
            while number < self.lines.len() && is_selected(number) {
                number += 1;
            }
            if first < number {
                let run = &self.text[self.lines[first].text.start..self.lines[number - 1].text.end];
                out.extend(run.split('\n').map(tidy).filter(|text| !text.is_empty()).map(paragraph));
            }
            number += 1;
        }
        out
    }

    fn has_too_few(&self) -> bool {
        let many = |line: &&SourceLine| {
            self.text(line).bytes().filter(|byte| *byte == b'\n').nth(MAX_BLOCK_TAGS).is_some()
        };
        let on_long: usize = self.iter().filter(many).map(|line| line.length).sum();
        let on_all: usize = self.iter().map(|line| line.length).sum();
        2 * on_long > on_all
    }
}

fn paragraph(text: String) -> Line {
    Line { kind: LineKind::Paragraph, text }
}

struct LineReader<'a> {
    out: SourceLines,
    at_blocks: bool,
    head: HeadState,
    start: usize,
    tags: usize,
    anchor: String,
    in_head: bool,
    in_title: bool,
    in_link: bool,
    /// One entry for each `<a>` element that is still to be read, in order. If an entry is `true`, no line
    /// may end inside its element.
    whole: &'a [bool],
    in_whole_link: bool,
    is_overdue: bool,
}

impl<'a> LineReader<'a> {
    fn new(at_blocks: bool, head: HeadState, whole: &'a [bool]) -> Self {
        Self {
            out: SourceLines::default(),
            at_blocks,
            head,
            start: 0,
            tags: 0,
            anchor: String::new(),
            in_head: false,
            in_title: false,
            in_link: false,
            whole,
            in_whole_link: false,
            is_overdue: false,
        }
    }

    fn read(mut self, source: &str) -> SourceLines {
        for Piece { kind, range } in pieces(source) {
            let written = &source[range];
            match kind {
                PieceKind::Text => self.text(written),
                PieceKind::Start { name } => self.tag(&name.to_ascii_lowercase(), Some(written)),
                PieceKind::End { name } => self.tag(&name.to_ascii_lowercase(), None),
                PieceKind::Raw | PieceKind::Remark => {}
            }
        }
        self.end_line();
        self.out
    }

    fn text(&mut self, written: &str) {
        if self.in_title && self.out.title.is_empty() {
            self.out.title = tidy(&resolve(written));
        }
        if self.is_removed() {
            return;
        }
        if self.at_blocks {
            return self.push(written);
        }
        for (number, part) in written.split(['\n', '\r']).enumerate() {
            if number > 0 {
                self.break_line();
            }
            self.push(part);
        }
    }

    fn push(&mut self, written: &str) {
        let text = resolve(written).replace('\n', " ");
        self.out.text.push_str(&text);
        if self.in_link {
            self.anchor.push_str(&text);
        }
    }

    fn tag(&mut self, name: &str, start: Option<&str>) {
        self.in_title = name == "title" && start.is_some();
        self.follow_head(name, start.is_some());
        let is_title = name == "title" && self.head == HeadState::Removed;
        let is_whole = name == "a" && start.is_some() && self.is_next_whole();
        if self.is_removed() || is_title || matches!(name, "script" | "style") {
            return;
        }
        let breaks = is_block(name) || name == "br";
        if breaks {
            self.out.text.push('\n');
        }
        let is_before = is_block(name) && start.is_some();
        if breaks && self.at_blocks && is_before {
            self.break_line();
        }
        self.tags += 1;
        if breaks && self.at_blocks && !is_before {
            self.break_line();
        }
        if name == "a" {
            self.follow_link(start.is_some_and(has_address), is_whole);
        }
    }

    fn is_next_whole(&mut self) -> bool {
        self.whole.split_off_first().is_some_and(|is| *is)
    }

    fn follow_link(&mut self, is_link: bool, is_whole: bool) {
        self.in_link = is_link;
        self.in_whole_link = is_link && is_whole;
        if std::mem::take(&mut self.is_overdue) && self.at_blocks {
            self.end_line();
        }
    }

    fn break_line(&mut self) {
        if self.in_whole_link {
            self.is_overdue = true;
            self.push(" ");
        } else {
            self.end_line();
        }
    }

    fn follow_head(&mut self, name: &str, is_start: bool) {
        if name == "head" {
            self.in_head = is_start;
        } else if is_start && is_block(name) {
            self.in_head = false;
        }
    }

    fn is_removed(&self) -> bool {
        self.head == HeadState::Removed && (self.in_head || self.in_title)
    }

    fn end_line(&mut self) {
        let text = self.start..self.out.text.len();
        let length = length(&self.out.text[text.clone()]);
        if length > 0 || self.tags > 0 {
            let anchor_length = length.min(self::length(&self.anchor));
            self.out.lines.push(SourceLine { text, length, tags: self.tags, anchor_length });
        }
        self.out.text.push(' ');
        self.start = self.out.text.len();
        self.tags = 0;
        self.anchor.clear();
    }
}

fn length(text: &str) -> usize {
    tidy(text).chars().count()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use gleaner_html::text::plain;
    use proptest::prelude::*;

    use super::*;
    use crate::methods::text_to_tag_ratio::{self, Clustering};
    use gleaner_html::words::words;

    use crate::methods::line_block;

    #[track_caller]
    fn check(lines: LineEnds, head: HeadState, source: &str, expected: &[&str]) {
        let read = SourceLines::new(source, lines, head);
        let shown: Vec<String> = read
            .iter()
            .map(|line| format!("{}|{}|{}", tidy(read.text(line)), line.tags, line.anchor_length))
            .collect();
        assert_eq!(shown, expected, "{source}");
    }

    #[test]
    fn written_lines_hold_whole_tags() {
        let check = |source, expected: &[&str]| check(LineEnds::AsWritten, HeadState::Kept, source, expected);
        check("a\n\n \r\nb\rc", &["a|0|0", "b|0|0", "c|0|0"]);
        check("<p\nclass=x>a\n</p>", &["a|1|0", "|1|0"]);
        check("<style>\np{}\n</style>a<script>\nx</script>b", &["ab|0|0"]);
        check("<td>a</td><td>b<i>c</i>", &["a bc|5|0"]);
        check("<a href=x>ab\ncd</a>e\nf", &["ab|1|2", "cde|1|2", "f|0|0"]);
        check("<a name=x>ab", &["ab|1|0"]);
        check("a&#10;b", &["a b|0|0"]);
    }

    #[track_caller]
    fn check_whole(lines: LineEnds, source: &str, expected: &[&str]) {
        let read = SourceLines::with_whole_links(source, lines, HeadState::Removed);
        let shown =
            read.iter().map(|line| format!("{}|{}|{}", tidy(read.text(line)), line.tags, line.anchor_length));
        assert_eq!(shown.collect::<Vec<_>>(), expected, "{source}");
    }

    #[test]
    fn no_line_ends_in_a_complete_link() {
        let check = |source, expected: &[&str]| check_whole(LineEnds::AsWritten, source, expected);
        check("<a href=x>ab\ncd</a>e\nf", &["ab cde|2|5", "f|0|0"]);
        check("<a href=x>ab\ncd\n<a href=y>e</a>\nf", &["ab|1|2", "cd|0|2", "e|2|1", "f|0|0"]);
        check("<a href=x>ab\ncd", &["ab|1|2", "cd|0|2"]);
        check("<a name=x>ab\ncd</a>", &["ab|1|0", "cd|1|0"]);
        check("<head><a href=x></a></head><a href=y>a\nb", &["a|2|1", "b|0|1"]);
        let check = |source, expected: &[&str]| check_whole(LineEnds::AtBlocks, source, expected);
        check("<a href=x><h3>a</h3><p>b</p></a>c<p>d", &["a b|6|3", "c|0|0", "d|1|0"]);
        check("<a href=x>a</a>b<br>c", &["ab|3|1", "c|0|0"]);
    }

    #[test]
    fn lines_at_blocks_ignore_line_breaks() {
        let check = |source, expected: &[&str]| check(LineEnds::AtBlocks, HeadState::Kept, source, expected);
        check("<div><p>a\nb</p><p>c<br>d<b>e</b></div>", &["|1|0", "a b|2|0", "c|2|0", "de|3|0"]);
        check("a<p>b", &["a|0|0", "b|1|0"]);
    }

    #[test]
    fn a_head_ends_at_its_tag_or_at_the_first_block() {
        let check =
            |source, expected: &[&str]| check(LineEnds::AsWritten, HeadState::Removed, source, expected);
        check("<html><head><title>T</title></head>a", &["a|2|0"]);
        check("<head><title>T</title><meta>\n<p>a", &["a|1|0"]);
        check("<title>T</title>\n<p>a", &["a|1|0"]);
        let read =
            SourceLines::new("<head><title> </title><title>A &amp; B", LineEnds::Auto, HeadState::Removed);
        assert_eq!(read.title(), "A & B");
    }

    #[test]
    fn a_source_with_too_few_breaks_is_broken_at_blocks() {
        let count = |source: &str| SourceLines::new(source, LineEnds::Auto, HeadState::Kept).iter().len();
        assert_eq!(count(&"<p>a</p>".repeat(6)), 1);
        assert_eq!(count(&"<p>a</p>".repeat(7)), 7);
        assert_eq!(count(&("<p>a</p>".repeat(7) + &"\n<p>a</p>".repeat(13))), 14);
    }

    #[test]
    fn selected_neighbours_are_read_on() {
        let read = SourceLines::new("<p>a\nb</p>c\nd\n<b>e</b>\nf", LineEnds::AsWritten, HeadState::Kept);
        let of = |numbers: &[usize]| plain(&read.selected(|number| numbers.contains(&number)));
        assert_eq!(of(&[0, 1, 2, 3, 4]), "a b\nc d e f");
        assert_eq!(of(&[0, 2, 4]), "a\nd\nf");
        assert_eq!(of(&[]), "");
    }

    fn all_methods(source: &str) -> Vec<String> {
        let mut found = Vec::new();
        for lines in [LineEnds::AsWritten, LineEnds::AtBlocks, LineEnds::Auto] {
            for clustering in Clustering::ALL {
                let params = text_to_tag_ratio::TextToTagRatioParams {
                    lines,
                    ..text_to_tag_ratio::TextToTagRatioParams::with(clustering)
                };
                found.push(plain(&text_to_tag_ratio::extract(source, &params)));
            }
            let broken =
                line_block::LineBlockParams { whole_links: false, ..line_block::LineBlockParams::default() };
            for params in [
                line_block::LineBlockParams::default(),
                broken,
                line_block::LineBlockParams::lambda_sigma(1.0),
            ] {
                found.push(plain(&line_block::extract(
                    source,
                    &line_block::LineBlockParams { lines, ..params },
                )));
            }
        }
        found
    }

    #[test]
    fn pages_at_the_edge() {
        for source in ["", "\n", "<p>", "\0\0\n\0", "<!--", "<a href=", "<title>", "|"] {
            assert!(all_methods(source).iter().all(|text| words(text).next().is_none()), "{source:?}");
        }
    }

    #[test]
    fn a_line_of_20_megabytes() {
        for part in ["word ", "<p>word ", "<a href=x>", "&amp;word "] {
            let source = part.repeat(20_000_000 / part.len());
            for lines in [LineEnds::AsWritten, LineEnds::Auto] {
                let read = SourceLines::new(&source, lines, HeadState::Kept);
                assert!(read.iter().len() >= 1, "{part}");
            }
        }
    }

    #[test]
    fn two_hundred_thousand_lines() {
        let source: String = (0..200_000).map(|n| "x".repeat(n % 97) + "<i>\n").collect();
        for clustering in Clustering::ALL {
            let params = text_to_tag_ratio::TextToTagRatioParams::with(clustering);
            let ratios = text_to_tag_ratio::Ratios::new(&source, &params);
            assert_eq!(ratios.select(&params).len(), 200_000);
        }
        let params = line_block::LineBlockParams {
            lines: LineEnds::AsWritten,
            ..line_block::LineBlockParams::default()
        };
        assert_eq!(line_block::Blocks::new(&source, &params).features().len(), 200_000 / 97 + 1);
    }

    proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn output_is_words_of_the_source_in_order(
            source in "(<(p|div|/p|/div|td|a href=x|/a|b|title|/title|br|!--|script|/script)>|[a-z]{1,5} |[<>&\"\\x00. \n\r]|更 ){0,80}",
        ) {
            let all = resolve(&source).into_owned();
            let mut counts: HashMap<&str, usize> = HashMap::new();
            words(&all).for_each(|word| *counts.entry(word).or_default() += 1);
            for text in all_methods(&source) {
                let mut left = counts.clone();
                for word in words(&text) {
                    let count = left.get_mut(word);
                    prop_assert!(count.as_deref().is_some_and(|count| *count > 0), "{word:?} in {text:?}");
                    count.into_iter().for_each(|count| *count -= 1);
                }
                let mut behind = words(&all);
                prop_assert!(words(&text).all(|word| behind.any(|next| next == word)), "{text:?}");
            }
        }

        #[test]
        fn any_text_is_a_page(source in any::<String>()) {
            for line in all_methods(&source).iter().flat_map(|text| text.lines()) {
                prop_assert_eq!(line, tidy(line));
            }
        }
    }
}
