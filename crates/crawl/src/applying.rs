//! Events in, outcomes out: what became of each URL, written in one change.

use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_fetch::{Access, FetchError, Response, RobotsRecord};
use gleaner_frontier::{CanonicalUrl, Found, Outcome, Role};
use gleaner_store::{Change, HostId, HostRecord, UrlRecord};
use tracing::{debug, error};
use url::Url;

use crate::hosts::Host;
use crate::job::{Event, Visit};
use crate::owner::Owner;
use crate::pipeline::CrawlError;
use crate::reading::{Content, Reading, Refused, rank};
use crate::schedule::GroupName;

/// A URL may be answered with 429 or 503 this many times as often as it may fail.
const PUSHED_BACK: u32 = 4;
/// URLs of one list that are committed together.
const PART: usize = 2_000;
/// Longest `ETag` and `Last-Modified` that are kept.
const LONGEST_VALIDATOR: usize = 512;

impl Owner {
    /// Applies one event. Its group may be asked again afterwards.
    pub(crate) fn apply(&mut self, event: Event) -> Result<(), CrawlError> {
        self.in_flight -= 1;
        let group = match event {
            Event::Robots(host, group, origin, record, kept) => {
                for kept in kept {
                    self.keep(Some(kept), None)?;
                }
                self.robots_came(host, &origin, &record)?;
                group
            }
            Event::Answered(visit, response, kept) => {
                self.keep(kept, None)?;
                self.answered(*visit, *response)?
            }
            Event::Failed(visit, error) => self.failed(*visit, &error)?,
            Event::Read(mut visit, reading, kept) => {
                self.keep(kept, Some(&mut visit.record))?;
                self.read(*visit, *reading)?
            }
            Event::Learned(lesson, learned) => self.learned(lesson, *learned)?,
            Event::Broken(mut visit, what, kept) => {
                self.keep(kept, Some(&mut visit.record))?;
                error!(url = %visit.url, what, "gleaner failed on this page; please report it");
                self.finish(*visit, Outcome::Unreadable { reason: "an error in gleaner".into() })?
            }
            Event::LessonFailed(lesson, what) => {
                error!(
                    host = lesson.name,
                    what, "gleaner failed on this host's gathered pages; they are kept"
                );
                if let Some(host) = self.hosts.get_mut(lesson.host) {
                    host.unteachable = true;
                }
                lesson.group
            }
        };
        let at = Instant::now() + self.fetching.fetcher.gates().ready_in(&group);
        self.schedule.release(&group, at);
        Ok(())
    }

    /// Keeps what robots.txt says before any page is asked for: a `Crawl-delay`
    /// must be known after a crash too.
    fn robots_came(&mut self, id: HostId, origin: &Url, record: &RobotsRecord) -> Result<(), CrawlError> {
        self.heed(id, record);
        let Some(host) = self.hosts.get(id) else { return Ok(()) };
        let mut change = self.writer.begin();
        change.put_robots(&host.name, record);
        let wait = self.fetching.fetcher.gates().ready_in(&host.group);
        if wait > self.hosts.gap(&host.group)
            && let Some(known) = self.store.host(&host.name)?
        {
            change.put_host(&HostRecord { held_until: Some(self.clock.after(wait)), ..known });
        }
        for url in self.sitemaps(host, origin) {
            let found = Found { url, role: Role::Sitemap, dated: None, news: false };
            change.discover(&found, 0, 0, rank::LISTING)?;
        }
        self.commit(change)?;
        self.flush()
    }

    /// The sitemaps that robots.txt names; for a seed's host without any, the usual
    /// place.
    fn sitemaps(&self, host: &Host, origin: &Url) -> Vec<CanonicalUrl> {
        let Some(access) = &host.access else { return Vec::new() };
        let in_scope = |url: &CanonicalUrl| self.scope.contains(url);
        let named: Vec<CanonicalUrl> = access
            .sitemaps()
            .iter()
            .filter_map(|text| CanonicalUrl::parse(text).ok())
            .filter(in_scope)
            .collect();
        let nowhere = matches!(access, Access::AllDisallowed { .. });
        if !named.is_empty() || nowhere || !host.seed {
            return named;
        }
        parsed_at(origin, "/sitemap.xml").into_iter().filter(in_scope).collect()
    }

    fn answered(&mut self, visit: Visit, response: Response) -> Result<GroupName, CrawlError> {
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        match response.status {
            304 => self.finish(visit, Outcome::Unchanged),
            301 | 302 | 303 | 307 | 308 => self.redirected(visit, response.location),
            404 | 410 => self.finish(visit, Outcome::Gone { status: response.status }),
            429 | 503 => self.pushed_back(visit, &response),
            408 | 425 | 500.. => self.again_or_failed(visit, format!("http_{}", response.status)),
            400..=499 => self.finish(visit, Outcome::Rejected { status: response.status }),
            status => self.finish(visit, Outcome::Failed { reason: format!("http_{status}") }),
        }
    }

