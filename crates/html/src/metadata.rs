//! Reads a page's metadata, such as the headline, dates, authors and language.
//!
//! The first source with a value wins. In order, the sources are an article's JSON-LD, OpenGraph
//! and `article:*`, other `<meta>` elements (Dublin Core, Parse.ly, Sailthru and the sites' own
//! names), microdata, `<time datetime>` and dates printed beside the headline, `<h1>` and
//! `<title>`, and the page's JSON-LD.
//!
//! Limitation: declarations are trusted, except implausible dates. A hub declares a title too, and
//! sometimes a date. A date printed near the headline may be today's date.

use html5ever::local_name;
use serde::{Deserialize, Serialize};

use crate::author::authors;
use crate::canonical::canonical;
use crate::date::{date, in_address};
use crate::json_ld::{JsonLd, Statement, is_article, json_ld};
use crate::links::linked_canonical;
use crate::meta::{AUTHOR, DESCRIPTION, LANGUAGE, MODIFIED, Meta, PUBLISHED, SECTION, TITLE};
use crate::printed_date::{Printed, printed};
use crate::small_text::small_text;
use crate::text::tidy;
use crate::title::{self, Site};
use crate::{NodeId, Page};

const LONGEST_SECTION: usize = 60;

/// Breadcrumbs that name the front page or no particular section.
const HOME: [&str; 17] = [
    "home",
    "homepage",
    "home page",
    "news",
    "blog",
    "uncategorized",
    "trang chủ",
    "αρχική",
    "αρχική σελίδα",
    "strona główna",
    "start",
    "главная",
    "новости",
    "首页",
    "首頁",
    "inicio",
    "accueil",
];

/// A page's metadata. `None` or an empty list means that no value was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The headline, without the site's name.
    pub title: Option<String>,
    /// The publication time, in the form of [`crate::date::date`].
    pub published: Option<String>,
    /// The time of the last change, in the form of [`crate::date::date`].
    pub modified: Option<String>,
    /// The authors' names, each once, without "By".
    pub authors: Vec<String>,
    /// The page's section, such as "World".
    pub section: Option<String>,
    /// The page's language: the primary subtag in lower case, such as `vi`.
    pub language: Option<String>,
    /// The declared address: `rel=canonical` or, failing that, `og:url`. It must be a web address,
    /// and may be the front page only on the front page itself. It is relative only if the page's
    /// own address is unknown.
    pub canonical: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// The declared type: the JSON-LD type of an article (`NewsArticle`), else `og:type`
    /// (`article`, `website`), else the JSON-LD type of the page.
    pub kind: Option<String>,
    /// A short description.
    pub description: Option<String>,
}

/// Reads the metadata of a page whose address is unknown.
#[must_use]
pub fn metadata(page: &Page) -> Metadata {
    metadata_at(page, "")
}

/// Reads a page's metadata. `address` is the page's own address, or empty if unknown. It makes the
/// canonical address absolute, shows which part of a title is the site's name, and supplies a
/// publication day if the page states none.
///
/// ```
/// use gleaner_html::{Page, metadata::metadata_at};
///
/// let page = Page::parse("<title>Rain ends - The Paper</title><link rel=canonical href=/2026/11/20/rain>");
/// let stated = metadata_at(&page, "https://the-paper.vn/2026/11/20/rain?from=front");
/// assert_eq!(stated.title.as_deref(), Some("Rain ends"));
/// assert_eq!(stated.published.as_deref(), Some("2026-11-20"));
/// assert_eq!(stated.canonical.as_deref(), Some("https://the-paper.vn/2026/11/20/rain"));
/// ```
#[must_use]
pub fn metadata_at(page: &Page, address: &str) -> Metadata {
    let sources = Sources::new(page, address);
    let (site, known) = (sources.site(), sources.known());
    let Sources { meta, article, whole, .. } = &sources;
    let Headline { text: title, node: headline } = headline(page, meta, article, &site);
    let (published, modified) = (published(page, meta, article, whole), modified(page, meta, article, whole));
    // The search for printed dates covers the whole page, so it runs only if a date is missing.
    let printed =
        if published.is_some() && modified.is_some() { Printed::default() } else { printed(page, headline) };
    let by_address = || [known, address].into_iter().find_map(in_address);
    Metadata {
        published: published.or(printed.published).or_else(by_address),
        modified: modified.or(printed.modified),
        authors: authors(page, stated_authors(meta, article.authors.clone()), headline, &site),
        section: section(page, meta, article.sections.clone(), &sources.trail, title.as_deref(), &site),
        language: language(page, meta, article.language.clone().or_else(|| whole.language.clone())),
        kind: kind(meta, article.kind.clone(), whole.kind.clone()),
        description: description(meta, article),
        title,
        site_name: sources.site_name,
        canonical: sources.canonical,
    }
}

