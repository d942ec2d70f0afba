//! Reads the `<meta>` elements of a page, and lists the names that sites use for each value.
//!
//! Limitation: most of the names are not in any standard; they were collected from pages.

use crate::Page;
use crate::date::date;
use crate::text::tidy;

pub(crate) const TITLE: [&str; 7] = [
    "og:title",
    "twitter:title",
    "parsely-title",
    "sailthru.title",
    "dc.title",
    "dcterms.title",
    "citation_title",
];
pub(crate) const PUBLISHED: [&str; 26] = [
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
pub(crate) const MODIFIED: [&str; 9] = [
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
pub(crate) const AUTHOR: [&str; 11] = [
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
pub(crate) const SECTION: [&str; 7] = [
    "article:section",
    "og:section",
    "section",
    "parsely-section",
    "articlesection",
    "its_section",
    "og:article:section",
];
pub(crate) const DESCRIPTION: [&str; 4] =
    ["og:description", "description", "dc.description", "twitter:description"];
pub(crate) const LANGUAGE: [&str; 5] =
    ["og:locale", "content-language", "language", "dc.language", "dcterms.language"];

/// Pairs of name and content, with the name in lower case, in document order.
pub(crate) struct Meta(Vec<(String, String)>);

impl Meta {
    pub(crate) fn from_page(page: &Page) -> Self {
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

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, content)| content.as_str())
    }

    /// Returns the content of the first of these names that is present.
    pub(crate) fn get(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.all(name).next()).map(str::to_owned)
    }

    /// Returns the first date under these names.
    pub(crate) fn date(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.all(name).find_map(date))
    }
}
