//! Records a page or list after it was parsed: its links enter the frontier, and its text enters the corpus.

use std::sync::atomic::Ordering;

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, digest_of};
use gleaner_store::Change;

use crate::archive::WarcRecords;
use crate::error::CrawlError;
use crate::extraction::{Content, ParsedResponse};
use crate::frontier::quota::QUEUE_FULL;
use crate::pipeline::Pipeline;
use crate::recorder::revisit::{is_article, is_retried, is_section, list_change};
use crate::report::cause::is_wall;
use crate::visit::Visit;

/// Number of URLs of a feed or sitemap per commit.
const PART: usize = 2_000;
/// Maximum depth of a sitemap that another sitemap lists. The protocol allows one level, and large sites have two. More
/// would let a site list new sitemaps without end.
const MAX_NESTED_SITEMAPS: u32 = 3;
/// Maximum length of a stored `ETag` or `Last-Modified`, in bytes.
const LONGEST_VALIDATOR: usize = 512;

/// What the frontier did with a URL that a page or list names.
enum Discovery {
    /// The URL is new, or is visited again.
    Queued,
    Known,
    /// The URL is new, and the queue of its site is full.
    QueueFull,
}

impl Pipeline {
    pub(crate) fn page_read(
        &mut self,
        mut visit: Visit,
        mut parsed_response: ParsedResponse,
        records: Option<WarcRecords>,
    ) -> Result<(), CrawlError> {
        self.session.progress.responses.fetch_add(1, Ordering::Relaxed);
        if let Some(host) = self.frontier.hosts.get(&visit.record.host) {
            self.frontier.quota.add_bytes(&host.site, parsed_response.bytes);
        }
        // The text of a document stays in the archive where its record says, so that it can be repaired.
        let has_text = visit.record.last.as_ref().is_some_and(is_article);
        let record = Some(&mut visit.record).filter(|_| gives_article(&parsed_response) || !has_text);
        self.recorder.archive(records, record)?;
        keep_validators(&mut visit, &mut parsed_response);
        let mut change = self.discover_links(&mut visit, &mut parsed_response)?;
        if matches!(parsed_response.content, Content::NotArticle(_)) {
            self.recorder.revive_next_page(&mut change, &parsed_response)?;
        }
        self.record_content(change, visit, parsed_response)
    }

    pub(crate) fn unchanged(
        &mut self,
        mut visit: Visit,
        bytes: u64,
        records: Option<WarcRecords>,
    ) -> Result<(), CrawlError> {
        self.session.progress.responses.fetch_add(1, Ordering::Relaxed);
        self.recorder.archive(records, None)?;
        visit.bytes = bytes;
        self.finish(visit, Outcome::Unchanged)
    }

    /// Adds the links of a page to the frontier. The page becomes a section if it looks like one and leads to
    /// new URLs.
    fn discover_links(
        &mut self,
        visit: &mut Visit,
        parsed_response: &mut ParsedResponse,
    ) -> Result<Change, CrawlError> {
        self.clean_links(parsed_response);
        let digest = digest_of(parsed_response.found.iter().map(|(found, _)| found));
        let (change, news) = self.discover(visit, parsed_response)?;
        visit.list_change = list_change(visit, parsed_response, news, digest);
        if parsed_response.refused.contains_key(QUEUE_FULL) {
            // Without validators, the next response contains the full list.
            (visit.record.etag, visit.record.last_modified) = (None, None);
        }
        if matches!(parsed_response.content, Content::NotArticle(_)) && is_section(visit, news) {
            visit.record.role = Role::Section;
        }
        if visit.record.role != Role::Page {
            visit.record.revisits.digest = digest;
        }
        Ok(change)
    }

    /// Adds new URLs to the frontier. Makes a known URL ready if the list announces that the URL has changed.
    /// A long list is committed in several changes. If a crash interrupts the commits, the next visit finds
    /// the remaining URLs again.
    fn discover(
        &mut self,
        visit: &mut Visit,
        parsed_response: &mut ParsedResponse,
    ) -> Result<(Change, u64), CrawlError> {
        let is_list = matches!(visit.record.role, Role::Feed | Role::Sitemap);
        // The entries of a feed or sitemap have depth 1. The depth of nested sitemaps grows, so that a chain
        // of them ends.
        let deeper = visit.record.depth + 1;
        let depth = |role| if is_list && role != Role::Sitemap { 1 } else { deeper };
        let ParsedResponse { found, refused, .. } = parsed_response;
        let (mut change, mut news) = (self.recorder.writer.begin(), 0);
        for part in found.chunks(PART) {
            change.read_urls_ahead(self.frontier.needed_links(part).into_iter().map(CanonicalUrl::key))?;
            for (found, rank) in part {
                let (key, depth) = (found.url.key(), depth(found.role));
                let is_nested = visit.record.role == Role::Sitemap && found.role == Role::Sitemap;
                let max_depth = self.session.config.crawl.max_depth;
                if depth > max_depth || is_nested && depth > MAX_NESTED_SITEMAPS {
                    *refused.entry("too_deep".into()).or_default() += 1;
                } else if key != visit.key && (found.dated.is_some() || !self.frontier.known.contains(key)) {
                    if let Some(rule) = self.trap_rule(&change, found, *rank)? {
                        *refused.entry(format!("excluded: {rule}").into()).or_default() += 1;
                        continue;
                    }
                    match self.discover_one(&mut change, visit, (found, *rank), depth)? {
                        Discovery::Queued => {
                            news += 1;
                            visit.leads_on |= self.frontier.traps.entered(&visit.url, found, *rank);
                        }
                        Discovery::Known => {}
                        Discovery::QueueFull => *refused.entry(QUEUE_FULL.into()).or_default() += 1,
                    }
                }
            }
            if part.len() == PART {
                self.commit(change)?;
                change = self.recorder.writer.begin();
            }
        }
        Ok((change, news))
    }

