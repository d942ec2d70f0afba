//! Classifies each line of a page as body text or as a kind of other text.
//!
//! The judgement of a line decides whether it is body text or repeated. For other lines, the first rule that
//! matches applies:
//!
//! | class | rule |
//! |---|---|
//! | comment | inside an element named like comments |
//! | credit | inside an element named like a credit; or few words, "photo" among the first, and a mark such as `:` |
//! | caption | in `figure` or `figcaption`, except in tables; or at most 60 words that end with a credit |
//! | by-line | inside an element named like a by-line, or in `time`; or few words that begin like a by-line |
//! | read more | a link of some words, or begins like "see also"; between lines of body text, few in a row |
//! | link list | mostly links |
//! | caption | inside an element named like a picture, except in tables |
//! | link list | inside an element named like a menu, a list of stories or a share bar |
//!
//! Captions, credits, by-lines and "read more" lines can be requested ([`crate::lines::inserts`]). The other classes
//! are only for display.
//!
//! Limitation: an element's name is used only if the element contains no body text. A paragraph in `<div
//! class="story-media">` that the model missed is classified as a caption. Comments are not recognized if no
//! element around them has a typical name. A line with a caption and its credit is classified as a caption. A
//! credit of an agency without a word such as "photo" is also classified as a caption. A date is classified
//! as a by-line, because sites use the same names for both. A line of a shop between paragraphs ("Try it for
//! a month") matches the rules for "read more" lines.

use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;

use gleaner_html::text::LineKind;
use gleaner_html::{NodeId, Page};

use crate::block_model::{ClassifiedBlock, RemovalReason, kinds_of_element, phrase_kinds_of};
use crate::lines::own_words::{MAX_WORDS_SAYING, ends_with_credit, is_credit, opens};

/// The class of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LineClass {
    /// Body text, which is extracted.
    Content,
    /// Text that is removed before the classification: text that several pages of the site share, consent
    /// dialogs, and placeholders that the page repeats.
    Repeated,
    /// Links to other pages: menus, related stories, tags.
    LinkList,
    /// The text below a picture.
    Caption,
    /// The source or owner of a picture.
    Credit,
    /// The author, date or source of the article.
    ByLine,
    /// A link between paragraphs to another story.
    ReadMore,
    /// Readers' comments.
    Comment,
    /// Any other text.
    Other,
}

/// What showed the class of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassReason {
    /// Only the judgement.
    Judged,
    /// Most of the words are links.
    Links,
    /// An element around the line.
    Element(NodeId),
    /// The words of the line.
    Words,
    /// Nothing: the line is of no other class.
    Nothing,
}

/// The class of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Named {
    /// The class.
    pub class: LineClass,
    /// What showed it.
    pub because: ClassReason,
    /// Whether the line is in an element of comments, other stories, menus, share buttons or advertisements.
    pub(crate) aside: bool,
}

pub(crate) const MOSTLY_LINKS: f32 = 0.5;

/// Number of elements around a line that are checked, starting with the innermost.
const REACH: usize = 12;

/// Maximum number of words of a by-line or credit that is recognized by an element's name. Longer lines are
/// biographies of authors, or body text in elements that are named after the author.
const MAX_WORDS_NAMED: u32 = 30;

/// Maximum number of words of a caption that is recognized by its words.
pub(crate) const MAX_WORDS_CAPTION: u32 = 60;

/// Number of words of a "read more" line. A link with fewer words is a button.
pub(crate) const WORDS_MORE: RangeInclusive<u32> = 4..=40;

/// Minimum number of digits of a line without letters that may be a date.
pub(crate) const DIGITS_OF_DATE: usize = 6;

/// Links between paragraphs are a list if at least this number of consecutive lines have no body text.
const LIST_FROM: usize = 6;

/// Returns the class of each line of a page, in the order of `blocks`.
#[must_use]
pub fn classify(page: &Page, blocks: &[ClassifiedBlock]) -> Vec<Named> {
    let mut names = Names::new(page, blocks);
    let between = between_content(blocks);
    blocks.iter().zip(between).map(|(block, between)| names.name(block, between)).collect()
}

/// Returns, for each line, whether it is one of a few lines between two lines of body text.
fn between_content(blocks: &[ClassifiedBlock]) -> Vec<bool> {
    let mut between = vec![false; blocks.len()];
    let content: Vec<usize> = (0..blocks.len()).filter(|at| blocks[*at].is_content()).collect();
    for pair in content.windows(2) {
        let gap = pair[0] + 1..pair[1];
        if gap.len() < LIST_FROM {
            between[gap].fill(true);
        }
    }
    between
}

