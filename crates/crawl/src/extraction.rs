//! Parses a response into the data that the owner needs.
//!
//! Worker threads do this without access to the store: the visit contains the host's template. The owner
//! thread then decides the outcome of the visit.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gleaner_corpus::{Admission, AdmissionRefusal, Document};
use gleaner_extract::block_model::ClassifiedBlock;
use gleaner_extract::template::{PreparedTemplate, is_cut};
use gleaner_extract::{NotArticleReason, PageFit, Pins};
use gleaner_fetch::Response;
use gleaner_frontier::{
    BodyType, CanonicalUrl, DiscoveredUrls, FoundUrl, Outcome, ReadLimits, Role, Scope, feed, links, sitemap,
    sniff,
};
use gleaner_html::decode::decode;
use gleaner_html::embedded::{complete, completed};
use gleaner_html::links::Links;
use gleaner_html::robots::RobotsDirectives;
use gleaner_html::{Page, PartialPage};
use gleaner_store::{PackedDocument, PackedPage, RawPage};
use jiff::Timestamp;
use tracing::warn;

use crate::known_links::KnownLinks;
use crate::page_robots::{NOINDEX, PageRobots};
use crate::rank;
use crate::visit::Visit;
use gleaner_extract::draft::{Origin, draft_from};

const MOST_LINKS: usize = 10_000;
/// The label of a page with hardly any words and few links, such as the notice that a site is down.
const NEARLY_EMPTY: &str = "nearly_empty";
/// Maximum number of links of a nearly empty page.
const MAX_MENU_LINKS: usize = 30;
/// Why a list is not read if its body is an HTML page.
const HTML_LIST: &str = "an HTML page where a feed or sitemap was expected";
/// Maximum number of further sitemaps that a sitemap out of scope may list.
const MAX_LISTED_SITEMAPS: usize = 1_000;

/// Number of links that did not enter the frontier, by reason.
pub(crate) type RefusedLinks = BTreeMap<Cow<'static, str>, u64>;

#[derive(Debug)]
pub(crate) struct ParsedResponse {
    pub(crate) content: Content,
    /// The URLs that were found, with their ranks, in page order.
    pub(crate) found: Vec<(FoundUrl, u8)>,
    pub(crate) refused: RefusedLinks,
    /// The next page of the list, if this page is part of a list on several pages.
    pub(crate) next: Option<CanonicalUrl>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) bytes: u64,
}

#[derive(Debug)]
pub(crate) enum Content {
    Article(Box<ExtractedArticle>),
    /// An article of a host without a template.
    Raw(PackedPage),
    NotArticle(&'static str),
    /// An article that the page asks not to store, with the rule for the outcome.
    Excluded(&'static str),
    List,
    /// Content of an unexpected kind, with the reason.
    Unreadable(String),
}

#[derive(Debug)]
pub(crate) struct ExtractedArticle {
    pub(crate) document: Result<PackedDocument, Outcome>,
    pub(crate) fit: PageFit,
    /// The raw page, if it differs from the template's training pages.
    pub(crate) raw: Option<PackedPage>,
}

/// The pins of a host, and the rules that decide which documents enter the corpus and which links are followed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AdmissionRules<'a> {
    pub(crate) pins: &'a Pins,
    pub(crate) admission: &'a Admission,
    pub(crate) robots: &'a PageRobots,
}

impl AdmissionRules<'_> {
    /// Turns a draft into a document for the store, or into an outcome if the document is refused.
    pub(crate) fn admit_draft(self, draft: Option<Document>) -> Result<PackedDocument, Outcome> {
        let draft = draft.ok_or_else(|| Outcome::NotArticle { reason: "no_text".into() })?;
        self.admission.admit(draft).map(PackedDocument::from_document).map_err(outcome_of)
    }
}

pub(crate) fn outcome_of(refusal: AdmissionRefusal) -> Outcome {
    match refusal {
        AdmissionRefusal::Language(language) => Outcome::OtherLanguage { language },
        AdmissionRefusal::Condition(condition) => Outcome::Filtered { condition },
        refusal @ AdmissionRefusal::PublishedBefore(_) => Outcome::Excluded { rule: refusal.to_string() },
    }
}

impl Content {
    pub(crate) fn document(&self) -> Option<&PackedDocument> {
        match self {
            Self::Article(article) => article.document.as_ref().ok(),
            _ => None,
        }
    }
}

impl ParsedResponse {
    pub(crate) fn forget_links(&mut self) {
        self.found.clear();
        self.next = None;
        self.refused.clear();
    }
}

