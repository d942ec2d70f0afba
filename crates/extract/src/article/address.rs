//! Analyses the form of a URL, which may indicate a front page, a section, a search or an article.
//!
//! Only path and query are used, never the host. The words for lists are common in content management
//! systems. A word matches only a whole path segment.

const LISTINGS: [&str; 61] = [
    "archive",
    "archives",
    "author",
    "authors",
    "autor",
    "blog",
    "browse",
    "cat",
    "catalog",
    "categories",
    "category",
    "categoria",
    "categorie",
    "chart",
    "collection",
    "collections",
    "contributors",
    "chu-de",
    "chuyen-muc",
    "danh-muc",
    "directory",
    "feed",
    "genre",
    "hub",
    "index",
    "issues",
    "kategoria",
    "kategorie",
    "keyword",
    "label",
    "list",
    "listing",
    "listings",
    "page",
    "people",
    "profile",
    "product-category",
    "rankings",
    "rubric",
    "rubrika",
    "search",
    "section",
    "sections",
    "series",
    "shop",
    "staff",
    "store",
    "su-kien",
    "tac-gia",
    "tag",
    "tags",
    "tagged",
    "tim-kiem",
    "tin-tuc",
    "topic",
    "topics",
    "trending",
    "user",
    "users",
    "wyniki",
    "znacznik",
];

/// Segments before the name of a person, as in `/staff/ann-weaver`.
const PERSONS: [&str; 16] = [
    "author",
    "authors",
    "autor",
    "autoren",
    "byline",
    "columnist",
    "columnists",
    "contributor",
    "contributors",
    "journalist",
    "journalists",
    "reporters",
    "staff",
    "tac-gia",
    "writer",
    "writers",
];

/// Maximum number of words of a person's name in a URL.
const MAX_NAME: usize = 4;

const LIST_KEYS: [&str; 12] =
    ["q", "s", "query", "search", "keyword", "keywords", "page", "paged", "p_page", "offset", "tag", "cat"];

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct UrlFeatures {
    pub(super) segments: f32,
    /// The number of words in the last segment. Hyphens, underscores, `+` and `%20` separate words.
    pub(super) slug_words: f32,
    pub(super) slug_length: f32,
    pub(super) digits: f32,
    pub(super) ends_in_slash: bool,
    pub(super) has_extension: bool,
    pub(super) has_query: bool,
    pub(super) has_year: bool,
    /// The number of segments after the last word for a list. `None` if there is no such word.
    pub(super) behind_listing: Option<usize>,
    pub(super) asks_list: bool,
    /// Whether the URL ends with the name of an author or of another member of the staff.
    pub(super) names_person: bool,
}

impl UrlFeatures {
    /// Analyses a URL. Returns `None` if the URL is empty.
    pub(super) fn from_url(url: &str) -> Option<Self> {
        if url.is_empty() {
            return None;
        }
        let (path, query) = path_and_query(url);
        let segments: Vec<String> =
            path.split('/').filter(|s| !s.is_empty()).map(str::to_ascii_lowercase).collect();
        let last = segments.last().map_or("", String::as_str);
        let words = last.replace("%20", "-");
        let words = words.split(['-', '_', '+']).filter(|word| !word.is_empty()).count();
        Some(Self {
            segments: segments.len() as f32,
            slug_words: words as f32,
            slug_length: last.chars().count() as f32,
            digits: most_digits(path) as f32,
            ends_in_slash: path.ends_with('/'),
            has_extension: last.rsplit_once('.').is_some_and(|(_, end)| {
                (2..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric())
            }),
            has_query: !query.is_empty(),
            has_year: segments.iter().any(|s| s.split(['-', '_', '.']).any(is_year)),
            behind_listing: segments.iter().rev().position(|s| LISTINGS.contains(&s.as_str())),
            asks_list: asks_list(&segments, query),
            names_person: words <= MAX_NAME
                && matches!(&segments[..], [.., kind, _] if PERSONS.contains(&kind.as_str())),
        })
    }

    pub(super) fn is_front_page(&self) -> bool {
        self.segments == 0.0 && !self.has_query
    }
}

fn path_and_query(url: &str) -> (&str, &str) {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let behind_host = behind_scheme.find(['/', '?', '#']).map_or("", |at| &behind_scheme[at..]);
    let whole = behind_host.split('#').next().unwrap_or_default();
    whole.split_once('?').unwrap_or((whole, ""))
}

fn most_digits(path: &str) -> usize {
    path.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0)
}

fn is_year(word: &str) -> bool {
    word.len() == 4 && (word.starts_with("19") || word.starts_with("20")) && most_digits(word) == 4
}

/// Whether a URL requests a search, a tag or a further page of a list: `?q=rain`, `?page=2`, `/search/`.
fn asks_list(segments: &[String], query: &str) -> bool {
    let keyed = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .any(|(key, value)| LIST_KEYS.contains(&key.to_ascii_lowercase().as_str()) && !value.is_empty());
    let paged = segments.windows(2).any(|two| {
        matches!(two[0].as_str(), "page" | "trang" | "strona" | "seite")
            && most_digits(&two[1]) == two[1].len()
    });
    keyed || paged || segments.iter().any(|s| matches!(s.as_str(), "search" | "tim-kiem"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_pages() {
        let is_front = |url| UrlFeatures::from_url(url).is_some_and(|address| address.is_front_page());
        for url in ["https://a.example", "https://a.example/", "https://a.example/#top"] {
            assert!(is_front(url), "{url}");
        }
        for url in ["", "https://a.example/x", "https://a.example/?p=1", "https://a.example?p=1"] {
            assert!(!is_front(url), "{url}");
        }
    }

    #[test]
    fn shapes() {
        let of = |path: &str| UrlFeatures::from_url(&format!("https://a.example{path}")).unwrap();
        let story = of("/2026/11/20/rain-ends-in-the-valley-4123456.html");
        assert_eq!((story.segments, story.slug_words, story.digits), (4.0, 6.0, 7.0));
        assert!(story.has_year && story.has_extension && story.behind_listing.is_none() && !story.asks_list);
        let tag = of("/tag/rain/");
        assert!(tag.behind_listing == Some(1) && tag.ends_in_slash && !tag.has_extension);
        for path in ["/?q=rain", "/news/page/2", "/search/rain", "/news?a=1&page=3"] {
            assert!(of(path).asks_list, "{path}");
        }
        for path in ["/?id=12", "/page/about-us", "/story?from=front"] {
            assert!(!of(path).asks_list, "{path}");
        }
    }
}