struct Names<'a> {
    page: &'a Page,
    with_content: HashSet<NodeId>,
    asked: HashMap<NodeId, NameKinds>,
}

#[derive(Debug, Clone, Copy, Default)]
struct NameKinds {
    comment: bool,
    figure: bool,
    cell: bool,
    caption: bool,
    credit: bool,
    by_line: bool,
    /// Whether the element's name indicates other stories or a menu.
    stories: bool,
    /// Whether the element's name indicates other stories, a menu, share buttons or tags.
    links: bool,
    /// Whether the element's name indicates comments, other stories, menus, share buttons or advertisements.
    aside: bool,
}

impl<'a> Names<'a> {
    fn new(page: &'a Page, blocks: &[ClassifiedBlock]) -> Self {
        let mut with_content = HashSet::new();
        for block in blocks.iter().filter(|block| block.is_content()) {
            let mut node = block.placed.block;
            while with_content.insert(node) {
                node = page.node(node).parent;
            }
        }
        Self { page, with_content, asked: HashMap::new() }
    }

    fn name(&mut self, block: &ClassifiedBlock, between: bool) -> Named {
        let judged = |class| Named { class, because: ClassReason::Judged, aside: false };
        if block.is_content() {
            return judged(LineClass::Content);
        }
        if block.removed.is_some_and(|reason| reason != RemovalReason::Caption) {
            return judged(LineClass::Repeated);
        }
        let around = Ancestors(self.around(block));
        let aside = around.nearest(|says| says.aside).is_some();
        let (class, because) = around.class(block, between);
        Named { class, because, aside }
    }

    /// Returns the elements around a line that contain no body text, innermost first.
    fn around(&mut self, block: &ClassifiedBlock) -> Vec<(NodeId, NameKinds)> {
        let page = self.page;
        let is_outside = |node: &NodeId| {
            self.with_content.contains(node) || matches!(page.tag(*node), None | Some("html" | "body"))
        };
        let nodes: Vec<NodeId> =
            page.ancestors(innermost(page, block)).take(REACH).take_while(|node| !is_outside(node)).collect();
        let asked =
            |node| (node, *self.asked.entry(node).or_insert_with(|| NameKinds::from_element(page, node)));
        nodes.into_iter().map(asked).collect()
    }
}

/// Returns the innermost inline or block element that contains the whole line. If it is too far up, returns
/// the block of the line.
fn innermost(page: &Page, block: &ClassifiedBlock) -> NodeId {
    let nodes = &block.placed.nodes;
    page.ancestors(nodes.start)
        .take(REACH)
        .find(|node| page.tag(*node).is_some() && page.node(*node).end >= nodes.end)
        .unwrap_or(block.placed.block)
}

struct Ancestors(Vec<(NodeId, NameKinds)>);

impl Ancestors {
    fn distance(&self, is: fn(&NameKinds) -> bool) -> Option<usize> {
        self.0.iter().position(|(_, says)| is(says))
    }

    fn nearest(&self, is: fn(&NameKinds) -> bool) -> Option<ClassReason> {
        self.distance(is).map(|at| ClassReason::Element(self.0[at].0))
    }

    fn class(&self, block: &ClassifiedBlock, between: bool) -> (LineClass, ClassReason) {
        let links = (block.link_share >= MOSTLY_LINKS).then_some(ClassReason::Links);
        let text = &block.placed.line.text;
        let is_named = !is_bare(text);
        let is_note = is_named && block.placed.line.kind != LineKind::Heading;
        let ends_with_credit =
            || (block.words <= MAX_WORDS_CAPTION && ends_with_credit(text)).then_some(ClassReason::Words);
        let steps: [(LineClass, &dyn Fn() -> Option<ClassReason>); 9] = [
            (LineClass::Comment, &|| self.comment(block)),
            (LineClass::Credit, &|| self.credit(block).filter(|_| is_note)),
            (LineClass::Caption, &|| self.figure(block).filter(|_| is_named)),
            (LineClass::Caption, &|| ends_with_credit().filter(|_| is_note)),
            (LineClass::ByLine, &|| self.by_line(block).filter(|_| is_note)),
            (LineClass::ReadMore, &|| read_more(block).filter(|_| is_note && between)),
            (LineClass::LinkList, &|| links),
            (LineClass::Caption, &|| self.around_table(|says| says.caption).filter(|_| is_note)),
            (LineClass::LinkList, &|| self.nearest(|says| says.links)),
        ];
        let told = steps.iter().find_map(|(class, because)| Some((*class, because()?)));
        told.unwrap_or((LineClass::Other, ClassReason::Nothing))
    }