pub(crate) fn read(
    visit: &Visit,
    response: Response,
    fetched: Timestamp,
    known: &KnownLinks,
    rules: AdmissionRules<'_>,
    max_list: u64,
) -> ParsedResponse {
    let mut parsed_response = ParsedResponse {
        content: Content::List,
        found: Vec::new(),
        refused: BTreeMap::new(),
        next: None,
        etag: response.etag.clone(),
        last_modified: response.last_modified.clone(),
        bytes: response.body.len() as u64,
    };
    match visit.record.role {
        Role::Feed | Role::Sitemap => {
            read_list(&mut parsed_response, visit, &response.body, known.scope(), max_list)
        }
        Role::Front | Role::Section | Role::Page => {
            read_page(&mut parsed_response, visit, response, fetched, known, rules)
        }
    }
    parsed_response
}

/// Whether a response to the request for a sitemap may be an article: another sitemap lists the URL, which is in scope,
/// and the body is an HTML page. Some indexes list articles instead of sitemaps.
pub(crate) fn may_be_article(visit: &Visit, response: &Response, scope: &Scope) -> bool {
    visit.record.role == Role::Sitemap
        && visit.record.depth > 0
        && scope.contains(&visit.url)
        && response.accept_page().is_ok()
        && sniff(&response.body) == BodyType::Html
}

/// Changes the result for a URL that was read as a page although a sitemap was expected. If it is not an article, it
/// stays a sitemap, because an error page may be there for one night.
pub(crate) fn keep_if_article(visit: &mut Visit, parsed_response: &mut ParsedResponse) {
    if matches!(parsed_response.content, Content::Article(_) | Content::Raw(_) | Content::Excluded(_)) {
        return;
    }
    visit.record.role = Role::Sitemap;
    parsed_response.forget_links();
    (parsed_response.etag, parsed_response.last_modified) = (None, None);
    parsed_response.content = Content::Unreadable(HTML_LIST.into());
}

