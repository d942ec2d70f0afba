//! Applies events: decides the outcome of each URL and writes it in one change.

use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_fetch::{Access, RobotsAnswer, RobotsRecord};
use gleaner_frontier::{CanonicalUrl, Class, Found, Outcome, Role, UrlKey, digest_of};
use gleaner_store::{Change, HostId, HostRecord, Turn, UrlRecord};
use tracing::{debug, error};
use url::Url;

use crate::archive::Kept;
use crate::error::CrawlError;
use crate::extraction::{Content, Reading, Refused, rank};
use crate::hosts::Host;
use crate::job::{Event, Visit};
use crate::owner::Owner;
use crate::quota::QUEUE_FULL;
use crate::redirected_robots::waits_for;
use crate::revisit::{is_article, is_section, sight};
use crate::schedule::GroupName;

/// URLs of one list per commit.
const PART: usize = 2_000;
/// Longest `ETag` and `Last-Modified` that are stored, in bytes.
const LONGEST_VALIDATOR: usize = 512;

impl Owner {
    pub(crate) fn apply(&mut self, event: Event) -> Result<(), CrawlError> {
        self.in_flight -= 1;
        let group = match event {
            Event::Wanted(url, answer, kept) => return self.wanted_came(&url, *answer, kept),
            Event::Robots(host, group, origin, answer, kept) => {
                for kept in kept {
                    self.keep(Some(kept), None)?;
                }
                self.robots_answered(host, &origin, *answer)?;
                group
            }
            Event::Answered(visit, response, kept) => {
                self.keep(kept, None)?;
                match self.answered(*visit, *response)? {
                    Some(group) => group,
                    None => return self.goes_on(),
                }
            }
            Event::Arrived(visit, response, fetched) => match self.arrived(*visit, response, fetched)? {
                Some(group) => group,
                None => return self.goes_on(),
            },
            Event::Failed(visit, error) => self.failed(*visit, &error)?,
            // With an unchanged body, only a new template could change the extraction.
            Event::Read(visit, reading, kept) if is_as_it_was(&visit, kept.as_ref()) => {
                self.keep(kept, None)?;
                self.progress.pages.fetch_add(1, Ordering::Relaxed);
                let change = self.writer.begin();
                self.finish_with(change, *visit, Outcome::Unchanged, reading.bytes, None)?
            }
            Event::Read(mut visit, reading, kept) => {
                if let Some(host) = self.hosts.get(visit.record.host) {
                    self.quota.add_bytes(&host.site, reading.bytes);
                }
                self.keep(kept, Some(&mut visit.record))?;
                self.read(*visit, *reading)?
            }
            Event::Learned(job, learned) => self.learned(job, *learned)?,
            Event::Broken(mut visit, what, kept) => {
                self.keep(kept, Some(&mut visit.record))?;
                error!(url = %visit.url, what, "gleaner failed on this page; please report it");
                self.finish(*visit, Outcome::Unreadable { reason: "an error in gleaner".into() })?
            }
            Event::TrainingFailed(job, what) => {
                error!(host = job.name, what, "gleaner failed on this host's buffered pages; they are kept");
                if let Some(host) = self.hosts.get_mut(job.host) {
                    host.unteachable = true;
                }
                job.group
            }
        };
        let wait = self.politeness.gates.ready_in(&group);
        self.progress.waits(wait);
        let at = Instant::now() + wait;
        self.schedule.release(&group, at);
        Ok(())
    }

    fn goes_on(&mut self) -> Result<(), CrawlError> {
        self.in_flight += 1;
        Ok(())
    }

    /// Applies the response to a robots.txt request. A host whose robots.txt redirects to another partition
    /// has no rules until that is answered.
    fn robots_answered(&mut self, id: HostId, origin: &Url, answer: RobotsAnswer) -> Result<(), CrawlError> {
        match answer {
            RobotsAnswer::Record(record) => self.robots_came(id, origin, &record),
            RobotsAnswer::Elsewhere { url, hops } => {
                let Some(host) = self.hosts.get(id) else { return Ok(()) };
                let previous = self.store.robots::<RobotsRecord>(&host.name)?;
                let waits = RobotsRecord::failed(waits_for(&url), previous.as_ref(), self.clock.now());
                self.robots_came(id, origin, &waits)?;
                self.want(origin, &url, u32::try_from(hops).unwrap_or(u32::MAX)).map(drop)
            }
            // The lease ended: the partition's next owner requests it.
            RobotsAnswer::NotPermitted => Ok(()),
        }
    }

    /// Stores a host's robots.txt before any page is requested: a `Crawl-delay` must survive a crash.
    pub(crate) fn robots_came(
        &mut self,
        id: HostId,
        origin: &Url,
        record: &RobotsRecord,
    ) -> Result<(), CrawlError> {
        self.apply_robots(id, record);
        let Some(host) = self.hosts.get(id) else { return Ok(()) };
        let mut change = self.writer.begin();
        change.put_robots(&host.name, record);
        let held = self.politeness.holds.remaining(&host.name);
        if !held.is_zero()
            && let Some(known) = self.store.host(&host.name)?
        {
            change.put_host(&HostRecord { held_until: Some(self.clock.after(held)), ..known });
        }
        for url in self.sitemaps(host, origin) {
            let found = Found { url, role: Role::Sitemap, dated: None, news: false };
            change.discover_at(id, &found, 0, 0, self.turn_of(&found, rank::LISTING))?;
        }
        self.commit(change)?;
        self.flush_rules()
    }

