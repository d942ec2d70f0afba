//! Events in, outcomes out: what became of each URL, written in one change.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gleaner_fetch::{Access, FetchError, Response, RobotsRecord};
use gleaner_frontier::{CanonicalUrl, Found, Outcome, Role, UrlKey};
use gleaner_store::{Change, HostId, Placement, UrlRecord};
use tracing::{debug, error, info, warn};
use url::Url;

use crate::hosts::Host;
use crate::job::{Event, Lesson, Visit};
use crate::learning::{Gathered, Learned};
use crate::owner::{Owner, later};
use crate::pipeline::CrawlError;
use crate::reading::{Content, Draft, Reading, document_key, rank};
use crate::schedule::GroupName;

impl Owner {
    /// Applies one event. Its group may be asked again afterwards.
    pub(crate) fn apply(&mut self, event: Event) -> Result<(), CrawlError> {
        self.in_flight -= 1;
        let group = match event {
            Event::Robots(host, group, origin, record) => {
                self.robots_came(host, &origin, &record)?;
                group
            }
            Event::Answered(visit, response) => self.answered(*visit, *response)?,
            Event::Failed(visit, error) => self.failed(*visit, &error)?,
            Event::Read(visit, reading) => self.read(*visit, *reading)?,
            Event::Learned(lesson, learned) => self.learned(lesson, *learned)?,
            Event::Broken(visit, what) => {
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
        let usual = origin.join("/sitemap.xml").ok().and_then(|url| CanonicalUrl::parse(url.as_str()).ok());
        usual.into_iter().filter(in_scope).collect()
    }

    fn answered(&mut self, visit: Visit, response: Response) -> Result<GroupName, CrawlError> {
        self.progress.pages.fetch_add(1, Ordering::Relaxed);
        match response.status {
            304 => self.finish(visit, Outcome::Unchanged),
            301 | 302 | 303 | 307 | 308 => self.redirected(visit, response.location),
            404 | 410 => self.finish(visit, Outcome::Gone { status: response.status }),
            429 | 503 => self.pushed_back(visit, &response),
            408 | 425 | 500.. => {
                self.again_or_failed(visit, format!("http_{}", response.status), Duration::ZERO)
            }
            400..=499 => self.finish(visit, Outcome::Rejected { status: response.status }),
            status => self.finish(visit, Outcome::Failed { reason: format!("http_{status}") }),
        }
    }

    /// 429 or 503: the whole group is left alone for as long as it asks.
    fn pushed_back(&mut self, visit: Visit, response: &Response) -> Result<GroupName, CrawlError> {
        let hold = response.hold.unwrap_or_default();
        debug!(url = %visit.url, status = response.status, ?hold, "asked to wait");
        let mut change = self.writer.begin();
        let mut host = change.host(visit.url.host(), visit.url.domain())?;
        host.held_until = Some(later(hold));
        change.put_host(&host);
        self.commit(change)?;
        self.flush()?;
        self.again_or_failed(visit, format!("http_{}", response.status), hold)
    }

    fn failed(&mut self, visit: Visit, error: &FetchError) -> Result<GroupName, CrawlError> {
        match error {
            FetchError::TooLarge { limit } => self.finish(visit, Outcome::TooLarge { limit: *limit }),
            FetchError::WrongType { content_type } => {
                self.finish(visit, Outcome::WrongType { content_type: content_type.clone() })
            }
            FetchError::PrivateAddress { .. } => self.finish(visit, Outcome::PrivateAddress),
            other if other.is_transient() => {
                self.again_or_failed(visit, other.label().into(), Duration::ZERO)
            }
            other => self.finish(visit, Outcome::Failed { reason: other.label().into() }),
        }
    }

    /// Another try after a pause that doubles, or the end of the tries.
    fn again_or_failed(
        &mut self,
        mut visit: Visit,
        reason: String,
        hold: Duration,
    ) -> Result<GroupName, CrawlError> {
        let tries = visit.record.tries;
        if tries >= self.config.fetch.retries {
            return self.finish(visit, Outcome::Failed { reason });
        }
        let pause = self.config.fetch.retry_backoff.get().saturating_mul(1 << tries.min(20)).max(hold);
        debug!(url = %visit.url, reason, ?pause, "will be tried again");
        visit.record.tries += 1;
        let mut change = self.writer.begin();
        change.retry(visit.key, visit.record, later(pause))?;
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
        let mut change = self.writer.begin();
        let lists = matches!(visit.record.role, Role::Feed | Role::Sitemap);
        let depth = if lists { 1 } else { visit.record.depth + 1 };
        self.discover(&mut change, &visit, depth, &mut reading)?;
        if visit.record.role != Role::Page {
            visit.record.etag = reading.etag.take();
            visit.record.last_modified = reading.last_modified.take();
        }
        let bytes = reading.bytes;
        let refused = Some(&reading.refused);
        let outcome = match reading.content {
            Content::List => Outcome::Listing,
            Content::NotArticle(_) if visit.record.role != Role::Page => Outcome::Listing,
            Content::NotArticle(reason) => Outcome::NotArticle { reason: reason.into() },
            Content::Unreadable(reason) => Outcome::Unreadable { reason },
            Content::Article(draft) => place(&mut change, visit.key, &visit.record, &draft)?,
            Content::Raw(page) => {
                self.writer.keep_page(visit.key, &page)?;
                return self.gather(change, visit, bytes, refused);
            }
        };
        self.finish_with(change, visit, outcome, bytes, refused)
    }

    fn discover(
        &self,
        change: &mut Change,
        visit: &Visit,
        depth: u32,
        reading: &mut Reading,
    ) -> Result<(), CrawlError> {
        if depth > self.config.crawl.max_depth {
            *reading.refused.entry("too_deep").or_default() += reading.found.len() as u64;
            return Ok(());
        }
        for (found, rank) in &reading.found {
            if found.url.key() != visit.key {
                change.discover(found, depth, 0, *rank)?;
            }
        }
        Ok(())
    }

    /// Keeps an article for learning; its outcome follows when its host is learned.
    fn gather(
        &mut self,
        mut change: Change,
        visit: Visit,
        bytes: u64,
        refused: Option<&std::collections::BTreeMap<&'static str, u64>>,
    ) -> Result<GroupName, CrawlError> {
        let host = visit.record.host;
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

    fn finish_with(
        &mut self,
        mut change: Change,
        visit: Visit,
        outcome: Outcome,
        bytes: u64,
        refused: Option<&std::collections::BTreeMap<&'static str, u64>>,
    ) -> Result<GroupName, CrawlError> {
        debug!(url = %visit.url, outcome = %outcome, "ended");
        self.count(&mut change, visit.url.host(), Some(&outcome), bytes, refused)?;
        let again = self.again(visit.record.role, &outcome);
        change.end(visit.key, visit.record, outcome, again)?;
        self.commit(change)?;
        Ok(visit.group)
    }

    fn count(
        &self,
        change: &mut Change,
        host: &str,
        outcome: Option<&Outcome>,
        bytes: u64,
        refused: Option<&std::collections::BTreeMap<&'static str, u64>>,
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

    fn show(&self, outcome: &Outcome) {
        let counter = match outcome {
            Outcome::Stored => &self.progress.stored,
            Outcome::Duplicate { .. } => &self.progress.duplicates,
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
            | Outcome::PrivateAddress => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// A host's gathered pages were worked through: template, documents and
    /// outcomes are one change.
    fn learned(&mut self, lesson: Lesson, learned: Learned) -> Result<GroupName, CrawlError> {
        let mut change = self.writer.begin();
        let settled = learned.template.is_some();
        let pages = learned.pages.len();
        for page in learned.pages {
            self.settle(&mut change, &lesson, page, settled)?;
        }
        let template = learned.template.map(Arc::new);
        if let Some(template) = &template {
            change.put_template(&lesson.name, template.version, &template.to_json());
            if let Some(mut host) = self.store.host(&lesson.name)? {
                host = change.host(&host.name, &host.domain)?;
                host.template = template.version;
                change.put_host(&host);
            }
        }
        self.commit(change)?;
        if let Some(host) = self.hosts.get_mut(lesson.host) {
            if let Some(template) = template {
                info!(host = lesson.name, version = template.version, pages, "learned a template");
                host.template = Some(template);
                host.gathered = 0;
                self.progress.gathered.fetch_sub(pages as u64, Ordering::Relaxed);
            } else {
                warn!(
                    host = lesson.name,
                    pages, "too few articles for a template; extracted one by one for now"
                );
            }
        }
        Ok(lesson.group)
    }

    /// The outcome of one gathered page. `settled`: by a template, so that its raw
    /// page is no longer needed.
    fn settle(
        &self,
        change: &mut Change,
        lesson: &Lesson,
        page: Gathered,
        settled: bool,
    ) -> Result<(), CrawlError> {
        let Gathered { key, record, draft } = page;
        let outcome = match &draft {
            Some(draft) => place(change, key, &record, draft)?,
            None => {
                if record.last == Some(Outcome::Stored) {
                    change.withdraw(gleaner_corpus::DocumentId(*key.as_bytes()))?;
                }
                Outcome::NotArticle { reason: "no_text".into() }
            }
        };
        if record.last.is_none() {
            self.count(change, &lesson.name, Some(&outcome), 0, None)?;
        }
        if settled {
            change.end(key, record, outcome, None)?;
        } else {
            change.note(key, &record, outcome);
        }
        Ok(())
    }
}

fn place(change: &mut Change, key: UrlKey, record: &UrlRecord, draft: &Draft) -> Result<Outcome, CrawlError> {
    debug_assert_eq!(document_key(&draft.document), key, "a document is named by its URL");
    Ok(match change.place(key, &draft.document, record.last.as_ref())? {
        Placement::Stored => Outcome::Stored,
        Placement::Duplicate { of } => Outcome::Duplicate { of },
    })
}