    /// 429 or 503: the whole group is left alone for as long as it asks. The URL keeps
    /// its place in the queue, so that a busy hour does not cost an article.
    fn pushed_back(&mut self, visit: Visit, response: &Response) -> Result<GroupName, CrawlError> {
        let hold = response.hold.unwrap_or_default();
        debug!(url = %visit.url, status = response.status, ?hold, "asked to wait");
        self.progress.live.waits(visit.url.host(), &format!("http_{}", response.status));
        let mut change = self.writer.begin();
        let mut host = change.host(visit.url.host(), visit.url.domain())?;
        host.held_until = Some(self.clock.after(hold));
        change.put_host(&host);
        let tries = visit.record.tries;
        if tries >= self.config.fetch.retries.saturating_mul(PUSHED_BACK) {
            self.commit(change)?;
            return self.finish(visit, Outcome::Failed { reason: format!("http_{}", response.status) });
        }
        change.keep_ready(visit.key, &UrlRecord { tries: tries + 1, ..visit.record });
        self.commit(change)?;
        self.flush()?;
        Ok(visit.group)
    }

    fn failed(&mut self, visit: Visit, error: &FetchError) -> Result<GroupName, CrawlError> {
        match error {
            FetchError::TooLarge { limit } => self.finish(visit, Outcome::TooLarge { limit: *limit }),
            // A feed that a page links to like any other page: asked again as what it is.
            FetchError::WrongType { content_type } if is_feed(content_type) => {
                let mut change = self.writer.begin();
                change.keep_ready(visit.key, &UrlRecord { role: Role::Feed, ..visit.record });
                self.commit(change)?;
                Ok(visit.group)
            }
            FetchError::WrongType { content_type } => {
                self.finish(visit, Outcome::WrongType { content_type: content_type.clone() })
            }
            FetchError::PrivateAddress { .. } => self.finish(visit, Outcome::PrivateAddress),
            // The host, or our own way to the network: other URLs would fail as well.
            FetchError::Dns(_) | FetchError::Connect(_) | FetchError::BadProxy(_) => {
                self.fetching.fetcher.gates().back_off(&visit.group, None);
                self.again_or_failed(visit, error.label().into())
            }
            other if other.is_transient() => self.again_or_failed(visit, other.label().into()),
            other => self.finish(visit, Outcome::Failed { reason: other.label().into() }),
        }
    }

    /// Another try after a pause that doubles, or the end of the tries.
    fn again_or_failed(&mut self, mut visit: Visit, reason: String) -> Result<GroupName, CrawlError> {
        let tries = visit.record.tries;
        if tries >= self.config.fetch.retries {
            return self.finish(visit, Outcome::Failed { reason });
        }
        let pause = self.config.fetch.retry_backoff.get().saturating_mul(1 << tries.min(20));
        debug!(url = %visit.url, reason, ?pause, "will be tried again");
        self.progress.live.waits(visit.url.host(), &reason);
        visit.record.tries += 1;
        let mut change = self.writer.begin();
        change.retry(visit.key, visit.record, self.clock.after(pause))?;
        self.commit(change)?;
        Ok(visit.group)
    }

    /// A hop of a redirect is a URL of its own, judged like any other.
    fn redirected(&mut self, visit: Visit, location: Option<Url>) -> Result<GroupName, CrawlError> {
        let Some(location) = location else {
            return self.finish(visit, Outcome::Failed { reason: "redirect_without_location".into() });
        };
        let refuse =
            |reason: &str| Outcome::RedirectRefused { to: location.to_string(), reason: reason.into() };
        let target = match CanonicalUrl::parse(location.as_str()) {
            Ok(target) => target,
            Err(refusal) => return self.finish(visit, refuse(refusal.label())),
        };
        if visit.record.hops >= self.config.fetch.max_redirects {
            return self.finish(visit, refuse("too_many_redirects"));
        }
        if !self.scope.contains(&target) {
            return self.finish(visit, refuse("out_of_scope"));
        }
        if target.key() == visit.key {
            if target.as_str() == visit.record.url {
                return self.finish(visit, refuse("redirect_to_itself"));
            }
            let mut change = self.writer.begin();
            change.rename(visit.key, visit.record, &target)?;
            self.commit(change)?;
            return Ok(visit.group);
        }
        let mut change = self.writer.begin();
        let found = Found { url: target, role: visit.record.role, dated: visit.record.dated, news: false };
        change.discover(&found, visit.record.depth, visit.record.hops + 1, rank::LISTING)?;
        let outcome = Outcome::Redirected { to: found.url.as_str().into() };
        self.finish_with(change, visit, outcome, 0, None)
    }

