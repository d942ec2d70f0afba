//! Finds the link to the next page of a list.
//!
//! Detects the address forms of newspapers: `?page=2`, `/page/2`, `/trang-2`, `-p2`. They are needed for
//! lists that do not mark the link with `rel=next`. For other forms, a revisit reads only the first page.

use crate::{CanonicalUrl, Found};

const WORDS: [&str; 6] = ["page", "trang", "paged", "pagina", "pg", "p"];

pub(crate) fn next<'a>(url: &CanonicalUrl, found: &'a [Found]) -> Option<&'a CanonicalUrl> {
    let (list, page) = place_of(url);
    let is_next = |other: &&CanonicalUrl| place_of(other) == (list.clone(), page + 1);
    found.iter().map(|found| &found.url).find(is_next)
}

pub(crate) fn number_of(url: &CanonicalUrl) -> u32 {
    place_of(url).1
}

/// Returns the address of the list without a page number, and the page number, from 1.
fn place_of(url: &CanonicalUrl) -> (String, u32) {
    let of = |path: &str, query: &str, page| (format!("{}{}?{query}", url.host(), list_of(path)), page);
    let query: Vec<(String, String)> = url.url().query_pairs().into_owned().collect();
    let is_number = |(name, value): &&(String, String)| {
        WORDS.contains(&&*name.to_ascii_lowercase()) && number(value).is_some()
    };
    let numbered = query.iter().find(is_number);
    let rest: Vec<String> = query
        .iter()
        .filter(|pair| Some(*pair) != numbered)
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let rest = rest.join("&");
    if let Some(page) = numbered.and_then(|(_, value)| number(value)) {
        return of(url.path(), &rest, page);
    }
    match paged(list_of(url.path())) {
        Some((path, page)) => of(path, &rest, page),
        None => of(url.path(), &rest, 1),
    }
}

fn list_of(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    path.strip_suffix(".html").or_else(|| path.strip_suffix(".htm")).unwrap_or(path)
}

fn paged(path: &str) -> Option<(&str, u32)> {
    let digits = path.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (before, digits) = path.split_at(path.len() - digits);
    let page = number(digits)?;
    let before = before.trim_end_matches(['-', '/', '_']);
    let stem = WORDS.iter().find_map(|word| before.strip_suffix(word))?;
    let list = stem.trim_end_matches(['-', '/', '_']);
    // `/group2` is not the second page of `/grou`.
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
            let found = |url: &str| Found { url: parse(url), role: Role::Page, dated: None, news: false };
            let links = [found("https://a.vn/x-p2"), found(&format!("https://a.vn{link}"))];
            let next = next(&parse(&format!("https://a.vn{list}")), &links);
            assert_eq!(next.is_some(), is_next, "{list} {link}");
        }
    }

    proptest! {
        #[test]
        fn no_address_panics(path in "(/|p|page|trang|-|[0-9]{1,5}|\\.html?|\\?page=|é){0,8}") {
            if let Ok(url) = CanonicalUrl::parse(&format!("https://a.vn/{path}")) {
                let _ = place_of(&url);
            }
        }
    }
}
