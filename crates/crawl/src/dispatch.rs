//! Dispatches requests: chooses the next URL of each due group.
//!
//! The hosts of a due group take turns. A host's robots.txt is requested before its first page, and every URL
//! is checked against it. If a host has enough buffered pages, its template is trained before the next
//! request. This module writes outcomes only for URLs that robots.txt disallows or the settings exclude.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gleaner_fetch::RobotsRecord;
use gleaner_frontier::{CanonicalUrl, Outcome, Role};
use gleaner_store::{HostId, WaitReason};
use url::Url;

use crate::error::CrawlError;
use crate::frontier::schedule::GroupName;
use crate::frontier::{FrontierHost, NextUrl, Pause, Ready, TICK};
use crate::pipeline::Pipeline;
use crate::visit::{Chain, OutgoingRequest, RobotsVisit, Visit};

const BATCH: usize = 1_000;

/// Maximum number of forbidden URLs that one turn of a host may skip. Each skip changes the store.
const MAX_SKIPPED: usize = 100;

enum HostDispatch {
    Request(OutgoingRequest),
    /// The training of the host's template has started.
    Training,
    /// The host has work, but nothing can start before the end of this pause.
    Later(Pause),
    /// The host has no work.
    Nothing,
}

impl Pipeline {
    /// Makes due URLs ready. A revisit becomes ready only if it was due when this session began. Otherwise a
    /// crawl of many sites would never end, because some revisit is always due soon.
    pub(crate) fn promote_due(&mut self) -> Result<(), CrawlError> {
        let mut change = self.recorder.writer.begin();
        let retries = change.promote(WaitReason::Retry, self.session.clock.now(), BATCH)?;
        let revisits = change.promote(WaitReason::Revisit, self.recorder.began, BATCH)?;
        if retries + revisits > 0 {
            self.commit(change)?;
        }
        Ok(())
    }

    /// Returns the requests that are due, and starts the training of templates that is due.
    pub(crate) fn due_requests(&mut self) -> Result<Vec<OutgoingRequest>, CrawlError> {
        // The due times of all groups are compared with the same instant. A group that becomes due during
        // this loop waits for the next call.
        let now = Instant::now();
        if !self.membership.may_request() {
            return Ok(Vec::new());
        }
        let mut requests = Vec::new();
        self.frontier.read_next_ahead(now)?;
        while let Some(group) = self.frontier.next_group(now) {
            requests.extend(self.dispatch_group(&group)?);
        }
        self.session.progress.in_flight.store(self.frontier.in_flight as u64, Ordering::Relaxed);
        Ok(requests)
    }

    fn dispatch_group(&mut self, group: &GroupName) -> Result<Option<OutgoingRequest>, CrawlError> {
        let (mut later, mut awaited): (Option<Instant>, Option<Instant>) = (None, None);
        for host in self.frontier.schedule.awake(group) {
            match self.dispatch_host(host)? {
                HostDispatch::Request(request) => {
                    self.frontier.schedule.take(group, host);
                    return Ok(Some(request));
                }
                HostDispatch::Training => {
                    self.frontier.schedule.take(group, host);
                    return Ok(None);
                }
                HostDispatch::Later(Pause { until, is_awaited }) => {
                    later = later.into_iter().chain([until]).min();
                    awaited = awaited.into_iter().chain(is_awaited.then_some(until)).min();
                }
                HostDispatch::Nothing => self.frontier.schedule.mark_idle(group, host),
            }
        }
        if let Some(at) = later {
            self.frontier.schedule.put_off(group, at, awaited);
        }
        Ok(None)
    }

