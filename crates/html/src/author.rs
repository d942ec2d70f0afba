//! Finds a page's authors in declarations and by-lines, removes labels and splits lists of names.
//!
//! The sources are searched in this order:
//!
//! 1. declarations (JSON-LD, `<meta>`);
//! 2. `rel=author` and `itemprop=author`;
//! 3. a small element with a class or id for an author or a by-line, if it is near the headline or is the
//!    only such element on the page;
//! 4. a line near the headline with a label such as `By` or `Tác giả:`, or a name before the newspaper's name;
//! 5. a link near the headline to a page of an author (`/author/an-example`);
//! 6. a signature at the article's end: a right-aligned name, `An Example (compiled)` or `Reporting by An Example`;
//! 7. the card `Written by` for Twitter, which content systems write.
//!
//! The first source that names a person is used. If no source does, the first name of a newspaper, desk,
//! agency or nickname is used. The name of the site or its host, and a declared name in the copyright notice,
//! do not count, except for a person who has a site (`Names::is_writers_own`). If a page declares a name that
//! is no person's, by-lines far from the headline are not searched.
//!
//! Limitation: a comma or a dash separates names only if both sides look like names of persons. Therefore
//! `An Example, Hanoi Harbour` becomes two names, and `An Example - Hanoi` stays one.

mod byline;
mod labels;
mod names;
mod organization;
mod parts;
mod person;
mod signature;

use html5ever::{LocalName, local_name};

use crate::microdata::Items;
use crate::month_names::folded;
use crate::printed_date::is_aside;
use crate::small_text::{SmallText, ancestors, small_lines, small_text};
use crate::tags::contains_one;
use crate::text::tidy;
use crate::{NodeId, Page};
use labels::{begins_a_label, label};
pub(crate) use names::Names;
use person::is_person;

const MOST_AUTHORS: usize = 20;

/// Maximum distance of a by-line after and before the headline, in nodes.
const REACH: u32 = 150;
const REACH_BEFORE: u32 = 40;

/// Maximum distance in nodes between two elements of one list of authors.
const BETWEEN: u32 = 8;

/// Maximum number of authors that are read from links.
const MAX_LINKED: usize = 5;

/// Maximum distance after the headline of a by-line without a label, in nodes.
const BESIDE: u32 = 20;

pub(crate) fn authors(
    page: &Page,
    items: &Items,
    declared: impl IntoIterator<Item = Vec<String>>,
    headline: Option<NodeId>,
    of: &Names,
) -> Vec<String> {
    let is_of_person = |names: &Vec<String>| names.iter().any(|name| person::may_be_person(name));
    let mut other: Option<Vec<String>> = None;
    for texts in declared {
        match of.declared(&texts) {
            names if names.is_empty() => {}
            names if is_of_person(&names) => return names,
            names => drop(other.get_or_insert(names)),
        }
    }
    let is_near_only = other.is_some();
    let printed: [&dyn Fn() -> Vec<String>; 6] = [
        &|| marked(page, items, headline, is_near_only),
        &|| classed(page, headline, is_near_only, of),
        &|| labelled(page, headline, of),
        &|| linked(page, headline),
        &|| signature::signed(page, headline),
        &|| page.declared().meta.writer().into_iter().collect(),
    ];
    for source in printed {
        match of.printed(&source()) {
            names if names.is_empty() => {}
            names if is_of_person(&names) => return names,
            names => drop(other.get_or_insert(names)),
        }
    }
    other.unwrap_or_default()
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
    let found: Vec<NodeId> = named.filter(is_own).take(MOST_AUTHORS).collect();
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
        matches!(page.tag(at), Some("aside" | "nav" | "footer"))
            || has_class_word(page, at, &["comment", "related"])
    })
}

/// Whether an element's class or id contains one of `words`. `html`, `body`, `main` and `article` never
/// match, because their classes may describe the whole page, as in `<body class="comments-open">`.
pub(crate) fn has_class_word(page: &Page, id: NodeId, words: &[&str]) -> bool {
    page.class_and_id(id).iter().any(|name| contains_one(name, words))
        && !matches!(page.tag(id), Some("html" | "body" | "main" | "article"))
}

