//! What a page states about itself: headline, dates, authors, language.
//!
//! Sources, the first that states something wins: JSON-LD of an article,
//! OpenGraph and `article:*`, `<meta name>` (Dublin Core, Parse.ly, Sailthru and
//! what sites made up), microdata, `<time datetime>` and dates printed beside the
//! headline, `<h1>` and `<title>`, JSON-LD of the page.
//!
//! The awkward truth: statements are taken at their word, implausible dates
//! aside. A hub states a title and sometimes a date, too, and a date printed near
//! the headline may be today's.

use serde::{Deserialize, Serialize};

use crate::date::date;
use crate::json_ld::{JsonLd, Statement, is_article, json_ld};
use crate::links::links;
use crate::text::{never_text, tidy};
use crate::title::{self, Site};
use crate::{NodeId, Page};

/// Authors kept of one page.
const MOST_AUTHORS: usize = 20;

/// Characters of the longest name of an author; longer ones are sentences.
const LONGEST_AUTHOR: usize = 80;

/// How far from the headline a `<time>` and a printed date are believed, in nodes.
const TIME_REACH: u32 = 400;
const PRINTED_REACH: u32 = 100;

/// So near to the headline a date may stand in a list: of by-lines.
const BESIDE: u32 = 20;

/// What a page states about itself. `None` and empty: not stated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The headline, without the site's name.
    pub title: Option<String>,
    /// When it was published, in the form of [`crate::date::date`].
    pub published: Option<String>,
    /// When it was last changed, in the same form.
    pub modified: Option<String>,
    /// Names of its authors, each once, without "By".
    pub authors: Vec<String>,
    /// The section it stands in, such as "World".
    pub section: Option<String>,
    /// Its language: the primary subtag in lower case, such as `vi`.
    pub language: Option<String>,
    /// Its address as it states it: `rel=canonical`, else `og:url`; may be relative.
    pub canonical: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// What it is, as stated: the JSON-LD type of an article (`NewsArticle`), else
    /// `og:type` (`article`, `website`), else the JSON-LD type of the page.
    pub kind: Option<String>,
    /// A sentence or two about it.
    pub description: Option<String>,
}

/// Reads a page's statements about itself.
#[must_use]
pub fn metadata(page: &Page) -> Metadata {
    let meta = Meta::of(page);
    let canonical = links(page).canonical.or_else(|| meta.get(&["og:url"]));
    let json = json_ld(page, canonical.as_deref());
    let article = json.article.clone().unwrap_or_default();
    let whole = json.page.clone().unwrap_or_default();
    let site_name = site_name(&meta, &json);
    let site = Site { name: site_name.as_deref(), address: canonical.as_deref() };
    let headings = title::headings(page);
    let headline = headings.iter().map(|(id, _)| *id).next();
    Metadata {
        title: headline_of(page, &meta, &article, &headings, &site),
        published: published(page, &meta, &article, &whole, headline),
        modified: first_date([article.modified.as_deref()])
            .or_else(|| meta.date(&MODIFIED))
            .or_else(|| item_date(page, "datemodified"))
            .or_else(|| first_date([whole.modified.as_deref()])),
        authors: authors(page, &meta, article.authors),
        section: article.section.or_else(|| meta.get(&SECTION)),
        language: language(page, &meta, article.language.or(whole.language)),
        kind: kind(&meta, article.kind, whole.kind),
        description: meta.get(&DESCRIPTION).or(article.description),
        site_name,
        canonical,
    }
}

const TITLE: [&str; 7] = [
    "og:title",
    "twitter:title",
    "parsely-title",
    "sailthru.title",
    "dc.title",
    "dcterms.title",
    "citation_title",
];
const PUBLISHED: [&str; 26] = [
    "article:published_time",
    "article:published",
    "og:published_time",
    "og:article:published_time",
    "datepublished",
    "parsely-pub-date",
    "sailthru.date",
    "pubdate",
    "publishdate",
    "publish_date",
    "publish-date",
    "og:publish_date",
    "published",
    "published_time",
    "dc.date.issued",
    "dcterms.issued",
    "dc.date",
    "dcterms.date",
    "dcterms.created",
    "dc.date.created",
    "originalpublicationdate",
    "cxenseparse:publishtime",
    "citation_date",
    "displaydate",
    "date",
    "datecreated",
];
const MODIFIED: [&str; 9] = [
    "article:modified_time",
    "og:modified_time",
    "og:updated_time",
    "datemodified",
    "dcterms.modified",
    "dc.date.modified",
    "revision_date",
    "last-modified",
    "article:updated_time",
];
const AUTHOR: [&str; 11] = [
    "author",
    "article:author",
    "parsely-author",
    "sailthru.author",
    "dc.creator",
    "dcterms.creator",
    "citation_author",
    "og:author",
    "cxenseparse:author",
    "article_author",
    "byl",
];
const SECTION: [&str; 7] = [
    "article:section",
    "og:section",
    "section",
    "parsely-section",
    "articlesection",
    "its_section",
    "og:article:section",
];
const DESCRIPTION: [&str; 4] = ["og:description", "description", "dc.description", "twitter:description"];
const LANGUAGE: [&str; 5] = ["og:locale", "content-language", "language", "dc.language", "dcterms.language"];

