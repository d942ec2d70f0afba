//! The owner: it alone writes the store, and it hands out what may be asked.
//!
//! One thread, one loop: hand out, wait for an event, apply it, flush now and then.
//! Handing out writes nothing, so a crash leaves every URL in flight where it was.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError};
use gleaner_config::Config;
use gleaner_fetch::{Access, RobotsRecord, Verdict};
use gleaner_frontier::{CanonicalUrl, Outcome, Role, Scope, UrlKey};
use gleaner_store::{Change, HostId, HostRecord, Run, Store, StoreError, UrlRecord, Wait, Writer};
use gleaner_template::SiteTemplate;
use jiff::Timestamp;
use tracing::{info, warn};

use crate::Stop;
use crate::fetching::Fetching;
use crate::hosts::{Host, Hosts, group_of};
use crate::job::{Event, Lesson, Task, Visit};
use crate::pipeline::CrawlError;
use crate::progress::Progress;
use crate::schedule::{GroupName, Schedule};

/// Longest time between two looks at the clock, the stop and the waiting list.
const TICK: Duration = Duration::from_millis(200);
/// URLs that one tick makes ready, and that one turn of a host skips, at most.
const BATCH: usize = 1_000;

/// The one who owns the store during a crawl.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) writer: Writer,
    pub(crate) store: Store,
    pub(crate) config: Config,
    pub(crate) scope: Arc<Scope>,
    pub(crate) hosts: Hosts,
    pub(crate) schedule: Schedule,
    pub(crate) fetching: Fetching,
    pub(crate) run: Run,
    pub(crate) stop: Stop,
    pub(crate) progress: Arc<Progress>,
    pub(crate) seed_hosts: Vec<String>,
    /// Visits, robots requests and lessons that have not come back.
    pub(crate) in_flight: usize,
    unflushed: usize,
    flushed: Instant,
    promoted: Instant,
    /// When this process began to crawl.
    began: Timestamp,
}

/// What a host's turn came to.
enum Turn {
    /// It has something in flight now.
    Took,
    /// It has something, but not before then.
    Later(Timestamp),
    /// It has nothing.
    Nothing,
}

impl Owner {
    #[expect(clippy::too_many_arguments, reason = "each is a part of the house, handed in once")]
    pub(crate) fn new(
        writer: Writer,
        config: Config,
        scope: Arc<Scope>,
        seed_hosts: Vec<String>,
        fetching: Fetching,
        run: Run,
        stop: Stop,
        progress: Arc<Progress>,
    ) -> Self {
        let now = Instant::now();
        Self {
            store: writer.store(),
            writer,
            config,
            scope,
            hosts: Hosts::default(),
            schedule: Schedule::default(),
            fetching,
            run,
            stop,
            progress,
            seed_hosts,
            in_flight: 0,
            unflushed: 0,
            flushed: now,
            promoted: now.checked_sub(TICK).unwrap_or(now),
            began: Timestamp::now(),
        }
    }

    /// Loads the hosts that the store knows. Each waits a whole gap before it is
    /// asked: the last process may have asked it a moment before it was killed.
    pub(crate) fn load_hosts(&mut self) -> Result<(), StoreError> {
        let records: Vec<HostRecord> = self.store.hosts().collect::<Result<_, _>>()?;
        for record in &records {
            self.progress.queue.fetch_add(record.queued, std::sync::atomic::Ordering::Relaxed);
            self.progress.gathered.fetch_add(record.gathered.into(), std::sync::atomic::Ordering::Relaxed);
            self.admit(record)?;
        }
        for record in &records {
            let Some(host) = self.hosts.get(record.id) else { continue };
            let group = Arc::clone(&host.group);
            let held = record.held_until.map(span_to).unwrap_or_default();
            self.fetching.fetcher.gates().hold(&group, self.hosts.gap(&group).max(held));
            self.schedule.wake(&group, record.id, Instant::now());
        }
        Ok(())
    }

