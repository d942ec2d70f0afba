//! Converts selected parts of a page to lines of text.
//!
//! A line ends at `<br>` and at the start and end of a block-level element. The caller selects the nodes to
//! convert. Elements in [`never_text`] never yield text.
//!
//! Hidden elements do not yield text either. These are elements with the `hidden` attribute (except
//! `until-found`) or an inline `display:none`, and a `dialog` that is not open. `html`, `body`, `main` and
//! `article` are exempt, because sites hide them until a script has run. Also exempt are the root that the
//! caller passes, the parts that React streams (`<div hidden id="S:0">`), panels that a reader can open
//! (`role=tabpanel`, and `role=region` with `aria-labelledby`), and the rest of a story (`hidden_rest`).
//! `aria-hidden` has no visible effect and is ignored. The ligatures of icon fonts
//! (`<span class=material-icons>`) are pictures and yield no text.
//!
//! An inline `display:block` makes any element a block, and so does a custom element (`x-paragraph`) that
//! contains the whole line and some words. A button inside a heading is text of the heading. A declarative shadow root (`<template shadowrootmode>`) is shown.
//!
//! Limitation: style sheets are not read. A class that hides an element has no effect, and an unknown element
//! is inline, as in a browser. A class may also separate two words (`<span class=place>Hà Nội</span>Triển
//! lãm`). The space between such words is guessed: at the edge of an element, a space is added before a
//! capital that follows a lower-case word or the end of a sentence. In `2024<span>Hanoi` and
//! `Hanoi<span>opens`, no space is added.

mod characters;
mod hidden_rest;

use std::ops::Range;

use html5ever::{LocalName, local_name};

use crate::{NodeId, Page};
pub(crate) use characters::is_plain;
use characters::{EDGE, OBJECT, collapse, preserve};
use gleaner_html5::tags::Display;
pub use gleaner_html5::tags::{is_block, never_text};
use serde::{Deserialize, Serialize};

/// The kind of block around a line. If blocks are nested, the innermost block that has a kind decides, so a
/// `<p>` in a `<blockquote>` is a [`LineKind::Quote`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineKind {
    /// Running text: `p`, `div` and every block that has no other kind.
    Paragraph,
    /// `h1` to `h6`.
    Heading,
    /// `li`, `dt`, `dd`.
    Item,
    /// `blockquote`.
    Quote,
    /// `td` or `th`. Text in a `p`, `table`, `article` or `section` inside a cell is a paragraph.
    Cell,
    /// `figcaption` or a table's `caption`.
    Caption,
    /// `pre` and its older equivalents. Only this kind has line breaks in its text.
    Pre,
}

/// One line of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The kind of the block around the line.
    pub kind: LineKind,
    /// The text, in NFC and never empty. Except in [`LineKind::Pre`], it is trimmed, has single spaces
    /// between words, and has no line breaks.
    pub text: String,
}

/// A line and its position on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedLine {
    /// The line.
    pub line: Line,
    /// The innermost block-level element around the line or, if there is none, the caller's root.
    pub block: NodeId,
    /// The range from the line's first text node to its last. The range contains no text of other lines.
    pub nodes: Range<NodeId>,
}

/// Returns the lines of a subtree in document order.
///
/// If `keep` returns `false` for a node, its subtree is omitted. `keep` is called at most once per node, for
/// elements (including the root) and text nodes. Inline tags neither split nor join words: `a<b>b</b>c` is
/// `abc`. If something visible between two words is omitted, a space replaces it. At the edge of an inline
/// element, a space is added before a capital that follows a lower-case word or the end of a sentence, and
/// before a capitalized word that follows an abbreviation.
#[must_use]
pub fn lines(page: &Page, root: NodeId, keep: impl Fn(NodeId) -> bool) -> Vec<Line> {
    placed_lines(page, root, keep).into_iter().map(|placed| placed.line).collect()
}