    fn comment(&self, block: &ClassifiedBlock) -> Option<ClassReason> {
        // A link to the readers' comments often has the same class name as the comments.
        let own = self.0.iter().position(|(node, _)| *node == block.placed.block);
        let at = self.distance(|says| says.comment)?;
        let is_way = own.is_some_and(|own| at <= own) && block.link_share >= MOSTLY_LINKS;
        (!is_way).then_some(ClassReason::Element(self.0[at].0))
    }

    fn figure(&self, block: &ClassifiedBlock) -> Option<ClassReason> {
        let is_caption = block.placed.line.kind == LineKind::Caption;
        let caption = is_caption.then_some(ClassReason::Element(block.placed.block));
        caption.or_else(|| self.around_table(|says| says.figure))
    }

    fn around_table(&self, is: fn(&NameKinds) -> bool) -> Option<ClassReason> {
        let at = self.distance(is)?;
        let is_cell = self.0[..at].iter().any(|(_, says)| says.cell);
        (!is_cell).then_some(ClassReason::Element(self.0[at].0))
    }

    fn credit(&self, block: &ClassifiedBlock) -> Option<ClassReason> {
        let element = || self.nearest(|says| says.credit).filter(|_| block.words <= MAX_WORDS_NAMED);
        let is_short = block.words <= MAX_WORDS_SAYING;
        let says = || (is_short && is_credit(&block.placed.line.text)).then_some(ClassReason::Words);
        element().or_else(says)
    }

    fn by_line(&self, block: &ClassifiedBlock) -> Option<ClassReason> {
        if self.distance(|says| says.stories).is_some() {
            return None;
        }
        let links = self.distance(|says| says.links).unwrap_or(usize::MAX);
        let at = self.distance(|says| says.by_line).filter(|at| *at <= links);
        let element =
            at.filter(|_| block.words <= MAX_WORDS_NAMED).map(|at| ClassReason::Element(self.0[at].0));
        let text = &block.placed.line.text;
        let says = || {
            let is_free = links == usize::MAX && block.words <= MAX_WORDS_SAYING;
            (is_free && opens(text, "by-line") && !opens(text, "offer")).then_some(ClassReason::Words)
        };
        element.or_else(says)
    }
}

fn read_more(block: &ClassifiedBlock) -> Option<ClassReason> {
    let text = &block.placed.line.text;
    if block.words > *WORDS_MORE.end() || phrase_kinds_of(text).any(|said| said == "offer") {
        return None;
    }
    let is_link = block.link_share >= MOSTLY_LINKS && block.words >= *WORDS_MORE.start();
    let links = is_link.then_some(ClassReason::Links);
    links.or_else(|| opens(text, "related").then_some(ClassReason::Words))
}

fn is_bare(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    digits < DIGITS_OF_DATE && !text.contains(char::is_alphabetic)
}

const CREDITS: [&str; 5] = ["credit", "photographer", "copyright", "courtesy", "attribution"];

