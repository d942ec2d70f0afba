//! Reading an answer: bytes in, what the owner needs to know out.
//!
//! Runs on a worker thread. Takes nothing from the store but the host's template,
//! which came with the visit, and decides nothing about outcomes.

use std::collections::BTreeMap;

use gleaner_fetch::Response;
use gleaner_frontier::{
    Body, CanonicalUrl, Discovered, Found, Limits, Outcome, Role, Scope, feed, links, sitemap, sniff,
};
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_store::{PackedDocument, PackedPage, RawPage};
use gleaner_template::{Detector, Seen, SiteTemplate, Verdict, is_cut, judge};
use jiff::Timestamp;
use tracing::warn;

use crate::admission::Rules;
use crate::draft::{Origin, draft, draft_from};
use crate::job::Visit;

/// Ranks of the frontier: what is found in a smaller one is asked for earlier.
pub(crate) mod rank {
    /// Front pages, feeds, news sitemaps, and where a redirect leads.
    pub(crate) const LISTING: u8 = 0;
    /// Section pages: what a front page links to that looks like no article.
    pub(crate) const SECTION: u8 = 1;
    /// Pages that a feed or a news sitemap names.
    pub(crate) const NEWS: u8 = 2;
    /// Links that look like articles, parts of a sitemap index.
    pub(crate) const ARTICLE: u8 = 3;
    /// Articles that are asked again.
    pub(crate) const RECHECK: u8 = 4;
    /// All other links.
    pub(crate) const OTHER: u8 = 5;
    /// Pages that a sitemap names which is none of news: mostly of years ago.
    pub(crate) const ARCHIVE: u8 = 6;
}

/// Links of one page that are looked at.
const MOST_LINKS: usize = 10_000;

/// Links that are not followed, counted by the label of the reason.
pub(crate) type Refused = BTreeMap<&'static str, u64>;

/// What an answer holds.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) content: Content,
    /// URLs that were found, with the rank of each, in page order.
    pub(crate) found: Vec<(Found, u8)>,
    pub(crate) refused: Refused,
    /// The next page, where this is one of a list of several pages.
    pub(crate) next: Option<CanonicalUrl>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) bytes: u64,
}

/// What kind of thing an answer is.
#[derive(Debug)]
pub(crate) enum Content {
    /// An article, extracted by its host's template.
    Article(Box<Watched>),
    /// An article of a host that has no template yet.
    Raw(PackedPage),
    /// No article, for the reason with this label.
    NotArticle(&'static str),
    /// A feed or sitemap.
    List,
    /// Not what it was taken for.
    Unreadable(String),
}

/// A host's template, made ready to be applied to page after page.
#[derive(Debug)]
pub(crate) struct Applied {
    pub(crate) template: SiteTemplate,
    detector: Detector,
}

impl Applied {
    pub(crate) fn from_template(template: SiteTemplate) -> Self {
        Self { detector: Detector::from_template(&template), template }
    }
}

/// A page that was extracted by a template, and what it tells of the template.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Or how the visit ends without one.
    pub(crate) document: Result<PackedDocument, Outcome>,
    pub(crate) seen: Seen,
    /// The page as it came, if it is unlike those that the template was learned from.
    pub(crate) raw: Option<PackedPage>,
}

impl Reading {
    /// Leaves out what the page links to.
    pub(crate) fn forget_links(&mut self) {
        self.found.clear();
        self.next = None;
        self.refused.clear();
    }
}

/// Reads an answer of 2xx.
pub(crate) fn read(
    visit: &Visit,
    response: Response,
    fetched: Timestamp,
    scope: &Scope,
    rules: Rules<'_>,
    max_list: u64,
) -> Reading {
    let mut reading = Reading {
        content: Content::List,
        found: Vec::new(),
        refused: BTreeMap::new(),
        next: None,
        etag: response.etag.clone(),
        last_modified: response.last_modified.clone(),
        bytes: response.body.len() as u64,
    };
    match visit.record.role {
        Role::Feed | Role::Sitemap => read_list(&mut reading, visit, &response.body, scope, max_list),
        Role::Front | Role::Section | Role::Page => {
            read_page(&mut reading, visit, response, fetched, scope, rules)
        }
    }
    reading
}