/// Like [`lines`], but also returns the position of each line.
#[must_use]
pub fn placed_lines(page: &Page, root: NodeId, keep: impl Fn(NodeId) -> bool) -> Vec<PlacedLine> {
    if page.is_empty() {
        return Vec::new();
    }
    let mut out = LineBuilder::new(kind_above(page, root), root);
    let mut blocks: Vec<(NodeId, LineKind, NodeId)> = Vec::new();
    let range = page.subtree(root);
    let mut id = range.start;
    while id < range.end {
        while let Some(&(end, outer, block)) = blocks.last()
            && end <= id
        {
            blocks.pop();
            out.enter(outer, block);
        }
        let next = page.node(id).end;
        let Some(tag) = page.node(id).kind.name() else {
            if keep(id) {
                out.add(page, id);
            } else {
                out.buffer.push(OBJECT);
            }
            id = next;
            continue;
        };
        let shown = visibility(page, id, tag);
        let display = page.node(id).display;
        let is_root = shown == Visibility::ShadowRoot;
        // The question of an accordion is a button inside a heading.
        let is_question = *tag == local_name!("button") && out.kind == LineKind::Heading;
        let display = if is_root || is_question { Display::default() } else { display };
        let skipped = Skip::new(display, shown == Visibility::Not && id != root, || keep(id));
        if is_root
            || shown == Visibility::AsBlock
            || display.is_block()
            || display.is_custom() && out.is_at_start() && is_paragraph(page, id)
        {
            let inner = if skipped == Skip::No { kind_inside(out.kind, tag) } else { out.kind };
            blocks.push((next, out.kind, out.block));
            out.enter(inner, id);
        } else if *tag == local_name!("br") {
            out.break_here();
        } else if skipped == Skip::Seen || *tag == local_name!("img") {
            out.buffer.push(OBJECT);
        }
        id = if skipped == Skip::No { id + 1 } else { next };
    }
    out.end_line();
    out.lines
}

/// Returns the text of the lines, joined by `'\n'`.
#[must_use]
pub fn plain(lines: &[Line]) -> String {
    let mut out = String::with_capacity(lines.iter().map(|l| l.text.len() + 1).sum());
    for line in lines {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&line.text);
    }
    out
}

