//! Adds the links of a page or list to the frontier.

use gleaner_frontier::{CanonicalUrl, FoundUrl, Role, digest_of};
use gleaner_store::Change;

use crate::error::CrawlError;
use crate::frontier::quota::QUEUE_FULL;
use crate::page_links::FoundLinks;
use crate::pipeline::Pipeline;
use crate::process::{Content, ProcessedResponse};
use crate::recorder::revisit::{is_retried, is_section, list_change};
use crate::visit::{ReadSummary, Visit};

/// Number of URLs of a feed or sitemap per commit.
const PART: usize = 2_000;
/// Maximum depth of a sitemap that another sitemap lists. The protocol allows one level, and large sites have two. More
/// would let a site list new sitemaps without end.
const MAX_NESTED_SITEMAPS: u32 = 3;

/// What the frontier did with a URL that a page or list names.
enum Discovery {
    /// The URL is new, or is visited again.
    Queued,
    Known,
    /// The URL is new, and the queue of its site is full.
    QueueFull,
}

/// The links that were queued.
#[derive(Default)]
struct NewLinks {
    count: u64,
    /// Whether one of them may be an article.
    lead_on: bool,
}

impl Pipeline {
    /// Adds the links of a page or list to the frontier. A page that is no article becomes a section if it looks like
    /// one and leads to new URLs. Returns the change with the links, and the summary for the end of the visit.
    pub(crate) fn record_links(
        &mut self,
        visit: &mut Visit,
        processed: &mut ProcessedResponse,
    ) -> Result<(Change, ReadSummary), CrawlError> {
        let ProcessedResponse { content, links, bytes, .. } = processed;
        self.clean_links(links);
        let digest = digest_of(links.found.iter().map(|(found, _)| found));
        let (mut change, new) = self.discover(visit, links)?;
        let list_change = list_change(visit, links, new.count, digest);
        if links.refused.contains_key(QUEUE_FULL) {
            // Without validators, the next response contains the full list.
            (visit.record.etag, visit.record.last_modified) = (None, None);
        }
        if matches!(content, Content::NotArticle(_)) {
            if is_section(visit, new.count) {
                visit.record.role = Role::Section;
            }
            self.recorder.revive_next_page(&mut change, links)?;
        }
        if visit.record.role != Role::Page {
            visit.record.revisits.digest = digest;
        }
        let refused = std::mem::take(&mut links.refused);
        Ok((change, ReadSummary { bytes: *bytes, refused, list_change, leads_on: new.lead_on }))
    }

    /// Adds new URLs to the frontier. Makes a known URL ready if the list announces that the URL has changed.
    /// A long list is committed in several changes. If a crash interrupts the commits, the next visit finds
    /// the remaining URLs again.
    fn discover(&mut self, visit: &Visit, links: &mut FoundLinks) -> Result<(Change, NewLinks), CrawlError> {
        let is_list = matches!(visit.record.role, Role::Feed | Role::Sitemap);
        // The entries of a feed or sitemap have depth 1. The depth of nested sitemaps grows, so that a chain
        // of them ends.
        let deeper = visit.record.depth + 1;
        let depth = |role| if is_list && role != Role::Sitemap { 1 } else { deeper };
        let FoundLinks { found, refused, .. } = links;
        let (mut change, mut new) = (self.recorder.writer.begin(), NewLinks::default());
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
                            new.count += 1;
                            new.lead_on |= self.frontier.traps.entered(&visit.url, found, *rank);
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
        Ok((change, new))
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
}