/// The `<meta>` elements as names in lower case and contents, in document order.
struct Meta(Vec<(String, String)>);

impl Meta {
    fn of(page: &Page) -> Self {
        let mut all = Vec::new();
        for id in page.elements("meta") {
            let Some(content) = page.attribute(id, "content").map(tidy).filter(|c| !c.is_empty()) else {
                continue;
            };
            for key in ["property", "name", "itemprop", "http-equiv"] {
                if let Some(name) = page.attribute(id, key) {
                    all.push((name.trim().to_ascii_lowercase(), content.clone()));
                }
            }
        }
        Self(all)
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, content)| content.as_str())
    }

    /// The content of the first of these names that there is.
    fn get(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.all(name).next()).map(str::to_owned)
    }

    /// The first of these names that holds a date.
    fn date(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.all(name).find_map(date))
    }
}

fn site_name(meta: &Meta, json: &JsonLd) -> Option<String> {
    let publisher = || json.article.as_ref().and_then(|a| a.publisher.clone());
    meta.get(&["og:site_name"])
        .or_else(|| json.site_name.clone())
        .or_else(publisher)
        .or_else(|| meta.get(&["application-name", "apple-mobile-web-app-title"]))
        .filter(|name| !name.contains("://"))
}

fn headline_of(
    page: &Page,
    meta: &Meta,
    article: &Statement,
    headings: &[(NodeId, String)],
    site: &Site,
) -> Option<String> {
    let stated =
        article.headline.clone().into_iter().chain(TITLE.iter().filter_map(|name| meta.get(&[name])));
    let itemprop = || item(page, "headline").map(|id| tidy(&page.raw_text(id)));
    // A statement that is the site's own title is none about the article.
    let is_headline = |title: &String| Some(title.as_str()) != site.name;
    stated
        .filter_map(|title| title::of_statement(&title, headings, site))
        .find(is_headline)
        .or_else(|| itemprop().filter(|t| !t.is_empty()).filter(is_headline))
        .or_else(|| title::of_page(page, headings, site))
}

fn first_date<'a>(stated: impl IntoIterator<Item = Option<&'a str>>) -> Option<String> {
    stated.into_iter().flatten().find_map(date)
}

fn published(
    page: &Page,
    meta: &Meta,
    article: &Statement,
    whole: &Statement,
    headline: Option<NodeId>,
) -> Option<String> {
    first_date([article.published.as_deref(), article.created.as_deref()])
        .or_else(|| meta.date(&PUBLISHED))
        .or_else(|| item_date(page, "datepublished"))
        .or_else(|| first_date([whole.published.as_deref()]))
        .or_else(|| printed(page, headline))
}

/// The first element with this `itemprop`.
fn item(page: &Page, name: &str) -> Option<NodeId> {
    let has = |value: &str| value.split_ascii_whitespace().any(|v| v.eq_ignore_ascii_case(name));
    page.iter().map(|(id, _)| id).find(|id| page.attribute(*id, "itemprop").is_some_and(has))
}

fn item_date(page: &Page, name: &str) -> Option<String> {
    let id = item(page, name)?;
    ["content", "datetime"]
        .iter()
        .filter_map(|key| page.attribute(id, key))
        .find_map(date)
        .or_else(|| date(&short_text(page, id)?))
}

/// The date of the `<time>`, or else of the element whose class or id speaks of a
/// date, that is nearest to the headline; one with a time of day before all others.
///
/// Printed dates in lists and asides are of other articles; without a headline
/// only a date that stands alone is believed, and a date without a time of day
/// above the headline is today's.
fn printed(page: &Page, headline: Option<NodeId>) -> Option<String> {
    let far = |id: NodeId| headline.map_or(0, |headline| headline.abs_diff(id));
    let nearest = |dates: &[(NodeId, String)]| {
        let best = dates.iter().min_by_key(|(id, date)| (!date.contains('T'), far(*id)));
        best.map(|(_, date)| date.clone())
    };
    let of_time = |id| {
        let stated = page.attribute(id, "datetime").and_then(date);
        Some((id, stated.or_else(|| date(&short_text(page, id)?))?))
    };
    let times: Vec<_> =
        page.elements("time").filter(|id| far(*id) <= TIME_REACH).filter_map(of_time).collect();
    if let Some(date) = nearest(&times) {
        return Some(date);
    }
    let is_near = |id: &NodeId| far(*id) <= PRINTED_REACH && is_named_for_a_date(page, *id);
    let mut dates = Vec::new();
    for id in page.iter().map(|(id, _)| id).filter(is_near) {
        let Some(date) = short_text(page, id).and_then(|text| date(&text)) else { continue };
        let is_todays = headline.is_some_and(|headline| id < headline) && !date.contains('T');
        if !is_todays && ((headline.is_some() && far(id) <= BESIDE) || !is_aside(page, id)) {
            dates.push((id, date));
        }
    }
    let distinct = dates.iter().any(|(_, date)| *date != dates[0].1);
    if headline.is_none() && distinct { None } else { nearest(&dates) }
}

