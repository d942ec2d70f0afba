//! Finds a page's authors in declarations and by-lines, removes labels and splits lists of names.
//!
//! The sources are searched in this order:
//!
//! 1. declarations (JSON-LD, `<meta>`);
//! 2. `rel=author` and `itemprop=author`;
//! 3. a small element with a class or id for an author or a by-line, if it is near the headline or is the
//!    only such element on the page;
//! 4. a line after or shortly before the headline with a label such as `By` or `Tác giả:`, or a name before the
//!    newspaper's name;
//! 5. a link near the headline to a page of an author (`/author/an-example`);
//! 6. a signature at the article's end: a right-aligned name, `An Example (compiled)` or `Reporting by An Example`,
//!    or the page's only `Written by An Example`;
//! 7. the card `Written by` for Twitter, which content systems write.
//!
//! The first source that names a person is used. If no source does, the first with another name is used: a
//! nickname is an author, a newspaper, desk or agency is a credit. If there is no name but that of the site or
//! its host, this is a credit, or else the source that a Chinese or Vietnamese page names. A declared name in
//! the copyright notice does not count. A person who has a site is an author (`Names::is_writers_own`). If a
//! page declares a name that is no person's, by-lines far from the headline are not searched.
//!
//! Limitation: a comma or a dash separates names only if both sides look like names of persons. Therefore
//! `An Example, Hanoi Harbour` becomes two names, and `An Example - Hanoi` stays one.

mod byline;
mod labels;
mod linked;
mod names;
mod organization;
mod parts;
mod person;
mod signature;

use html5ever::{LocalName, local_name};

use crate::class_words::ClassWords;
use crate::microdata::Items;
use crate::month_names::folded;
use crate::printed_date::is_aside;
use crate::small_text::{SmallText, ancestors, small_lines, small_text};
use crate::text::tidy;
use crate::{NodeId, Page};
use labels::{begins_a_label, label};
pub(crate) use names::Names;
use person::is_person;

const MAX_AUTHORS: usize = 20;

/// Maximum distance of a by-line after and before the headline, in nodes.
const REACH: u32 = 150;
const REACH_BEFORE: u32 = 40;

/// Maximum distance in nodes between two elements of one list of authors.
const BETWEEN: u32 = 8;

/// Maximum distance after the headline of a by-line without a label, in nodes.
const BESIDE: u32 = 20;

/// Words in the classes of comments and related stories.
pub(crate) static OF_OTHERS: ClassWords = ClassWords::new(&["comment", "related"]);

/// Whom a page credits for its article. One of the lists is empty.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Byline {
    pub(crate) authors: Vec<String>,
    /// The newspapers, agencies and desks that are named in place of a person.
    pub(crate) credits: Vec<String>,
}

pub(crate) fn byline(
    page: &Page,
    items: &Items,
    declared: impl IntoIterator<Item = Vec<String>>,
    headline: Option<NodeId>,
    of: &Names,
) -> Byline {
    let mut others = Others { of, names: Vec::new(), site: None };
    for texts in declared {
        if let Some(authors) = others.persons(&texts, of.declared(&texts)) {
            return Byline { authors, ..Byline::default() };
        }
    }
    let is_near_only = !others.names.is_empty();
    let printed: [&dyn Fn() -> Vec<String>; 6] = [
        &|| marked(page, items, headline, is_near_only),
        &|| classed(page, headline, is_near_only, of),
        &|| labelled(page, headline, of),
        &|| linked::linked(page, headline),
        &|| signature::signed(page, headline),
        &|| page.declared().meta.writer().into_iter().collect(),
    ];
    for source in printed {
        let texts = source();
        if let Some(authors) = others.persons(&texts, of.printed(&texts)) {
            return Byline { authors, ..Byline::default() };
        }
    }
    others.byline(|| signature::source(page, headline))
}

/// The names that sources without a person give.
struct Others<'a> {
    of: &'a Names<'a>,
    /// The names of the first source with names.
    names: Vec<String>,
    site: Option<String>,
}

impl Others<'_> {
    /// Returns the names of a source if one of them is a person's. Otherwise keeps them.
    fn persons(&mut self, texts: &[String], names: Vec<String>) -> Option<Vec<String>> {
        if names.iter().any(|name| self.of.is_person(name)) {
            return Some(names);
        }
        if self.names.is_empty() {
            self.names = names;
        }
        self.site = self.site.take().or_else(|| self.of.of_site(texts));
        None
    }

    /// Newspapers, agencies and desks are credits. A list with another name, such as a nickname, has authors.
    fn byline(self, source: impl FnOnce() -> Option<String>) -> Byline {
        if self.names.is_empty() {
            let credits = self.site.or_else(source).into_iter().collect();
            Byline { credits, ..Byline::default() }
        } else if self.names.iter().all(|name| self.of.is_organization(name)) {
            Byline { credits: self.names, ..Byline::default() }
        } else {
            Byline { authors: self.names, ..Byline::default() }
        }
    }
}

