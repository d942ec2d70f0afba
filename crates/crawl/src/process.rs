//! Processes a response in a worker thread, without access to the store.
//!
//! [`WorkerContext::process`] lists the steps for every response, and [`read_page`] those for a page: decode, parse,
//! extract, build the document, admit it, find the links. The visit contains the host's template. The owner thread
//! records the result (`record`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use gleaner_extract::template::is_cut;
use gleaner_fetch::Response;
use gleaner_frontier::{BodyType, Role, Scope, sniff};
use gleaner_html::Page;
use gleaner_html::decode::decode;
use gleaner_html::embedded::{complete, completed};
use gleaner_store::{PackedDocument, PackedPage, RawPage};
use jiff::Timestamp;
use tracing::warn;

use crate::archive::{RecordBuilder, WarcRecords};
use crate::event::Event;
use crate::extraction::{AdmissionRules, ExtractedArticle, detected, extracted, rejection_of_unknown};
use crate::known_links::KnownLinks;
use crate::page_links::{FoundLinks, HTML_LIST, links_of_list, links_of_page};
use crate::page_robots::NOINDEX;
use crate::recorder::revisit::is_article;
use crate::visit::Visit;
use crate::worker::{WorkerContext, panic_message};

/// What a worker thread found in a response.
#[derive(Debug)]
pub(crate) struct ProcessedResponse {
    pub(crate) content: Content,
    pub(crate) links: FoundLinks,
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

impl Content {
    pub(crate) fn document(&self) -> Option<&PackedDocument> {
        match self {
            Self::Article(article) => article.document.as_ref().ok(),
            _ => None,
        }
    }

    pub(crate) fn is_article(&self) -> bool {
        matches!(self, Self::Article(_) | Self::Raw(_))
    }
}

impl ProcessedResponse {
    fn new(response: &Response) -> Self {
        Self {
            content: Content::List,
            links: FoundLinks::default(),
            etag: response.etag.clone(),
            last_modified: response.last_modified.clone(),
            bytes: response.body.len() as u64,
        }
    }

    /// Removes the validators, so that the next visit gets the whole response. A 304 would hide a part that was not
    /// read, or keep a page that was shown by mistake.
    fn without_validators(self) -> Self {
        Self { etag: None, last_modified: None, ..self }
    }
}

impl WorkerContext {
    /// Processes a response that was fetched at this time.
    pub(crate) fn process(
        &self,
        mut visit: Box<Visit>,
        response: Box<Response>,
        fetched: Timestamp,
    ) -> Event {
        let is_success = (200..300).contains(&response.status);
        if is_success && visit.is_elsewhere() {
            return Event::ReadElsewhere(visit, response, fetched);
        }
        let records = self.records.map(|builder| warc_records(builder, &visit, &response, fetched));
        if !is_success {
            return Event::NotRead(visit, response, records);
        }
        if is_unchanged(&visit, records.as_ref()) {
            return Event::Unchanged(visit, response.body.len() as u64, records);
        }
        let is_misplaced = may_be_article(&visit, &response, self.known.scope());
        if is_misplaced {
            visit.record.role = Role::Page;
        }
        let rules = self.rules(visit.url.host());
        let read = || read(&visit, *response, fetched, &self.known, rules, self.max_list);
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(processed) if is_misplaced => {
                let processed = keep_if_article(&mut visit, processed);
                Event::Processed(visit, Box::new(processed), records)
            }
            Ok(processed) => Event::Processed(visit, Box::new(processed), records),
            Err(panic) => Event::Panicked(visit, panic_message(&*panic), records),
        }
    }
}

/// Reads the body of a 2xx response.
pub(crate) fn read(
    visit: &Visit,
    response: Response,
    fetched: Timestamp,
    known: &KnownLinks,
    rules: AdmissionRules<'_>,
    max_list: u64,
) -> ProcessedResponse {
    match visit.record.role {
        Role::Feed | Role::Sitemap => read_list(visit, &response, known.scope(), max_list),
        Role::Front | Role::Section | Role::Page => read_page(visit, response, fetched, known, rules),
    }
}

fn read_list(visit: &Visit, response: &Response, scope: &Scope, max_list: u64) -> ProcessedResponse {
    let processed = ProcessedResponse::new(response);
    match links_of_list(visit, &response.body, scope, max_list) {
        Ok((links, true)) => ProcessedResponse { links, ..processed },
        Ok((links, false)) => ProcessedResponse { links, ..processed }.without_validators(),
        Err(reason) => {
            ProcessedResponse { content: Content::Unreadable(reason), ..processed }.without_validators()
        }
    }
}

