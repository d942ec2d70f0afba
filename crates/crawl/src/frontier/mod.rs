//! Decides which URL is requested next, and when, based on the queue of each host, gaps, holds, robots.txt,
//! budgets and quotas.
//!
//! The queue is in the store. This module only reads it.

pub(crate) mod budget;
pub(crate) mod hosts;
pub(crate) mod known_urls;
pub(crate) mod quota;
pub(crate) mod redirected;
pub(crate) mod schedule;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use gleaner_config::Config;
use gleaner_fetch::{Access, Politeness, RobotsRecord, Verdict};
use gleaner_frontier::{CanonicalUrl, Scope, UrlKey};
use gleaner_store::{Counts, HostId, HostRecord, Store, StoreError, UrlRecord, Wait};
use jiff::Timestamp;
use tracing::warn;
use url::Url;

use crate::error::CrawlError;
use crate::session_config::SessionConfig;
use crate::visit::robots_path;
use budget::RunBudget;
use hosts::{Host, Hosts, group_of};
use known_urls::KnownUrls;
use quota::Quota;
use schedule::{GroupName, Schedule};

/// Longest time between two checks of the clock, the stop request and waiting URLs.
pub(crate) const TICK: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(crate) struct Frontier {
    pub(crate) hosts: Hosts,
    pub(crate) schedule: Schedule,
    pub(crate) known: KnownUrls,
    /// Gaps and holds of the hosts; unused in a replay, which sends no requests.
    pub(crate) politeness: Politeness,
    pub(crate) budget: RunBudget,
    pub(crate) quota: Quota,
    pub(crate) scope: Arc<Scope>,
    /// Visits, robots.txt requests and training jobs that have not ended.
    pub(crate) in_flight: usize,
    session: SessionConfig,
    store: Store,
    /// Hosts of seeds. `/sitemap.xml` is tried only on these.
    seeds: HashSet<String>,
    /// The counts of this run in the store, by host.
    counts: HashMap<String, Counts>,
}

#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) key: UrlKey,
    pub(crate) url: CanonicalUrl,
    pub(crate) record: UrlRecord,
}

/// The next action for a host.
#[derive(Debug)]
pub(crate) enum NextUrl {
    /// Request this URL.
    Allowed(Ready),
    /// Record that this rule of the host's robots.txt disallows this URL.
    Disallowed(Ready, String),
    /// Request this robots.txt first.
    Robots(Url),
    /// Do nothing until this time.
    Later(Instant),
    /// Do nothing: no URL is ready, or a limit for this run is reached.
    Nothing,
}

impl Frontier {
    pub(crate) fn new(store: Store, session: &SessionConfig, politeness: Politeness) -> Self {
        let crawl = &session.config.crawl;
        Self {
            hosts: Hosts::default(),
            schedule: Schedule::default(),
            known: KnownUrls::default(),
            politeness,
            budget: RunBudget::new(crawl, Instant::now()),
            quota: Quota::new(crawl),
            scope: Arc::new(Scope::from_seeds(&session.seeds)),
            in_flight: 0,
            session: session.clone(),
            store,
            seeds: session.seeds.iter().map(|seed| seed.url.host().to_owned()).collect(),
            counts: HashMap::new(),
        }
    }

    fn config(&self) -> &Config {
        &self.session.config
    }

    /// Loads the counts of this run from the store.
    pub(crate) fn load_counts(&mut self) -> Result<(), StoreError> {
        self.counts = self.store.counts(self.session.run.number)?.into_iter().collect();
        Ok(())
    }