    fn read(&mut self, mut visit: Visit, mut reading: Reading) -> Result<GroupName, CrawlError> {
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        let change = self.writer.begin();
        let lists = matches!(visit.record.role, Role::Feed | Role::Sitemap);
        // What a list names begins anew, but lists of lists must end as well.
        let deeper = visit.record.depth + 1;
        let depth = |role| if lists && role != Role::Sitemap { 1 } else { deeper };
        let change = self.discover(change, &visit, &depth, &mut reading)?;
        if visit.record.role != Role::Page {
            let kept = |value: Option<String>| value.filter(|value| value.len() <= LONGEST_VALIDATOR);
            visit.record.etag = kept(reading.etag.take());
            visit.record.last_modified = kept(reading.last_modified.take());
        }
        let bytes = reading.bytes;
        let refused = Some(&reading.refused);
        let outcome = match reading.content {
            Content::List => Outcome::Listing,
            Content::NotArticle(_) if visit.record.role != Role::Page => Outcome::Listing,
            Content::NotArticle(reason) => Outcome::NotArticle { reason: reason.into() },
            Content::Unreadable(reason) => Outcome::Unreadable { reason },
            Content::Article(watched) => return self.watch(change, visit, *watched, bytes, refused),
            Content::Raw(page) => {
                self.writer.keep_page(visit.key, page)?;
                return self.gather(change, visit, bytes, refused);
            }
        };
        self.finish_with(change, visit, outcome, bytes, refused)
    }

    /// Takes in what was found. A long list is committed in parts: what a crash then
    /// leaves undone is found again.
    fn discover(
        &mut self,
        mut change: Change,
        visit: &Visit,
        depth: &impl Fn(Role) -> u32,
        reading: &mut Reading,
    ) -> Result<Change, CrawlError> {
        for (number, (found, rank)) in std::mem::take(&mut reading.found).iter().enumerate() {
            let key = found.url.key();
            if depth(found.role) > self.config.crawl.max_depth {
                *reading.refused.entry("too_deep").or_default() += 1;
            } else if key != visit.key && !self.known.contains(key) {
                change.discover(found, depth(found.role), 0, *rank)?;
                self.known.insert(key);
            }
            if number % PART == PART - 1 {
                self.commit(change)?;
                change = self.writer.begin();
            }
        }
        Ok(change)
    }

    /// Keeps an article for learning; its outcome follows when its host is learned.
    fn gather(
        &mut self,
        mut change: Change,
        visit: Visit,
        bytes: u64,
        refused: Option<&Refused>,
    ) -> Result<GroupName, CrawlError> {
        let host = visit.record.host;
        self.time(&mut change, &visit)?;
        self.progress.live.ended(visit.url.host(), None);
        let gathered = change.gather(visit.key, visit.record)?;
        self.count(&mut change, visit.url.host(), None, bytes, refused)?;
        self.commit(change)?;
        self.progress.gathered.fetch_add(1, Ordering::Relaxed);
        if let Some(host) = self.hosts.get_mut(host) {
            host.gathered = gathered as usize;
        }
        Ok(visit.group)
    }

    /// Ends a visit that gave nothing but its outcome.
    fn finish(&mut self, visit: Visit, outcome: Outcome) -> Result<GroupName, CrawlError> {
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

    /// Ends a visit in a change that goes on.
    pub(crate) fn end(
        &self,
        change: &mut Change,
        visit: &Visit,
        outcome: Outcome,
        bytes: u64,
        refused: Option<&Refused>,
    ) -> Result<(), CrawlError> {
        debug!(url = %visit.url, outcome = %outcome, "ended");
        self.progress.live.ended(visit.url.host(), Some(&outcome));
        self.count(change, visit.url.host(), Some(&outcome), bytes, refused)?;
        self.time(change, visit)?;
        self.end_uncounted(change, visit, outcome)
    }

    /// The same for what is no visit of a run.
    pub(crate) fn end_uncounted(
        &self,
        change: &mut Change,
        visit: &Visit,
        outcome: Outcome,
    ) -> Result<(), CrawlError> {
        let again = self.again(visit.record.role, &outcome);
        let twin_of = change.url(visit.key)?.and_then(|record| record.twin_of);
        change.end(visit.key, UrlRecord { twin_of, ..visit.record.clone() }, outcome, again)?;
        Ok(())
    }

    /// Counts the time that a visit took.
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
        let counter = match outcome {
            Outcome::Stored => &self.progress.stored,
            Outcome::Duplicate { .. } => &self.progress.duplicates,
            Outcome::NearDuplicate { .. } => &self.progress.near_duplicates,
            Outcome::Failed { .. } | Outcome::Unreadable { .. } | Outcome::TooLarge { .. } => {
                &self.progress.failures
            }
            Outcome::NotArticle { .. }
            | Outcome::Listing
            | Outcome::Unchanged
            | Outcome::Redirected { .. }
            | Outcome::RedirectRefused { .. }
            | Outcome::Disallowed { .. }
            | Outcome::Gone { .. }
            | Outcome::Rejected { .. }
            | Outcome::WrongType { .. }
            | Outcome::PrivateAddress
            | Outcome::OtherLanguage { .. }
            | Outcome::Filtered { .. }
            | Outcome::Revised => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// Media types of feeds.
fn is_feed(content_type: &str) -> bool {
    ["rss+xml", "atom+xml", "rdf+xml", "feed+json"].iter().any(|feed| content_type.contains(feed))
}

/// A URL as robots.txt of `origin` writes it, whole or relative.
fn parsed_at(origin: &Url, text: &str) -> Option<CanonicalUrl> {
    CanonicalUrl::parse(origin.join(text).ok()?.as_str()).ok()
}
