//! Classifies the links of a page.
//!
//! The input is the `href` values in page order. The page reader has already applied `<base>`.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::found::UrlCollector;
use crate::{CanonicalUrl, DiscoveredUrls, FoundUrl, LinkCache, Role, Scope, UrlRefusal, shape};

/// Resolves the links of the page at `base`, and returns each accepted target once, in page order. Refuses
/// links that are out of scope or do not lead to a page.
///
/// [`DiscoveredUrls::repeated`] counts links to the page itself (anchors, or the same page over http), and
/// all but the first link to an accepted page. The file extension of the address determines the role: feed,
/// sitemap, or otherwise [`Role::Page`]. The rules of the scope are not applied here, because they may depend
/// on a role that is assigned later ([`DiscoveredUrls::within`]).
pub fn judge<'a>(base: &CanonicalUrl, hrefs: impl Iterator<Item = &'a str>, scope: &Scope) -> DiscoveredUrls {
    judge_again(base, hrefs, scope, &mut LinkCache::default())
}

/// Classifies links like [`judge`], but does not parse links that are in `known`. Adds the new links to
/// `known`. Use the same `known` only for bases with the same scheme, host and port, and with the same scope.
pub fn judge_again<'a>(
    base: &CanonicalUrl,
    hrefs: impl Iterator<Item = &'a str>,
    scope: &Scope,
    known: &mut LinkCache,
) -> DiscoveredUrls {
    let mut gatherer = UrlCollector::new(base);
    // Teasers often repeat an address (for the picture and the title). Each address is parsed once, because
    // parsing is most of the cost.
    let mut seen: HashMap<&str, Option<Cow<'static, str>>> = HashMap::new();
    for href in hrefs {
        if let Some(refused) = seen.get(href) {
            gatherer.count_repeated(refused.clone());
            continue;
        }
        let judged = known.judged(href, || judge_one(base, href, scope));
        seen.insert(href, judged.as_ref().err().map(UrlRefusal::label));
        gatherer.take(judged);
    }
    gatherer.finish()
}

fn judge_one(base: &CanonicalUrl, href: &str, scope: &Scope) -> Result<FoundUrl, UrlRefusal> {
    let url = base.join(href)?;
    if !scope.contains(&url) {
        return Err(UrlRefusal::OutOfScope);
    }
    let role = shape::expected_role(&url)?;
    let news = role == Role::Sitemap && shape::has_news_name(&url);
    Ok(FoundUrl { url, role, dated: None, news })
}

/// Whether the address looks like an article.
///
/// The result affects the order of fetching, and which addresses look like a section. If a host's article
/// addresses look different, its articles are crawled too, but its hubs may be fetched first. Evidence for an
/// article: a last segment of several words, a number of five or more digits, a date in the path, a file
/// extension such as `.html` or `.vov`, or an article number in the parameters. Evidence against an article:
/// a path under `/tag/`, `/author/`, `/page/2` or similar.
#[must_use]
pub fn looks_like_article(url: &CanonicalUrl) -> bool {
    shape::looks_like_article(url)
}

/// Whether the address looks like a section: one or two short path segments, without numbers or parameters.
#[must_use]
pub fn looks_like_section(url: &CanonicalUrl) -> bool {
    shape::looks_like_section(url)
}

/// Returns the URL in `found` that is the next page of the list at `url`, or `None` if there is no such URL.
/// Detects common address forms such as `?page=2`, `/trang-2` and `-p2`.
#[must_use]
pub fn next_page<'a>(url: &CanonicalUrl, found: &'a [FoundUrl]) -> Option<&'a CanonicalUrl> {
    crate::paging::next(url, found)
}

/// Returns the page number of a URL within its list, or 1 if the URL has no form that [`next_page`] detects.
#[must_use]
pub fn page_number(url: &CanonicalUrl) -> u32 {
    crate::paging::number_of(url)
}

#[cfg(test)]
mod tests {
    use super::{judge, judge_again};
    use crate::{CanonicalUrl, LinkCache, Scope};
    use proptest::prelude::*;

    #[test]
    fn in_page_order_each_once_and_the_rest_counted() {
        let base = CanonicalUrl::parse("https://www.a.vn/the-thao").unwrap();
        let hrefs = [
            "/b-1.html",
            "#comments",
            " /a-2.html\n",
            "http://www.a.vn/b-1.html?utm_source=x",
            "http://www.a.vn/the-thao",
            "https://facebook.com/a",
            "javascript:;",
            "mailto:x@a.vn",
            "/logo.png",
            "//m.a.vn/c-3.html",
            "http://[",
            "",
            "/b-1.html",
            "mailto:x@a.vn",
        ];
        let discovered = judge(&base, hrefs.into_iter(), &Scope::new(["a.vn"]));
        let found: Vec<_> = discovered.found.iter().map(|found| found.url.as_str()).collect();
        assert_eq!(
            found,
            ["https://www.a.vn/b-1.html", "https://www.a.vn/a-2.html", "https://m.a.vn/c-3.html"]
        );
        assert_eq!(discovered.repeated, 5);
        let refused: Vec<(&str, u64)> =
            discovered.refused.iter().map(|(label, count)| (&**label, *count)).collect();
        assert_eq!(refused, [("not_a_page", 1), ("not_http", 3), ("out_of_scope", 1), ("unparsable", 1)]);
    }

    proptest! {
        #[test]
        fn every_link_is_found_or_counted(hrefs in prop::collection::vec("(/[ab]{0,2}|.{0,12})", 0..12)) {
            let base = CanonicalUrl::parse("https://a.vn/a").expect("a plain address");
            let judged = judge(&base, hrefs.iter().map(String::as_str), &Scope::new(["a.vn"]));
            let refused: u64 = judged.refused.values().sum();
            prop_assert_eq!(judged.found.len() as u64 + judged.repeated + refused, hrefs.len() as u64);
        }

        #[test]
        fn known_links_are_judged_as_new_ones(
            pages in prop::collection::vec(
                (
                    "[abc]{0,2}/[abc]{0,2}",
                    prop::collection::vec("((http:|https:|HTTP:)?/{0,2})?(a\\.vn|b\\.vn)?[/?#.\\\\]{0,2}[ab]{0,2}(\\.(jpg|rss))?", 0..8),
                ),
                1..6,
            ),
        ) {
            let (scope, mut known) = (Scope::new(["a.vn"]), LinkCache::default());
            for (path, hrefs) in pages {
                let base = CanonicalUrl::parse(&format!("https://a.vn/{path}"))?;
                let hrefs = || hrefs.iter().map(String::as_str);
                prop_assert_eq!(judge_again(&base, hrefs(), &scope, &mut known), judge(&base, hrefs(), &scope));
            }
        }
    }
}