    fn dispatch_host(&mut self, id: HostId) -> Result<HostDispatch, CrawlError> {
        let is_paused = self.frontier.hosts.get(&id).is_none_or(|host| host.paused);
        if is_paused || self.membership.is_leaving(id) {
            return Ok(HostDispatch::Nothing);
        }
        if let Some(until) = self.membership.held_until(self.recorder.store.partition_of(id)) {
            return Ok(HostDispatch::Later(Pause::until(until)));
        }
        if self.learner.is_due(id) && self.start_training(id, true).is_some() {
            return Ok(HostDispatch::Training);
        }
        for _ in 0..MAX_SKIPPED {
            match self.frontier.next_url(id)? {
                NextUrl::Allowed(ready) => {
                    let request = self.visit(id, ready);
                    return Ok(request.map_or(HostDispatch::Nothing, HostDispatch::Request));
                }
                NextUrl::Refused(ready, outcome) => self.skip(ready, outcome)?,
                NextUrl::Replaced(ready, plain, rule) => self.replace(ready, plain, rule)?,
                NextUrl::Robots(url) if self.redirected.contains_key(url.as_str()) => break,
                NextUrl::Robots(url) => {
                    let request = self.request_robots(id, url)?;
                    return Ok(request.map_or(HostDispatch::Nothing, HostDispatch::Request));
                }
                NextUrl::Later(pause) => return Ok(HostDispatch::Later(pause)),
                NextUrl::Nothing => return Ok(HostDispatch::Nothing),
            }
        }
        Ok(HostDispatch::Later(Pause::until(Instant::now() + TICK)))
    }

    fn visit(&mut self, id: HostId, ready: Ready) -> Option<OutgoingRequest> {
        let host = self.frontier.hosts.get(&id)?;
        let Ready { key, url, mut record } = ready;
        if host.reads_whole_lists && matches!(record.role, Role::Front | Role::Section | Role::Feed) {
            (record.etag, record.last_modified) = (None, None);
        }
        let group = Arc::clone(&host.group);
        self.frontier.traps.requested(&url, &record);
        self.spend(id, &url);
        self.frontier.in_flight += 1;
        Some(OutgoingRequest::Visit(Box::new(Visit {
            key,
            group,
            begun: Instant::now(),
            at: self.session.clock.now(),
            lease: self.recorder.store.lease_of(id),
            template: self.learner.template(id),
            usage: self.frontier.usage_of(id),
            chain: Some(Chain::default()),
            url,
            record,
        })))
    }

    pub(crate) fn spend(&mut self, id: HostId, url: &CanonicalUrl) {
        self.frontier.spend(id);
        self.recorder.count_requests(url.host(), 1);
    }

    pub(crate) fn give_back(&mut self, url: &CanonicalUrl) {
        if let Some((_, host)) = self.frontier.host_named(url.host()) {
            host.requests = host.requests.saturating_sub(1);
            let site = Arc::clone(&host.site);
            self.frontier.quota.give_back_page(&site);
        }
        self.frontier.budget.give_back(1);
        self.recorder.count_requests(url.host(), -1);
    }

    fn request_robots(&mut self, id: HostId, url: Url) -> Result<Option<OutgoingRequest>, CrawlError> {
        let Some(host) = self.frontier.hosts.get(&id) else { return Ok(None) };
        let store = &self.recorder.store;
        let previous = store.robots::<RobotsRecord>(&host.name)?;
        let (partition, lease) = (store.partition_of(id), store.lease_of(id));
        let group = Arc::clone(&host.group);
        // A host out of scope has no documents.
        let with_tdmrep = self.session.config.crawl.tdmrep && !host.only_sitemaps;
        let visit = RobotsVisit { url, hops: 0, group, partition, lease, previous, with_tdmrep };
        self.frontier.in_flight += 1;
        Ok(Some(OutgoingRequest::Robots(id, Box::new(visit))))
    }

    pub(crate) fn skip(&mut self, ready: Ready, outcome: Outcome) -> Result<(), CrawlError> {
        let Ready { key, url, record } = ready;
        let mut change = self.recorder.writer.begin();
        self.recorder.count(&mut change, url.host(), &outcome)?;
        let again = self.recorder.next_visit(&record, &outcome);
        change.end(key, record, outcome, again)?;
        self.commit(change)
    }

    pub(crate) fn is_idle(&self) -> Result<bool, CrawlError> {
        Ok(self.membership.leaving.is_empty() && self.frontier.is_idle(self.membership.holds_end())?)
    }

