//! Finds the link to the next page of a list.
//!
//! Detects the address forms of newspapers: `?page=2`, `/page/2`, `/trang-2`, `-p2`. They are needed for
//! lists whose link to the next page has no `rel=next`. If a list uses another form, a revisit reads only its
//! first page.

use std::borrow::Cow;

use crate::{CanonicalUrl, FoundUrl};

const WORDS: [&str; 6] = ["page", "trang", "paged", "pagina", "pg", "p"];

pub(crate) fn next<'a>(url: &CanonicalUrl, found: &'a [FoundUrl]) -> Option<&'a CanonicalUrl> {
    let own = ListPage::from_url(url);
    found.iter().map(|found| &found.url).find(|other| ListPage::from_url(other).is_after(&own))
}

pub(crate) fn number_of(url: &CanonicalUrl) -> u32 {
    ListPage::from_url(url).page
}

/// The list to which an address belongs, and its page number in the list, from 1.
struct ListPage<'a> {
    url: &'a CanonicalUrl,
    /// The path without a page number.
    path: &'a str,
    /// The position of the page number among the parameters, if it is one of them.
    numbered: Option<usize>,
    page: u32,
}

impl<'a> ListPage<'a> {
    fn from_url(url: &'a CanonicalUrl) -> Self {
        let page_of = |(name, value): (Cow<'_, str>, Cow<'_, str>)| {
            let is_page = WORDS.iter().any(|word| name.eq_ignore_ascii_case(word));
            is_page.then(|| number(&value)).flatten()
        };
        let pairs = url.url().query_pairs().enumerate();
        let numbered = pairs.filter_map(|(at, pair)| Some((at, page_of(pair)?))).next();
        let path = list_of(url.path());
        match (numbered, split_page_number(path)) {
            (Some((at, page)), _) => Self { url, path, numbered: Some(at), page },
            (None, Some((path, page))) => Self { url, path, numbered: None, page },
            (None, None) => Self { url, path, numbered: None, page: 1 },
        }
    }

    /// Whether this is the page after `other` in the same list. Compares the page number first, because it
    /// differs for nearly all links.
    fn is_after(&self, other: &Self) -> bool {
        self.page == other.page + 1
            && self.path == other.path
            && self.url.host() == other.url.host()
            && self.parameters().eq(other.parameters())
    }

    fn parameters(&self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        let numbered = self.numbered;
        let pairs = self.url.url().query_pairs().enumerate();
        pairs.filter(move |(at, _)| Some(*at) != numbered).map(|(_, pair)| pair)
    }
}

fn list_of(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".html").or_else(|| path.strip_suffix(".htm")).unwrap_or(path)
}

fn split_page_number(path: &str) -> Option<(&str, u32)> {
    let digits = path.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, digits) = path.split_at(path.len() - digits);
    let page = number(digits)?;
    let before = before.trim_end_matches(['-', '/', '_']);
    let stem = WORDS.iter().find_map(|word| before.strip_suffix(word))?;
    let list = stem.trim_end_matches(['-', '/', '_']);
    // `/group2` is not the second page of `/grou`, so a separator must precede the number.
    (list.len() < stem.len()).then_some((list_of(list), page))
}

/// Parses a page number of one to four digits. Longer numbers identify articles.
fn number(text: &str) -> Option<u32> {
    (1..=4).contains(&text.len()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Role;

    fn parse(url: &str) -> CanonicalUrl {
        CanonicalUrl::parse(url).unwrap()
    }

    #[test]
    fn the_next_page_of_a_list() {
        for (list, link, is_next) in [
            ("/the-thao", "/the-thao-p2", true),
            ("/the-thao-p2", "/the-thao-p3", true),
            ("/the-thao-p2", "/the-thao-p4", false),
            ("/the-thao", "/the-thao/trang-2", true),
            ("/the-thao.htm", "/the-thao/trang-2.htm", true),
            ("/sport/", "/sport/page/2/", true),
            ("/sport/page/2", "/sport/page/3/", true),
            ("/sport", "/sport?page=2", true),
            ("/sport?page=2", "/sport?page=3", true),
            ("/list?sort=new", "/list?sort=new&page=2", true),
            ("/list?sort=new", "/list?sort=old&page=2", false),
            ("/sport", "/news?page=2", false),
            ("/", "/?page=2", true),
            ("/", "/page/2", true),
            ("/sport", "/sport-4226358.html", false),
            ("/grou", "/group2", false),
            ("/sport", "/sport?page=20000", false),
        ] {
            let found = |url: &str| FoundUrl { url: parse(url), role: Role::Page, dated: None, news: false };
            let links = [found("https://a.vn/x-p2"), found(&format!("https://a.vn{link}"))];
            let next = next(&parse(&format!("https://a.vn{list}")), &links);
            assert_eq!(next.is_some(), is_next, "{list} {link}");
        }
    }

    proptest! {
        #[test]
        fn no_address_panics(path in "(/|p|page|trang|-|[0-9]{1,5}|\\.html?|\\?page=|é){0,8}") {
            if let Ok(url) = CanonicalUrl::parse(&format!("https://a.vn/{path}")) {
                let _ = number_of(&url);
            }
        }
    }
}
