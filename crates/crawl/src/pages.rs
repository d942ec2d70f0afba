//! Records a page or list after it was parsed: its links enter the frontier, and its text enters the corpus.

use std::sync::atomic::Ordering;

use gleaner_frontier::{CanonicalUrl, FoundUrl, Outcome, Role, digest_of};
use gleaner_store::Change;

use crate::archive::WarcRecords;
use crate::error::CrawlError;
use crate::extraction::{Content, ParsedResponse};
use crate::frontier::quota::QUEUE_FULL;
use crate::pipeline::Pipeline;
use crate::recorder::revisit::{is_section, list_change};
use crate::report::cause::is_wall;
use crate::visit::Visit;

/// Number of URLs of a feed or sitemap per commit.
const PART: usize = 2_000;
/// Maximum length of a stored `ETag` or `Last-Modified`, in bytes.
const LONGEST_VALIDATOR: usize = 512;

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
        self.recorder.archive(records, Some(&mut visit.record))?;
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
                if depth > self.session.config.crawl.max_depth {
                    *refused.entry("too_deep".into()).or_default() += 1;
                } else if key != visit.key && (found.dated.is_some() || !self.frontier.known.contains(key)) {
                    if let Some(rule) = self.trap_rule(&change, found, *rank)? {
                        *refused.entry(format!("excluded: {rule}").into()).or_default() += 1;
                        continue;
                    }
                    match self.discover_one(&mut change, visit, (found, *rank), depth)? {
                        Some(true) => {
                            news += 1;
                            visit.leads_on |= self.frontier.traps.entered(&visit.url, found, *rank);
                        }
                        Some(false) => {}
                        None => *refused.entry(QUEUE_FULL.into()).or_default() += 1,
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

    /// Adds a URL to the frontier, or makes it ready again, and returns `Some(true)` if it did so. Returns
    /// `None` if the URL is new and the queue of its site is full.
    fn discover_one(
        &mut self,
        change: &mut Change,
        visit: &Visit,
        (found, rank): (&FoundUrl, u8),
        depth: u32,
    ) -> Result<Option<bool>, CrawlError> {
        let (key, frontier) = (found.url.key(), &mut self.frontier);
        let is_known = frontier.known.contains(key);
        let has_room = is_known || frontier.quota.has_room(found.url.domain(), rank);
        if !has_room && change.url(key)?.is_none() {
            return Ok(None);
        }
        let position = self.recorder.queue_position(found, rank);
        let is_new = !is_known && change.discover(Some(visit.record.host), found, depth, 0, position)?;
        frontier.known.insert(key);
        Ok(Some(
            is_new
                || !is_known && self.recorder.revive_if_allowed(change, found, position)?
                || self.recorder.revive_if_updated(change, found)?,
        ))
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

fn keep_validators(visit: &mut Visit, parsed_response: &mut ParsedResponse) {
    let kept = |value: Option<String>| value.filter(|value| value.len() <= LONGEST_VALIDATOR);
    visit.record.etag = kept(parsed_response.etag.take());
    visit.record.last_modified = kept(parsed_response.last_modified.take());
    if visit.record.role == Role::Page && visit.record.etag.is_some() {
        // One validator is enough. Omitting the second saves space in the records of many pages.
        visit.record.last_modified = None;
    }
}