/// Normalizes a short text (a title, an anchor) to one line: removes invisible characters, collapses white
/// space and converts to NFC. The result may be empty.
#[must_use]
pub fn tidy(text: &str) -> String {
    collapse(text)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Skip {
    No,
    /// Something visible was omitted from the line here.
    Seen,
    Unseen,
}

impl Skip {
    fn new(display: Display, is_hidden: bool, keep: impl Fn() -> bool) -> Self {
        if is_hidden || display.is_invisible() {
            Self::Unseen
        } else if display.is_never_text() || !keep() {
            Self::Seen
        } else {
            Self::No
        }
    }
}

/// Whether the texts inside an element are not text of the page: it is hidden ([`is_hidden`]), or it never has text
/// ([`never_text`]).
#[must_use]
pub fn is_left_out(page: &Page, id: NodeId) -> bool {
    let Some(tag) = page.node(id).kind.name() else { return false };
    match visibility(page, id, tag) {
        Visibility::Not => true,
        Visibility::ShadowRoot => false,
        Visibility::AsBlock | Visibility::AsItsTag => page.is_never_text(id),
    }
}

/// Whether an element's own attributes hide it: `hidden`, an inline `display:none`, or a `dialog` without
/// `open`. The exceptions in the module's documentation apply, except the exception for the caller's root.
/// Does not check ancestors and style sheets.
#[must_use]
pub fn is_hidden(page: &Page, id: NodeId) -> bool {
    page.node(id).kind.name().is_some_and(|tag| visibility(page, id, tag) == Visibility::Not)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visibility {
    Not,
    AsBlock,
    AsItsTag,
    /// A declarative shadow root, which is shown although it is a `template`.
    ShadowRoot,
}

fn visibility(page: &Page, id: NodeId, tag: &LocalName) -> Visibility {
    if matches!(
        *tag,
        local_name!("html") | local_name!("body") | local_name!("main") | local_name!("article")
    ) {
        return Visibility::AsItsTag;
    }
    if *tag == local_name!("template") {
        let is_root = page.attribute(id, "shadowrootmode").is_some();
        return if is_root { Visibility::ShadowRoot } else { Visibility::AsItsTag };
    }
    let (mut hidden, mut streamed, mut open) = (false, false, false);
    let (mut role, mut labelled) = ("", false);
    let mut styled = Visibility::AsItsTag;
    for (name, value) in page.interned_attributes(id) {
        match *name {
            local_name!("hidden") => hidden = !value.eq_ignore_ascii_case("until-found"),
            local_name!("id") => streamed = is_streamed(value),
            local_name!("style") => styled = displayed(value),
            local_name!("open") => open = true,
            local_name!("role") => role = value,
            local_name!("aria-labelledby") => labelled = true,
            local_name!("class") if is_icon(tag, value) => return Visibility::Not,
            _ => {}
        }
    }
    let can_be_opened = role == "tabpanel" || role == "region" && labelled;
    let is_hidden = hidden && !streamed || styled == Visibility::Not;
    let can_be_opened = can_be_opened || is_hidden && hidden_rest::is_rest_of_story(page, id);
    match styled {
        _ if *tag == local_name!("dialog") && !open || is_hidden && !can_be_opened => Visibility::Not,
        Visibility::Not => Visibility::AsItsTag,
        styled => styled,
    }
}

/// Whether an element shows an icon: the fonts Material Icons and Material Symbols draw a picture for a word.
fn is_icon(tag: &LocalName, class: &str) -> bool {
    matches!(*tag, local_name!("span") | local_name!("i") | local_name!("em"))
        && class
            .split_ascii_whitespace()
            .any(|name| name.starts_with("material-icons") || name.starts_with("material-symbols"))
}

/// Whether a custom element contains a paragraph: it has some words, and no text follows it on the same line.
fn is_paragraph(page: &Page, id: NodeId) -> bool {
    let node = page.node(id);
    let first = (id + 1..node.end.min(id + MAX_CUSTOM_NODES)).filter_map(|id| page.text(id));
    let follows = |next: NodeId| {
        page.node(next).parent == node.parent && page.text(next).is_some_and(|text| !text.trim().is_empty())
    };
    first.map(str::len).sum::<usize>() >= MIN_PARAGRAPH_BYTES
        && ((node.end as usize) >= page.len() || !follows(node.end))
}

/// Minimum length of the text of a custom element that is a paragraph, in bytes.
const MIN_PARAGRAPH_BYTES: usize = 60;

/// Maximum number of nodes of a custom element that are examined.
const MAX_CUSTOM_NODES: NodeId = 16;

/// Whether this is the id of a part of the page that React streams: `S:` and a hexadecimal number. Such a
/// part, often the whole article, is in a hidden `div` at the end of the page until a script moves and shows
/// it.
fn is_streamed(id: &str) -> bool {
    id.strip_prefix("S:")
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn displayed(style: &str) -> Visibility {
    let mut shown = Visibility::AsItsTag;
    for declaration in style.split(';') {
        if let Some((property, value)) = declaration.split_once(':')
            && property.trim().eq_ignore_ascii_case("display")
        {
            let value = value.split('!').next().unwrap_or_default().trim();
            shown = match value {
                _ if value.eq_ignore_ascii_case("none") => Visibility::Not,
                _ if value.eq_ignore_ascii_case("block") => Visibility::AsBlock,
                _ => Visibility::AsItsTag,
            };
        }
    }
    shown
}

/// Returns the kind of the lines in a block, from its tag and the kind of the block around it.
fn kind_inside(outer: LineKind, tag: &LocalName) -> LineKind {
    match *tag {
        local_name!("h1")
        | local_name!("h2")
        | local_name!("h3")
        | local_name!("h4")
        | local_name!("h5")
        | local_name!("h6") => LineKind::Heading,
        local_name!("li") | local_name!("dt") | local_name!("dd") => LineKind::Item,
        local_name!("blockquote") => LineKind::Quote,
        local_name!("td") | local_name!("th") => LineKind::Cell,
        local_name!("figcaption") | local_name!("caption") => LineKind::Caption,
        local_name!("pre") | local_name!("listing") | local_name!("xmp") | local_name!("plaintext") => {
            LineKind::Pre
        }
        // A layout table has no data cells, so a paragraph in its cell is a paragraph.
        local_name!("p") | local_name!("table") | local_name!("article") | local_name!("section")
            if outer == LineKind::Cell =>
        {
            LineKind::Paragraph
        }
        _ => outer,
    }
}

fn kind_above(page: &Page, root: NodeId) -> LineKind {
    let mut above = Vec::new();
    let mut id = root;
    while page.node(id).parent != id {
        id = page.node(id).parent;
        above.push(id);
    }
    above.iter().rev().filter_map(|id| page.node(*id).kind.name()).fold(LineKind::Paragraph, kind_inside)
}

struct LineBuilder {
    kind: LineKind,
    block: NodeId,
    nodes: Range<NodeId>,
    buffer: String,
    lines: Vec<PlacedLine>,
}

impl LineBuilder {
    fn new(kind: LineKind, block: NodeId) -> Self {
        Self { kind, block, nodes: 0..0, buffer: String::new(), lines: Vec::new() }
    }

    fn is_at_start(&self) -> bool {
        self.buffer.chars().all(|c| c.is_whitespace() || c == OBJECT)
    }

    fn enter(&mut self, kind: LineKind, block: NodeId) {
        self.end_line();
        (self.kind, self.block) = (kind, block);
    }

    fn add(&mut self, page: &Page, node: NodeId) {
        if self.nodes.is_empty() {
            self.nodes.start = node;
        } else if has_edge(page, self.nodes.end - 1, node) {
            self.buffer.push(EDGE);
        }
        self.nodes.end = node + 1;
        self.buffer.push_str(page.text(node).unwrap_or_default());
    }

    fn break_here(&mut self) {
        if self.kind == LineKind::Pre {
            self.buffer.push('\n');
        } else {
            self.end_line();
        }
    }

    fn end_line(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let text = if self.kind == LineKind::Pre { preserve(&self.buffer) } else { collapse(&self.buffer) };
        self.buffer.clear();
        let nodes = std::mem::replace(&mut self.nodes, 0..0);
        if !text.is_empty() {
            let line = Line { kind: self.kind, text };
            self.lines.push(PlacedLine { line, block: self.block, nodes });
        }
    }
}

/// Whether an element starts or ends between two texts of a line. If so, a style sheet may separate the
/// texts. `sub`, `sup` and `wbr` do not count.
fn has_edge(page: &Page, before: NodeId, after: NodeId) -> bool {
    let (outer, inner) = (page.node(before).parent, page.node(after).parent);
    if outer != inner {
        return ![outer, inner].iter().any(|id| matches!(page.tag(*id), Some("sub" | "sup")));
    }
    page.tag(before + 1).is_some_and(|tag| !matches!(tag, "sub" | "sup" | "wbr"))
}

#[cfg(test)]
mod tests {
    use super::characters::is_noise;
    use super::*;

    #[test]
    fn a_line_knows_its_place() {
        let page = Page::parse("<div>a<p>b <b>c</b></p><br>d<i hidden>e</i></div>");
        let placed = placed_lines(&page, 0, |_| true);
        let of = |at: usize| {
            let place: &PlacedLine = &placed[at];
            let text: String = place.nodes.clone().filter_map(|id| page.text(id)).collect();
            (place.line.text.clone(), page.tag(place.block), text)
        };
        assert_eq!(of(0), ("a".into(), Some("div"), "a".into()));
        assert_eq!(of(1), ("b c".into(), Some("p"), "b c".into()));
        assert_eq!(of(2), ("d".into(), Some("div"), "d".into()));
        assert_eq!(placed.len(), 3);
    }

    #[test]
    fn what_is_not_seen_is_gone() {
        let cases = [
            "a\u{AD}b",
            "a\u{200E}b",
            "a\u{202E}b\u{202C}",
            "a\u{2066}b\u{2069}",
            "a\u{180E}b",
            "a\u{FFF9}b",
            "a\u{FFFF}b",
        ];
        for text in cases {
            assert_eq!(tidy(text), "ab", "{text:?}");
        }
    }

    fn of(html: &str) -> Vec<Line> {
        lines(&Page::parse(html), 0, |_| true)
    }

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let got: Vec<String> = of(html).into_iter().map(|l| l.text).collect();
        assert_eq!(got, expected, "{html}");
    }

    #[test]
    fn inline_tags_neither_split_nor_glue() {
        check("a<b>b</b>c", &["abc"]);
        check("<span>a</span> <span>b</span>", &["a b"]);
        check("<span>a </span>\n<span> b</span>", &["a b"]);
        check("x<wbr>y &nbsp; z", &["xy z"]);
        check("<a href=#>one</a>, <i>two</i>.", &["one, two."]);
    }

    #[test]
    fn blocks_and_br_end_a_line() {
        check("<td>a</td>", &["a"]);
        check("<table><tr><td>a</td><td>b</td></tr></table>", &["a", "b"]);
        check("a<br>b<br/><br>c", &["a", "b", "c"]);
        check("<div>a<p>b</p>c</div>d", &["a", "b", "c", "d"]);
        check("a<hr>b", &["a", "b"]);
        check("<p> <br> &nbsp; </p>", &[]);
    }

    #[test]
    fn what_is_never_text() {
        for tag in [
            "script", "style", "template", "noscript", "svg", "iframe", "object", "video", "canvas",
            "button", "textarea",
        ] {
            check(&format!("<p>a<{tag}>x</{tag}> b</p>"), &["a b"]);
        }
        check("<head><title>x</title></head><body>a", &["a"]);
        check("<p>a <select><option>x<option>y</select>b", &["a b"]);
        check("<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>", &["漢"]);
    }

    #[test]
    fn hidden_parts_are_left_out() {
        check("<p hidden>x</p><p hidden=until-found>a</p>", &["a"]);
        check("<p style='color:red; DISPLAY : none !important'>x</p>a", &["a"]);
        check("<p style='display:none;display:block'>a</p>", &["a"]);
        check("<p aria-hidden=true>a</p>", &["a"]);
        check("<body style='display:none'><article hidden>a</article>", &["a"]);
        check("<dialog>x</dialog><dialog open>a</dialog>", &["a"]);
        check("wo<span hidden>x</span>rd", &["word"]);
    }

    #[test]
    fn panels_that_a_reader_can_open_are_kept() {
        check("<div role=region aria-labelledby=x style='display:none'>b</div>a", &["b", "a"]);
        check("<div role=tabpanel hidden>b</div>a", &["b", "a"]);
        check("<div role=region style='display:none'>x</div><div role=menu hidden>x</div>a", &["a"]);
    }

    #[test]
    fn parts_that_react_streams_are_kept() {
        check("<div hidden id=S:0><p>a</p></div><div id='S:1f' hidden>b</div>", &["a", "b"]);
        check("<div hidden id=S:0 style='display:none'>x</div>a", &["a"]);
        check("<div hidden id=S:>x</div><div hidden id=S:menu>x</div><div hidden id=s:0>x</div>", &[]);
        check("<div hidden id=S:0>a<p hidden>x</p></div>", &["a"]);
    }

    #[test]
    fn a_button_in_a_heading_is_the_heading() {
        check(
            "<h3><button>Who pays?</button></h3><p>We do. <button>Share</button></p>",
            &["Who pays?", "We do."],
        );
    }

    #[test]
    fn icons_are_no_words() {
        check("<p>a <span class='x material-symbols-outlined'>arrow_forward</span></p>", &["a"]);
        check("<p>a <i class=material-icons>home</i> b <i class=material>c</i></p>", &["a b c"]);
    }

    #[test]
    fn a_shadow_root_is_shown() {
        check(
            "<x-a><template shadowrootmode=open><p>a<p>b</template></x-a><template>x</template>",
            &["a", "b"],
        );
        let page = Page::parse("<template shadowrootmode=open></template><template></template><p hidden>");
        let left_out: Vec<_> = ["template", "p"]
            .iter()
            .flat_map(|tag| page.elements(tag))
            .map(|id| is_left_out(&page, id))
            .collect();
        assert_eq!(left_out, [false, true, true]);
    }

    #[test]
    fn custom_elements_are_paragraphs_if_they_hold_a_whole_line() {
        let long = "The ferry would cross the estuary every forty minutes until dawn";
        check(&format!("<x-p>{long}.</x-p><x-p>{long}</x-p>"), &[&format!("{long}."), long]);
        check(&format!("<p>See <x-p>{long}</x-p>.</p>"), &[&format!("See {long}.")]);
        check(&format!("<p><x-p>{long}</x-p> or not</p>"), &[&format!("{long} or not")]);
        check("<p><x-p>one</x-p><x-p>two</x-p></p>", &["onetwo"]);
    }

    #[test]
    fn a_gap_parts_words_but_not_punctuation() {
        check("one<img>two", &["one two"]);
        check("end.<iframe></iframe>Start", &["end. Start"]);
        check("see<svg></svg>, then", &["see, then"]);
        check("wo<script></script>rd", &["word"]);
    }

    #[test]
    fn an_edge_parts_what_a_style_sheet_parts() {
        check("<span class=place>Hà Nội</span>Triển lãm", &["Hà Nội Triển lãm"]);
        check("<span class=place>TP HCM</span>Ca sĩ, <b>NASA</b>.", &["TP HCM Ca sĩ, NASA."]);
        check("The end.<span class=br></span>A start.", &["The end. A start."]);
        check("<strong>Note:</strong>Read <x-p>one.</x-p><x-p>Two</x-p>", &["Note: Read one. Two"]);
        check(
            "e<b>Bay</b>, i<i>Phone</i>, k<sub>B</sub>T, Chlor<wbr>Oxid",
            &["eBay, iPhone, kBT, ChlorOxid"],
        );
        check("<b>T</b>he U<b>S</b>A, 3<b>D</b>, a.<b>b</b>, www.<b>x</b>", &["The USA, 3D, a.b, www.x"]);
        check("un<!-- -->Known", &["unKnown"]);
    }

    #[test]
    fn a_style_makes_blocks() {
        check("<p><span style='display:block'>a</span>b</p>", &["a", "b"]);
        check("a<b style='DISPLAY: Block; color: red'>b</b>c", &["a", "b", "c"]);
        check("a<b style='display:inline-block'>b</b>", &["ab"]);
    }

    #[test]
    fn unseen_characters() {
        check("so\u{AD}ft z\u{200B}w\u{FEFF}j\u{2060} nul\u{1}", &["soft zwj nul"]);
        check("a\u{200D}b \u{200C}c", &["ab c"]);
        check("می\u{200C}خواهم", &["می\u{200C}خواهم"]);
        check("👨\u{200D}👩\u{200D}👧", &["👨\u{200D}👩\u{200D}👧"]);
        check("Vie\u{302}\u{323}t \u{3000}Nam", &["Việt Nam"]);
        check("e\u{AD}\u{301}", &["é"]);
    }

    #[test]
    fn kinds() {
        let html = "<h2>h</h2><ul><li><p>i</p></ul><blockquote><p>q</p></blockquote><table><tr><td>c<td><p>p</table><figure><figcaption>f</figcaption></figure><p>p";
        let got: String = of(html).iter().map(|l| format!("{}={:?} ", l.text, l.kind)).collect();
        assert_eq!(got, "h=Heading i=Item q=Quote c=Cell p=Paragraph f=Caption p=Paragraph ");
    }

    #[test]
    fn pre_keeps_its_breaks() {
        let got = of("<p>a</p><pre>\n\n  x <b>y</b>  \r\n\tz<br>w\n\n</pre>b");
        assert_eq!(got[1], Line { kind: LineKind::Pre, text: "  x y\n\tz\nw".into() });
        assert_eq!(plain(&got), "a\n  x y\n\tz\nw\nb");
    }

    #[test]
    fn what_is_not_kept_goes_with_its_subtree() {
        let page = Page::parse("<div>a<p class=ad>x<b>y</b></p>b<i class=ad>z</i>c<b>d</b></div>");
        let kept = lines(&page, 0, |id| page.attribute(id, "class") != Some("ad"));
        assert_eq!(plain(&kept), "a\nb cd");
    }

    #[test]
    fn a_root_inside_a_quotation_is_one() {
        let page = Page::parse("<blockquote hidden><p hidden>a</p></blockquote>");
        let p = page.elements("p").next().unwrap();
        assert_eq!(lines(&page, p, |_| true), [Line { kind: LineKind::Quote, text: "a".into() }]);
    }

    #[test]
    fn plain_characters_ask_for_nothing() {
        use unicode_normalization::char::canonical_combining_class;
        use unicode_normalization::{IsNormalized, is_nfc_quick};
        for c in ('\0'..=char::MAX).filter(|c| is_plain(*c)) {
            assert!(
                !c.is_whitespace() && !is_noise(c) && !matches!(c, OBJECT | '\u{200C}' | '\u{200D}'),
                "{c:?}"
            );
            assert_eq!(canonical_combining_class(c), 0, "{c:?}");
            assert_eq!(is_nfc_quick(std::iter::once(c)), IsNormalized::Yes, "{c:?}");
        }
    }
}
