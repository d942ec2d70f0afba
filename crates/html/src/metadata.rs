//! Reads a page's metadata, such as the headline, dates, authors and language.
//!
//! The first source that has a value is used. For most values, the sources are, in this order: an article's
//! JSON-LD, OpenGraph and `article:*`, other `<meta>` elements (Dublin Core, Parse.ly, Sailthru and names of
//! single sites), microdata, `<h1>` and `<title>`, and the page's JSON-LD. The modules `title`, `author` and
//! `dates` describe the sources of titles, authors and dates.
//!
//! Limitation: all declarations except implausible dates are trusted. A hub also declares a title and
//! sometimes a date. A date printed near the headline may be today's date instead of the article's.

mod article_type;
mod dates;
mod embedded_date;
mod headline;
mod keywords;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Page;
use crate::author::{Byline, Names, byline};
use crate::canonical::{absolute, canonical};
use crate::declared::Declared;
use crate::entities::without_tags;
use crate::json_ld::{JsonLd, Statement, is_article, json_ld};
use crate::meta::{AUTHOR, COPYRIGHT, DESCRIPTION, IMAGE, LANGUAGE, Meta, SECTION};
use crate::microdata::Items;
use crate::text::tidy;
use crate::title::{self, Site};

pub use article_type::ArticleType;
use dates::{Dates, DeclaredDates, dates};
use headline::{Headline, headline};
use keywords::keywords;

const MAX_SECTION_LENGTH: usize = 60;

/// Maximum length in characters of a title and a description. Longer ones are cut.
const MAX_TITLE_LENGTH: usize = 1_000;
const MAX_DESCRIPTION_LENGTH: usize = 5_000;

/// Maximum length in bytes of an image's address. A longer address is a data URL that contains the image.
const MAX_ADDRESS_LENGTH: usize = 4_000;

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
    /// The headline without the site's name, cut after 1,000 characters.
    pub title: Option<String>,
    /// The publication time: RFC 3339 with the page's offset, or a day (`2026-11-20`) if the time or its zone
    /// is unknown.
    pub published: Option<String>,
    /// The publication time as a UTC timestamp. If `published` has no zone, UTC is assumed. If it has no
    /// time, midnight is assumed.
    pub published_utc: Option<Timestamp>,
    /// The time of the last change, in the form of `published`.
    pub modified: Option<String>,
    /// The authors' names without "By", or `credits` if no person is named. A name that differs from an earlier one only
    /// in case is omitted.
    pub authors: Vec<String>,
    /// The newspaper, agency or desk that the by-line names in place of a person, such as "Reuters". Empty if a person is
    /// named, so `authors` without `credits` are persons. The word is that of IPTC (`creditline` of ninjs) and schema.org (`creditText`).
    pub credits: Vec<String>,
    /// The page's section, such as "World".
    pub section: Option<String>,
    /// The page's language: the primary subtag in lower case, such as `vi`.
    pub language: Option<String>,
    /// The declared address: `rel=canonical` or, if it is missing, `og:url`. Relative only if the page's own
    /// address is unknown. Addresses that are not web addresses, and the front page's address on another
    /// page, are ignored.
    pub canonical: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// The declared type: the JSON-LD type of an article (`NewsArticle`), otherwise `og:type` (`article`,
    /// `website`), otherwise the JSON-LD type of the page.
    pub kind: Option<String>,
    /// A short description, cut after 5,000 characters.
    pub description: Option<String>,
    /// The keywords or tags: at most 50, each of at most 80 characters. A keyword that differs from an
    /// earlier one only in case is omitted.
    pub keywords: Vec<String>,
    /// The address of the lead image. It is relative only if the page's own address is unknown.
    pub image: Option<String>,
    /// The declared type of the article.
    pub article_type: Option<ArticleType>,
    /// Whether only subscribers may read the text: schema.org `isAccessibleForFree` or
    /// `article:content_tier`.
    pub paywalled: Option<bool>,
    /// The declared number of words of the article: schema.org `wordCount` or, if it is missing, the number
    /// of words in `articleBody`.
    pub declared_words: Option<u64>,
}

/// Reads the metadata of a page with an unknown address.
#[must_use]
pub fn metadata(page: &Page) -> Metadata {
    metadata_at(page, "")
}

/// Like [`metadata_at`], for a page that was fetched at the time `fetched`. Ignores dates of publication or
/// change that are more than a day after this time.
#[must_use]
pub fn metadata_fetched(page: &Page, address: &str, fetched: Timestamp) -> Metadata {
    MetadataReading::new(page, address, Some(fetched)).metadata()
}

/// Reads a page's metadata. `address` is the page's own address, or empty if it is unknown. The address makes
/// the canonical address absolute, and helps to recognize the site's name in a title. If the page does not
/// state its publication day, a day in the address is used.
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
    MetadataReading::new(page, address, None).metadata()
}