    /// At the end of a run, starts training for hosts with few buffered pages. Returns whether any training
    /// started. A template is learned only if the host has enough pages, and only if `is_quiet` is set or the
    /// host has no more ready URLs.
    pub(crate) fn train_rest(&mut self, is_quiet: bool) -> Result<bool, CrawlError> {
        let mut has_begun = false;
        for id in self.learner.waiting() {
            if !self.frontier.has_room() {
                break;
            }
            // The group of the host must stay busy until its training ends. Otherwise its partition could be
            // released before. The next call trains the other hosts of the group.
            let is_busy = |host: &FrontierHost| self.frontier.schedule.is_busy(&host.group);
            if self.frontier.hosts.get(&id).is_some_and(is_busy) {
                continue;
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

    fn has_new_buffered(&self, id: HostId) -> Result<bool, CrawlError> {
        for key in self.recorder.store.buffered(id)? {
            if self.recorder.store.url(key)?.is_some_and(|record| record.last.is_none()) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use gleaner_fetch::{FetchError, Politeness, RobotsState};
    use gleaner_frontier::FoundUrl;

    use super::*;
    use crate::frontier::budget::Budget;
    use crate::rank;
    use crate::session_config::SessionConfig;

    #[test]
    fn only_one_host_of_a_group_is_trained_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let (session, writer) = SessionConfig::in_folder(folder.path(), &["template.min_pages=2"]);
        let (politeness, (tasks, jobs)) = (Politeness::new(Duration::ZERO), crossbeam_channel::unbounded());
        let mut pipeline = Pipeline::new(writer, session, politeness, tasks).unwrap();
        for address in ["http://a.example/1", "http://www.a.example/2"] {
            let url = CanonicalUrl::parse(address).unwrap();
            let found = FoundUrl { url, role: Role::Page, dated: None, news: false };
            let mut change = pipeline.recorder.writer.begin();
            let position = pipeline.recorder.queue_position(&found, rank::ARTICLE);
            change.discover(None, &found, 1, 0, position).unwrap();
            let record = change.url(found.url.key()).unwrap().unwrap();
            let host = record.host;
            let _ = change.buffer(found.url.key(), record).unwrap();
            pipeline.commit(change).unwrap();
            pipeline.learner.page_buffered(host, 2);
        }
        assert!(pipeline.train_rest(true).unwrap());
        assert_eq!((jobs.len(), pipeline.frontier.in_flight), (1, 1), "both hosts are in one group");
        assert!(!pipeline.train_rest(true).unwrap());
        pipeline.frontier.in_flight -= 1;
        pipeline.frontier.release_group(&"a.example".into());
        assert!(pipeline.train_rest(true).unwrap(), "the other host is trained after the first");
    }

    #[test]
    fn a_request_that_was_not_sent_counts_nowhere() {
        let folder = tempfile::tempdir().unwrap();
        let sets = ["crawl.max_pages=1", "crawl.max_pages_per_host=1"];
        let (session, writer) = SessionConfig::in_folder(folder.path(), &sets);
        let (politeness, tasks) = (Politeness::new(Duration::ZERO), crossbeam_channel::unbounded().0);
        let (run, now) = (session.run.number, session.clock.now());
        let mut pipeline = Pipeline::new(writer, session, politeness, tasks).unwrap();
        let host = pipeline.recorder.store.host("a.example").unwrap().unwrap();
        pipeline.frontier.admit(&host).unwrap();
        let state = RobotsState::Rules { text: String::new() };
        pipeline.frontier.apply_robots(host.id, &RobotsRecord { at: now, state, tdmrep: None });
        let dispatched = pipeline.dispatch_host(host.id).unwrap();
        assert_eq!(pipeline.frontier.budget.exhausted(Instant::now()), Some(Budget::Pages));

        let HostDispatch::Request(OutgoingRequest::Visit(visit)) = dispatched else { panic!("no visit") };
        pipeline.failed(*visit, &FetchError::NotPermitted).unwrap();
        assert_eq!(pipeline.frontier.budget.exhausted(Instant::now()), None);
        assert!(
            matches!(pipeline.dispatch_host(host.id).unwrap(), HostDispatch::Request(_)),
            "the host has no page left"
        );
        pipeline.recorder.flush().unwrap();
        assert_eq!(pipeline.recorder.store.counts(run).unwrap()[0].1.requests, 1);
    }
}
