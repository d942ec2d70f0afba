//! Checks one seed: whether robots.txt allows it, and which links its front page, a feed and a sitemap
//! contain. Then checks whether one of these links leads to an article.

use gleaner_corpus::{Admission, words};
use gleaner_extract::article::judge;
use gleaner_extract::draft::{Origin, draft};
use gleaner_extract::pins::HostPins;
use gleaner_extract::{NotArticleReason, PageClass};
use gleaner_fetch::{Access, RequestKind, Response, RobotsDecision as Rule};
use gleaner_frontier::{
    BodyType, CanonicalUrl, DiscoveredUrls, FoundUrl, ReadLimits, Role, Scope, Seed, feed, links,
    looks_like_article, sitemap, sniff,
};
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::embedded::complete;
use jiff::Timestamp;
use serde::Serialize;

use super::prober::{NotFetched, Prober};

/// Maximum number of articles to request. The check ends at the first article with a text.
const ARTICLES: usize = 3;

#[derive(Debug, Serialize)]
pub(super) struct SeedCheck {
    pub(super) seed: String,
    pub(super) origin: String,
    pub(super) site: String,
    pub(super) verdict: SeedVerdict,
    /// Why the outlook is not `works`. `None` if the outlook is `works`.
    pub(super) reason: Option<String>,
    /// `rules`, `none`, `denied` (robots.txt disallows the front page) or `failed`.
    pub(super) robots: Option<&'static str>,
    pub(super) feeds: ListCheck,
    pub(super) sitemaps: ListCheck,
    /// Number of links on the front page that look like articles and that the crawl may follow.
    pub(super) links: Option<usize>,
    pub(super) article: Option<ArticleCheck>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SeedVerdict {
    /// An article was extracted.
    Works,
    /// The site can be crawled, but no article was extracted.
    Unsure,
    /// The site cannot be crawled.
    Fails,
}

/// The feeds or sitemaps of a site. Only the first of them is read.
#[derive(Debug, Default, Serialize)]
pub(super) struct ListCheck {
    pub(super) found: usize,
    pub(super) links: usize,
    pub(super) problem: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct ArticleCheck {
    pub(super) url: String,
    pub(super) words: u64,
    pub(super) language: String,
    pub(super) title: Option<String>,
}

impl SeedCheck {
    pub(super) fn new(seed: &Seed) -> Self {
        Self {
            seed: seed.url.as_str().into(),
            origin: seed.origin(),
            site: seed.url.domain().into(),
            verdict: SeedVerdict::Fails,
            reason: None,
            robots: None,
            feeds: ListCheck::default(),
            sitemaps: ListCheck::default(),
            links: None,
            article: None,
        }
    }