    /// Adds a URL to the frontier, or makes a known URL ready again.
    fn discover_one(
        &mut self,
        change: &mut Change,
        visit: &Visit,
        (found, rank): (&FoundUrl, u8),
        depth: u32,
    ) -> Result<Discovery, CrawlError> {
        let (key, frontier) = (found.url.key(), &mut self.frontier);
        let position = self.recorder.queue_position(found, rank);
        let Some(record) = change.url(key)? else {
            // Another worker may not have stored it yet.
            if frontier.known.contains(key) {
                return Ok(Discovery::Known);
            }
            if !frontier.quota.has_room(found.url.domain(), rank) {
                return Ok(Discovery::QueueFull);
            }
            change.discover(Some(visit.record.host), found, depth, 0, position)?;
            frontier.known.insert(key);
            return Ok(Discovery::Queued);
        };
        // A list that names the URL again is a reason to look its record up again.
        if is_retried(&record) {
            if !frontier.is_allowed(&found.url, &record) {
                return Ok(Discovery::Known);
            }
        } else {
            frontier.known.insert(key);
        }
        let by_list = visit.record.role != Role::Page;
        let is_queued = self.recorder.revive(change, found, record, position, by_list)?;
        Ok(if is_queued { Discovery::Queued } else { Discovery::Known })
    }

    fn record_content(
        &mut self,
        mut change: Change,
        mut visit: Visit,
        parsed_response: ParsedResponse,
    ) -> Result<(), CrawlError> {
        (visit.bytes, visit.refused) = (parsed_response.bytes, parsed_response.refused);
        let outcome = match parsed_response.content {
            Content::List => Outcome::Listing,
            Content::NotArticle(reason) => {
                let outcome = Outcome::NotArticle { reason: reason.into() };
                match visit.record.role {
                    Role::Page => outcome,
                    // The site shows a wall, such as a login page, instead of its front page.
                    Role::Front if is_wall(&outcome.reason()) && parsed_response.found.is_empty() => outcome,
                    _ => Outcome::Listing,
                }
            }
            Content::Excluded(rule) if visit.record.role == Role::Page => {
                Outcome::Excluded { rule: rule.into() }
            }
            // A front page or section stays one.
            Content::Excluded(_) => Outcome::Listing,
            Content::Unreadable(reason) => Outcome::Unreadable { reason },
            Content::Article(article) => {
                self.learner.record_article(&mut self.recorder, &mut change, &visit, *article)?;
                return self.commit(change);
            }
            Content::Raw(page) => {
                change.put_page(visit.key, page);
                let buffered = self.recorder.buffer(&mut change, &visit)?;
                self.commit(change)?;
                self.learner.page_buffered(visit.record.host, buffered);
                return Ok(());
            }
        };
        self.finish_within(change, visit, outcome)
    }
}

fn gives_article(parsed_response: &ParsedResponse) -> bool {
    matches!(parsed_response.content, Content::Article(_) | Content::Raw(_))
}

fn keep_validators(visit: &mut Visit, parsed_response: &mut ParsedResponse) {
    let kept = |value: Option<String>| value.filter(|value| value.len() <= LONGEST_VALIDATOR);
    visit.record.etag = kept(parsed_response.etag.take());
    visit.record.last_modified = kept(parsed_response.last_modified.take());
    if visit.record.role != Role::Page {
        return;
    }
    if !gives_article(parsed_response) {
        // The next visit gets the whole response. A 304 would keep a page that was shown by mistake.
        (visit.record.etag, visit.record.last_modified) = (None, None);
    }
    if visit.record.etag.is_some() {
        // One validator is enough. Omitting the second saves space in the records of many pages.
        visit.record.last_modified = None;
    }
}