/// Returns the title and the description as in [`metadata`], without the expensive search for
/// authors and dates.
#[must_use]
pub fn title_and_description(page: &Page) -> (Option<String>, Option<String>) {
    let sources = Sources::new(page, "");
    let title = headline(page, &sources.meta, &sources.article, &sources.site()).text;
    (title, description(&sources.meta, &sources.article))
}

struct Sources<'a> {
    meta: Meta,
    /// From the page's JSON-LD: the article, the page (`whole`) and the breadcrumbs (`trail`).
    article: Statement,
    whole: Statement,
    trail: Vec<String>,
    site_name: Option<String>,
    canonical: Option<String>,
    /// The page's own address; empty if unknown.
    address: &'a str,
}

impl<'a> Sources<'a> {
    fn new(page: &Page, address: &'a str) -> Self {
        let meta = Meta::from_page(page);
        let linked = linked_canonical(page);
        let canonical = canonical(linked.as_deref().into_iter().chain(meta.all("og:url")), address);
        let json = json_ld(page, Some(known(canonical.as_deref(), address)).filter(|it| !it.is_empty()));
        Self {
            site_name: site_name(&meta, &json),
            article: json.article.unwrap_or_default(),
            whole: json.page.unwrap_or_default(),
            trail: json.trail,
            meta,
            canonical,
            address,
        }
    }

    fn known(&self) -> &str {
        known(self.canonical.as_deref(), self.address)
    }

    fn site(&self) -> Site<'_> {
        let address = if self.address.is_empty() { self.known() } else { self.address };
        Site { name: self.site_name.as_deref(), address: Some(address) }
    }
}

/// The address that identifies a page: the declared address if it is absolute, otherwise the page's
/// own.
fn known<'a>(canonical: Option<&'a str>, address: &'a str) -> &'a str {
    canonical.filter(|it| it.contains("://")).unwrap_or(address)
}

fn description(meta: &Meta, article: &Statement) -> Option<String> {
    meta.get(&DESCRIPTION).or_else(|| article.description.clone())
}

fn site_name(meta: &Meta, json: &JsonLd) -> Option<String> {
    let publisher = || json.article.as_ref().and_then(|a| a.publisher.clone());
    meta.get(&["og:site_name"])
        .or_else(|| json.site_name.clone())
        .or_else(publisher)
        .or_else(|| meta.get(&["application-name", "apple-mobile-web-app-title"]))
        .filter(|name| !name.contains("://"))
}

struct Headline {
    text: Option<String>,
    node: Option<NodeId>,
}

fn headline(page: &Page, meta: &Meta, article: &Statement, site: &Site) -> Headline {
    let mut headings = title::headings(page);
    let of_document = title::of_document(page);
    let mut stated: Vec<String> = article
        .headline
        .clone()
        .into_iter()
        .chain(TITLE.iter().filter_map(|name| meta.get(&[name])))
        .collect();
    stated.extend(of_document.clone());
    if title::of_parts(&headings, &stated, site).is_none()
        && let Some(whole) = &of_document
    {
        headings.extend(title::lesser_headings(page, whole, site));
    }
    let text = title::of_parts(&headings, &stated, site)
        .map(str::to_owned)
        .or_else(|| {
            stated.extend(site.address.map(slug));
            title::of_heading(&headings, &stated, site).map(str::to_owned)
        })
        .or_else(|| cut_headline(page, meta, article, &headings, site));
    let is_it = |heading: &&(NodeId, String)| text.as_ref() == Some(&heading.1);
    let node = headings.iter().find(is_it).or(headings.first()).map(|(id, _)| *id);
    Headline { text, node }
}

fn slug(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.trim_end_matches('/').rsplit('/').next().unwrap_or_default().replace(['-', '_'], " ")
}

