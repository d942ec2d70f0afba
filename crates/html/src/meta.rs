//! Reads the `<meta>` elements of a page, and lists the names that sites use for each value.
//!
//! Limitation: most of these names are not standardized. They were collected from pages.

use crate::Page;
use crate::date::{PartialDateTime, Reader};
use crate::microdata::Items;
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
pub(crate) const PUBLISHED: [&str; 24] = [
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
    "originalpublicationdate",
    "cxenseparse:publishtime",
    "citation_publication_date",
    "citation_date",
    "displaydate",
    "date",
];
pub(crate) const CREATED: [&str; 3] = ["dcterms.created", "dc.date.created", "datecreated"];
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
pub(crate) const COPYRIGHT: [&str; 4] = ["copyright", "dc.rights", "dcterms.rights", "dcterms.rightsholder"];
pub(crate) const AUTHOR: [&str; 14] = [
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
    "articleauthor",
    "article.author",
    "byline",
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
pub(crate) const KEYWORDS: [&str; 6] =
    ["article:tag", "news_keywords", "keywords", "parsely-tags", "sailthru.tags", "og:article:tag"];
pub(crate) const IMAGE: [&str; 5] =
    ["og:image:secure_url", "og:image", "og:image:url", "twitter:image", "twitter:image:src"];
pub(crate) const LANGUAGE: [&str; 5] =
    ["og:locale", "content-language", "language", "dc.language", "dcterms.language"];

#[derive(Debug, Clone)]
pub(crate) struct Meta(Vec<(String, String)>);

impl Meta {
    pub(crate) fn from_page(page: &Page, items: &Items) -> Self {
        let mut all = Vec::new();
        for id in page.elements("meta") {
            let Some(content) = page.attribute(id, "content").map(tidy).filter(|c| !c.is_empty()) else {
                continue;
            };
            for key in ["property", "name", "itemprop", "http-equiv"] {
                let is_own = || key != "itemprop" || items.is_of_page(page, id);
                if let Some(name) = page.attribute(id, key).filter(|_| is_own()) {
                    all.push((name.trim().to_ascii_lowercase(), content.clone()));
                }
            }
        }
        Self(all)
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(n, _)| n == name).map(|(_, content)| content.as_str())
    }

    pub(crate) fn get(&self, names: &[&str]) -> Option<String> {
        names.iter().find_map(|name| self.all(name).next()).map(str::to_owned)
    }

    /// Returns the value of a card for `Written by`, which many content systems write: `twitter:label1` has the
    /// label and `twitter:data1` the value.
    pub(crate) fn writer(&self) -> Option<String> {
        const LABELS: [&str; 8] = [
            "written by",
            "geschrieben von",
            "verfasst von",
            "ecrit par",
            "escrito por",
            "scritto da",
            "napisane przez",
            "автор",
        ];
        let is_writer = |label: String| LABELS.contains(&crate::month_names::folded(&label).as_str());
        let cards = [("twitter:label1", "twitter:data1"), ("twitter:label2", "twitter:data2")];
        let card = cards.iter().find(|(label, _)| self.get(&[label]).is_some_and(is_writer))?;
        self.get(&[card.1])
    }

    pub(crate) fn date(&self, name: &str, reader: &Reader) -> Option<PartialDateTime> {
        self.all(name).find_map(|text| reader.declared(text))
    }

    pub(crate) fn published_by_name(&self, reader: &Reader) -> Option<PartialDateTime> {
        let is_published = |name: &str| {
            ["publish", "pubdate", "pub_date", "pub-date"].iter().any(|part| name.contains(part))
                && !["last", "update", "modif", "expir", "unpublish"].iter().any(|part| name.contains(part))
        };
        self.0.iter().filter(|(name, _)| is_published(name)).find_map(|(_, content)| reader.declared(content))
    }
}