/// Reads a page. If its host has a template, the page is parsed only in part, and detection extracts the text. If
/// detection is in doubt, the whole page is parsed and classified.
fn read_page(
    visit: &Visit,
    response: Response,
    fetched: Timestamp,
    known: &KnownLinks,
    rules: AdmissionRules<'_>,
) -> ProcessedResponse {
    let processed = ProcessedResponse::new(&response);
    let decoded = decode(&response.body, response.content_type.as_deref());
    // Pins select elements of the whole page, and affect the decision about each of its lines.
    let pinned = (!rules.pins.is_empty()).then(|| complete(&decoded.text));
    let is_pinned = pinned.as_ref().is_some_and(|page| rules.pins.affect(page));
    let template = visit.template.as_deref();
    let detects = template.filter(|_| visit.record.role == Role::Page && !is_pinned);
    let partly = detects.map(|template| (template, template.read(&decoded.text)));
    let usage_of =
        |page: &Page| visit.usage.of_page(visit.url.url(), page, &response.headers, &rules.robots.agent);
    if let Some((template, partly)) = &partly
        && let Some(article) = detected(visit, template, partly, fetched, &usage_of(&partly.page), rules)
    {
        let (links, directives) = links_of_page(visit, &partly.page, &response.headers, known, rules.robots);
        let content =
            if directives.noindex { Content::Excluded(NOINDEX) } else { Content::Article(Box::new(article)) };
        return ProcessedResponse { content, links, ..processed };
    }
    let parsed = || partly.map_or_else(|| Page::parse(&decoded.text), |(_, it)| it.into_whole(&decoded.text));
    let page = pinned.unwrap_or_else(|| completed(&decoded.text, parsed()));
    if is_cut(&page) {
        warn!(url = %visit.url, bytes = processed.bytes, "the page is too large to parse as a whole; ignoring its end");
    }
    let (links, directives) = links_of_page(visit, &page, &response.headers, known, rules.robots);
    let (html, usage) = (decoded.text.into_owned(), usage_of(&page));
    let raw = RawPage { body: response.body, content_type: response.content_type, fetched, usage };
    let content = content(visit, &page, &html, raw, rules);
    let is_excluded = directives.noindex && content.is_article();
    let content = if is_excluded { Content::Excluded(NOINDEX) } else { content };
    ProcessedResponse { content, links, ..processed }
}

/// Extracts a page with the template of its host. Without a template, only decides whether it is an article.
fn content(visit: &Visit, page: &Page, html: &str, raw: RawPage, rules: AdmissionRules<'_>) -> Content {
    match &visit.template {
        Some(template) => extracted(visit, page, html, raw, template, rules)
            .map_or_else(Content::NotArticle, |article| Content::Article(Box::new(article))),
        None => rejection_of_unknown(visit.record.role, visit.url.as_str(), html, page)
            .map_or_else(|| Content::Raw(PackedPage::from_page(&raw)), Content::NotArticle),
    }
}

fn warc_records(
    builder: RecordBuilder,
    visit: &Visit,
    response: &Response,
    fetched: Timestamp,
) -> WarcRecords {
    let last = visit.record.archived.filter(|_| !visit.is_elsewhere());
    builder.record(visit.address().as_str(), visit.record.role.label(), response, fetched, last)
}

/// Whether an article has the same body as at its last extraction. Only a new template could change its text,
/// so it is not parsed.
fn is_unchanged(visit: &Visit, records: Option<&WarcRecords>) -> bool {
    // Only an unchanged body has no digests here, because the response is 2xx.
    records.is_some_and(|records| records.digests.is_none())
        && visit.record.role == Role::Page
        && visit.record.last.as_ref().is_some_and(is_article)
}

/// Whether a response to the request for a sitemap may be an article: another sitemap lists the URL, which is in scope,
/// and the body is an HTML page. Some indexes list articles instead of sitemaps.
fn may_be_article(visit: &Visit, response: &Response, scope: &Scope) -> bool {
    visit.record.role == Role::Sitemap
        && visit.record.depth > 0
        && scope.contains(&visit.url)
        && response.accept_page().is_ok()
        && sniff(&response.body) == BodyType::Html
}

/// Changes the result for a URL that was read as a page although a sitemap was expected. If it is not an article, it
/// stays a sitemap, because an error page may be there for one night.
fn keep_if_article(visit: &mut Visit, processed: ProcessedResponse) -> ProcessedResponse {
    if processed.content.is_article() || matches!(processed.content, Content::Excluded(_)) {
        return processed;
    }
    visit.record.role = Role::Sitemap;
    let content = Content::Unreadable(HTML_LIST.into());
    ProcessedResponse { content, links: FoundLinks::default(), ..processed }.without_validators()
}