    pub(super) fn set_verdict(&mut self, verdict: SeedVerdict, reason: impl Into<String>) {
        self.verdict = verdict;
        self.reason = Some(reason.into()).filter(|reason| !reason.is_empty());
    }
}

#[derive(Debug)]
pub(super) struct ExtractionRules {
    pub(super) scope: Scope,
    pub(super) admission: Admission,
    pub(super) pins: HostPins,
}

/// Checks a seed. `checked` always contains the results so far, so the caller can cancel it at any time.
pub(super) async fn check(
    prober: &mut Prober<'_>,
    seed: &Seed,
    rules: &ExtractionRules,
    checked: &mut SeedCheck,
) {
    if let Err(reason) = steps(prober, seed, rules, checked).await {
        checked.set_verdict(SeedVerdict::Fails, reason);
    }
}

async fn steps(
    prober: &mut Prober<'_>,
    seed: &Seed,
    rules: &ExtractionRules,
    checked: &mut SeedCheck,
) -> Result<(), String> {
    let access = prober.access(&seed.url).await.map_err(|refused| refused.reason().to_owned())?;
    checked.robots = Some(name_of(&access));
    if let Access::AllDisallowed { reason } = &access {
        return Err(format!("its robots.txt cannot be read, so nothing may be requested: {reason}"));
    }
    let (mut candidates, no_front) = match read_front(prober, seed, rules, checked).await {
        Ok(candidates) => (candidates, None),
        Err(NotFetched::Host(reason)) => return Err(format!("its front page: {reason}")),
        Err(NotFetched::Url(reason)) => (Vec::new(), Some(format!("its front page: {reason}"))),
    };
    let sitemaps = named_sitemaps(&access, &seed.url);
    candidates.extend(read_sitemaps(prober, &seed.url, &sitemaps, rules, &mut checked.sitemaps).await);
    match (read_article(prober, &candidates, rules).await, no_front) {
        (Ok(article), no_front) => {
            checked.article = Some(article);
            let verdict = if no_front.is_some() { SeedVerdict::Unsure } else { SeedVerdict::Works };
            checked.set_verdict(verdict, no_front.unwrap_or_default());
        }
        (Err(_), Some(no_front)) if candidates.is_empty() => return Err(no_front),
        (Err(reason), _) => checked.set_verdict(SeedVerdict::Unsure, reason),
    }
    Ok(())
}

async fn read_front(
    prober: &mut Prober<'_>,
    seed: &Seed,
    rules: &ExtractionRules,
    checked: &mut SeedCheck,
) -> Result<Vec<FoundUrl>, NotFetched> {
    let (url, response) = prober.get(&seed.url, RequestKind::Page).await?;
    if !rules.scope.contains(&url) {
        let domain = url.domain();
        let reason = format!("it redirects to {url}, which is not among the seeds; list {domain} instead");
        return Err(NotFetched::Host(reason));
    }
    let page = page_of(&response);
    drop(response);
    let (feeds, pages) = front_links(&url, &page, &rules.scope);
    if feeds.is_empty()
        && pages.is_empty()
        && let Some(wall) = wall(&page, &url)
    {
        checked.links = Some(0);
        return Err(NotFetched::Url(wall.to_string()));
    }
    checked.links = Some(pages.len());
    let mut candidates = read_feeds(prober, &feeds, rules, &mut checked.feeds).await;
    candidates.extend(pages);
    Ok(candidates)
}

fn name_of(access: &Access) -> &'static str {
    match access {
        Access::AllAllowed => "none",
        Access::AllDisallowed { .. } => "failed",
        Access::Rules(_) => match access.verdict("/") {
            Rule::Allowed { .. } => "rules",
            Rule::Disallowed { .. } => "denied",
        },
    }
}

fn page_of(response: &Response) -> Page {
    complete(&decode(&response.body, response.content_type.as_deref()).text)
}

/// Returns the kind of wall, such as a login page, that a site shows instead of its front page.
fn wall(page: &Page, url: &CanonicalUrl) -> Option<NotArticleReason> {
    match judge(page, url.as_str()) {
        PageClass::NotArticle(
            wall @ (NotArticleReason::Challenge
            | NotArticleReason::ConsentWall
            | NotArticleReason::LoginWall
            | NotArticleReason::NeedsBrowser),
        ) => Some(wall),
        _ => None,
    }
}

fn front_links(url: &CanonicalUrl, page: &Page, scope: &Scope) -> (Vec<CanonicalUrl>, Vec<FoundUrl>) {
    let on_page = gleaner_html::links::links(page);
    let base = on_page.base.as_deref().and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone());
    let hrefs = on_page.anchors.iter().map(|anchor| anchor.href.as_str());
    let found = links::judge(&base, hrefs, scope).with_sections().within(scope).found;
    let (linked, pages): (Vec<FoundUrl>, Vec<FoundUrl>) =
        found.into_iter().partition(|found| found.role == Role::Feed);
    let mut feeds: Vec<CanonicalUrl> = on_page.feeds.iter().filter_map(|href| base.join(href).ok()).collect();
    feeds.extend(linked.into_iter().map(|found| found.url));
    feeds.retain(|feed| scope.contains(feed));
    let mut seen = std::collections::HashSet::new();
    feeds.retain(|feed| seen.insert(feed.key()));
    (feeds, pages.into_iter().filter(|found| looks_like_article(&found.url)).collect())
}

async fn read_feeds(
    prober: &mut Prober<'_>,
    feeds: &[CanonicalUrl],
    rules: &ExtractionRules,
    listing: &mut ListCheck,
) -> Vec<FoundUrl> {
    listing.found = feeds.len();
    let Some(first) = feeds.first() else { return Vec::new() };
    read_list(prober, first, rules, listing).await
}

