//! Finds the links of a page, feed or sitemap, in a worker thread.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gleaner_frontier::{
    BodyType, CanonicalUrl, DiscoveredUrls, FoundUrl, ReadLimits, Role, Scope, feed, links, sitemap, sniff,
};
use gleaner_html::Page;
use gleaner_html::links::Links;
use gleaner_html::robots::RobotsDirectives;
use tracing::warn;

use crate::known_links::KnownLinks;
use crate::page_robots::PageRobots;
use crate::rank;
use crate::visit::Visit;

const MAX_LINKS: usize = 10_000;
/// Why a list is not read if its body is an HTML page.
pub(crate) const HTML_LIST: &str = "an HTML page where a feed or sitemap was expected";
/// Maximum number of further sitemaps that a sitemap out of scope may list.
const MAX_LISTED_SITEMAPS: usize = 1_000;

/// Number of links that did not enter the frontier, by reason.
pub(crate) type RefusedLinks = BTreeMap<Cow<'static, str>, u64>;

/// The links of a page or list.
#[derive(Debug, Default)]
pub(crate) struct FoundLinks {
    /// The URLs that were found, with their ranks, in page order.
    pub(crate) found: Vec<(FoundUrl, u8)>,
    pub(crate) refused: RefusedLinks,
    /// The next page of the list, if this page is part of a list on several pages.
    pub(crate) next: Option<CanonicalUrl>,
}

impl FoundLinks {
    fn refuse(&mut self, label: &'static str, links: usize) {
        if links > 0 {
            *self.refused.entry(label.into()).or_default() += links as u64;
        }
    }

    fn add(&mut self, discovered: DiscoveredUrls, rank: impl Fn(&FoundUrl) -> u8) {
        for (label, count) in discovered.refused {
            *self.refused.entry(label).or_default() += count;
        }
        self.found.extend(discovered.found.into_iter().map(|found| {
            let rank = rank(&found);
            (found, rank)
        }));
    }
}

/// Finds the links of a feed or sitemap. Returns also whether the whole list was read.
///
/// # Errors
/// Why the body is no feed or sitemap.
pub(crate) fn links_of_list(
    visit: &Visit,
    body: &[u8],
    scope: &Scope,
    max_list: u64,
) -> Result<(FoundLinks, bool), String> {
    let limits = ReadLimits { bytes: max_list, ..ReadLimits::default() };
    let (discovered, cut, flaw) = match sniff(body) {
        BodyType::Sitemap => sitemap::read(body, &visit.url, limits)
            .map(|list| (list.discovered, list.cut, list.flaw))
            .map_err(|error| error.to_string())?,
        BodyType::Feed => feed::read(body, &visit.url, limits)
            .map(|list| (list.discovered, list.cut, list.flaw))
            .map_err(|error| error.to_string())?,
        BodyType::Html => return Err(HTML_LIST.into()),
        BodyType::Other => return Err("neither a feed nor a sitemap".into()),
    };
    let rank = |found: &FoundUrl| match (found.role, found.news || visit.record.role == Role::Feed) {
        (Role::Sitemap, true) => rank::LISTING,
        (_, true) => rank::NEWS,
        (Role::Sitemap, false) => rank::ARTICLE,
        (_, false) => rank::ARCHIVE,
    };
    let (discovered, beyond) = within(discovered, visit, scope);
    let mut links = FoundLinks::default();
    links.add(discovered, rank);
    if cut + beyond > 0 {
        links.refused.insert("beyond_the_limit_of_a_list".into(), cut + beyond);
    }
    if let Some(flaw) = &flaw {
        warn!(url = %visit.url, %flaw, "the list is malformed; read up to the error");
    }
    Ok((links, flaw.is_none()))
}

/// Finds the links of a page, unless it says `nofollow`. Returns also the page's directives that are obeyed.
pub(crate) fn links_of_page(
    visit: &Visit,
    page: &Page,
    headers: &[(String, String)],
    known: &KnownLinks,
    robots: &PageRobots,
) -> (FoundLinks, RobotsDirectives) {
    let on_page = gleaner_html::links::links(page);
    let directives = robots.directives(&on_page, headers);
    let mut links = FoundLinks::default();
    if directives.nofollow {
        links.refuse("nofollow", on_page.anchors.len());
    } else {
        // On an article, they would be copies, advertisements and translations.
        let is_article = visit.record.role == Role::Page;
        let hidden = if is_article { Vec::new() } else { gleaner_html::links::hidden_links(page) };
        add_links(&mut links, visit, &on_page, &hidden, known);
    }
    (links, directives)
}

/// Adds the links of a page. Ignores the feeds that an article links to, because they contain its comments.
fn add_links(
    found_links: &mut FoundLinks,
    visit: &Visit,
    on_page: &Links,
    hidden: &[String],
    known: &KnownLinks,
) {
    let base = on_page
        .base
        .as_deref()
        .and_then(|base| visit.url.join(base).ok())
        .unwrap_or_else(|| visit.url.clone());
    let ways = on_page.refresh.iter().chain(&on_page.next).map(String::as_str);
    let hrefs = ways
        .chain(on_page.anchors.iter().map(|anchor| anchor.href.as_str()))
        .chain(hidden.iter().map(String::as_str));
    let mut discovered = known.judge(&base, hrefs.take(MAX_LINKS));
    let count = on_page.anchors.len() + hidden.len();
    found_links.refuse("beyond_the_limit_of_a_page", count.saturating_sub(MAX_LINKS));
    if matches!(visit.record.role, Role::Front | Role::Section) {
        let feed = |url| FoundUrl { url, role: Role::Feed, dated: None, news: false };
        let feeds: Vec<FoundUrl> =
            on_page.feeds.iter().filter_map(|href| base.join(href).ok()).map(feed).collect();
        found_links.refuse("unparsable", on_page.feeds.len() - feeds.len());
        // The feeds come first, because the page may also have an ordinary link to the same URL.
        discovered.found.splice(0..0, feeds);
    } else {
        let before = discovered.found.len();
        discovered.found.retain(|found| found.role != Role::Feed);
        found_links.refuse("feed_of_a_page", before - discovered.found.len());
    }
    if visit.record.role == Role::Front {
        discovered = discovered.with_sections();
    }
    let stated = on_page.next.as_deref().and_then(|href| base.join(href).ok());
    found_links.next = stated.or_else(|| links::next_page(&visit.url, &discovered.found).cloned());
    let rank = |found: &FoundUrl| match found.role {
        Role::Front | Role::Feed | Role::Sitemap => rank::LISTING,
        Role::Section => rank::SECTION,
        Role::Page if links::looks_like_article(&found.url) => rank::ARTICLE,
        Role::Page => rank::OTHER,
    };
    found_links.add(discovered.within(known.scope()), rank);
}

/// Removes the URLs of a list that are out of scope. A sitemap out of scope, which a robots.txt names, may list
/// further sitemaps on its own host. Returns also how many of these are beyond the limit.
fn within(mut discovered: DiscoveredUrls, visit: &Visit, scope: &Scope) -> (DiscoveredUrls, u64) {
    let is_child = |found: &FoundUrl| found.role == Role::Sitemap && found.url.host() == visit.url.host();
    let mut children = Vec::new();
    if !scope.contains(&visit.url) {
        children = discovered.found.extract_if(.., |found| is_child(found)).collect();
    }
    let beyond = children.len().saturating_sub(MAX_LISTED_SITEMAPS);
    children.truncate(MAX_LISTED_SITEMAPS);
    let mut discovered = discovered.within(scope);
    discovered.found.splice(0..0, children);
    (discovered, beyond as u64)
}