fn marked(page: &Page, items: &Items, headline: Option<NodeId>, is_near_only: bool) -> Vec<String> {
    let is = |value: &str, name: &str| value.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case(name));
    let has = |id, key: &LocalName, name: &str| page.named(id, key).is_some_and(|value| is(value, name));
    let (itemprop, rel) = (local_name!("itemprop"), local_name!("rel"));
    let is_author = |id: &NodeId| {
        let mut attributes = page.interned_attributes(*id);
        attributes.any(|(name, value)| (*name == itemprop || *name == rel) && is(value, "author"))
    };
    if !page.has_attribute(&itemprop) && !page.has_attribute(&rel) {
        return Vec::new();
    }
    let is_own = |id: &NodeId| items.is_of_page(page, *id) || has(*id, &rel, "author");
    let named = page.iter().map(|(id, _)| id).filter(is_author);
    let found: Vec<NodeId> = named.filter(is_own).take(MAX_AUTHORS).collect();
    // By-lines in asides, footers, comments and related stories name the authors of other articles.
    let of_article: Vec<NodeId> = found.iter().copied().filter(|id| !is_of_others(page, *id)).collect();
    let near: Vec<NodeId> = of_article.iter().copied().filter(|id| is_near(*id, headline)).collect();
    let levels = [near, of_article, found].into_iter().take(if is_near_only { 1 } else { 3 });
    let chosen = levels.into_iter().find(|ids| !ids.is_empty()).unwrap_or_default();
    let name = |id| {
        let inner = page.subtree(id).find(|n| has(*n, &itemprop, "name"));
        inner
            .and_then(|id| page.attribute(id, "content").map(str::to_owned))
            .or_else(|| small_text(page, inner.unwrap_or(id)))
    };
    chosen.into_iter().filter_map(name).collect()
}

pub(crate) fn is_of_others(page: &Page, id: NodeId) -> bool {
    ancestors(page, id).any(|at| {
        matches!(page.tag(at), Some("aside" | "nav" | "footer")) || has_class_word(page, at, &OF_OTHERS)
    })
}

/// Whether an element's class or id contains one of `words`. `html`, `body`, `main` and `article` never
/// match, because their classes may describe the whole page, as in `<body class="comments-open">`.
pub(crate) fn has_class_word(page: &Page, id: NodeId, words: &ClassWords) -> bool {
    words.are_in_names_of(page, id) && !is_of_whole_page(page, id)
}

fn is_of_whole_page(page: &Page, id: NodeId) -> bool {
    matches!(page.tag(id), Some("html" | "body" | "main" | "article"))
}

/// Returns the names in the first author element near the headline, or in the page's only author element.
/// Elements with the same class that follow directly belong to the same list.
fn classed(page: &Page, headline: Option<NodeId>, is_near_only: bool, of: &Names) -> Vec<String> {
    static NAMES: ClassWords = ClassWords::new(&[
        "author",
        "autor",
        "auteur",
        "byline",
        "byname",
        "by-line",
        "by_line",
        "tacgia",
        "tac-gia",
        "contributor",
        "writer",
        "reporter",
        "journalist",
        "redacteur",
        "redakteur",
    ]);
    static PARTS: ClassWords = ClassWords::new(&[
        "bio",
        "avatar",
        "image",
        "photo",
        "social",
        "date",
        "title",
        "follow",
        "role",
        "timestamp",
    ]);
    let first_story = page.elements("article").next();
    let mut found: Vec<(NodeId, String)> = Vec::new();
    let mut behind = 0;
    for id in NAMES.elements(page).filter(|id| !is_of_whole_page(page, *id)) {
        if id < behind
            || has_class_word(page, id, &PARTS)
            || is_of_others(page, id)
            || is_of_other_story(page, id, headline, first_story)
        {
            continue;
        }
        let Some(text) = first_names(page, id) else { continue };
        if of.printed(std::slice::from_ref(&text)).is_empty() {
            continue;
        }
        behind = page.node(id).end;
        found.push((id, text));
        if found.len() >= 200 {
            break;
        }
    }
    let is_of_person = |(_, text): &&(NodeId, String)| names_person(text);
    let near: Vec<&(NodeId, String)> = found.iter().filter(|(id, _)| is_near(*id, headline)).collect();
    if let Some((first, _)) = near.iter().copied().find(is_of_person).or(near.first().copied()) {
        return list_from(page, *first, &found);
    }
    match &found[..] {
        [(id, text)] if !is_near_only && !is_aside(page, *id) && !is_of_sidebar(page, *id) => {
            vec![text.clone()]
        }
        _ => Vec::new(),
    }
}

/// Whether an element is in a list of stories, or in another `article` than the first and that of the headline.
fn is_of_other_story(page: &Page, id: NodeId, headline: Option<NodeId>, first_story: Option<NodeId>) -> bool {
    static LISTS: ClassWords =
        ClassWords::new(&["teaser", "popular", "trending", "recommend", "mostread", "most-read"]);
    let is_later = || {
        let story = ancestors(page, id).find(|at| page.tag(*at) == Some("article"));
        story.is_some() && story != first_story
    };
    ancestors(page, id).any(|at| has_class_word(page, at, &LISTS))
        || headline.is_some_and(|headline| is_of_teaser(page, id, headline)) && is_later()
}