    /// The sitemaps named in robots.txt; for a seed's host without any, `/sitemap.xml`.
    fn sitemaps(&self, host: &Host, origin: &Url) -> Vec<CanonicalUrl> {
        let Some(access) = &host.access else { return Vec::new() };
        let in_scope = |url: &CanonicalUrl| self.scope.contains(url);
        let named: Vec<CanonicalUrl> = CanonicalUrl::parse(origin.as_str())
            .map(|origin| {
                access.sitemaps().iter().filter_map(|text| origin.join_location(text).ok()).collect()
            })
            .unwrap_or_default();
        let named: Vec<CanonicalUrl> = named.into_iter().filter(in_scope).collect();
        let nowhere = matches!(access, Access::AllDisallowed { .. });
        if !named.is_empty() || nowhere || !host.seed {
            return named;
        }
        parsed_at(origin, "/sitemap.xml").into_iter().filter(in_scope).collect()
    }

    fn read(&mut self, mut visit: Visit, mut reading: Reading) -> Result<GroupName, CrawlError> {
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        let change = self.writer.begin();
        let lists = matches!(visit.record.role, Role::Feed | Role::Sitemap);
        // Entries of a list start at depth 1; lists in lists go deeper, so that they end.
        let deeper = visit.record.depth + 1;
        let depth = |role| if lists && role != Role::Sitemap { 1 } else { deeper };
        let digest = digest_of(reading.found.iter().map(|(found, _)| found));
        let (mut change, news) = self.discover(change, &visit, &depth, &mut reading)?;
        visit.sight = sight(&visit, &reading, news, digest);
        if reading.refused.contains_key(QUEUE_FULL) {
            // Without validators, the next response has the full list.
            (reading.etag, reading.last_modified) = (None, None);
        }
        if visit.record.role != Role::Page {
            visit.record.rhythm.digest = digest;
        }
        if matches!(reading.content, Content::NotArticle(_)) {
            self.read_on(&mut change, &reading)?;
        }
        let kept = |value: Option<String>| value.filter(|value| value.len() <= LONGEST_VALIDATOR);
        visit.record.etag = kept(reading.etag.take());
        visit.record.last_modified = kept(reading.last_modified.take());
        if visit.record.role == Role::Page && visit.record.etag.is_some() {
            // One validator suffices, and there are many pages.
            visit.record.last_modified = None;
        }
        let bytes = reading.bytes;
        let refused = Some(&reading.refused);
        let outcome = match reading.content {
            Content::List => Outcome::Listing,
            Content::NotArticle(_) if is_section(&visit, news) => {
                visit.record.role = Role::Section;
                visit.record.rhythm.digest = digest;
                Outcome::Listing
            }
            Content::NotArticle(_) if visit.record.role != Role::Page => Outcome::Listing,
            Content::NotArticle(reason) => Outcome::NotArticle { reason: reason.into() },
            Content::Unreadable(reason) => Outcome::Unreadable { reason },
            Content::Article(watched) => return self.watch(change, visit, *watched, bytes, refused),
            Content::Raw(page) => {
                self.writer.keep_page(visit.key, page)?;
                return self.buffer(change, visit, bytes, refused);
            }
        };
        self.finish_with(change, visit, outcome, bytes, refused)
    }

    /// Adds new URLs and revives known ones with an announced change; returns the number of both. A long list
    /// is committed in steps: after a crash, the rest is found again.
    fn discover(
        &mut self,
        mut change: Change,
        visit: &Visit,
        depth: &impl Fn(Role) -> u32,
        reading: &mut Reading,
    ) -> Result<(Change, u64), CrawlError> {
        let Reading { found, refused, .. } = reading;
        let mut news = 0;
        for (number, (found, rank)) in found.iter().enumerate() {
            let key = found.url.key();
            if depth(found.role) > self.config.crawl.max_depth {
                *refused.entry("too_deep").or_default() += 1;
            } else if key != visit.key {
                let turn = self.turn_of(found, *rank);
                let is_known = self.known.contains(key);
                if !is_known && !self.quota.has_room(found.url.domain(), *rank) && change.url(key)?.is_none()
                {
                    *refused.entry(QUEUE_FULL).or_default() += 1;
                    continue;
                }
                let is_new =
                    !is_known && change.discover_at(visit.record.host, found, depth(found.role), 0, turn)?;
                self.known.insert(key);
                news += u64::from(is_new || self.call_back(&mut change, found)?);
            }
            if number % PART == PART - 1 {
                self.commit(change)?;
                change = self.writer.begin();
            }
        }
        Ok((change, news))
    }

