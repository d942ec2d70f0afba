//! Dispatches requests: chooses the next URL of each group that is due.
//!
//! The hosts of a due group take turns. A host's robots.txt is requested before its first page and judges
//! every URL. A host with enough buffered pages is trained first. The only thing written here is the outcome
//! of URLs that robots.txt forbids.

use std::sync::Arc;
use std::time::Instant;

use gleaner_fetch::{Access, RobotsRecord, Verdict};
use gleaner_frontier::{CanonicalUrl, Outcome, Role, Sight, UrlKey};
use gleaner_store::{HostId, StoreError, UrlRecord, Wait};
use tracing::field::Empty;
use tracing::{Span, info, info_span, warn};
use url::Url;

use crate::chain::Chain;
use crate::error::CrawlError;
use crate::job::{Task, TrainingJob, Visit};
use crate::network::{Fetching, RobotsVisit};
use crate::owner::{Owner, TICK};
use crate::schedule::GroupName;

const BATCH: usize = 1_000;

/// Forbidden URLs skipped per turn of a host: each costs a change of the store while other hosts wait.
const FORBIDDEN: usize = 100;

enum Turn {
    /// It has something in flight now.
    Took,
    /// It has work, but not before then.
    Later(Instant),
    /// It has no work.
    Nothing,
}

impl Owner {
    /// Makes due URLs ready. Revisits must have been due when this process began: with many sites one is
    /// always due soon, and the run would never end.
    pub(crate) fn tick(&mut self) -> Result<(), CrawlError> {
        if self.promoted.elapsed() < TICK {
            return Ok(());
        }
        self.promoted = Instant::now();
        self.follow_leases()?;
        self.follow_snapshot_request()?;
        self.follow_commands()?;
        let mut change = self.writer.begin();
        let retries = change.promote(Wait::Retry, self.clock.now(), BATCH)?;
        let revisits = change.promote(Wait::Revisit, self.began, BATCH)?;
        if retries + revisits > 0 {
            self.commit(change)?;
        }
        Ok(())
    }

    pub(crate) fn dispatch(&mut self, fetching: &Fetching) -> Result<(), CrawlError> {
        // One instant for all groups: those that become due meanwhile wait for the next call.
        let now = Instant::now();
        if !self.may_ask() {
            return Ok(());
        }
        while self.in_flight < self.config.fetch.concurrency && self.budget.empty(now).is_none() {
            let Some(group) = self.schedule.pop(now) else { break };
            let wait = self.politeness.gates.ready_in(&group);
            if wait.is_zero() {
                self.offer(fetching, &group)?;
            } else {
                self.schedule.put_off(&group, now + wait);
            }
        }
        self.progress.in_flight.store(self.in_flight as u64, std::sync::atomic::Ordering::Relaxed);
        Ok(())
    }

    fn offer(&mut self, fetching: &Fetching, group: &GroupName) -> Result<(), CrawlError> {
        let mut later: Option<Instant> = None;
        for host in self.schedule.awake(group) {
            match self.turn(fetching, host)? {
                Turn::Took => {
                    self.schedule.take(group, host);
                    self.in_flight += 1;
                    return Ok(());
                }
                Turn::Later(at) => later = Some(later.map_or(at, |other| other.min(at))),
                Turn::Nothing => self.schedule.mark_idle(group, host),
            }
        }
        if let Some(at) = later {
            self.schedule.put_off(group, at);
        }
        Ok(())
    }

    fn turn(&mut self, fetching: &Fetching, id: HostId) -> Result<Turn, CrawlError> {
        for _ in 0..FORBIDDEN {
            let Some(host) = self.hosts.get(id) else { return Ok(Turn::Nothing) };
            if host.paused || self.is_leaving(id) {
                return Ok(Turn::Nothing);
            }
            if let Some(until) = self.partition_held_until(self.store.partition_of(id)) {
                return Ok(Turn::Later(until));
            }
            if host.buffered >= self.config.template.prepare_pages && !host.unteachable {
                self.start_training(id, true);
                return Ok(Turn::Took);
            }
            let cap = self.config.crawl.max_pages_per_host;
            if (cap > 0 && host.fetched >= cap) || self.quota.is_spent(&host.site) {
                return Ok(Turn::Nothing);
            }
            let held = self.politeness.holds.remaining(&host.name);
            if !held.is_zero() {
                return Ok(Turn::Later(Instant::now() + held));
            }
            let Some((key, record)) = self.store.next_ready(id)? else { return Ok(Turn::Nothing) };
            let url = parsed(&record)?;
            match (&host.access, host.robots_due > self.clock.now()) {
                (None, _) | (_, false) => {
                    let robots = robots_of(&url);
                    if self.is_wanted(&robots) {
                        return Ok(Turn::Later(Instant::now() + TICK));
                    }
                    self.ask_robots(fetching, id, robots)?;
                    return Ok(Turn::Took);
                }
                (Some(Access::AllDisallowed { .. }), true) => {
                    return Ok(Turn::Later(Instant::now() + self.clock.until(host.robots_due)));
                }
                (Some(Access::AllAllowed), true) => {
                    self.send(fetching, id, key, url, record);
                    return Ok(Turn::Took);
                }
                (Some(Access::Rules(rules)), true) => match rules.verdict(&path_of(&url)) {
                    Verdict::Allowed { .. } => {
                        self.send(fetching, id, key, url, record);
                        return Ok(Turn::Took);
                    }
                    Verdict::Disallowed { rule } => self.disallow(key, &url, record, rule)?,
                },
            }
        }
        Ok(Turn::Later(Instant::now() + TICK))
    }