fn read_list(parsed_response: &mut ParsedResponse, visit: &Visit, body: &[u8], scope: &Scope, max_list: u64) {
    let limits = ReadLimits { bytes: max_list, ..ReadLimits::default() };
    let found = match sniff(body) {
        BodyType::Sitemap => sitemap::read(body, &visit.url, limits)
            .map(|list| (list.discovered, list.cut, list.flaw))
            .map_err(|error| error.to_string()),
        BodyType::Feed => feed::read(body, &visit.url, limits)
            .map(|list| (list.discovered, list.cut, list.flaw))
            .map_err(|error| error.to_string()),
        BodyType::Html => Err(HTML_LIST.into()),
        BodyType::Other => Err("neither a feed nor a sitemap".into()),
    };
    match found {
        Ok((discovered, cut, flaw)) => {
            let rank = |found: &FoundUrl| match (found.role, found.news || visit.record.role == Role::Feed) {
                (Role::Sitemap, true) => rank::LISTING,
                (_, true) => rank::NEWS,
                (Role::Sitemap, false) => rank::ARTICLE,
                (_, false) => rank::ARCHIVE,
            };
            let (discovered, beyond) = within(discovered, visit, scope);
            parsed_response.add(discovered, rank);
            if cut + beyond > 0 {
                parsed_response.refused.insert("beyond_the_limit_of_a_list".into(), cut + beyond);
            }
            if let Some(flaw) = flaw {
                // Without validators, the next visit fetches the full list. A 304 response would hide the
                // part after the error.
                (parsed_response.etag, parsed_response.last_modified) = (None, None);
                warn!(url = %visit.url, %flaw, "the list is malformed; read up to the error");
            }
        }
        Err(reason) => {
            (parsed_response.etag, parsed_response.last_modified) = (None, None);
            parsed_response.content = Content::Unreadable(reason);
        }
    }
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

fn read_page(
    parsed_response: &mut ParsedResponse,
    visit: &Visit,
    response: Response,
    fetched: Timestamp,
    known: &KnownLinks,
    rules: AdmissionRules<'_>,
) {
    let decoded = decode(&response.body, response.content_type.as_deref());
    // Pins select elements of the whole page, and affect the decision about each of its lines.
    let whole = (!rules.pins.is_empty()).then(|| complete(&decoded.text));
    let is_pinned = whole.as_ref().is_some_and(|page| rules.pins.affect(page));
    let partly = visit.template.as_deref().filter(|_| visit.record.role == Role::Page && !is_pinned);
    let partly = partly.map(|template| (template, template.read(&decoded.text)));
    if let Some((template, partly)) = &partly
        && let Some(article) = detected(visit, template, partly, fetched, rules)
    {
        let noindex = follow(parsed_response, visit, &partly.page, &response.headers, known, rules).noindex;
        parsed_response.content =
            if noindex { Content::Excluded(NOINDEX) } else { Content::Article(Box::new(article)) };
        return;
    }
    let parsed = || partly.map_or_else(|| Page::parse(&decoded.text), |(_, it)| it.into_whole(&decoded.text));
    let page = whole.unwrap_or_else(|| completed(&decoded.text, parsed()));
    if is_cut(&page) {
        warn!(url = %visit.url, bytes = response.body.len(), "the page is too large to parse as a whole; ignoring its end");
    }
    let noindex = follow(parsed_response, visit, &page, &response.headers, known, rules).noindex;
    let template = visit.template.as_deref();
    let blocks = article_blocks(visit.record.role, template, visit.url.as_str(), &decoded.text, &page);
    let raw = RawPage { body: response.body, content_type: response.content_type, fetched };
    parsed_response.content = match (blocks, template) {
        (Err(reason), _) => Content::NotArticle(reason),
        (Ok(_), _) if noindex => Content::Excluded(NOINDEX),
        (Ok(_), None) => Content::Raw(PackedPage::from_page(&raw)),
        (Ok(blocks), Some(template)) => {
            Content::Article(Box::new(extracted(visit, &page, &blocks, raw, template, rules)))
        }
    };
}

/// Extracts an article with only the DOM paths in its host's template, without parsing the whole page.
///
/// This function does not call [`judge`](gleaner_extract::article::judge). In a test with 23 pages that are not
/// articles, from two sites, it accepted none of them, and `judge` accepted two.
fn detected(
    visit: &Visit,
    prepared: &PreparedTemplate,
    partly: &PartialPage,
    fetched: Timestamp,
    rules: AdmissionRules<'_>,
) -> Option<ExtractedArticle> {
    let extracted = prepared.detect(partly)?;
    let origin = Origin { url: visit.url.clone(), fetched };
    let draft = draft_from(&partly.page, &origin, &extracted, Some(prepared.template()));
    let fit = prepared.template().compare(&extracted);
    Some(ExtractedArticle { document: rules.admit_draft(draft), fit, raw: None })
}

/// Extracts an article with its host's template and pins. The template's health is measured on the text
/// without pins. Pins would hide failures of the template, or make every page differ from the training pages.
fn extracted(
    visit: &Visit,
    page: &Page,
    blocks: &[ClassifiedBlock],
    raw: RawPage,
    prepared: &PreparedTemplate,
    rules: AdmissionRules<'_>,
) -> ExtractedArticle {
    let (pins, template) = (rules.pins, prepared.template());
    let origin = Origin { url: visit.url.clone(), fetched: raw.fetched };
    let unpinned = prepared.extract_classified(page, blocks, &Pins::default());
    let fit = template.compare(&unpinned);
    let extracted = if pins.is_empty() { unpinned } else { prepared.extract_classified(page, blocks, pins) };
    let draft = draft_from(page, &origin, &extracted, Some(template));
    let raw = fit.is_worth_keeping().then(|| PackedPage::from_page(&raw));
    ExtractedArticle { document: rules.admit_draft(draft), fit, raw }
}

/// Returns the label of the reason why a page is not an article, or `None` if the page is an article.
///
/// For [`Role::Page`], a crawl calls this function only if detection did not extract the page. `template`
/// belongs to the page's host. `html` is the decoded source, and `page` is the parsed source.
#[must_use]
pub fn rejection(
    role: Role,
    template: Option<&PreparedTemplate>,
    url: &str,
    html: &str,
    page: &Page,
) -> Option<&'static str> {
    article_blocks(role, template, url, html, page).err()
}

/// Like [`rejection`], but also returns the classified blocks of an article.
fn article_blocks(
    role: Role,
    template: Option<&PreparedTemplate>,
    url: &str,
    html: &str,
    page: &Page,
) -> Result<Vec<ClassifiedBlock>, &'static str> {
    if role != Role::Front && is_binary(html) {
        return Err("binary");
    }
    match gleaner_extract::article::article_blocks(page, url, template) {
        Err(NotArticleReason::TooLittleText) if has_few_links(page) => Err(NEARLY_EMPTY),
        Err(reason) => Err(reason.label()),
        // A front page is never an article.
        Ok(_) if role == Role::Front => Err("front_page"),
        Ok(blocks) => Ok(blocks),
    }
}