fn is_of_sidebar(page: &Page, id: NodeId) -> bool {
    static SIDEBARS: ClassWords = ClassWords::new(&["sidebar", "widget"]);
    ancestors(page, id).any(|at| has_class_word(page, at, &SIDEBARS))
}

/// Returns the texts of an element and of the elements of the same class that follow it directly.
fn list_from(page: &Page, first: NodeId, found: &[(NodeId, String)]) -> Vec<String> {
    let class = |id| (page.tag(id), page.attribute(id, "class"));
    let mut last = first;
    let mut out = Vec::new();
    for (id, text) in found.iter().filter(|(id, _)| *id >= first) {
        let follows = *id == first || *id <= page.node(last).end + BETWEEN && class(*id) == class(first);
        if !follows || out.len() >= MAX_AUTHORS {
            break;
        }
        last = *id;
        if out.is_empty() || names_person(text) {
            out.push(text.clone());
        }
    }
    out
}

fn names_person(names: &str) -> bool {
    names.split(';').next().is_some_and(person::may_be_person)
}

/// Returns the names at the beginning of a by-line, before texts such as a desk or a date. Commas, words for
/// `and` and equal elements separate the names. Returns the first lines of the text if there is no name.
fn first_names(page: &Page, id: NodeId) -> Option<String> {
    let whole = small_lines(page, id).filter(|text| !text.is_empty())?;
    let pieces = page.subtree(id).filter_map(|id| Some((id, tidy(page.text(id)?))));
    let pieces = pieces.filter(|(_, text)| !text.is_empty());
    let kind = |id| {
        let parent = page.node(id).parent;
        (page.tag(parent), page.attribute(parent, "class"))
    };
    let mut names = String::new();
    let mut joins = true;
    let mut last = id;
    for (id, piece) in pieces {
        let piece = piece.trim_start_matches(['-', '–', '—', ' ']);
        let person = label(piece).map_or(piece, |label| label.rest);
        let is_listed = joins || page.node(id).parent != page.node(last).parent && kind(id) == kind(last);
        if is_listed && is_person(person) {
            names.push_str(if names.is_empty() { "" } else { "; " });
            names.push_str(person);
            joins = false;
            last = id;
        } else if !names.is_empty() {
            joins = matches!(
                folded(piece).as_str(),
                "," | "and"
                    | ", and"
                    | "&"
                    | "va"
                    | "και"
                    | "и"
                    | "i"
                    | "und"
                    | "y"
                    | "et"
                    | "e"
                    | "og"
                    | "och"
            );
            if !joins {
                break;
            }
        }
    }
    Some(if names.is_empty() { byline::before_date(&whole) } else { names })
}

fn is_near(id: NodeId, headline: Option<NodeId>) -> bool {
    headline.is_some_and(|headline| (headline.saturating_sub(REACH_BEFORE)..=headline + REACH).contains(&id))
}

/// Returns the first line near the headline with a label and a person, or else a name before the newspaper's
/// name, or else the first line with a label and an organization. Lines after the headline come first.
fn labelled(page: &Page, headline: Option<NodeId>, of: &Names) -> Vec<String> {
    let Some(headline) = headline else { return Vec::new() };
    let end = (headline + REACH).min(page.len() as NodeId);
    let is_line = |id: &NodeId| page.tag(*id).is_some_and(|tag| tag != "a");
    let line = |id| {
        let may_be = |first| begins_a_label(first) || matches!(first, b'-' | b'(');
        let small = SmallText::from_element(page, id)?;
        if !small.first_ascii().is_none_or(may_be) && small.digits() == 0 {
            return None;
        }
        let text = small_lines(page, id).filter(|text| text.len() < 200)?;
        byline::after_label(&text)
    };
    let beside = |id| {
        let text = small_lines(page, id).filter(|text| text.len() < 200)?;
        of.before_paper(&text).map(str::to_owned)
    };
    let mut credit = None;
    let before = headline.saturating_sub(REACH_BEFORE)..headline;
    for text in (headline..end).chain(before).filter(is_line).filter_map(line) {
        if byline::begins_with_person(&text) {
            return vec![text];
        }
        credit.get_or_insert(text);
    }
    let near = (page.node(headline).end..end.min(page.node(headline).end + BESIDE)).filter(is_line);
    near.into_iter().find_map(beside).or(credit).into_iter().collect()
}

/// Whether an element is in an `article` that does not contain the headline.
fn is_of_teaser(page: &Page, id: NodeId, headline: NodeId) -> bool {
    let story = ancestors(page, id).find(|at| page.tag(*at) == Some("article"));
    story.is_some_and(|story| !page.subtree(story).contains(&headline))
}

#[cfg(test)]
mod tests;