/// A page's declarations with its headline and dates. The other metadata takes as much time again to read.
pub struct MetadataReading<'a> {
    page: &'a Page,
    sources: Sources<'a>,
    headline: Headline,
    language: Option<String>,
    dates: Dates,
}

impl<'a> MetadataReading<'a> {
    /// Reads the headline and the dates. `address` is described at [`metadata_at`], and `fetched` at
    /// [`metadata_fetched`].
    #[must_use]
    pub fn new(page: &'a Page, address: &'a str, fetched: Option<Timestamp>) -> Self {
        let sources = Sources::new(page, address, fetched);
        let headline = headline(page, &sources, &sources.site());
        let Sources { meta, article, whole, .. } = &sources;
        let tags = language_tags(page, meta, article.language.clone().or_else(|| whole.language.clone()));
        let language = tags.iter().find_map(|tag| primary_subtag(tag));
        let region = tags.iter().find_map(|tag| region(tag));
        let written = DeclaredDates { language: language.as_deref(), region: region.as_deref() };
        let dates = dates(page, &sources, headline.node, written);
        Self { page, sources, headline, language, dates }
    }

    /// Whether the page has a publication time ([`Metadata::published`]).
    #[must_use]
    pub fn has_publication_time(&self) -> bool {
        self.dates.published.is_some()
    }

    /// Whether only subscribers may read the text ([`Metadata::paywalled`]).
    #[must_use]
    pub fn paywalled(&self) -> Option<bool> {
        let Sources { meta, article, whole, .. } = &self.sources;
        article.is_free.or(whole.is_free).map(|is_free| !is_free).or_else(|| paywalled(meta))
    }

    /// Reads the rest of the metadata.
    #[must_use]
    pub fn metadata(&self) -> Metadata {
        let paywalled = self.paywalled();
        let Self { page, sources, headline, language, dates } = self;
        let site = sources.site();
        let Sources { meta, article, whole, .. } = &sources;
        let Headline { text: title, node: headline } = headline.clone();
        let Dates { published, published_utc, modified } = dates.clone();
        let section = section(page, meta, article.sections.clone(), &sources.trail, title.as_deref(), &site);
        let owners = COPYRIGHT.iter().flat_map(|name| meta.all(name)).map(str::to_owned).collect();
        let names = Names { site, owners, persons: &article.persons, organizations: &article.organizations };
        let stated = stated_authors(meta, article.authors.clone());
        let Byline { authors: persons, credits } = byline(page, sources.items, stated, headline, &names);
        Metadata {
            published,
            published_utc,
            modified,
            authors: if persons.is_empty() { credits.clone() } else { persons },
            credits,
            kind: kind(meta, article.kind.clone(), whole.kind.clone()),
            description: description(meta, article),
            keywords: keywords(page, meta, article),
            image: image(page, meta, article, sources.address),
            article_type: article_type::article_type(sources, section.as_deref()),
            paywalled,
            declared_words: article.words,
            language: language.clone(),
            section,
            title,
            site_name: sources.site_name.clone(),
            canonical: sources.canonical.clone(),
        }
    }
}

/// Returns the same title and description as [`metadata`], without searching for authors and dates.
#[must_use]
pub fn title_and_description(page: &Page) -> (Option<String>, Option<String>) {
    let sources = Sources::new(page, "", None);
    let title = headline(page, &sources, &sources.site()).text;
    (title, description(sources.meta, &sources.article))
}

struct Sources<'a> {
    meta: &'a Meta,
    items: &'a Items,
    /// From JSON-LD: the article, the page (`whole`) and the breadcrumbs (`trail`).
    article: Statement,
    whole: Statement,
    trail: Vec<String>,
    /// The JSON-LD types that may describe the page.
    kinds: Vec<String>,
    site_name: Option<String>,
    canonical: Option<String>,
    address: &'a str,
    fetched: Option<Timestamp>,
}