/// Whether a page has at most a menu of links. With hardly any text, it may be the notice of a server in trouble. Pages
/// of videos and lists have more links.
fn has_few_links(page: &Page) -> bool {
    gleaner_html::links::links(page).anchors.len() <= MAX_MENU_LINKS
}

/// Whether a page is binary data: over 2% of the characters are control characters or undecodable.
fn is_binary(text: &str) -> bool {
    let is_odd = |byte: &&u8| matches!(byte, 0..=8 | 14..=31 | 127);
    // In UTF-8, the control characters from U+0080 to U+009F have two bytes. U+0085 is white space.
    let is_odd_pair = |pair: &&[u8]| matches!(pair, [0xC2, 0x80..=0x84 | 0x86..=0x9F]);
    let bytes = text.as_bytes();
    let count = bytes.iter().filter(is_odd).count() + bytes.windows(2).filter(is_odd_pair).count();
    (count + text.matches(char::REPLACEMENT_CHARACTER).count()) * 50 > text.chars().count()
}

/// Finds the links of a page, unless it says `nofollow`. Returns the page's directives that are obeyed.
fn follow(
    parsed_response: &mut ParsedResponse,
    visit: &Visit,
    page: &Page,
    headers: &[(String, String)],
    known: &KnownLinks,
    rules: AdmissionRules<'_>,
) -> RobotsDirectives {
    let on_page = gleaner_html::links::links(page);
    let directives = rules.robots.directives(&on_page, headers);
    if directives.nofollow {
        parsed_response.refuse("nofollow", on_page.anchors.len());
    } else {
        // On an article, they would be copies, advertisements and translations.
        let is_article = visit.record.role == Role::Page;
        let hidden = if is_article { Vec::new() } else { gleaner_html::links::hidden_links(page) };
        add_links(parsed_response, visit, &on_page, &hidden, known);
    }
    directives
}

/// Adds the links of a page. Ignores the feeds that an article links to, because they contain its comments.
fn add_links(
    parsed_response: &mut ParsedResponse,
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
    let mut discovered = known.judge(&base, hrefs.take(MOST_LINKS));
    let count = on_page.anchors.len() + hidden.len();
    parsed_response.refuse("beyond_the_limit_of_a_page", count.saturating_sub(MOST_LINKS));
    if matches!(visit.record.role, Role::Front | Role::Section) {
        let feed = |url| FoundUrl { url, role: Role::Feed, dated: None, news: false };
        let feeds: Vec<FoundUrl> =
            on_page.feeds.iter().filter_map(|href| base.join(href).ok()).map(feed).collect();
        parsed_response.refuse("unparsable", on_page.feeds.len() - feeds.len());
        // The feeds come first, because the page may also have an ordinary link to the same URL.
        discovered.found.splice(0..0, feeds);
    } else {
        let before = discovered.found.len();
        discovered.found.retain(|found| found.role != Role::Feed);
        parsed_response.refuse("feed_of_a_page", before - discovered.found.len());
    }
    if visit.record.role == Role::Front {
        discovered = discovered.with_sections();
    }
    let stated = on_page.next.as_deref().and_then(|href| base.join(href).ok());
    parsed_response.next = stated.or_else(|| links::next_page(&visit.url, &discovered.found).cloned());
    let rank = |found: &FoundUrl| match found.role {
        Role::Front | Role::Feed | Role::Sitemap => rank::LISTING,
        Role::Section => rank::SECTION,
        Role::Page if links::looks_like_article(&found.url) => rank::ARTICLE,
        Role::Page => rank::OTHER,
    };
    parsed_response.add(discovered.within(known.scope()), rank);
}

impl ParsedResponse {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_data_is_no_page() {
        for (text, expected) in [
            ("Rain fell\ton the valley.\r\n", false),
            ("", false),
            ("PK\u{3}\u{4}\u{14}", true),
            ("\u{FFFD}PNG\u{85}", true),
            ("\u{80}\u{9F}", true),
            ("\u{A0}\u{C2}\u{85}", false),
        ] {
            assert_eq!(is_binary(text), expected, "{text:?}");
        }
        assert!(!is_binary(&format!("{}\u{7F}", "a".repeat(49))));
        assert!(is_binary(&format!("{}\u{7F}", "a".repeat(48))));
    }
}
