//! Handles a robots.txt that redirects to a host in another partition.
//!
//! Only the worker that holds a host's partition sends requests to the host. A redirect within the partition
//! is followed at once ([`gleaner_fetch::Fetcher::robots`]). A redirect to another partition becomes a
//! message to it, even if this worker holds that partition:
//!
//! ```text
//! owner of a: a/robots.txt ─► redirect to b ─► wanted ───► owner of b: known? ─► no: gap of b, request
//!             rules of a   ◄──────────────── found ◄────────────────── yes ◄──────────┘
//! ```
//!
//! * Until the answer arrives the host gets no requests. Its robots.txt is requested again after the usual
//!   pause.
//! * The result is cached as the target's robots.txt, so many redirecting hosts cost one request.
//! * A wanted robots.txt stays in the store until it is answered, also by a later owner. No run ends before
//!   that.
//! * If the target redirects to a third partition, the target's owner asks there first. At most five redirects in a
//!   row are followed (RFC 9309, 2.3.1.2).
//!
//! Limitation: a redirect loop over several partitions is retried like a failure and does not count as
//! missing rules.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gleaner_fetch::{RobotsAnswer, RobotsRecord, RobotsState};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{PartitionId, RobotsFound, RobotsWanted};
use tracing::debug;
use url::Url;

use crate::archive::Kept;
use crate::error::CrawlError;
use crate::hosts::group_of_url;
use crate::job::Outgoing;
use crate::network::RobotsVisit;
use crate::owner::Owner;

/// Redirects of a robots.txt that are followed (RFC 9309, 2.3.1.2).
const MOST_HOPS: u32 = 5;

/// If the target must not be requested for longer than this, the answer is a failure.
const PATIENCE: Duration = Duration::from_secs(120);

/// Requests that wait for the robots.txt at one URL.
#[derive(Debug)]
pub(crate) struct Wanted {
    partition: PartitionId,
    by: Vec<RobotsWanted>,
    /// Whether another partition must answer first, because the URL redirects there.
    is_elsewhere: bool,
}

pub(crate) type RedirectedRobots = BTreeMap<String, Wanted>;

pub(crate) fn waits_for(url: &Url) -> String {
    format!("it redirects to {url}; waiting for that robots.txt")
}

fn is_own(url: &CanonicalUrl) -> bool {
    url.url().path() == "/robots.txt" && url.url().query().is_none()
}

impl Owner {
    pub(crate) fn is_asking_in(&self, leaving: impl Fn(PartitionId) -> bool) -> bool {
        self.wanted.values().any(|wanted| !wanted.is_elsewhere && leaving(wanted.partition))
    }

    /// Forgets requests in released partitions: their next owners find them in the store.
    pub(crate) fn forget_wanted(&mut self, left: impl Fn(PartitionId) -> bool) {
        self.wanted.retain(|_, wanted| !left(wanted.partition));
    }

    /// Answers or requests the robots.txt files that hosts of other partitions redirect to. Those that cannot
    /// be requested now stay in the store until the next tick.
    pub(crate) fn answer_wanted(&mut self, wanted: Vec<RobotsWanted>) -> Result<(), CrawlError> {
        for wanted in wanted {
            let is_known = self.wanted.get(&wanted.url).is_some_and(|known| known.by.contains(&wanted));
            if !is_known {
                self.answer_or_ask(wanted)?;
            }
        }
        Ok(())
    }

    fn answer_or_ask(&mut self, wanted: RobotsWanted) -> Result<(), CrawlError> {
        let now = self.clock.now();
        let Ok(url) = CanonicalUrl::parse(&wanted.url) else {
            return self.answer(
                &[wanted],
                &RobotsRecord::failed("it redirects to an invalid URL".into(), None, now),
            );
        };
        let known: Option<RobotsRecord> = self.store.robots_at(&url)?;
        if let Some(record) = known.as_ref().filter(|record| !record.stale(now)) {
            return self.answer(&[wanted], record);
        }
        if let Some(same) = self.wanted.get_mut(&wanted.url) {
            if !same.is_elsewhere || wanted.hops == 1 {
                same.by.push(wanted);
                return Ok(());
            }
            // Two that wait for each other would wait forever.
            return self
                .answer(&[wanted], &RobotsRecord::failed("its redirects form a loop".into(), None, now));
        }
        if self.asks_its_own(&url)? {
            return Ok(());
        }
        let partition = self.store.partition_of_url(&url);
        let is_held = self.partition_held_until(partition).is_some();
        if self.in_flight >= self.config.fetch.concurrency || self.leaving.contains(&partition) || is_held {
            return Ok(());
        }
        self.ask_wanted(partition, &url, wanted, known)
    }

    /// Whether it is the robots.txt of a crawled host that may be requesting it right now.
    fn asks_its_own(&self, url: &CanonicalUrl) -> Result<bool, CrawlError> {
        let Some(host) = self.store.host(url.host())? else { return Ok(false) };
        let host = self.hosts.get(host.id).filter(|host| is_own(url) && host.access.is_none());
        Ok(host.is_some_and(|host| self.schedule.is_busy(&host.group)))
    }