fn read_list(reading: &mut Reading, visit: &Visit, body: &[u8], scope: &Scope, max_list: u64) {
    let limits = Limits { bytes: max_list, ..Limits::default() };
    let found = match sniff(body) {
        Body::Sitemap => sitemap::read(body, &visit.url, limits)
            .map(|list| (list.discovered, list.cut, list.flaw))
            .map_err(|error| error.to_string()),
        Body::Feed => feed::read(body, &visit.url, limits)
            .map(|list| (list.discovered, list.cut, list.flaw))
            .map_err(|error| error.to_string()),
        Body::Html => Err("an HTML page where a feed or sitemap was expected".into()),
        Body::Other => Err("neither a feed nor a sitemap".into()),
    };
    match found {
        Ok((discovered, cut, flaw)) => {
            let rank = |found: &Found| match (found.role, found.news || visit.record.role == Role::Feed) {
                (Role::Sitemap, true) => rank::LISTING,
                (_, true) => rank::NEWS,
                (Role::Sitemap, false) => rank::ARTICLE,
                (_, false) => rank::ARCHIVE,
            };
            reading.add(discovered.within(scope), rank);
            if cut > 0 {
                reading.refused.insert("beyond_the_limit_of_a_list", cut);
            }
            if let Some(flaw) = flaw {
                // Not to be answered with 304 before its rest has been read.
                (reading.etag, reading.last_modified) = (None, None);
                warn!(url = %visit.url, %flaw, "read up to its flaw");
            }
        }
        Err(reason) => {
            (reading.etag, reading.last_modified) = (None, None);
            reading.content = Content::Unreadable(reason);
        }
    }
}

fn read_page(
    reading: &mut Reading,
    visit: &Visit,
    response: Response,
    fetched: Timestamp,
    scope: &Scope,
    rules: Rules<'_>,
) {
    let decoded = decode(&response.body, response.content_type.as_deref());
    if let Some((page, watched)) = detected(visit, &decoded.text, fetched, rules) {
        follow(reading, visit, &page, scope);
        reading.content = Content::Article(Box::new(watched));
        return;
    }
    let page = Page::parse(&decoded.text);
    if is_cut(&page) {
        warn!(url = %visit.url, bytes = response.body.len(), "the page is larger than is read; its end is left out");
    }
    follow(reading, visit, &page, scope);
    let hub = match judge(&page, visit.url.as_str()) {
        Verdict::Article => None,
        Verdict::NotArticle(reason) => Some(reason.label()),
    };
    let hub = match visit.record.role {
        Role::Front => Some("front_page"),
        _ if is_binary(&decoded.text) => Some("binary"),
        _ => hub,
    };
    let raw = RawPage { body: response.body, content_type: response.content_type, fetched };
    reading.content = match (hub, &visit.template) {
        (Some(reason), _) => Content::NotArticle(reason),
        (None, None) => Content::Raw(PackedPage::from_page(&raw)),
        (None, Some(template)) => {
            Content::Article(Box::new(watched(visit, &page, raw, &template.template, rules)))
        }
    };
}

/// An article by the places of its host's template alone, with what of its page was read.
///
/// What is detected is not asked whether it is an article: it has the text of one where
/// the articles of its site have theirs. Of 23 recorded pages that are none, of two sites
/// with templates, none is detected; the question lets 2 of them in. Pins and what they ask
/// back need every line judged.
fn detected(visit: &Visit, html: &str, fetched: Timestamp, rules: Rules<'_>) -> Option<(Page, Watched)> {
    let applied =
        visit.template.as_ref().filter(|_| visit.record.role == Role::Page && rules.pins.is_empty())?;
    let partly = applied.detector.read(html);
    let extracted = applied.detector.detect_partly(&partly)?;
    let origin = Origin { url: visit.url.clone(), fetched };
    let draft = draft_from(&partly.page, &origin, &extracted, Some(&applied.template));
    let seen = applied.template.health.see(&extracted);
    Some((partly.page, Watched { document: rules.admitted(draft), seen, raw: None }))
}

