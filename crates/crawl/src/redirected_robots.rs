//! Handles a robots.txt that redirects to a host in another partition.
//!
//! Only the worker that owns a host's partition sends requests to the host.
//! [`gleaner_fetch::Fetcher::robots`] follows redirects within a partition. If the robots.txt of host A
//! redirects to host B in another partition:
//!
//! 1. The owner thread of A's partition sends a message to B's partition, even if this worker owns both.
//! 2. The owner thread of B's partition answers with the stored robots.txt of B. If that is missing or out of
//!    date, it first requests the file. This request waits for the delay of B's group.
//! 3. The answer becomes the robots.txt of A. Until then, A gets no requests except retries of its
//!    robots.txt.
//!
//! The store keeps a message until it is answered, and the run does not end before the answer. If B redirects
//! to a third partition, the owner thread of B's partition first sends a message there. At most five
//! redirects in a row are followed (RFC 9309, 2.3.1.2).
//!
//! Limitation: a redirect loop over several partitions counts as a failure, not as a missing robots.txt.

use gleaner_fetch::{MAX_REDIRECT_WAIT, RobotsAnswer, RobotsRecord, RobotsState};
use gleaner_frontier::CanonicalUrl;
use gleaner_store::{PartitionId, RobotsQuery, RobotsReply};
use tracing::debug;
use url::Url;

use crate::error::CrawlError;
use crate::frontier::schedule::group_of_url;
use crate::pipeline::Pipeline;
use crate::visit::{OutgoingRequest, RobotsVisit};

/// A robots.txt that was requested for hosts of other partitions, and the messages that wait for it.
#[derive(Debug)]
pub(crate) struct PendingRobots {
    pub(crate) partition: PartitionId,
    by: Vec<RobotsQuery>,
    /// Whether the answer depends on a further partition, because this URL redirects there.
    pub(crate) is_elsewhere: bool,
}

/// Maximum number of redirects for a robots.txt (RFC 9309, 2.3.1.2).
const MOST_HOPS: u32 = 5;

pub(crate) fn waits_for(url: &Url) -> String {
    format!("it redirects to {url}; waiting for that robots.txt")
}

fn is_own(url: &CanonicalUrl) -> bool {
    url.url().path() == "/robots.txt" && url.url().query().is_none()
}

impl Pipeline {
    /// Answers messages of other partitions, or returns the requests that the answers need. A message that
    /// cannot be answered now stays in the store until the next tick.
    pub(crate) fn answer_robots_queries(
        &mut self,
        wanted: Vec<RobotsQuery>,
    ) -> Result<Vec<OutgoingRequest>, CrawlError> {
        let mut requests = Vec::new();
        for wanted in wanted {
            let pending = self.redirected.get(&wanted.url);
            if !pending.is_some_and(|pending| pending.by.contains(&wanted)) {
                requests.extend(self.answer_or_request(wanted)?);
            }
        }
        Ok(requests)
    }

    fn answer_or_request(&mut self, wanted: RobotsQuery) -> Result<Option<OutgoingRequest>, CrawlError> {
        let now = self.session.clock.now();
        let Ok(url) = CanonicalUrl::parse(&wanted.url) else {
            let failed = RobotsRecord::failed("it redirects to an invalid URL".into(), None, now);
            return self.answer(&[wanted], &failed).map(|()| None);
        };
        let known: Option<RobotsRecord> = self.recorder.store.robots_at(&url)?;
        if let Some(record) = known.as_ref().filter(|record| !record.stale(now)) {
            return self.answer(&[wanted], record).map(|()| None);
        }
        if let Some(same) = self.redirected.get_mut(&wanted.url) {
            if !same.is_elsewhere || wanted.hops == 1 {
                same.by.push(wanted);
                return Ok(None);
            }
            // Without this check, two URLs that redirect to each other would wait forever.
            let failed = RobotsRecord::failed("its redirects form a loop".into(), None, now);
            return self.answer(&[wanted], &failed).map(|()| None);
        }
        if self.may_be_requesting(&url)? {
            return Ok(None);
        }
        let partition = self.recorder.store.partition_of_url(&url);
        let membership = &self.membership;
        let is_held = membership.held_until(partition).is_some() || membership.leaving.contains(&partition);
        if is_held || !self.frontier.has_room() {
            return Ok(None);
        }
        self.request_redirected(partition, &url, wanted, known)
    }

    /// Whether the URL is the robots.txt of a crawled host that may be requesting it now.
    fn may_be_requesting(&self, url: &CanonicalUrl) -> Result<bool, CrawlError> {
        let Some(host) = self.recorder.store.host(url.host())? else { return Ok(false) };
        let host = self.frontier.hosts.get(&host.id).filter(|host| is_own(url) && host.access.is_none());
        Ok(host.is_some_and(|host| self.frontier.schedule.is_busy(&host.group)))
    }