/// Returns a declared title without the site's name, for a page on which no heading matches.
fn cut_headline(
    page: &Page,
    meta: &Meta,
    article: &Statement,
    headings: &[(NodeId, String)],
    site: &Site,
) -> Option<String> {
    let stated =
        article.headline.clone().into_iter().chain(TITLE.iter().filter_map(|name| meta.get(&[name])));
    let itemprop = || item(page, "headline").map(|id| tidy(&page.raw_text(id)));
    // A title that is only the site's name is not the headline.
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

fn published(page: &Page, meta: &Meta, article: &Statement, whole: &Statement) -> Option<String> {
    first_date([article.published.as_deref(), article.created.as_deref()])
        .or_else(|| meta.date(&PUBLISHED))
        .or_else(|| item_date(page, "datepublished"))
        .or_else(|| first_date([whole.published.as_deref()]))
}

fn modified(page: &Page, meta: &Meta, article: &Statement, whole: &Statement) -> Option<String> {
    first_date([article.modified.as_deref()])
        .or_else(|| meta.date(&MODIFIED))
        .or_else(|| item_date(page, "datemodified"))
        .or_else(|| first_date([whole.modified.as_deref()]))
}

fn item(page: &Page, name: &str) -> Option<NodeId> {
    let has = |value: &str| value.split_ascii_whitespace().any(|v| v.eq_ignore_ascii_case(name));
    let itemprop = local_name!("itemprop");
    page.iter().map(|(id, _)| id).find(|id| page.named(*id, &itemprop).is_some_and(has))
}

fn item_date(page: &Page, name: &str) -> Option<String> {
    let id = item(page, name)?;
    ["content", "datetime"]
        .iter()
        .filter_map(|key| page.attribute(id, key))
        .find_map(date)
        .or_else(|| date(&small_text(page, id)?))
}

/// Yields one list of names per source.
fn stated_authors(meta: &Meta, article: Vec<String>) -> impl Iterator<Item = Vec<String>> {
    let of_meta = |name: &&str| meta.all(name).map(str::to_owned).collect::<Vec<_>>();
    std::iter::once(article).chain(AUTHOR.iter().map(of_meta))
}

/// Returns the declared section, else the first section in the breadcrumb trail.
fn section(
    page: &Page,
    meta: &Meta,
    article: Vec<String>,
    trail: &[String],
    title: Option<&str>,
    site: &Site,
) -> Option<String> {
    let is_section = |name: &String| {
        name.chars().count() <= LONGEST_SECTION
            && name.chars().any(char::is_alphabetic)
            && !name.contains("://")
            && !title::is_site(name, site)
            && !title::begins_with_host(name, site)
            && title != Some(name.as_str())
            && !HOME.contains(&name.to_lowercase().as_str())
    };
    let on_page = || title::trail(page).into_iter();
    article
        .into_iter()
        .chain(SECTION.iter().filter_map(|name| meta.get(&[name])))
        .chain(trail.iter().cloned())
        .find(is_section)
        .or_else(|| on_page().find(is_section))
}

fn language(page: &Page, meta: &Meta, json: Option<String>) -> Option<String> {
    let html = page.elements("html").next();
    let attribute = |name| html.and_then(|id| page.attribute(id, name)).map(str::to_owned);
    let stated = [attribute("lang"), attribute("xml:lang")].into_iter().flatten();
    let meta = LANGUAGE.iter().filter_map(|name| meta.get(&[name]));
    stated.chain(meta).chain(json).find_map(|tag| primary_subtag(&tag))
}

/// Returns `vi` for `vi-VN`, `vi_VN` and `VI`. Language names are not tags.
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
        assert_eq!(
            of("<meta name=author content='An'><meta name=author content='Bo'>").authors,
            ["An", "Bo"]
        );
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

    #[test]
    fn the_title_and_the_description_alone_are_the_same() {
        let linked = "<link rel=canonical href=https://a.vn/x><h1>From Above</h1><title>Of the page</title>";
        for html in ["", JSON, OPEN_GRAPH, linked, &[JSON, OPEN_GRAPH, linked].concat()] {
            let page = Page::parse(&format!("{html}<meta name=description content='It rains.'>"));
            let Metadata { title, description, .. } = metadata(&page);
            assert_eq!(title_and_description(&page), (title, description), "{html}");
        }
    }
}