    /// The turn of a URL that was found. A URL without a date counts as new as the run's start, so that an
    /// interrupted run keeps its order.
    pub(crate) fn turn_of(&self, found: &Found, rank: u8) -> Turn {
        let found_at = (rank != rank::ARCHIVE).then_some(self.run.started);
        let dated = found.dated.map(|dated| dated.min(self.run.started));
        Turn { rank, fresh: dated.or(found_at) }
    }

    fn buffer(
        &mut self,
        mut change: Change,
        visit: Visit,
        bytes: u64,
        refused: Option<&Refused>,
    ) -> Result<GroupName, CrawlError> {
        let host = visit.record.host;
        self.time(&mut change, &visit)?;
        visit.span.record("outcome", "buffered");
        self.progress.live.ended(visit.url.host(), None);
        let rhythm = visit.record.rhythm.at(visit.at);
        let buffered = change.buffer(visit.key, UrlRecord { rhythm, ..visit.record })?;
        self.count(&mut change, visit.url.host(), None, bytes, refused)?;
        self.commit(change)?;
        self.progress.buffered.fetch_add(1, Ordering::Relaxed);
        if let Some(host) = self.hosts.get_mut(host) {
            host.buffered = buffered as usize;
        }
        Ok(visit.group)
    }

    pub(crate) fn finish(&mut self, visit: Visit, outcome: Outcome) -> Result<GroupName, CrawlError> {
        let change = self.writer.begin();
        self.finish_with(change, visit, outcome, 0, None)
    }

    pub(crate) fn finish_with(
        &mut self,
        mut change: Change,
        visit: Visit,
        outcome: Outcome,
        bytes: u64,
        refused: Option<&Refused>,
    ) -> Result<GroupName, CrawlError> {
        self.end(&mut change, &visit, outcome, bytes, refused)?;
        self.commit(change)?;
        Ok(visit.group)
    }

    /// Ends a visit within a larger change.
    pub(crate) fn end(
        &self,
        change: &mut Change,
        visit: &Visit,
        outcome: Outcome,
        bytes: u64,
        refused: Option<&Refused>,
    ) -> Result<(), CrawlError> {
        debug!(url = %visit.url, outcome = %outcome, "visit ended");
        visit.span.record("outcome", outcome.reason());
        self.progress.live.ended(visit.url.host(), Some(&outcome));
        self.count(change, visit.url.host(), Some(&outcome), bytes, refused)?;
        self.time(change, visit)?;
        self.count_call(change, visit, &outcome)?;
        if is_article(&outcome) {
            change.mark_there(visit.key)?;
        }
        let rhythm = self.rhythm_after(visit, &outcome);
        self.end_uncounted(change, visit.key, UrlRecord { rhythm, ..visit.record.clone() }, outcome)
    }

    /// The same outside a run's visits: counts nothing.
    pub(crate) fn end_uncounted(
        &self,
        change: &mut Change,
        key: UrlKey,
        record: UrlRecord,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        let again = self.again(&record, &outcome);
        let twin_of = change.url(key)?.and_then(|record| record.twin_of);
        change.end(key, UrlRecord { twin_of, ..record }, outcome, again)?;
        Ok(())
    }

    fn time(&self, change: &mut Change, visit: &Visit) -> Result<(), CrawlError> {
        let millis = u64::try_from(visit.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        Ok(change.count(self.run.number, visit.url.host(), |counts| counts.millis += millis)?)
    }

    pub(crate) fn count(
        &self,
        change: &mut Change,
        host: &str,
        outcome: Option<&Outcome>,
        bytes: u64,
        refused: Option<&Refused>,
    ) -> Result<(), CrawlError> {
        if let Some(outcome) = outcome {
            self.show(outcome);
        }
        change.count(self.run.number, host, |counts| {
            counts.bytes += bytes;
            counts.fetched += u64::from(bytes > 0);
            if let Some(outcome) = outcome {
                *counts.outcomes.entry(outcome.reason()).or_default() += 1;
            }
            for (label, count) in refused.into_iter().flatten() {
                *counts.refused.entry((*label).into()).or_default() += count;
            }
        })?;
        Ok(())
    }

    pub(crate) fn show(&self, outcome: &Outcome) {
        self.progress.ended(outcome);
        let counter = match (outcome, outcome.class()) {
            (Outcome::NearDuplicate { .. }, _) => &self.progress.near_duplicates,
            (_, Class::Stored) => &self.progress.stored,
            (_, Class::Duplicate) => &self.progress.duplicates,
            (_, class) if class.is_failure() => &self.progress.failures,
            _ => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Whether an article's body equals the archived one.
fn is_as_it_was(visit: &Visit, kept: Option<&Kept>) -> bool {
    kept.is_some_and(Kept::is_as_before)
        && visit.record.role == Role::Page
        && visit.record.last.as_ref().is_some_and(is_article)
}

fn parsed_at(origin: &Url, text: &str) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(origin.join(text).ok()?.as_str()).ok()
}