    fn request_redirected(
        &mut self,
        partition: PartitionId,
        url: &CanonicalUrl,
        wanted: RobotsQuery,
        previous: Option<RobotsRecord>,
    ) -> Result<Option<OutgoingRequest>, CrawlError> {
        let group = group_of_url(self.session.config.fetch.gap_scope, &self.recorder.store, url);
        let held = self.frontier.politeness.backoffs.remaining(url.host());
        if held.max(self.frontier.politeness.gates.ready_in(&group)) > MAX_REDIRECT_WAIT {
            let reason = "it redirects to a host that asked to wait".into();
            let failed = RobotsRecord::failed(reason, None, self.session.clock.now());
            return self.answer(&[wanted], &failed).map(|()| None);
        }
        // The host may be out of this crawl's scope. Then the time of its last request is unknown.
        self.frontier.politeness.gates.start_delay(&group);
        let (hops, key) = (wanted.hops, wanted.url.clone());
        self.redirected.insert(key, PendingRobots { partition, by: vec![wanted], is_elsewhere: false });
        self.frontier.in_flight += 1;
        Ok(Some(OutgoingRequest::RedirectedRobots(Box::new(RobotsVisit {
            url: url.url().clone(),
            hops: hops as usize,
            group,
            partition,
            lease: self.recorder.store.lease(partition),
            previous,
            with_tdmrep: false,
        }))))
    }

    pub(crate) fn redirected_robots_answered(
        &mut self,
        url: &Url,
        answer: RobotsAnswer,
    ) -> Result<(), CrawlError> {
        let Some(wanted) = self.redirected.get_mut(url.as_str()) else { return Ok(()) };
        match answer {
            RobotsAnswer::Record(record) => self.answer_waiting(url, &record),
            RobotsAnswer::Elsewhere { url: next, hops } => {
                wanted.is_elsewhere = true;
                let hops = u32::try_from(hops).unwrap_or(u32::MAX);
                if self.request_elsewhere(url, &next, hops)? {
                    return Ok(());
                }
                let reason = "its redirects are invalid or too many".into();
                self.answer_waiting(url, &RobotsRecord::failed(reason, None, self.session.clock.now()))
            }
            RobotsAnswer::NotPermitted => {
                // The message stays in the store. This owner or the next one requests the file again.
                self.redirected.remove(url.as_str());
                Ok(())
            }
        }
    }

    /// Sends a message to the target's partition. Returns `false` if the redirect cannot be followed.
    pub(crate) fn request_elsewhere(
        &mut self,
        origin: &Url,
        target: &Url,
        hops: u32,
    ) -> Result<bool, CrawlError> {
        let (Ok(origin), Ok(target)) =
            (CanonicalUrl::parse(origin.as_str()), CanonicalUrl::parse(target.as_str()))
        else {
            return Ok(false);
        };
        if hops > MOST_HOPS {
            return Ok(false);
        }
        debug!(%origin, %target, hops, "its robots.txt redirects to another partition");
        let mut change = self.recorder.writer.begin();
        change.send_robots_query(&origin, &target, hops);
        self.commit(change)?;
        Ok(true)
    }

    pub(crate) fn take_robots_replies(&mut self, found: &[RobotsReply]) -> Result<(), CrawlError> {
        for found in found {
            if let Ok(origin) = Url::parse(&found.origin) {
                self.answer_waiting(&origin, &found.record()?)?;
            }
        }
        Ok(())
    }

    fn answer_waiting(&mut self, url: &Url, record: &RobotsRecord) -> Result<(), CrawlError> {
        let by = self.redirected.remove(url.as_str()).map(|pending| pending.by).unwrap_or_default();
        let Ok(place) = CanonicalUrl::parse(url.as_str()) else { return self.answer(&by, record) };
        let known: Option<RobotsRecord> = self.recorder.store.robots_at(&place)?;
        let is_failure = |record: &RobotsRecord| matches!(record.state, RobotsState::Unreachable { .. });
        // A failure must not replace a stored robots.txt, and a late answer must not replace a newer one.
        let is_news = if is_failure(record) {
            known.is_none()
        } else {
            known.as_ref().is_none_or(|known| is_failure(known) || known.at < record.at)
        };
        if is_news {
            let mut change = self.recorder.writer.begin();
            change.put_robots_at(&place, record);
            self.commit(change)?;
            self.apply_to_host(&place, record)?;
        }
        self.answer(&by, record)
    }

    fn apply_to_host(&mut self, place: &CanonicalUrl, record: &RobotsRecord) -> Result<(), CrawlError> {
        let host = self
            .recorder
            .store
            .host(place.host())?
            .filter(|host| is_own(place) && self.frontier.hosts.contains_key(&host.id));
        let Some(host) = host else { return Ok(()) };
        self.record_robots(host.id, place.url(), record)?;
        self.frontier.wake(host.id);
        Ok(())
    }

    fn answer(&mut self, by: &[RobotsQuery], record: &RobotsRecord) -> Result<(), CrawlError> {
        if by.is_empty() {
            return Ok(());
        }
        // The tdmrep.json of the target is about the pages of the target only.
        let record = RobotsRecord { tdmrep: None, ..record.clone() };
        let mut change = self.recorder.writer.begin();
        for wanted in by {
            change.answer_robots(wanted, &record);
        }
        self.commit(change)
    }
}