    /// Adds a host that is in scope and not yet loaded. Returns whether it was added.
    pub(crate) fn admit(&mut self, record: &HostRecord) -> Result<bool, StoreError> {
        // The stored domain may differ from the domain by the current public suffix list, so both are
        // checked.
        let is_in_scope = || {
            let today = || CanonicalUrl::parse(&format!("http://{}/", record.name)).ok();
            self.session.takes_all
                || self.scope.domains().any(|domain| domain == record.domain)
                || today().is_some_and(|url| self.scope.contains(&url))
        };
        if self.hosts.contains(record.id) || !is_in_scope() {
            return Ok(false);
        }
        let group = group_of(self.config().fetch.gap_scope, record);
        let host = Host {
            name: record.name.clone(),
            group: Arc::clone(&group),
            site: record.domain.as_str().into(),
            access: None,
            robots_due: Timestamp::MIN,
            fetched: self.counts.get(&record.name).map_or(0, |counts| counts.fetched),
            is_seed: self.seeds.contains(&record.name),
            paused: record.paused,
        };
        self.hosts.insert(record.id, host);
        let delay = self.config().fetch.delay.get();
        self.hosts.widen(&group, delay);
        self.session.progress.hosts.store(self.hosts.len() as u64, Ordering::Relaxed);
        if let Some(robots) = self.store.robots::<RobotsRecord>(&record.name)? {
            self.apply_robots(record.id, &robots);
        }
        Ok(true)
    }

    /// Takes over a host from an earlier process: adds its counts to budget and quota, restores its hold, and
    /// starts a full gap, because a request may have been sent a moment ago.
    pub(crate) fn resume(&mut self, record: &HostRecord) -> Result<(), StoreError> {
        let (pages, bytes) =
            self.counts.get(&record.name).map_or((0, 0), |counts| (counts.fetched, counts.bytes));
        self.budget.spend(pages);
        let site: Arc<str> = record.domain.as_str().into();
        self.quota.add_queued(&site, record.queued.try_into().unwrap_or(i64::MAX));
        self.quota.add_bytes(&site, bytes);
        self.session.progress.queue.fetch_add(record.queued, Ordering::Relaxed);
        let Some(host) = self.hosts.get(record.id) else { return Ok(()) };
        let held = record.held_until.map(|at| self.session.clock.until(at)).unwrap_or_default();
        self.politeness.gates.start_gap(&host.group);
        self.politeness.holds.hold(&host.name, held);
        if record.buffered > 0 || self.store.next_ready(record.id)?.is_some() {
            self.wake(record.id);
        }
        Ok(())
    }

    /// Forgets the hosts of released partitions.
    pub(crate) fn release(&mut self, stays: impl Fn(HostId) -> bool) {
        for (id, host) in self.hosts.retain(stays) {
            self.schedule.mark_idle(&host.group, id);
            self.quota.remove(&host.site);
        }
    }

    pub(crate) fn apply_robots(&mut self, id: HostId, robots: &RobotsRecord) {
        let fetch = &self.session.config.fetch;
        let access = robots.rules(fetch.product());
        let cap = fetch.max_crawl_delay.get();
        let Some(host) = self.hosts.get_mut(id) else { return };
        let delay = access.crawl_delay().unwrap_or_default();
        if delay > cap {
            warn!(host = host.name, asked = ?delay, taken = ?cap, "Crawl-delay above fetch.max_crawl_delay");
        }
        let gap = access.effective_delay(fetch);
        host.access = Some(access);
        let is_stale = robots.stale(self.session.clock.now());
        host.robots_due = if is_stale { Timestamp::MIN } else { robots.next_ask() };
        let group = Arc::clone(&host.group);
        let gap = self.hosts.widen(&group, gap);
        self.politeness.gates.set_gap(&group, gap);
    }

    /// Marks a host as possibly having work.
    pub(crate) fn wake(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get(id) {
            self.schedule.wake(&host.group, id, Instant::now());
        }
    }

    /// Updates the quotas and the progress for URLs that entered or left the queues of hosts.
    pub(crate) fn count_queued(&mut self, queued: BTreeMap<HostId, i64>) {
        for (id, by) in queued {
            self.session.progress.queue_grows(by);
            if let Some(host) = self.hosts.get(id) {
                self.quota.add_queued(&host.site, by);
            }
        }
    }

    /// Returns the group that has been due longest and whose gap has passed. Returns `None` if there is no
    /// such group, if the maximum number of URLs is in flight, or if a budget is reached.
    pub(crate) fn next_group(&mut self, now: Instant) -> Option<GroupName> {
        while self.has_room() && self.budget.exhausted(now).is_none() {
            let group = self.schedule.pop(now)?;
            let wait = self.politeness.gates.ready_in(&group);
            if wait.is_zero() {
                return Some(group);
            }
            self.schedule.put_off(&group, now + wait);
        }
        None
    }

