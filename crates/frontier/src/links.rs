//! The links of a page, judged.
//!
//! Takes `href` values as they stand, in page order; how they are taken out of the
//! markup (and that a `<base>` is heeded) is the page reader's
//! matter.

use std::collections::HashMap;

use crate::found::Gatherer;
use crate::{CanonicalUrl, Discovered, Found, Refusal, Role, Scope, shape};

/// Resolves the links of the page at `base`, refuses what is out of scope or no
/// page, and keeps each page once, in page order.
///
/// Links to the page itself (its anchors, the same page over http) and further
/// links to a page already found are counted in [`Discovered::repeated`]. The role
/// is told by the ending: a feed, a sitemap, or else [`Role::Page`].
pub fn judge<'a>(base: &CanonicalUrl, hrefs: impl Iterator<Item = &'a str>, scope: &Scope) -> Discovered {
    let mut gatherer = Gatherer::new(base);
    // A teaser names its address two or three times (picture, title, comments), letter for
    // letter; reading it as an address is most of what a link costs.
    let mut seen: HashMap<&str, Option<&'static str>> = HashMap::new();
    for href in hrefs {
        match seen.get(href) {
            Some(refused) => gatherer.take_again(*refused),
            None => {
                let judged = judge_one(base, href, scope);
                seen.insert(href, judged.as_ref().err().map(Refusal::label));
                gatherer.take(judged);
            }
        }
    }
    gatherer.finish()
}

fn judge_one(base: &CanonicalUrl, href: &str, scope: &Scope) -> Result<Found, Refusal> {
    let url = base.join(href)?;
    if !scope.contains(&url) {
        return Err(Refusal::OutOfScope);
    }
    let role = shape::expected_role(&url)?;
    let news = role == Role::Sitemap && shape::calls_itself_news(&url);
    Ok(Found { url, role, dated: None, news })
}

/// Whether the address has the shape of an article's.
///
/// For the order of fetching only, never for what is stored: hosts with other
/// habits are crawled all the same, only with their hubs first. Signals: a last
/// part of several words, a number of five digits or more, a date in the path, an
/// ending such as `.html` or `.vov`, an article's number among the parameters; and
/// against it a path under `/tag/`, `/author/`, `/page/2` and the like.
#[must_use]
pub fn looks_like_article(url: &CanonicalUrl) -> bool {
    shape::looks_like_article(url)
}

/// Whether the address has the shape of a section's: one or two short parts, without
/// numbers or parameters.
#[must_use]
pub fn looks_like_section(url: &CanonicalUrl) -> bool {
    shape::looks_like_section(url)
}

/// Which of the links of the list at `url` leads to its next page, by the usual forms of
/// addresses such as `?page=2`, `/trang-2` and `-p2`.
#[must_use]
pub fn next_page<'a>(url: &CanonicalUrl, found: &'a [Found]) -> Option<&'a CanonicalUrl> {
    crate::paging::next(url, found)
}

/// Which page of its list a URL is, by the same forms; 1 where it has none of them.
#[must_use]
pub fn page_number(url: &CanonicalUrl) -> u32 {
    crate::paging::number_of(url)
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::{CanonicalUrl, Scope};
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
        let refused: Vec<_> = discovered.refused.into_iter().collect();
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
    }
}