    pub(crate) fn is_wanted(&self, robots: &Url) -> bool {
        self.wanted.contains_key(robots.as_str())
    }

    fn ask_wanted(
        &mut self,
        partition: PartitionId,
        url: &CanonicalUrl,
        wanted: RobotsWanted,
        previous: Option<RobotsRecord>,
    ) -> Result<(), CrawlError> {
        let group = group_of_url(self.config.fetch.gap_scope, &self.store, url);
        let held = self.politeness.holds.remaining(url.host());
        if held.max(self.politeness.gates.ready_in(&group)) > PATIENCE {
            let reason = "it redirects to a host that asked to wait".into();
            return self.answer(&[wanted], &RobotsRecord::failed(reason, None, self.clock.now()));
        }
        // The host may not belong to this crawl, so its last request time is unknown.
        self.politeness.gates.start_gap(&group);
        let hops = wanted.hops;
        self.wanted.insert(wanted.url.clone(), Wanted { partition, by: vec![wanted], is_elsewhere: false });
        self.in_flight += 1;
        self.outgoing.push(Outgoing::Robots(Box::new(RobotsVisit {
            url: url.url().clone(),
            hops: hops as usize,
            group,
            partition,
            lease: self.store.lease(partition),
            previous,
        })));
        Ok(())
    }

    pub(crate) fn wanted_came(
        &mut self,
        url: &Url,
        answer: RobotsAnswer,
        kept: Vec<Kept>,
    ) -> Result<(), CrawlError> {
        for kept in kept {
            self.keep(Some(kept), None)?;
        }
        let Some(wanted) = self.wanted.get_mut(url.as_str()) else { return Ok(()) };
        match answer {
            RobotsAnswer::Record(record) => self.settle_wanted(url, &record),
            RobotsAnswer::Elsewhere { url: next, hops } => {
                wanted.is_elsewhere = true;
                let wants = u32::try_from(hops).unwrap_or(u32::MAX);
                if self.want(url, &next, wants)? {
                    return Ok(());
                }
                let reason = "its redirects are invalid or too many".into();
                self.settle_wanted(url, &RobotsRecord::failed(reason, None, self.clock.now()))
            }
            RobotsAnswer::NotPermitted => {
                // It is requested again, here or by the next owner of the partition.
                self.wanted.remove(url.as_str());
                Ok(())
            }
        }
    }

    /// Sends a message to the partition of a redirect's target. Returns false if the redirect cannot be
    /// followed.
    pub(crate) fn want(&mut self, origin: &Url, target: &Url, hops: u32) -> Result<bool, CrawlError> {
        let (Ok(origin), Ok(target)) =
            (CanonicalUrl::parse(origin.as_str()), CanonicalUrl::parse(target.as_str()))
        else {
            return Ok(false);
        };
        if hops > MOST_HOPS {
            return Ok(false);
        }
        debug!(%origin, %target, hops, "its robots.txt redirects to another partition");
        let mut change = self.writer.begin();
        change.want_robots(&origin, &target, hops);
        self.commit(change)?;
        Ok(true)
    }

    pub(crate) fn take_found(&mut self, found: &[RobotsFound]) -> Result<(), CrawlError> {
        for found in found {
            if let Ok(origin) = Url::parse(&found.origin) {
                self.settle_wanted(&origin, &found.record()?)?;
            }
        }
        Ok(())
    }

    fn settle_wanted(&mut self, url: &Url, record: &RobotsRecord) -> Result<(), CrawlError> {
        let by = self.wanted.remove(url.as_str()).map(|wanted| wanted.by).unwrap_or_default();
        let Ok(place) = CanonicalUrl::parse(url.as_str()) else { return self.answer(&by, record) };
        let known: Option<RobotsRecord> = self.store.robots_at(&place)?;
        let is_failure = |record: &RobotsRecord| matches!(record.state, RobotsState::Unreachable { .. });
        // A failure must not replace what the waiting host has, nor a late answer a newer one.
        let is_news = if is_failure(record) {
            known.is_none()
        } else {
            known.as_ref().is_none_or(|known| is_failure(known) || known.at < record.at)
        };
        if is_news {
            let mut change = self.writer.begin();
            change.put_robots_at(&place, record);
            self.commit(change)?;
            self.follow_rules(&place, record)?;
        }
        self.answer(&by, record)
    }

    fn follow_rules(&mut self, place: &CanonicalUrl, record: &RobotsRecord) -> Result<(), CrawlError> {
        let host =
            self.store.host(place.host())?.filter(|host| is_own(place) && self.hosts.contains(host.id));
        let Some(host) = host else { return Ok(()) };
        self.robots_came(host.id, place.url(), record)?;
        if let Some(known) = self.hosts.get(host.id) {
            let group = std::sync::Arc::clone(&known.group);
            self.schedule.wake(&group, host.id, Instant::now());
        }
        Ok(())
    }

    fn answer(&mut self, by: &[RobotsWanted], record: &RobotsRecord) -> Result<(), CrawlError> {
        if by.is_empty() {
            return Ok(());
        }
        let mut change = self.writer.begin();
        for wanted in by {
            change.answer_robots(wanted, record);
        }
        self.commit(change)
    }
}