    /// Takes a host into this run, if it is in scope.
    fn admit(&mut self, record: &HostRecord) -> Result<(), StoreError> {
        if self.hosts.contains(record.id) || !self.scope.domains().any(|domain| domain == record.domain) {
            return Ok(());
        }
        let group = group_of(self.config.fetch.gap_scope, record);
        let template = match self.store.template(&record.name)? {
            Some(json) => match SiteTemplate::from_json(&json) {
                Ok(template) => Some(Arc::new(template)),
                Err(error) => {
                    warn!(host = record.name, %error, "its template cannot be read; it is learned again");
                    None
                }
            },
            None => None,
        };
        let host = Host {
            name: record.name.clone(),
            group: Arc::clone(&group),
            access: None,
            robots_due: Timestamp::MIN,
            template,
            gathered: record.gathered as usize,
            fetched: 0,
            seed: self.seed_hosts.contains(&record.name),
            unteachable: false,
        };
        self.hosts.insert(record.id, host);
        self.hosts.widen(&group, self.config.fetch.delay.get());
        self.progress.hosts.store(self.hosts.len() as u64, std::sync::atomic::Ordering::Relaxed);
        if let Some(robots) = self.store.robots::<RobotsRecord>(&record.name)? {
            self.heed(record.id, &robots);
        }
        Ok(())
    }

    /// Takes over what a host's robots.txt says: rules, and the gap.
    pub(crate) fn heed(&mut self, id: HostId, robots: &RobotsRecord) {
        let access = robots.rules(self.config.fetch.product());
        let (delay, cap) = (self.config.fetch.delay.get(), self.config.fetch.max_crawl_delay.get());
        let Some(host) = self.hosts.get_mut(id) else { return };
        let asked = access.crawl_delay().unwrap_or_default();
        if asked > cap {
            warn!(host = host.name, ?asked, taken = ?cap, "Crawl-delay above fetch.max_crawl_delay");
        }
        host.access = Some(access);
        host.robots_due = if robots.stale(Timestamp::now()) { Timestamp::MIN } else { robots.next_ask() };
        let group = Arc::clone(&host.group);
        let gap = self.hosts.widen(&group, delay.max(asked.min(cap)));
        self.fetching.fetcher.gates().set_gap(&group, gap);
    }