impl<'a> Sources<'a> {
    fn new(page: &'a Page, address: &'a str, fetched: Option<Timestamp>) -> Self {
        let Declared { items, meta, json, canonical: linked } = page.declared();
        let canonical = canonical(linked.as_deref().into_iter().chain(meta.all("og:url")), address);
        let json = json_ld(json, Some(known(canonical.as_deref(), address)).filter(|it| !it.is_empty()));
        Self {
            site_name: site_name(meta, &json),
            article: json.article.unwrap_or_default(),
            whole: json.page.unwrap_or_default(),
            trail: json.trail,
            kinds: json.kinds,
            meta,
            items,
            canonical,
            address,
            fetched,
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

/// Returns the address that identifies a page: the declared address if it is absolute, otherwise the page's
/// own.
fn known<'a>(canonical: Option<&'a str>, address: &'a str) -> &'a str {
    canonical.filter(|it| it.contains("://")).unwrap_or(address)
}

fn description(meta: &Meta, article: &Statement) -> Option<String> {
    let is_one = |text: &String| !matches!(text.to_ascii_lowercase().as_str(), "null" | "undefined");
    let in_meta = DESCRIPTION.iter().filter_map(|name| meta.get(&[name]));
    let stated = in_meta.map(|text| tidy(&without_tags(&text))).chain(article.description.clone());
    stated.filter(|text| !text.is_empty()).find(is_one).map(|text| cut(&text, MAX_DESCRIPTION_LENGTH))
}

fn cut(text: &str, most: usize) -> String {
    text.char_indices().nth(most).map_or(text, |(end, _)| text[..end].trim_end()).to_owned()
}

fn site_name(meta: &Meta, json: &JsonLd) -> Option<String> {
    let publisher = || json.article.as_ref().and_then(|a| a.publisher.clone());
    meta.get(&["og:site_name"])
        .or_else(|| json.site_name.clone())
        .or_else(publisher)
        .or_else(|| meta.get(&["application-name", "apple-mobile-web-app-title"]))
        .filter(|name| !name.contains("://"))
}

/// Returns the first declared image with a web address, resolved with `<base href>` or the page's address.
fn image(page: &Page, meta: &Meta, article: &Statement, address: &str) -> Option<String> {
    let linked = || page.elements("link").filter(|id| page.attribute(*id, "rel") == Some("image_src"));
    let base = page.elements("base").find_map(|id| absolute(page.attribute(id, "href")?.trim(), address));
    let in_meta = IMAGE.iter().filter_map(|name| meta.get(&[name]));
    in_meta
        .chain(article.image.clone())
        .chain(linked().filter_map(|id| page.attribute(id, "href").map(str::to_owned)))
        .filter(|stated| stated.len() <= MAX_ADDRESS_LENGTH)
        .find_map(|stated| absolute(&stated.trim().replace(' ', "%20"), base.as_deref().unwrap_or(address)))
}

/// Reads `article:content_tier`: `free` or `locked`. Returns `None` for `metered`.
fn paywalled(meta: &Meta) -> Option<bool> {
    match meta.get(&["article:content_tier", "og:article:content_tier"])?.to_ascii_lowercase().as_str() {
        "free" => Some(false),
        "locked" => Some(true),
        _ => None,
    }
}

fn stated_authors(meta: &Meta, article: Vec<String>) -> impl Iterator<Item = Vec<String>> {
    let of_meta = |name: &&str| meta.all(name).map(str::to_owned).collect::<Vec<_>>();
    std::iter::once(article).chain(AUTHOR.iter().map(of_meta))
}

fn section(
    page: &Page,
    meta: &Meta,
    article: Vec<String>,
    trail: &[String],
    title: Option<&str>,
    site: &Site,
) -> Option<String> {
    let is_section = |name: &String| {
        name.chars().count() <= MAX_SECTION_LENGTH
            && name.chars().any(char::is_alphabetic)
            && !name.contains("://")
            && !title::is_site(name, site)
            && !title::begins_with_host(name, site)
            && title != Some(name.as_str())
            && !HOME.contains(&name.to_lowercase().as_str())
    };
    let on_page = || title::breadcrumbs(page).into_iter();
    article
        .into_iter()
        .chain(SECTION.iter().filter_map(|name| meta.get(&[name])))
        .chain(trail.iter().cloned())
        .find(is_section)
        .or_else(|| on_page().find(is_section))
}

fn language_tags(page: &Page, meta: &Meta, json: Option<String>) -> Vec<String> {
    let html = page.elements("html").next();
    let attribute = |name| html.and_then(|id| page.attribute(id, name)).map(str::to_owned);
    let stated = [attribute("lang"), attribute("xml:lang")].into_iter().flatten();
    let meta = LANGUAGE.iter().filter_map(|name| meta.get(&[name]));
    stated.chain(meta).chain(json).collect()
}

fn region(tag: &str) -> Option<String> {
    primary_subtag(tag)?;
    let is_region = |part: &&str| part.len() == 2 && part.bytes().all(|b| b.is_ascii_alphabetic());
    let tag = tag.trim().split([',', ';', ' ']).next()?;
    tag.split(['-', '_']).skip(1).find(is_region).map(str::to_ascii_uppercase)
}

/// Returns `vi` for `vi-VN`, `vi_VN` and `VI`, and `None` for names of languages.
fn primary_subtag(tag: &str) -> Option<String> {
    let subtag = tag.trim().split(['-', '_', ',', ';', ' ']).next()?;
    (matches!(subtag.len(), 2 | 3) && subtag.bytes().all(|b| b.is_ascii_alphabetic()))
        .then(|| subtag.to_ascii_lowercase())
}

fn kind(meta: &Meta, article: Option<String>, page: Option<String>) -> Option<String> {
    article.filter(|kind| is_article(kind)).or_else(|| meta.get(&["og:type"])).or(page)
}

#[cfg(test)]
mod tests;
