//! Dispatches requests: chooses the next URL of each group that is due.
//!
//! The hosts of a due group take turns. A host's robots.txt is requested before the host's first page, and
//! every URL is checked against it. A host with enough buffered pages is trained before its next request.
//! This module writes only the outcomes of URLs that robots.txt disallows.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_fetch::RobotsRecord;
use gleaner_frontier::{Outcome, Sight};
use gleaner_store::{HostId, Wait};
use url::Url;

use crate::error::CrawlError;
use crate::frontier::schedule::GroupName;
use crate::frontier::{NextUrl, Ready, TICK};
use crate::pipeline::Pipeline;
use crate::recorder::outcomes::PageCounts;
use crate::visit::{Chain, Outgoing, RobotsVisit, Visit, visit_span};

/// Maximum number of URLs that become ready in one change.
const BATCH: usize = 1_000;

/// Disallowed URLs skipped per turn of a host. Each costs a change of the store, while other hosts wait.
const FORBIDDEN: usize = 100;

enum Turn {
    /// A request or training of the host has started.
    Taken,
    /// The host has work, but not before this time.
    Later(Instant),
    /// The host has no work.
    Nothing,
}

impl Pipeline {
    /// Makes due URLs ready. A revisit becomes ready only if it was due when this session began. Otherwise a
    /// crawl of many sites would never end, because some revisit is always due soon.
    pub(crate) fn promote_due(&mut self) -> Result<(), CrawlError> {
        let mut change = self.recorder.begin();
        let retries = change.promote(Wait::Retry, self.session.clock.now(), BATCH)?;
        let revisits = change.promote(Wait::Revisit, self.recorder.began, BATCH)?;
        if retries + revisits > 0 {
            self.commit(change)?;
        }
        Ok(())
    }

    /// Dispatches the next URL of each group that is due now.
    pub(crate) fn dispatch(&mut self) -> Result<(), CrawlError> {
        // All groups are compared with one instant. A group that becomes due meanwhile waits for the next
        // call.
        let now = Instant::now();
        if !self.membership.may_request() {
            return Ok(());
        }
        while let Some(group) = self.frontier.next_group(now) {
            self.offer(&group)?;
        }
        self.session.progress.in_flight.store(self.frontier.in_flight as u64, Ordering::Relaxed);
        Ok(())
    }

    fn offer(&mut self, group: &GroupName) -> Result<(), CrawlError> {
        let mut later: Option<Instant> = None;
        for host in self.frontier.schedule.awake(group) {
            match self.turn(host)? {
                Turn::Taken => {
                    self.frontier.schedule.take(group, host);
                    return Ok(());
                }
                Turn::Later(at) => later = Some(later.map_or(at, |other| other.min(at))),
                Turn::Nothing => self.frontier.schedule.mark_idle(group, host),
            }
        }
        if let Some(at) = later {
            self.frontier.schedule.put_off(group, at);
        }
        Ok(())
    }

    fn turn(&mut self, id: HostId) -> Result<Turn, CrawlError> {
        let is_paused = self.frontier.hosts.get(id).is_none_or(|host| host.paused);
        if is_paused || self.membership.is_leaving(id) {
            return Ok(Turn::Nothing);
        }
        if let Some(until) = self.membership.held_until(self.recorder.store.partition_of(id)) {
            return Ok(Turn::Later(until));
        }
        if self.learner.is_due(id) && self.start_training(id, true).is_some() {
            return Ok(Turn::Taken);
        }
        for _ in 0..FORBIDDEN {
            match self.frontier.next_url(id)? {
                NextUrl::Allowed(ready) => {
                    self.send(id, ready);
                    return Ok(Turn::Taken);
                }
                NextUrl::Disallowed(ready, rule) => self.disallow(ready, rule)?,
                NextUrl::Robots(url) if self.redirected.contains(&url) => break,
                NextUrl::Robots(url) => {
                    self.request_robots(id, url)?;
                    return Ok(Turn::Taken);
                }
                NextUrl::Later(at) => return Ok(Turn::Later(at)),
                NextUrl::Nothing => return Ok(Turn::Nothing),
            }
        }
        Ok(Turn::Later(Instant::now() + TICK))
    }

    fn send(&mut self, id: HostId, ready: Ready) {
        let Some(group) = self.frontier.hosts.get(id).map(|host| Arc::clone(&host.group)) else { return };
        let Ready { key, url, record } = ready;
        self.frontier.spend(id);
        self.frontier.in_flight += 1;
        self.outgoing.push(Outgoing::Visit(Box::new(Visit {
            key,
            group,
            begun: Instant::now(),
            at: self.session.clock.now(),
            span: visit_span(&url, record.role),
            lease: self.recorder.store.lease_of(id),
            sight: Sight::Same,
            template: self.learner.template(id),
            chain: Some(Chain::default()),
            url,
            record,
        })));
    }

    fn request_robots(&mut self, id: HostId, url: Url) -> Result<(), CrawlError> {
        let Some(host) = self.frontier.hosts.get(id) else { return Ok(()) };
        let store = &self.recorder.store;
        let previous = store.robots::<RobotsRecord>(&host.name)?;
        let (partition, lease) = (store.partition_of(id), store.lease_of(id));
        let group = Arc::clone(&host.group);
        let visit = RobotsVisit { url, hops: 0, group, partition, lease, previous };
        self.frontier.in_flight += 1;
        self.outgoing.push(Outgoing::Robots(id, Box::new(visit)));
        Ok(())
    }

    fn disallow(&mut self, ready: Ready, rule: String) -> Result<(), CrawlError> {
        let Ready { key, url, record } = ready;
        let mut change = self.recorder.begin();
        let outcome = Outcome::Disallowed { rule };
        self.recorder.count(&mut change, url.host(), Some(&outcome), PageCounts::default())?;
        let again = self.recorder.next_visit(&record, &outcome);
        change.end(key, record, outcome, again)?;
        self.commit(change)
    }

    /// Whether nothing is due now or soon. While partitions are being released this is false, because they
    /// may have work.
    pub(crate) fn is_quiet(&self) -> Result<bool, CrawlError> {
        Ok(self.membership.leaving.is_empty() && self.frontier.is_quiet(self.membership.holds_end())?)
    }

    /// At the end of a run, starts training for hosts with few buffered pages. Returns whether any training
    /// was started. A template is learned only if there are enough pages, and if `is_quiet` or the host has
    /// no more ready URLs.
    pub(crate) fn train_rest(&mut self, is_quiet: bool) -> Result<bool, CrawlError> {
        let mut has_begun = false;
        for id in self.learner.waiting() {
            if !self.frontier.has_room() {
                break;
            }
            let learns =
                self.learner.is_due_at_end(id) && (is_quiet || self.recorder.store.next_ready(id)?.is_none());
            if !learns && !self.has_new_buffered(id)? {
                continue;
            }
            if let Some(group) = self.start_training(id, learns) {
                self.frontier.schedule.take(&group, id);
                has_begun = true;
            }
        }
        Ok(has_begun)
    }

    /// Whether at least one buffered page was never extracted.
    fn has_new_buffered(&self, id: HostId) -> Result<bool, CrawlError> {
        for key in self.recorder.store.buffered(id)? {
            if self.recorder.store.url(key)?.is_some_and(|record| record.last.is_none()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