    /// The crawl: until nothing is due, or a stop is asked for and what was in
    /// flight is in.
    pub(crate) fn work(&mut self, events: &Receiver<Event>) -> Result<bool, CrawlError> {
        loop {
            if self.stop.asked() {
                if self.in_flight == 0 {
                    return Ok(false);
                }
            } else {
                self.tick()?;
                self.hand_out()?;
                if self.in_flight == 0 && self.quiet()? && !self.close()? {
                    return Ok(true);
                }
            }
            match events.recv_timeout(self.pause()) {
                Ok(event) => self.apply(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(CrawlError::WorkersGone),
            }
            self.flush_if_due()?;
        }
    }

    /// Makes ready what has waited long enough. A listing is visited again only if it
    /// was due when this began: with many sites one is always due soon, and a run
    /// that waited for it would never end.
    fn tick(&mut self) -> Result<(), CrawlError> {
        if self.promoted.elapsed() < TICK {
            return Ok(());
        }
        self.promoted = Instant::now();
        let mut change = self.writer.begin();
        let retries = change.promote(Wait::Retry, Timestamp::now(), BATCH)?;
        let revisits = change.promote(Wait::Revisit, self.began, BATCH)?;
        if retries + revisits > 0 {
            self.commit(change)?;
        }
        Ok(())
    }

    /// Hands out URLs of all groups that may be asked now.
    fn hand_out(&mut self) -> Result<(), CrawlError> {
        while self.in_flight < self.config.fetch.concurrency {
            let now = Instant::now();
            let Some(group) = self.schedule.pop(now) else { break };
            let wait = self.fetching.fetcher.gates().ready_in(&group);
            if wait.is_zero() {
                self.offer(&group)?;
            } else {
                self.schedule.put_off(&group, now + wait);
            }
        }
        self.progress.in_flight.store(self.in_flight as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }

    /// Gives the hosts of a group their turn, until one takes it.
    fn offer(&mut self, group: &GroupName) -> Result<(), CrawlError> {
        let mut later: Option<Timestamp> = None;
        for host in self.schedule.awake(group) {
            match self.turn(host)? {
                Turn::Took => {
                    self.schedule.take(group, host);
                    self.in_flight += 1;
                    return Ok(());
                }
                Turn::Later(at) => later = Some(later.map_or(at, |other| other.min(at))),
                Turn::Nothing => self.schedule.lull(group, host),
            }
        }
        if let Some(at) = later {
            self.schedule.put_off(group, Instant::now() + span_to(at));
        }
        Ok(())
    }

    fn turn(&mut self, id: HostId) -> Result<Turn, CrawlError> {
        for _ in 0..BATCH {
            let Some(host) = self.hosts.get(id) else { return Ok(Turn::Nothing) };
            if host.gathered >= self.config.template.prepare_pages && !host.unteachable {
                self.begin_lesson(id, true);
                return Ok(Turn::Took);
            }
            let cap = self.config.crawl.max_pages_per_host;
            if cap > 0 && host.fetched >= cap {
                return Ok(Turn::Nothing);
            }
            let Some((key, record)) = self.store.next_ready(id)? else { return Ok(Turn::Nothing) };
            let url = parsed(&record)?;
            match (&host.access, host.robots_due > Timestamp::now()) {
                (None, _) | (_, false) => {
                    self.ask_robots(id, &url)?;
                    return Ok(Turn::Took);
                }
                (Some(Access::AllDisallowed { .. }), true) => return Ok(Turn::Later(host.robots_due)),
                (Some(Access::AllAllowed), true) => {
                    self.send(id, key, url, record);
                    return Ok(Turn::Took);
                }
                (Some(Access::Rules(rules)), true) => match rules.verdict(&path_of(&url)) {
                    Verdict::Allowed { .. } => {
                        self.send(id, key, url, record);
                        return Ok(Turn::Took);
                    }
                    Verdict::Disallowed { rule } => self.disallow(key, &url, record, rule)?,
                },
            }
        }
        Ok(Turn::Later(Timestamp::now()))
    }

    fn send(&mut self, id: HostId, key: UrlKey, url: CanonicalUrl, record: UrlRecord) {
        let Some(host) = self.hosts.get_mut(id) else { return };
        host.fetched += 1;
        let (group, template) = (Arc::clone(&host.group), host.template.clone());
        self.fetching.visit(Box::new(Visit { key, url, record, group, template }));
    }

    fn ask_robots(&self, id: HostId, url: &CanonicalUrl) -> Result<(), CrawlError> {
        let Some(host) = self.hosts.get(id) else { return Ok(()) };
        let previous = self.store.robots::<RobotsRecord>(&host.name)?;
        self.fetching.robots(id, Arc::clone(&host.group), url.url().clone(), previous);
        Ok(())
    }

    fn disallow(
        &mut self,
        key: UrlKey,
        url: &CanonicalUrl,
        record: UrlRecord,
        rule: String,
    ) -> Result<(), CrawlError> {
        let mut change = self.writer.begin();
        let outcome = Outcome::Disallowed { rule };
        change.count(self.run.number, url.host(), |counts| {
            *counts.outcomes.entry(outcome.reason()).or_default() += 1;
        })?;
        let again = self.again(record.role, &outcome);
        change.end(key, record, outcome, again)?;
        self.commit(change)
    }

    /// Begins to work through a host's gathered pages.
    fn begin_lesson(&mut self, id: HostId, template: bool) {
        let Some(host) = self.hosts.get(id) else { return };
        let version = template.then(|| host.template.as_ref().map_or(1, |template| template.version + 1));
        info!(host = host.name, pages = host.gathered, version, "working through the gathered pages");
        let lesson = Lesson { host: id, name: host.name.clone(), group: Arc::clone(&host.group), version };
        if self.fetching.tasks.send(Task::Learn(lesson)).is_err() {
            warn!("no worker is left; the gathered pages stay as they are");
        }
    }

    /// Whether nothing is due now or within `crawl.linger`. A gap is always waited
    /// for, however long it is; a hold that a host asked for, or a failed robots.txt,
    /// is not.
    fn quiet(&self) -> Result<bool, CrawlError> {
        let (now, linger) = (Instant::now(), self.config.crawl.linger.get());
        let soon = |at: Instant, group| at <= now + linger || at <= now + self.hosts.gap(group);
        if self.schedule.due().any(|(at, group)| soon(at, group)) {
            return Ok(false);
        }
        let until = later(linger).as_second();
        Ok(self.store.next_due(Wait::Retry)?.is_none_or(|due| i64::try_from(due).unwrap_or(i64::MAX) > until))
    }

    /// At the end: hosts that gathered too few pages are worked through all the
    /// same. Gives whether there was such a host.
    fn close(&mut self) -> Result<bool, CrawlError> {
        let waiting: Vec<HostId> = self
            .hosts
            .iter()
            .filter(|(_, host)| host.gathered > 0 && !host.unteachable)
            .map(|(id, _)| id)
            .collect();
        let mut begun = false;
        for id in waiting {
            // More would fill the channels while nobody takes from them.
            if self.in_flight >= self.config.fetch.concurrency {
                break;
            }
            let Some(host) = self.hosts.get(id) else { continue };
            let enough = host.gathered >= self.config.template.min_pages;
            if !enough && !self.has_unsettled(id)? {
                continue;
            }
            let group = Arc::clone(&host.group);
            self.begin_lesson(id, enough);
            self.schedule.take(&group, id);
            self.in_flight += 1;
            begun = true;
        }
        Ok(begun)
    }

    /// Whether a gathered page of the host has no outcome yet.
    fn has_unsettled(&self, id: HostId) -> Result<bool, CrawlError> {
        for key in self.store.gathered(id)? {
            if self.store.url(key)?.is_some_and(|record| record.last.is_none()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn pause(&self) -> Duration {
        let next = self.schedule.next().map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
        next.clamp(Duration::from_millis(1), TICK)
    }

    /// Commits a change and wakes the hosts that have got something to do by it.
    pub(crate) fn commit(&mut self, change: Change) -> Result<(), CrawlError> {
        let touched: Vec<HostRecord> = change.touched().values().cloned().collect();
        let queued = change.queued();
        self.writer.commit(change)?;
        if queued >= 0 {
            self.progress.queue.fetch_add(queued.unsigned_abs(), std::sync::atomic::Ordering::Relaxed);
        } else {
            self.progress.queue.fetch_sub(queued.unsigned_abs(), std::sync::atomic::Ordering::Relaxed);
        }
        self.unflushed += 1;
        for record in touched {
            self.admit(&record)?;
            if let Some(host) = self.hosts.get(record.id) {
                let group = Arc::clone(&host.group);
                self.schedule.wake(&group, record.id, Instant::now());
            }
        }
        Ok(())
    }

    fn flush_if_due(&mut self) -> Result<(), CrawlError> {
        let store = &self.config.store;
        if self.unflushed >= store.flush_pages
            || (self.unflushed > 0 && self.flushed.elapsed() >= store.flush_every.get())
        {
            self.flush()?;
        }
        Ok(())
    }

    /// Brings everything to disk, and looks whether the disk has room for more.
    pub(crate) fn flush(&mut self) -> Result<(), CrawlError> {
        self.writer.flush()?;
        self.unflushed = 0;
        self.flushed = Instant::now();
        let (free, floor) = (self.writer.free_space()?, self.config.store.min_free_disk);
        if free < floor.get() {
            return Err(CrawlError::DiskFull { free, floor });
        }
        Ok(())
    }

    /// When a URL of this role is to be asked again after such an outcome.
    pub(crate) fn again(&self, role: Role, outcome: &Outcome) -> Option<(Timestamp, u8)> {
        let rank = match role {
            Role::Front | Role::Feed | Role::Sitemap => crate::reading::rank::LISTING,
            Role::Section => crate::reading::rank::SECTION,
            Role::Page => return None,
        };
        let alive = matches!(outcome, Outcome::Listing | Outcome::Unchanged | Outcome::Failed { .. });
        let kept = role == Role::Front && !matches!(outcome, Outcome::Redirected { .. });
        (alive || kept).then(|| (later(self.config.crawl.revisit.get()), rank))
    }
}

/// The time that lies `span` from now.
pub(crate) fn later(span: Duration) -> Timestamp {
    let span = jiff::SignedDuration::try_from(span).unwrap_or(jiff::SignedDuration::MAX);
    Timestamp::now().checked_add(span).unwrap_or(Timestamp::MAX)
}

/// How long it is until `at`; nothing if that is past.
fn span_to(at: Timestamp) -> Duration {
    Duration::try_from(at.duration_since(Timestamp::now())).unwrap_or_default()
}

fn parsed(record: &UrlRecord) -> Result<CanonicalUrl, CrawlError> {
    CanonicalUrl::parse(&record.url).map_err(|error| {
        StoreError::Damaged { what: "a URL", reason: format!("{}: {error}", record.url) }.into()
    })
}

/// What robots.txt rules are matched against (RFC 9309, 2.2.2).
fn path_of(url: &CanonicalUrl) -> String {
    let url = url.url();
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}
