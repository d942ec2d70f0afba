//! What each line of a page is called: content, or which kind of other thing.
//!
//! Content is what was judged to be; what the site repeats is known. The other names
//! are for people only and decide nothing: they come from link share, tags and the
//! general words in the names of the elements around a line.
//!
//! The awkward truth: an element's name is believed if no content stands in it. So a
//! lost paragraph in `<div class="story-media">` is called a caption, and a comment
//! thread without a telling name is called nothing.

use std::collections::{HashMap, HashSet};

use gleaner_extract::block_model::{Judged, kinds_of_element};
use gleaner_html::text::LineKind;
use gleaner_html::{NodeId, Page};

/// What a line is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// It is extracted.
    Content,
    /// The site has it on several pages.
    Repeated,
    /// Menus, related stories, tags.
    LinkList,
    /// What stands below a picture.
    Caption,
    /// What readers wrote.
    Comment,
    /// None of these.
    Other,
}

impl Class {
    /// All, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Content, Self::Repeated, Self::LinkList, Self::Caption, Self::Comment, Self::Other];

    /// The name for people.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Repeated => "repeated",
            Self::LinkList => "link list",
            Self::Caption => "caption",
            Self::Comment => "comment",
            Self::Other => "other",
        }
    }

    /// The name in the style sheet.
    pub(super) fn name(self) -> &'static str {
        if self == Self::LinkList { "links" } else { self.label() }
    }
}

/// Why a line is called what it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Because {
    /// It was judged so; there is nothing to add.
    Judged,
    /// Of the share of links.
    Links,
    /// Of this element around it.
    Element(NodeId),
    /// Nothing tells.
    Nothing,
}

/// Share of words in links from which a line is called a link.
const MOSTLY_LINKS: f32 = 0.5;

/// Elements around a line that are looked at, inside out.
const REACH: usize = 12;

/// Names the lines of a page.
pub(super) fn classify(page: &Page, blocks: &[Judged]) -> Vec<(Class, Because)> {
    let mut names = Names::of(page, blocks);
    blocks.iter().map(|block| names.class(block)).collect()
}

/// The elements of a page, as far as they name what is in them.
struct Names<'a> {
    page: &'a Page,
    /// Elements with content in them.
    with_content: HashSet<NodeId>,
    /// What elements say that were asked before.
    asked: HashMap<NodeId, Says>,
}

/// What an element says of the lines in it.
#[derive(Debug, Clone, Copy, Default)]
struct Says {
    comment: bool,
    figure: bool,
    caption: bool,
    links: bool,
}

impl<'a> Names<'a> {
    fn of(page: &'a Page, blocks: &[Judged]) -> Self {
        let mut with_content = HashSet::new();
        for block in blocks.iter().filter(|block| block.is_content()) {
            let mut node = block.placed.block;
            while with_content.insert(node) {
                node = page.node(node).parent;
            }
        }
        Self { page, with_content, asked: HashMap::new() }
    }

    fn class(&mut self, block: &Judged) -> (Class, Because) {
        if block.is_content() {
            return (Class::Content, Because::Judged);
        }
        if block.repeated {
            return (Class::Repeated, Because::Judged);
        }
        let around = self.around(block.placed.block);
        let nearest = |is: fn(&Says) -> bool| {
            around.iter().find(|(_, says)| is(says)).map(|(node, _)| Because::Element(*node))
        };
        let mostly_links = || (block.link_share >= MOSTLY_LINKS).then_some(Because::Links);
        let comment = || {
            // A menu's way to the readers' letters is named like them.
            let own = self.asked.get(&block.placed.block).is_some_and(|says| says.comment);
            nearest(|says| says.comment).filter(|_| !own || block.link_share < MOSTLY_LINKS)
        };
        let is_caption = block.placed.line.kind == LineKind::Caption;
        let caption = || is_caption.then_some(Because::Element(block.placed.block));
        if let Some(because) = comment() {
            (Class::Comment, because)
        } else if let Some(because) = caption().or_else(|| nearest(|says| says.figure)) {
            (Class::Caption, because)
        } else if let Some(because) = mostly_links() {
            (Class::LinkList, because)
        } else if let Some(because) = nearest(|says| says.caption) {
            (Class::Caption, because)
        } else if let Some(because) = nearest(|says| says.links) {
            (Class::LinkList, because)
        } else {
            (Class::Other, Because::Nothing)
        }
    }

    /// The elements around a line up to the first with content in it, inside out.
    fn around(&mut self, element: NodeId) -> Vec<(NodeId, Says)> {
        let page = self.page;
        let up = |node: &NodeId| Some(page.node(*node).parent).filter(|parent| parent != node);
        let is_outside = |node: &NodeId| {
            self.with_content.contains(node) || matches!(page.tag(*node), None | Some("html" | "body"))
        };
        let nodes: Vec<NodeId> = std::iter::successors(Some(element), up)
            .take(REACH)
            .take_while(|node| !is_outside(node))
            .collect();
        let asked = |node| (node, *self.asked.entry(node).or_insert_with(|| Says::of(page, node)));
        nodes.into_iter().map(asked).collect()
    }
}

impl Says {
    fn of(page: &Page, element: NodeId) -> Self {
        let tag = page.tag(element).unwrap_or_default();
        let figure = matches!(tag, "figure" | "figcaption");
        let mut says = Self { figure, links: tag == "nav", ..Self::default() };
        for kind in kinds_of_element(page, element) {
            match kind {
                "comment" => says.comment = true,
                "caption" => says.caption = true,
                "related" | "navigation" | "share" | "tag" => says.links = true,
                _ => {}
            }
        }
        says
    }
}

#[cfg(test)]
mod tests {
    use gleaner_extract::block_model;

    use super::super::tests::long_lines;
    use super::*;

    #[test]
    fn lines_are_named_by_what_is_around_them() {
        let story = "<p>Rain fell on the valley all day long today</p>";
        let cases = [
            ("<p>Rain fell on the valley all day long today</p>", Class::Content),
            ("<div class=comments><p>Well said</p></div>", Class::Comment),
            ("<div class=comments><p><a href=/>Ann</a></p></div>", Class::Comment),
            ("<ul><li class=comments><a href=/>2 comments</a></ul>", Class::LinkList),
            ("<figure><figcaption>The old bridge</figcaption></figure>", Class::Caption),
            ("<figure><a href=/><p>The bridge</p></a></figure>", Class::Caption),
            ("<div class=photo><p>The old bridge</p></div>", Class::Caption),
            ("<li class=thumb><a href=/>The old bridge</a></li>", Class::LinkList),
            ("<nav><p>Home</p></nav>", Class::LinkList),
            ("<div class=related><p>See also</p></div>", Class::LinkList),
            ("<p>by nobody</p>", Class::Other),
        ];
        for (html, expected) in cases {
            let page = Page::parse(&format!("<article class=has-comments>{story}{html}</article>"));
            let blocks = block_model::judge(&page, &long_lines());
            let classes = classify(&page, &blocks);
            assert_eq!(classes.last().unwrap().0, expected, "{html}: {classes:?}");
        }
    }

    #[test]
    fn the_style_sheet_knows_all_names() {
        let style = include_str!("style.css");
        for class in Class::ALL {
            assert!(style.contains(&format!(".{} {{", class.name())), "{class:?}");
        }
    }
}
