//! Finds a page's authors in declarations and by-lines, removes labels and splits lists of names.
//!
//! The sources are searched in this order:
//!
//! 1. declarations (JSON-LD, `<meta>`);
//! 2. `rel=author` and `itemprop=author`;
//! 3. a small element with a class or id for an author or a by-line, if it is near the headline or is the
//!    only such element on the page;
//! 4. a line near the headline with a label such as `By` or `Tác giả:`;
//! 5. a right-aligned name at the article's end.
//!
//! The name of the site or its host does not count as an author. If a source contains no other name, the next
//! source is searched.
//!
//! Limitation: a news agency, an editorial desk (`Staff`) and a nickname count as authors. A comma or a dash
//! separates names only if both sides look like names of persons. Therefore `An Example, Hanoi Harbour`
//! becomes two names, and `An Example - Hanoi` stays one.

mod names;

use html5ever::{LocalName, local_name};

use crate::microdata::Items;
use crate::month_names::folded;
use crate::printed_date::is_aside;
use crate::small_text::{SmallText, ancestors, small_text};
use crate::tags::contains_one;
use crate::text::tidy;
use crate::title::Site;
use crate::{NodeId, Page};
use names::{NAME_WORDS, begins_a_label, is_person, label, names};

const MOST_AUTHORS: usize = 20;

/// Maximum distance of a by-line after and before the headline, in nodes.
const REACH: u32 = 150;
const REACH_BEFORE: u32 = 40;

pub(crate) fn authors(
    page: &Page,
    items: &Items,
    stated: impl IntoIterator<Item = Vec<String>>,
    headline: Option<NodeId>,
    site: &Site,
) -> Vec<String> {
    let mut sources = stated.into_iter().map(|texts| names(&texts, site));
    sources
        .find(|names| !names.is_empty())
        .or_else(|| Some(names(&marked(page, items, headline), site)).filter(|names| !names.is_empty()))
        .or_else(|| Some(names(&classed(page, headline), site)).filter(|names| !names.is_empty()))
        .or_else(|| Some(names(&labelled(page, headline), site)).filter(|names| !names.is_empty()))
        .unwrap_or_else(|| names(&signed(page, headline), site))
}

/// Returns the names in the last short right-aligned paragraph that contains only names of persons.
/// Vietnamese papers sign articles in this way.
fn signed(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    let is_right = |id: &NodeId| {
        let style = page.attribute(*id, "style").unwrap_or_default();
        let style: String =
            style.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
        style.contains("text-align:right")
            || page.attribute(*id, "align").is_some_and(|a| a.eq_ignore_ascii_case("right"))
    };
    let from = headline.unwrap_or(0);
    let paragraphs = page.elements("p").filter(|id| *id > from && is_right(id) && !is_of_others(page, *id));
    let names =
        paragraphs.filter_map(|id| small_text(page, id)).filter(|text| text.split(" - ").all(is_person));
    names.last().map(|text| text.split(" - ").map(str::to_owned).collect()).unwrap_or_default()
}

fn marked(page: &Page, items: &Items, headline: Option<NodeId>) -> Vec<String> {
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
    let chosen = [near, of_article, found].into_iter().find(|ids| !ids.is_empty()).unwrap_or_default();
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
fn classed(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    const NAMES: [&str; 5] = ["author", "byline", "by-line", "by_line", "tacgia"];
    const PARTS: [&str; 8] = ["bio", "avatar", "image", "photo", "social", "date", "title", "follow"];
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
        behind = page.node(id).end;
        found.push((id, text));
        if found.len() >= 200 {
            break;
        }
    }
    let near: Vec<&(NodeId, String)> = found.iter().filter(|(id, _)| is_near(*id, headline)).collect();
    match (near.first(), &found[..]) {
        (Some((_, text)), _) => vec![text.clone()],
        (None, [(id, text)]) if !is_aside(page, *id) => vec![text.clone()],
        _ => Vec::new(),
    }
}

/// Returns the names at the beginning of a by-line, before texts such as a desk or a date. Commas and words
/// for `and` separate the names. Returns the whole text if there is no name.
fn first_names(page: &Page, id: NodeId) -> Option<String> {
    let whole = small_text(page, id).filter(|text| !text.is_empty())?;
    let pieces = page.subtree(id).filter_map(|id| page.text(id)).map(tidy).filter(|text| !text.is_empty());
    let mut names = String::new();
    let mut joins = true;
    for piece in pieces {
        let person = label(&piece).map_or(piece.as_str(), |(_, rest)| rest);
        if joins && is_person(person) {
            names.push_str(if names.is_empty() { "" } else { "; " });
            names.push_str(person);
            joins = false;
        } else if !names.is_empty() {
            joins = matches!(folded(&piece).as_str(), "," | "and" | ", and" | "&" | "va" | "και" | "и" | "i");
            if !joins {
                break;
            }
        }
    }
    Some(if names.is_empty() { whole } else { names })
}

fn is_near(id: NodeId, headline: Option<NodeId>) -> bool {
    headline.is_some_and(|headline| (headline.saturating_sub(REACH_BEFORE)..=headline + REACH).contains(&id))
}

fn labelled(page: &Page, headline: Option<NodeId>) -> Vec<String> {
    let Some(headline) = headline else { return Vec::new() };
    let end = (headline + REACH).min(page.len() as NodeId);
    let line = |id| {
        let small =
            SmallText::from_element(page, id).filter(|it| it.first_ascii().is_none_or(begins_a_label))?;
        let text = Some(small.text()).filter(|text| text.len() < 200)?;
        let (label, rest) = label(&text)?;
        let is_sure = text[..text.len() - rest.len()].trim_end().ends_with([':', '：']);
        let follows = if is_sure || label == "by" { before_date(rest) } else { "" };
        let is_short = is_sure || follows.split_whitespace().count() < NAME_WORDS;
        (is_short && !follows.is_empty() && follows.split(',').all(is_person)).then(|| follows.to_owned())
    };
    (headline..end)
        .filter(|id| page.tag(*id).is_some_and(|tag| tag != "a"))
        .find_map(line)
        .into_iter()
        .collect()
}

/// Returns the beginning of a by-line, up to the first digit or separator (bar, dot, parenthesis).
fn before_date(text: &str) -> &str {
    let end = text.find(['|', '·', '•', '–', '—', '(', '[', '\n']).unwrap_or(text.len());
    let text = &text[..end];
    text[..text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len())].trim_matches([' ', ',', '-', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SITE: Site = Site { name: Some("Báo Mới"), address: Some("https://the-paper.vn/a") };

    #[test]
    fn names_are_cleaned_and_parted() {
        let cases: [(&str, &[&str]); 48] = [
            ("\"An Example\"", &["An Example"]),
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
            assert_eq!(names(&[text.to_owned()], &SITE), expected, "{text}");
        }
    }

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let page = Page::parse(html);
        let headline = page.elements("h1").next();
        assert_eq!(authors(&page, &Items::from_page(&page), [], headline, &SITE), expected, "{html}");
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
    fn stated_names_come_first_unless_they_are_the_sites() {
        let page = Page::parse("<h1>H</h1><p class=byline>By An Example</p>");
        let of = |stated: &str| {
            authors(
                &page,
                &Items::from_page(&page),
                [vec![stated.to_owned()]],
                page.elements("h1").next(),
                &SITE,
            )
        };
        assert_eq!(of("Bo Sample"), ["Bo Sample"]);
        assert_eq!(of("Báo Mới"), ["An Example"]);
    }
}