/// Pins decide on the document only. The template is watched without them, as it was
/// learned: they would hide that it fails, or make every page unlike.
fn watched(visit: &Visit, page: &Page, raw: RawPage, template: &SiteTemplate, rules: Rules<'_>) -> Watched {
    let pins = rules.pins;
    let origin = Origin { url: visit.url.clone(), fetched: raw.fetched };
    let extracted = template.extract(page);
    let seen = template.health.see(&extracted);
    let draft = if pins.is_empty() {
        draft_from(page, &origin, &extracted, Some(template))
    } else {
        draft(page, &origin, Some(template), pins)
    };
    let raw = seen.unlike.then(|| PackedPage::from_page(&raw));
    Watched { document: rules.admitted(draft), seen, raw }
}

/// Whether what was served as a page is none: more than one character in fifty is a
/// control character or could not be decoded.
fn is_binary(text: &str) -> bool {
    let odd = |c: &char| (c.is_control() && !c.is_whitespace()) || *c == char::REPLACEMENT_CHARACTER;
    text.chars().filter(odd).count() * 50 > text.chars().count()
}

/// Finds the links of a page. Feeds are taken from listings only: those of
/// articles are feeds of their comments.
fn follow(reading: &mut Reading, visit: &Visit, page: &Page, scope: &Scope) {
    let on_page = gleaner_html::links::links(page);
    if on_page.robots_nofollow {
        reading.refuse("nofollow", on_page.anchors.len());
        return;
    }
    let base = on_page
        .base
        .as_deref()
        .and_then(|base| visit.url.join(base).ok())
        .unwrap_or_else(|| visit.url.clone());
    let ways = on_page.refresh.iter().chain(&on_page.next).map(String::as_str);
    let hrefs = ways.chain(on_page.anchors.iter().map(|anchor| anchor.href.as_str()));
    let mut discovered = links::judge(&base, hrefs.take(MOST_LINKS), scope);
    reading.refuse("beyond_the_limit_of_a_page", on_page.anchors.len().saturating_sub(MOST_LINKS));
    if matches!(visit.record.role, Role::Front | Role::Section) {
        let feed = |url| Found { url, role: Role::Feed, dated: None, news: false };
        let feeds: Vec<Found> =
            on_page.feeds.iter().filter_map(|href| base.join(href).ok()).map(feed).collect();
        reading.refuse("unparsable", on_page.feeds.len() - feeds.len());
        // First, since the same address may stand on the page as an ordinary link.
        discovered.found.splice(0..0, feeds);
    } else {
        let before = discovered.found.len();
        discovered.found.retain(|found| found.role != Role::Feed);
        reading.refuse("feed_of_a_page", before - discovered.found.len());
    }
    if visit.record.role == Role::Front {
        discovered = discovered.with_sections();
    }
    let stated = on_page.next.as_deref().and_then(|href| base.join(href).ok());
    reading.next = stated.or_else(|| links::next_page(&visit.url, &discovered.found).cloned());
    let rank = |found: &Found| match found.role {
        Role::Front | Role::Feed | Role::Sitemap => rank::LISTING,
        Role::Section => rank::SECTION,
        Role::Page if links::looks_like_article(&found.url) => rank::ARTICLE,
        Role::Page => rank::OTHER,
    };
    reading.add(discovered.within(scope), rank);
}

impl Reading {
    fn refuse(&mut self, label: &'static str, links: usize) {
        if links > 0 {
            *self.refused.entry(label).or_default() += links as u64;
        }
    }

    /// Adds what was found, with the rank of each.
    fn add(&mut self, discovered: Discovered, rank: impl Fn(&Found) -> u8) {
        for (label, count) in discovered.refused {
            *self.refused.entry(label).or_default() += count;
        }
        self.found.extend(discovered.found.into_iter().map(|found| {
            let rank = rank(&found);
            (found, rank)
        }));
    }
}