/// Whether an element stands in a list, an aside, a navigation or a footer.
fn is_aside(page: &Page, id: NodeId) -> bool {
    let mut at = id;
    while page.node(at).parent != at {
        if matches!(page.tag(at), Some("li" | "aside" | "nav" | "footer")) {
            return true;
        }
        at = page.node(at).parent;
    }
    false
}

fn is_named_for_a_date(page: &Page, id: NodeId) -> bool {
    let speaks = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["date", "time", "publish", "posted", "ngay"].iter().any(|word| name.contains(word))
    };
    ["class", "id"].iter().filter_map(|key| page.attribute(id, key)).any(speaks)
}

/// The text of a small subtree; `None` if it is larger than any date or script.
fn short_text(page: &Page, id: NodeId) -> Option<String> {
    let range = page.subtree(id);
    if range.len() > 20 || page.tag(id).is_none_or(never_text) {
        return None;
    }
    let text: Vec<&str> = range
        .filter(|n| !page.tag(page.node(*n).parent).is_some_and(never_text))
        .filter_map(|n| page.text(n))
        .collect();
    (text.iter().map(|t| t.len()).sum::<usize>() < 400).then(|| tidy(&text.join(" ")))
}

fn authors(page: &Page, meta: &Meta, stated: Vec<String>) -> Vec<String> {
    let from_meta = || AUTHOR.iter().map(|name| names(meta.all(name))).find(|n| !n.is_empty());
    let from_page = || {
        let is_author = |id: &NodeId| {
            page.attribute(*id, "itemprop").is_some_and(|v| v.eq_ignore_ascii_case("author"))
                || page
                    .attribute(*id, "rel")
                    .is_some_and(|v| v.split_ascii_whitespace().any(|t| t.eq_ignore_ascii_case("author")))
        };
        let texts: Vec<String> =
            page.iter().map(|(id, _)| id).filter(is_author).filter_map(|id| short_text(page, id)).collect();
        names(texts.iter().map(String::as_str))
    };
    let first = names(stated.iter().map(String::as_str));
    if first.is_empty() { from_meta().unwrap_or_else(from_page) } else { first }
}

/// Names without "By", each once; addresses and sentences are none.
fn names<'a>(stated: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in stated {
        let name = tidy(name);
        let name = match name.get(..3) {
            Some(by) if by.eq_ignore_ascii_case("by ") => name[3..].trim(),
            _ => name.as_str(),
        };
        let is_name = name.chars().any(char::is_alphabetic)
            && name.chars().count() <= LONGEST_AUTHOR
            && !name.contains("://")
            && !name.starts_with(['@', '{', '[', '/']);
        if is_name && out.len() < MOST_AUTHORS && !out.iter().any(|other| other == name) {
            out.push(name.to_owned());
        }
    }
    out
}

fn language(page: &Page, meta: &Meta, json: Option<String>) -> Option<String> {
    let html = page.elements("html").next();
    let attribute = |name| html.and_then(|id| page.attribute(id, name)).map(str::to_owned);
    let stated = [attribute("lang"), attribute("xml:lang")].into_iter().flatten();
    let meta = LANGUAGE.iter().filter_map(|name| meta.get(&[name]));
    stated.chain(meta).chain(json).find_map(|tag| primary_subtag(&tag))
}

/// `vi` of `vi-VN`, `vi_VN` and `VI`. Names of languages are not tags.
fn primary_subtag(tag: &str) -> Option<String> {
    let subtag = tag.trim().split(['-', '_', ',', ';', ' ']).next()?;
    (matches!(subtag.len(), 2 | 3) && subtag.bytes().all(|b| b.is_ascii_alphabetic()))
        .then(|| subtag.to_ascii_lowercase())
}