impl NameKinds {
    fn from_element(page: &Page, element: NodeId) -> Self {
        let tag = page.tag(element).unwrap_or_default();
        let figure = matches!(tag, "figure" | "figcaption");
        let (nav, by_line, cell) = (tag == "nav", tag == "time", matches!(tag, "td" | "th"));
        let mut says =
            Self { figure, cell, by_line, stories: nav, links: nav, aside: nav, ..Self::default() };
        for kind in kinds_of_element(page, element) {
            match kind {
                "comment" => (says.comment, says.aside) = (true, true),
                "caption" => says.caption = true,
                "by-line" => says.by_line = true,
                "related" | "navigation" => (says.stories, says.links, says.aside) = (true, true, true),
                "share" => (says.links, says.aside) = (true, true),
                "tag" => says.links = true,
                "advertisement" => says.aside = true,
                _ => {}
            }
        }
        let is_credit = |name: &str| {
            let value = page.attribute(element, name).unwrap_or_default().to_ascii_lowercase();
            CREDITS.iter().any(|credit| value.contains(credit))
        };
        says.credit = ["class", "id", "itemprop"].into_iter().any(is_credit);
        says
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use crate::block_model;

    use super::*;
    use crate::block_model::{Forest, Split, Tree};

    /// Returns a model that labels lines of more than seven words body text.
    pub(crate) fn long_lines() -> Forest {
        let words = block_model::feature_names().iter().position(|name| name == "words, log").unwrap();
        let split = Split { feature: words as u16, left: -1, right: -2, threshold: 8.0_f32.ln() };
        Forest::new(vec![Tree { splits: vec![split], leaves: vec![-3.0, 3.0] }])
    }

    #[test]
    fn lines_are_named_by_what_is_around_them() {
        let story = "<p>Rain fell on the valley all day long today</p>";
        let cases = [
            ("<p>Rain fell on the valley all day long today</p>", LineClass::Content),
            ("<div class=comments><p>Well said</p></div>", LineClass::Comment),
            ("<div class=comments><p><a href=/>Ann</a></p></div>", LineClass::Comment),
            ("<ul><li class=comments><a href=/>2 comments</a></ul>", LineClass::LinkList),
            ("<figure><figcaption>The old bridge</figcaption></figure>", LineClass::Caption),
            ("<figure><a href=/><p>The bridge</p></a></figure>", LineClass::Caption),
            ("<figure><table><tr><td>Old</table></figure>", LineClass::Other),
            ("<div class=media><table><tr><td>Old</table></div>", LineClass::Other),
            ("<table><tr><td class=photo>Old</table>", LineClass::Caption),
            ("<figure>12,345</figure>", LineClass::Other),
            ("<div class=photo><p>The old bridge</p></div>", LineClass::Caption),
            ("<div class=photo><h3>The old bridge</h3></div>", LineClass::Other),
            ("<p><em class=caption>The old <b>bridge</b></em></p>", LineClass::Caption),
            (
                "<figure><figcaption>The bridge</figcaption><p class=photo-credit>Ann</p></figure>",
                LineClass::Credit,
            ),
            ("<p>(Photo: Anna Weaver)</p>", LineClass::Credit),
            ("<p>Ảnh: Hoàng Long</p>", LineClass::Credit),
            ("<p>© Anna Weaver</p>", LineClass::Credit),
            ("<p>Photo of a bridge</p>", LineClass::Other),
            ("<p class=byline><a href=/ann>Anna Weaver</a></p>", LineClass::ByLine),
            ("<p><time>20 November 2026</time></p>", LineClass::ByLine),
            ("<p>by nobody</p>", LineClass::ByLine),
            ("<p>Theo Reuters</p>", LineClass::ByLine),
            ("<p>Follow us</p>", LineClass::Other),
            ("<div class=related><p class=byline>Anna Weaver</p></div>", LineClass::LinkList),
            ("<li class=thumb><a href=/>The old bridge</a></li>", LineClass::LinkList),
            ("<nav><p>Home</p></nav>", LineClass::LinkList),
            ("<div class=related><p>See also</p></div>", LineClass::LinkList),
            ("<p>Nobody knows</p>", LineClass::Other),
        ];
        for (html, expected) in cases {
            let page = Page::parse(&format!("<article class=has-comments>{story}{html}</article>"));
            let blocks = block_model::classify(&page, &long_lines());
            let classes = classify(&page, &blocks);
            assert_eq!(classes.last().unwrap().class, expected, "{html}: {classes:?}");
        }
    }

    #[test]
    fn links_between_paragraphs_are_read_more_lines_unless_they_are_many() {
        let story = "<p>Rain fell on the valley all day long today</p>";
        let link = "<p><a href=/choir>The choir has won</a></p>";
        let cases = [
            (format!("{story}{link}{story}"), LineClass::ReadMore),
            (format!("{story}<div class=related>{link}</div>{story}"), LineClass::ReadMore),
            (format!("{story}<p>Read more: the choir</p>{story}"), LineClass::ReadMore),
            (format!("{story}{}{story}", link.repeat(LIST_FROM)), LineClass::LinkList),
            (format!("{link}{story}"), LineClass::LinkList),
            (format!("{story}{link}"), LineClass::LinkList),
            (format!("{story}<p>Rain, more</p>{story}"), LineClass::Other),
            (
                format!("{story}<p><a href=/join>Sign up for our newsletters</a></p>{story}"),
                LineClass::LinkList,
            ),
            (format!("{story}<p><a href=/shop>Buy</a></p>{story}"), LineClass::LinkList),
            (format!("{story}<p><a href=/more>Read more</a></p>{story}"), LineClass::ReadMore),
        ];
        for (html, expected) in cases {
            let page = Page::parse(&html);
            let classes = classify(&page, &block_model::classify(&page, &long_lines()));
            let found = classes.iter().map(|named| named.class).find(|class| *class != LineClass::Content);
            assert_eq!(found, Some(expected), "{html}");
        }
    }
}