    fn send(&mut self, fetching: &Fetching, id: HostId, key: UrlKey, url: CanonicalUrl, record: UrlRecord) {
        let Some(host) = self.hosts.get_mut(id) else { return };
        host.fetched += 1;
        self.budget.spend(1);
        self.progress.live.asks(&host.name);
        let (group, template) = (Arc::clone(&host.group), host.template.clone());
        let (begun, at) = (Instant::now(), self.clock.now());
        let span = span_of(&url, record.role);
        let (lease, sight, chain) = (self.store.lease_of(id), Sight::Same, Some(Chain::default()));
        let visit = Visit { key, url, record, group, begun, at, span, lease, sight, template, chain };
        fetching.visit(Box::new(visit));
    }

    fn ask_robots(&self, fetching: &Fetching, id: HostId, url: Url) -> Result<(), CrawlError> {
        let Some(host) = self.hosts.get(id) else { return Ok(()) };
        let previous = self.store.robots::<RobotsRecord>(&host.name)?;
        let (partition, lease) = (self.store.partition_of(id), self.store.lease_of(id));
        let group = Arc::clone(&host.group);
        fetching.robots(id, RobotsVisit { url, hops: 0, group, partition, lease, previous });
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
        self.count(&mut change, url.host(), Some(&outcome), 0, None)?;
        let again = self.again(&record, &outcome);
        change.end(key, record, outcome, again)?;
        self.commit(change)
    }

    /// Starts training on a host's buffered pages. `template`: whether to learn a template.
    pub(crate) fn start_training(&mut self, id: HostId, template: bool) {
        let Some(host) = self.hosts.get(id) else { return };
        let version = template.then_some(host.version + 1);
        info!(host = host.name, pages = host.buffered, version, "processing the buffered pages");
        let job = TrainingJob { host: id, name: host.name.clone(), group: Arc::clone(&host.group), version };
        if self.tasks.send(Task::Learn(job)).is_err() {
            warn!("no worker thread is left; the buffered pages stay unprocessed");
        }
    }

    /// Whether nothing is due now or within `crawl.linger`. Gaps are always waited for; holds and failed
    /// robots.txt are not. Partitions being released count as due, because they may have work.
    pub(crate) fn quiet(&self) -> Result<bool, CrawlError> {
        if !self.leaving.is_empty() {
            return Ok(false);
        }
        let (now, linger) = (Instant::now(), self.config.crawl.linger.get());
        let holds_end = self.partition_holds.values().max().copied().unwrap_or(now);
        let soon =
            |at: Instant, group| at <= holds_end.max(now + linger) || at <= now + self.hosts.gap(group);
        if self.schedule.due().any(|(at, group)| soon(at, group)) {
            return Ok(false);
        }
        let until = self.clock.after(linger).as_second();
        Ok(self.store.next_due(Wait::Retry)?.is_none_or(|due| i64::try_from(due).unwrap_or(i64::MAX) > until))
    }

    /// At the end of a run, starts training for hosts with few buffered pages. Returns whether any was
    /// started. A template is learned only if the run is `quiet` or the host has no more URLs.
    pub(crate) fn close(&mut self, quiet: bool) -> Result<bool, CrawlError> {
        let waiting: Vec<HostId> = self
            .hosts
            .iter()
            .filter(|(_, host)| host.buffered > 0 && !host.unteachable)
            .map(|(id, _)| id)
            .collect();
        let mut begun = false;
        for id in waiting {
            // More would fill the channels while nobody reads them.
            if self.in_flight >= self.config.fetch.concurrency {
                break;
            }
            let Some(host) = self.hosts.get(id) else { continue };
            let enough = host.buffered >= self.config.template.min_pages
                && (quiet || self.store.next_ready(id)?.is_none());
            if !enough && !self.has_unsettled(id)? {
                continue;
            }
            let group = Arc::clone(&host.group);
            self.start_training(id, enough);
            self.schedule.take(&group, id);
            self.in_flight += 1;
            begun = true;
        }
        Ok(begun)
    }

    fn has_unsettled(&self, id: HostId) -> Result<bool, CrawlError> {
        for key in self.store.buffered(id)? {
            if self.store.url(key)?.is_some_and(|record| record.last.is_none()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn parsed(record: &UrlRecord) -> Result<CanonicalUrl, CrawlError> {
    CanonicalUrl::from_record(&record.url).map_err(|error| {
        StoreError::Damaged { what: "a URL", reason: format!("{}: {error}", record.url) }.into()
    })
}

pub(crate) fn span_of(url: &CanonicalUrl, role: Role) -> Span {
    info_span!("visit", %url, host = url.host(), role = role.label(), outcome = Empty)
}

fn robots_of(page: &CanonicalUrl) -> Url {
    let mut url = page.url().clone();
    url.set_path("/robots.txt");
    url.set_query(None);
    url
}

/// The part of a URL that robots.txt rules are matched against (RFC 9309, 2.2.2).
pub(crate) fn path_of(url: &CanonicalUrl) -> String {
    let url = url.url();
    url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()))
}