    pub(crate) fn has_room(&self) -> bool {
        self.in_flight < self.config().fetch.concurrency
    }

    /// Returns the next action for a host: usually its next URL, with the verdict of its robots.txt.
    pub(crate) fn next_url(&self, id: HostId) -> Result<NextUrl, CrawlError> {
        let Some(host) = self.hosts.get(id) else { return Ok(NextUrl::Nothing) };
        if self.is_used_up(host) {
            return Ok(NextUrl::Nothing);
        }
        let held = self.politeness.holds.remaining(&host.name);
        if !held.is_zero() {
            return Ok(NextUrl::Later(Instant::now() + held));
        }
        let Some((key, record)) = self.store.next_ready(id)? else { return Ok(NextUrl::Nothing) };
        let url = parsed(&record)?;
        let is_current = host.robots_due > self.session.clock.now();
        Ok(match host.access.as_ref().filter(|_| is_current) {
            None => NextUrl::Robots(robots_url(&url)),
            Some(Access::AllDisallowed { .. }) => {
                NextUrl::Later(Instant::now() + self.session.clock.until(host.robots_due))
            }
            Some(Access::AllAllowed) => NextUrl::Allowed(Ready { key, url, record }),
            Some(Access::Rules(rules)) => match rules.verdict(&robots_path(&url)) {
                Verdict::Allowed { .. } => NextUrl::Allowed(Ready { key, url, record }),
                Verdict::Disallowed { rule } => NextUrl::Disallowed(Ready { key, url, record }, rule),
            },
        })
    }

    /// Whether a host has reached a limit, so that it gets no more requests in this run.
    fn is_used_up(&self, host: &Host) -> bool {
        self.is_at_cap(host) || self.quota.is_spent(&host.site)
    }

    /// Whether a host has reached `crawl.max_pages_per_host` in this run.
    pub(crate) fn is_at_cap(&self, host: &Host) -> bool {
        self.page_cap() > 0 && host.fetched >= self.page_cap()
    }

    /// Returns `crawl.max_pages_per_host`; 0: no limit.
    pub(crate) fn page_cap(&self) -> u64 {
        self.config().crawl.max_pages_per_host
    }

    /// Counts a request that is about to be sent to a host.
    pub(crate) fn spend(&mut self, id: HostId) {
        if let Some(host) = self.hosts.get_mut(id) {
            host.fetched += 1;
            self.session.progress.live.begins(&host.name);
        }
        self.budget.spend(1);
    }

    /// Makes a group due after its gap, once its URL in flight has an outcome.
    pub(crate) fn release_group(&mut self, group: &GroupName) {
        let wait = self.politeness.gates.ready_in(group);
        self.session.progress.waits(wait);
        self.schedule.release(group, Instant::now() + wait);
    }

    /// Whether nothing is due now, within `crawl.linger`, or before `holds_end`, the end of the last
    /// partition hold. A group that is due within its gap is always waited for. Longer holds and pauses after
    /// failed robots.txt requests are not.
    pub(crate) fn is_quiet(&self, holds_end: Option<Instant>) -> Result<bool, StoreError> {
        let (now, linger) = (Instant::now(), self.config().crawl.linger.get());
        let holds_end = holds_end.unwrap_or(now);
        let soon =
            |at: Instant, group| at <= holds_end.max(now + linger) || at <= now + self.hosts.gap(group);
        if self.schedule.due().any(|(at, group)| soon(at, group)) {
            return Ok(false);
        }
        let until = self.session.clock.after(linger).as_second();
        let is_later = |due| i64::try_from(due).unwrap_or(i64::MAX) > until;
        Ok(self.store.next_due(Wait::Retry)?.is_none_or(is_later))
    }

    /// Returns the time until the next group is due, at most [`TICK`].
    pub(crate) fn pause(&self) -> Duration {
        let next = self.schedule.next().map_or(TICK, |at| at.saturating_duration_since(Instant::now()));
        next.clamp(Duration::from_millis(1), TICK)
    }
}

fn parsed(record: &UrlRecord) -> Result<CanonicalUrl, CrawlError> {
    CanonicalUrl::from_record(&record.url).map_err(|error| {
        StoreError::Damaged { what: "a URL", reason: format!("{}: {error}", record.url) }.into()
    })
}