fn kind(meta: &Meta, article: Option<String>, page: Option<String>) -> Option<String> {
    article.filter(|kind| is_article(kind)).or_else(|| meta.get(&["og:type"])).or(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(html: &str) -> Metadata {
        metadata(&Page::parse(html))
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    const JSON: &str = r#"<script type="application/ld+json">{"@type":"NewsArticle","headline":"From JSON","datePublished":"2026-11-20T09:30:00+07:00",
        "author":[{"name":"By An Nguyễn"},{"name":"https://a.vn/an"}],"inLanguage":"vi-VN"}</script>"#;
    const OPEN_GRAPH: &str = "<meta property=og:title content='From OpenGraph - Báo Mới'><meta property=og:site_name content='Báo Mới'>\
        <meta property=article:published_time content=2026-11-19><meta property=article:modified_time content=2026-11-21T00:00Z>\
        <meta property=article:section content=World><meta property=og:locale content=vi_VN><meta property=og:type content=article>\
        <meta property=og:url content=https://a.vn/x><meta property=article:author content=https://facebook.com/x><meta name=author content=Bình>";

    #[test]
    fn json_ld_before_open_graph() {
        let both = of(&format!("{OPEN_GRAPH}{JSON}"));
        assert_eq!(both.title, some("From JSON"));
        assert_eq!(both.published, some("2026-11-20T09:30:00+07:00"));
        assert_eq!(both.modified, some("2026-11-21T00:00:00Z"));
        assert_eq!(both.authors, ["An Nguyễn"]);
        assert_eq!(
            (both.kind, both.section, both.language),
            (some("NewsArticle"), some("World"), some("vi"))
        );
    }

    #[test]
    fn open_graph_alone() {
        let page = of(&format!("{OPEN_GRAPH}<title>No</title><h1>Neither</h1>"));
        assert_eq!(
            (page.title, page.published, page.kind),
            (some("From OpenGraph"), some("2026-11-19"), some("article"))
        );
        assert_eq!((page.canonical, page.site_name), (some("https://a.vn/x"), some("Báo Mới")));
        assert_eq!(page.authors, ["Bình"]);
    }

    #[test]
    fn dates_by_source() {
        let published = |html: &str| of(html).published;
        assert_eq!(published("<meta name=DC.date.issued content=2026-11-20>"), some("2026-11-20"));
        assert_eq!(
            published("<meta name=pubdate content=soon><meta name=date content=2026-11-20>"),
            some("2026-11-20")
        );
        assert_eq!(published("<meta itemprop=datePublished content=2026-11-20>"), some("2026-11-20"));
        assert_eq!(published("<span itemprop=datePublished>20/11/2026</span>"), some("2026-11-20"));
        assert_eq!(published("<time datetime=2026-11-20T09:30>now</time>"), some("2026-11-20T09:30:00"));
        assert_eq!(published("<meta name=date content=0001-01-01><time>2 hours ago</time>"), None);
        assert_eq!(published("<div class=update>20/11/2026</div><p>20/11/2025"), some("2026-11-20"));
    }

    #[test]
    fn the_printed_date_nearest_to_the_headline() {
        let header = "<div class=today-date>Thứ bảy, 21/11/2026</div>";
        let html = format!(
            "{header}<h1>H</h1><span class=date>Thứ sáu, 20/11/2026, <i>09:30</i> (GMT+7)</span><p>x<ul><li><span class=time>1/1/2026 10:00"
        );
        assert_eq!(of(&html).published, some("2026-11-20T09:30:00+07:00"));
        let far = format!("<h1>H</h1>{}<span class=date>20/11/2026</span>", "<p>x".repeat(300));
        assert_eq!(of(&far).published, None);
    }

    #[test]
    fn authors_without_statements() {
        assert_eq!(
            of("<a rel=author href=/an>An</a><span itemprop=author>By  Bình</span><a rel=author>An</a>")
                .authors,
            ["An", "Bình"]
        );
        assert_eq!(of("<meta name=author content='x'><meta name=author content='y'>").authors, ["x", "y"]);
        assert_eq!(of("<meta name=author content='@x'>").authors, [""; 0]);
    }

    #[test]
    fn languages() {
        let language = |html: &str| of(html).language;
        assert_eq!(language("<html lang=VI-vn>"), some("vi"));
        assert_eq!(language("<html lang=''><meta property=og:locale content=en_GB>"), some("en"));
        assert_eq!(
            language("<html lang=English><meta http-equiv=Content-Language content='el, en'>"),
            some("el")
        );
        assert_eq!(language(JSON), some("vi"));
        assert_eq!(language("<p>"), None);
    }

    #[test]
    fn a_site_title_is_no_headline() {
        let page = of(
            "<meta property=og:title content='Báo Mới'><meta property=og:site_name content='Báo Mới'><title>Báo Mới</title><h1>Mưa tạnh ở thành phố</h1>",
        );
        assert_eq!(page.title, some("Mưa tạnh ở thành phố"));
    }

    #[test]
    fn an_empty_page_states_nothing() {
        assert_eq!(of(""), Metadata::default());
    }
}