/// Returns the sitemaps that robots.txt names. As in a crawl, they may be on another domain.
fn named_sitemaps(access: &Access, seed: &CanonicalUrl) -> Vec<CanonicalUrl> {
    access.sitemaps().iter().filter_map(|text| seed.join_location(text).ok()).collect()
}

async fn read_sitemaps(
    prober: &mut Prober<'_>,
    seed: &CanonicalUrl,
    named: &[CanonicalUrl],
    rules: &ExtractionRules,
    listing: &mut ListCheck,
) -> Vec<FoundUrl> {
    listing.found = named.len();
    let usual = || seed.join("/sitemap.xml").ok();
    let Some(first) = named.first().cloned().or_else(usual) else { return Vec::new() };
    let found = read_list(prober, &first, rules, listing).await;
    match (named.is_empty(), &listing.problem) {
        // A missing sitemap is not a problem, because many sites have none.
        (true, Some(_)) => listing.problem = None,
        (true, None) => listing.found = 1,
        (false, _) => {}
    }
    let (inner, pages): (Vec<FoundUrl>, Vec<FoundUrl>) =
        found.into_iter().partition(|found| found.role == Role::Sitemap);
    match inner.iter().find(|found| found.news).or(inner.first()) {
        Some(inner) if pages.is_empty() => read_list(prober, &inner.url, rules, listing).await,
        _ => pages,
    }
}

async fn read_list(
    prober: &mut Prober<'_>,
    url: &CanonicalUrl,
    rules: &ExtractionRules,
    listing: &mut ListCheck,
) -> Vec<FoundUrl> {
    let read = match prober.get(url, RequestKind::List).await {
        Ok((url, response)) => parsed(&response.body, &url, prober.config.fetch.max_sitemap.get()),
        Err(refused) => Err(refused.reason().to_owned()),
    };
    match read {
        Ok(discovered) => {
            let found = discovered.within(&rules.scope).found;
            listing.links = found.len();
            found
        }
        Err(reason) => {
            listing.problem = Some(format!("{url}: {reason}"));
            Vec::new()
        }
    }
}

fn parsed(body: &[u8], url: &CanonicalUrl, bytes: u64) -> Result<DiscoveredUrls, String> {
    let limits = ReadLimits { bytes, ..ReadLimits::default() };
    match sniff(body) {
        BodyType::Sitemap => {
            sitemap::read(body, url, limits).map(|list| list.discovered).map_err(|error| error.to_string())
        }
        BodyType::Feed => {
            feed::read(body, url, limits).map(|list| list.discovered).map_err(|error| error.to_string())
        }
        BodyType::Html | BodyType::Other => Err("neither a feed nor a sitemap".into()),
    }
}

/// Requests candidates until one has a text for the corpus. Otherwise, returns the reason for the last one.
async fn read_article(
    prober: &mut Prober<'_>,
    candidates: &[FoundUrl],
    rules: &ExtractionRules,
) -> Result<ArticleCheck, String> {
    let mut last = "no page, feed or sitemap links to an article".to_owned();
    let pages = candidates.iter().filter(|found| found.role == Role::Page);
    for found in pages.take(ARTICLES) {
        match prober.get(&found.url, RequestKind::Page).await {
            Ok((url, response)) => match article(&url, &response, rules) {
                Ok(article) => return Ok(article),
                Err(reason) => last = format!("{url}: {reason}"),
            },
            Err(NotFetched::Url(reason)) => last = format!("{}: {reason}", found.url),
            Err(NotFetched::Host(reason)) => return Err(format!("{}: {reason}", found.url)),
        }
    }
    Err(last)
}

fn article(url: &CanonicalUrl, response: &Response, rules: &ExtractionRules) -> Result<ArticleCheck, String> {
    let page = page_of(response);
    if let PageClass::NotArticle(reason) = judge(&page, url.as_str()) {
        return Err(format!("it does not look like an article: {reason}"));
    }
    let origin = Origin { url: url.clone(), fetched: Timestamp::now() };
    let draft = draft(&page, &origin, None, rules.pins.for_host(url.host())).ok_or("no text was found")?;
    let document = rules.admission.admit(draft).map_err(|refusal| format!("kept out: {refusal}"))?;
    Ok(ArticleCheck {
        url: url.as_str().into(),
        words: words(&document.text),
        language: document.language,
        title: document.title,
    })
}