fn robots_url(page: &CanonicalUrl) -> Url {
    let mut url = page.url().clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url
}

#[cfg(test)]
mod tests {
    use gleaner_fetch::RobotsState;
    use gleaner_store::Writer;

    use super::*;

    /// Creates a frontier with the front page of `a.example` in its queue.
    fn frontier(sets: &[&str]) -> (tempfile::TempDir, Writer, Frontier, HostId) {
        let folder = tempfile::tempdir().unwrap();
        let (session, writer) = SessionConfig::in_folder(folder.path(), sets);
        let politeness = Politeness::new(session.config.fetch.delay.get());
        let mut frontier = Frontier::new(writer.store(), &session, politeness);
        let record = writer.store().host("a.example").unwrap().unwrap();
        assert!(frontier.admit(&record).unwrap() && !frontier.admit(&record).unwrap());
        (folder, writer, frontier, record.id)
    }

    fn robots(frontier: &Frontier, text: &str) -> RobotsRecord {
        RobotsRecord { at: frontier.session.clock.now(), state: RobotsState::Rules { text: text.into() } }
    }

    #[test]
    fn robots_come_first_and_judge_every_url() {
        let (_folder, _writer, mut frontier, host) = frontier(&[]);
        let next = frontier.next_url(host).unwrap();
        assert!(matches!(next, NextUrl::Robots(url) if url.as_str() == "http://a.example/robots.txt"));
        frontier.apply_robots(host, &robots(&frontier, "User-agent: *\nDisallow: /"));
        let next = frontier.next_url(host).unwrap();
        assert!(matches!(next, NextUrl::Disallowed(_, rule) if rule == "Disallow: /"));
        frontier.apply_robots(host, &robots(&frontier, "User-agent: *\nAllow: /"));
        let next = frontier.next_url(host).unwrap();
        assert!(matches!(next, NextUrl::Allowed(ready) if ready.url.as_str() == "http://a.example/"));
    }

    #[test]
    fn a_host_on_hold_waits_and_one_at_its_cap_is_done() {
        let (_folder, _writer, mut frontier, host) = frontier(&["crawl.max_pages_per_host=1"]);
        frontier.apply_robots(host, &robots(&frontier, ""));
        frontier.politeness.holds.hold("a.example", Duration::from_secs(60));
        let NextUrl::Later(at) = frontier.next_url(host).unwrap() else { panic!("it is on hold") };
        assert!(at > Instant::now() + Duration::from_secs(50));
        frontier.spend(host);
        assert!(matches!(frontier.next_url(host).unwrap(), NextUrl::Nothing));
    }

    #[test]
    fn a_group_is_not_due_within_its_gap_nor_beyond_the_limit_in_flight() {
        let (_folder, _writer, mut frontier, host) =
            frontier(&["fetch.delay=5s", "fetch.concurrency=1", "crawl.linger=0s"]);
        let record = frontier.store.host("a.example").unwrap().unwrap();
        assert!(frontier.is_quiet(None).unwrap());
        frontier.resume(&record).unwrap();
        assert_eq!(frontier.next_group(Instant::now()), None, "its gap has just begun");
        assert!(!frontier.is_quiet(None).unwrap(), "the end of a gap is waited for");
        frontier.politeness = Politeness::new(Duration::ZERO);
        frontier.schedule = Schedule::default();
        frontier.wake(host);
        frontier.in_flight = 1;
        assert_eq!(frontier.next_group(Instant::now()), None, "one URL is in flight");
        frontier.in_flight = 0;
        assert_eq!(frontier.next_group(Instant::now()).as_deref(), Some("a.example"));
        assert_eq!(frontier.next_group(Instant::now()), None);
    }

    #[test]
    fn released_hosts_are_forgotten() {
        let (_folder, _writer, mut frontier, host) = frontier(&[]);
        frontier.apply_robots(host, &robots(&frontier, ""));
        frontier.release(|_| false);
        assert!(matches!(frontier.next_url(host).unwrap(), NextUrl::Nothing));
        assert!(frontier.hosts.get(host).is_none());
    }
}