/// Returns the names in the first author element near the headline, or in the page's only author element.
/// Elements with the same class that follow directly belong to the same list.
fn classed(page: &Page, headline: Option<NodeId>, is_near_only: bool, of: &Names) -> Vec<String> {
    const NAMES: [&str; 9] = [
        "author",
        "byline",
        "by-line",
        "by_line",
        "tacgia",
        "contributor",
        "writer",
        "reporter",
        "journalist",
    ];
    const PARTS: [&str; 10] =
        ["bio", "avatar", "image", "photo", "social", "date", "title", "follow", "role", "timestamp"];
    if !page.has_class_or_id_with(&NAMES) {
        return Vec::new();
    }
    let mut found: Vec<(NodeId, String)> = Vec::new();
    let mut behind = 0;
    for id in page.iter().map(|(id, _)| id) {
        if id < behind
            || !has_class_word(page, id, &NAMES)
            || has_class_word(page, id, &PARTS)
            || is_of_others(page, id)
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
        [(id, text)] if !is_near_only && !is_aside(page, *id) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// Returns the texts of an element and of the elements of the same class that follow it directly.
fn list_from(page: &Page, first: NodeId, found: &[(NodeId, String)]) -> Vec<String> {
    let class = |id| (page.tag(id), page.attribute(id, "class"));
    let mut last = first;
    let mut out = Vec::new();
    for (id, text) in found.iter().filter(|(id, _)| *id >= first) {
        let follows = *id == first || *id <= page.node(last).end + BETWEEN && class(*id) == class(first);
        if !follows || out.len() >= MOST_AUTHORS {
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
        let person = label(&piece).map_or(piece.as_str(), |(_, rest)| rest);
        let is_listed = joins || page.node(id).parent != page.node(last).parent && kind(id) == kind(last);
        if is_listed && is_person(person) {
            names.push_str(if names.is_empty() { "" } else { "; " });
            names.push_str(person);
            joins = false;
            last = id;
        } else if !names.is_empty() {
            joins = matches!(
                folded(&piece).as_str(),
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

fn labelled(page: &Page, headline: Option<NodeId>, of: &Names) -> Vec<String> {
    let Some(headline) = headline else { return Vec::new() };
    let end = (headline + REACH).min(page.len() as NodeId);
    let is_line = |id: &NodeId| page.tag(*id).is_some_and(|tag| tag != "a");
    let line = |id| {
        SmallText::from_element(page, id).filter(|it| it.first_ascii().is_none_or(begins_a_label))?;
        let text = small_lines(page, id).filter(|text| text.len() < 200)?;
        byline::after_label(&text)
    };
    let beside = |id| {
        let text = small_lines(page, id).filter(|text| text.len() < 200)?;
        of.before_paper(&text).map(str::to_owned)
    };
    let after = (headline..end).filter(is_line);
    let near = (page.node(headline).end..end.min(page.node(headline).end + BESIDE)).filter(is_line);
    after.into_iter().find_map(line).or_else(|| near.into_iter().find_map(beside)).into_iter().collect()
}

/// Returns the texts of the links near the headline that lead to pages of authors.
fn linked(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    const FOLDERS: [&str; 14] = [
        "author",
        "authors",
        "autor",
        "autoren",
        "auteur",
        "autore",
        "editors",
        "staff",
        "reporter",
        "reporters",
        "contributor",
        "contributors",
        "journalist",
        "tac-gia",
    ];
    let Some(headline) = headline else { return Vec::new() };
    let is_folder = |part: &str| FOLDERS.contains(&part);
    let is_author = |id: &NodeId| {
        let path =
            page.attribute(*id, "href").unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
        // The folder is not the last part: `/authors` lists all authors.
        path.trim_end_matches('/').rsplit('/').skip(1).take(3).any(is_folder)
    };
    let near =
        (headline..(headline + REACH).min(page.len() as NodeId)).filter(|id| page.tag(*id) == Some("a"));
    let links =
        near.filter(|id| is_author(id) && !is_of_others(page, *id) && !is_of_teaser(page, *id, headline));
    let mut texts = Vec::new();
    let mut last = None;
    for id in links {
        if last.is_some_and(|last| id > page.node(last).end + BETWEEN) {
            break;
        }
        last = Some(id);
        texts.extend(small_text(page, id).filter(|text| is_person(text)));
    }
    texts.truncate(MAX_LINKED);
    texts
}

/// Whether an element is in an `article` that does not contain the headline.
fn is_of_teaser(page: &Page, id: NodeId, headline: NodeId) -> bool {
    let story = ancestors(page, id).find(|at| page.tag(*at) == Some("article"));
    story.is_some_and(|story| !page.subtree(story).contains(&headline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::title::Site;

    fn of_paper() -> Names<'static> {
        let site = Site { name: Some("Báo Mới"), address: Some("https://the-paper.vn/a") };
        Names { site, ..Names::default() }
    }

    #[test]
    fn names_are_cleaned_and_parted() {
        let cases: [(&str, &[&str]); 52] = [
            ("\"An Example\"", &["An Example"]),
            ("An Example (ane)", &["An Example"]),
            ("<a href=/an>An Example</a>", &["An Example"]),
            ("An Example | an@the-paper.vn", &["An Example"]),
            ("김하나 기자", &["김하나"]),
            ("Authored by: An Example", &["An Example"]),
            ("【某報╱記者張三／即時報導】", &["張三"]),
            ("the-paper.vn — The Publishing Company", &[]),
            ("An Nguyễn", &["An Nguyễn"]),
            ("By An Example", &["An Example"]),
            ("by: An Example", &["An Example"]),
            ("Written by An Example and Bo Sample", &["An Example", "Bo Sample"]),
            ("By An Example, Bo Sample & Cy Other", &["An Example", "Bo Sample", "Cy Other"]),
            ("An Example, Health Correspondent", &["An Example"]),
            ("An Example, MD", &["An Example"]),
            ("Byron Bay", &["Byron Bay"]),
            ("Tác giả: Nguyễn An", &["Nguyễn An"]),
            ("Nguyễn An và Trần Bình", &["Nguyễn An", "Trần Bình"]),
            ("Bài và ảnh: Nguyễn An", &["Nguyễn An"]),
            ("Nguyễn An - Trần Bình", &["Nguyễn An", "Trần Bình"]),
            ("Nguyễn Văn A – Trần Thị B", &["Nguyễn Văn A", "Trần Thị B"]),
            ("Nguyễn An - theo Tin Xa", &["Nguyễn An - theo Tin Xa"]),
            ("By An Example and Bo Sample, political editor", &["An Example", "Bo Sample"]),
            ("An Example, Bo Sample and Cy Other, in Hanoi", &["An Example", "Bo Sample", "Cy Other"]),
            ("Reporting by An Example", &["An Example"]),
            ("Reporting by An Example; editing by Bo Sample", &["An Example"]),
            (
                "Reporting by An Example; Additional reporting by Cy Other; Editing by Bo Sample",
                &["An Example", "Cy Other"],
            ),
            ("Reporting by An Example and Cy Other Editing by Bo Sample", &["An Example", "Cy Other"]),
            ("editing by Bo Sample", &[]),
            ("By An Example in Harbour Town", &["An Example"]),
            ("An Example in Hanoi and Bo Sample for the News", &["An Example", "Bo Sample"]),
            ("An Example, Sr. Director of Rain", &["An Example"]),
            ("An Example - The Rain Team", &["An Example - The Rain Team"]),
            ("Ministry of Rain", &["Ministry of Rain"]),
            ("Ảnh: Nguyễn An", &[]),
            ("Theo Tin Xa", &[]),
            ("Γράφει ο Νίκος Παράδειγμα", &["Νίκος Παράδειγμα"]),
            ("Συντάκτης: Νίκος Παράδειγμα", &["Νίκος Παράδειγμα"]),
            ("Autor: Jan Przykład", &["Jan Przykład"]),
            ("Jan Przykład oraz Ewa Wzór", &["Jan Przykład", "Ewa Wzór"]),
            ("Автор: Иван Примеров", &["Иван Примеров"]),
            ("Иван Примеров и Анна Другая", &["Иван Примеров", "Анна Другая"]),
            ("作者：張三", &["張三"]),
            ("張三、李四", &["張三", "李四"]),
            ("责任编辑：李四", &[]),
            ("Von der Sample", &["Von der Sample"]),
            ("BÁO MỚI", &[]),
            ("the-paper.vn", &[]),
            ("https://the-paper.vn/an", &[]),
            ("an@the-paper.vn", &[]),
            ("admin", &[]),
            ("@x", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(of_paper().declared(&[text.to_owned()]), expected, "{text}");
        }
    }

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let page = Page::parse(html);
        let headline = page.elements("h1").next();
        let found = authors(&page, &Items::from_page(&page), [], headline, &of_paper());
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn by_lines_on_the_page() {
        check("<h1>H</h1><p class=byline>By An Example</p>", &["An Example"]);
        check(
            "<h1>H</h1><p class=byline>By <b>An Example</b><i>Health editor, The News</i></p>",
            &["An Example"],
        );
        check(
            "<h1>H</h1><p class=byline><a>An Example</a> and <a>Bo Sample</a> <i>Wire Service</i></p>",
            &["An Example", "Bo Sample"],
        );
        check("<h1>H</h1><div class=author-name>Nguyễn An</div>", &["Nguyễn An"]);
        check("<h1>H</h1><p>By An Example | 20 Nov 2026</p>", &["An Example"]);
        check("<h1>H</h1><p>Tác giả: Nguyễn An</p>", &["Nguyễn An"]);
        check("<h1>H</h1><p>x</p><p style='text-align: right'><b>Nguyễn An</b></p>", &["Nguyễn An"]);
        check("<h1>H</h1><p align=right>Nguyễn An - Trần Bình</p>", &["Nguyễn An", "Trần Bình"]);
        check("<h1>H</h1><p align=right>More of today's news</p>", &[]);
        check("<h1>H</h1><p>By the time it rained, all were gone.</p>", &[]);
        check("<h1>H</h1><p>By Friday Evening Trains Stood Still</p>", &[]);
        check("<h1>H</h1><div class=comments><b class=author>Somebody Else</b></div>", &[]);
        let far = "<p>x".repeat(300);
        check(&format!("<h1>H</h1>{far}<p class=author_mail><b>Nguyễn An</b>"), &["Nguyễn An"]);
        check(&format!("<h1>H</h1>{far}<p class=author>An Ba<p class=author>Bo Ba"), &[]);
    }

    #[test]
    fn declared_persons_come_first_unless_they_are_the_sites() {
        let page = Page::parse("<h1>H</h1><p class=byline>By An Example</p>");
        let of = |stated: &str| {
            authors(
                &page,
                &Items::from_page(&page),
                [vec![stated.to_owned()]],
                page.elements("h1").next(),
                &of_paper(),
            )
        };
        assert_eq!(of("Bo Sample"), ["Bo Sample"]);
        assert_eq!(of("Báo Mới"), ["An Example"]);
    }

    #[test]
    fn byline_stops_before_a_date() {
        for byline in [
            "<div><p>By An Example</p><p>Nov 19, 2026</p></div>",
            "<div><div>By An Example</div><div>Published <time>Nov 19</time></div></div>",
            "<p><span>By An Example</span> <span>November 19, 2026</span></p>",
            "<p>By An Example November 19, 2026</p>",
            "<p>By An Example on Friday, 20 November 2026</p>",
            "<p>Posted by An Example on Fri Nov 20, 2026</p>",
            "<p class=byline>An Example Published Nov. 20, 2026</p>",
            "<p class=byline>An Example Released: June 2026</p>",
        ] {
            check(&format!("<h1>H</h1>{byline}"), &["An Example"]);
        }
        check("<h1>H</h1><p>By An May 19, 2026</p>", &["An May"]);
    }

    #[test]
    fn byline_stops_before_a_role_or_a_paper() {
        for byline in [
            "<p>By An Example, Staff Writer</p>",
            "<div><div>By An Example</div><div>The Harbour Wire</div></div>",
            "<p>By An Example, The Paper</p>",
            "<p>An Example, The Paper, 19 Nov 2026</p>",
            "<div><div>An Example</div><div>Environment correspondent</div></div>",
            "<p class=author>Updated by An Example</p>",
            "<p><span>By</span><span>by An Example</span></p>",
            "<p>Von An Example, Hafenstadt</p>",
            "<p class=author>An Example, TOWN RADIO</p>",
        ] {
            check(&format!("<h1>H</h1>{byline}"), &["An Example"]);
        }
        check("<h1>H</h1><p>Von An Example und Bo Sample</p>", &["An Example", "Bo Sample"]);
        check("<h1>H</h1><p>New York, Nov 19, 2026</p>", &[]);
    }

    #[test]
    fn equal_elements_are_one_list_of_authors() {
        let names = ["An Example", "Bo Sample"];
        check("<h1>H</h1><p class=byline><i>An Example</i> <i>Bo Sample</i> <b>Old Harbour</b></p>", &names);
        check("<h1>H</h1><ul><li class=author>An Example<li class=author>Bo Sample</ul>", &names);
        check("<h1>H</h1><p><a href=/author/an>An Example</a>, <a href=/author/bo>Bo Sample</a></p>", &names);
    }

    #[test]
    fn texts_that_are_no_names_are_left_out() {
        for text in
            ["Login New to us?", "Veröffentlicht am Montag", "5 min read", "By", "Written by", "Sat", "Oct"]
        {
            check(&format!("<h1>H</h1><p class=author>{text}</p>"), &[]);
        }
    }

    #[test]
    fn signatures_at_the_end() {
        for signature in [
            "<p>Reporting by An Example in Harbour Town; Editing by Bo Sample</p>",
            "<p><b>An Example</b> (tổng hợp)</p>",
            "<p><b>An Example</b> (theo <i>Tin Xa</i>)</p>",
            "<ul><li><b>Autorin/Autor</b> An Example</ul>",
        ] {
            check(&format!("<h1>H</h1>{}{signature}", "<p>x".repeat(200)), &["An Example"]);
        }
        check("<h1>H</h1><p>x</p><p><b>An Example</b> (mayor)</p>", &[]);
    }

    #[test]
    fn persons_come_before_desks_and_nicknames() {
        let html = "<h1>H</h1><p class=byline>By An Example</p>";
        let found = |declared: &[&str]| {
            let page = Page::parse(html);
            let declared = declared.iter().map(|name| vec![(*name).to_owned()]);
            authors(&page, &Items::from_page(&page), declared, page.elements("h1").next(), &of_paper())
        };
        for other in ["Web desk", "admin", "an_ex", "News Agency"] {
            assert_eq!(found(&[other]), ["An Example"], "{other}");
        }
        assert_eq!(found(&["an_ex", "Bo Sample"]), ["Bo Sample"]);
        let none = Page::parse("<h1>H</h1>");
        let desk = [vec!["Web desk".to_owned()]];
        assert_eq!(authors(&none, &Items::from_page(&none), desk, None, &of_paper()), ["Web desk"]);
    }

    #[test]
    fn owners_are_no_authors() {
        let names = Names { owners: vec!["Copyright (c) Old Harbour 2026".to_owned()], ..of_paper() };
        assert_eq!(names.declared(&["Old Harbour".to_owned()]), [""; 0]);
        assert_eq!(names.declared(&["Harbour Inc.".to_owned()]), [""; 0]);
        assert_eq!(names.declared(&["An Example".to_owned()]), ["An Example"]);
    }
}
