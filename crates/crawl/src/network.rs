//! Sends requests in asynchronous tasks and passes the responses on.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Sender;
use gleaner_config::GapScope;
use gleaner_fetch::{
    FetchError, Fetcher, Request, Response, Right, RobotsAnswer, RobotsRecord, RobotsRequest, Want,
};
use gleaner_frontier::{CanonicalUrl, Role};
use gleaner_store::{HostId, Lease, PartitionId, Store};
use jiff::Timestamp;
use tokio::runtime::Handle;
use tracing::{Instrument, debug, info_span};
use url::Url;

use crate::archive::{Keeping, Kept, ROBOTS};
use crate::clock::Clock;
use crate::hosts::group_of_unknown;
use crate::job::{Event, Outgoing, Task, Visit};
use crate::progress::Progress;
use crate::schedule::GroupName;

#[derive(Debug, Clone)]
pub(crate) struct Fetching {
    pub(crate) runtime: Handle,
    /// To look up the partition of a host.
    pub(crate) store: Store,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) gap_scope: GapScope,
    pub(crate) keeping: Option<Keeping>,
    pub(crate) clock: Clock,
    pub(crate) progress: Arc<Progress>,
    pub(crate) tasks: Sender<Task>,
    pub(crate) events: Sender<Event>,
}

impl Fetching {
    pub(crate) fn send(&self, request: Outgoing) {
        match request {
            Outgoing::Visit(visit) => self.visit(visit),
            Outgoing::Robots(visit) => self.wanted_robots(*visit),
        }
    }

    /// Requests a URL. Exactly one event or task follows, even if the request's code panics.
    pub(crate) fn visit(&self, visit: Box<Visit>) {
        let (this, fetcher) = (self.clone(), Arc::clone(&self.fetcher));
        let (request, group) = (request(&visit), Arc::clone(visit.gate()));
        let right = right_of(visit.lease.clone());
        self.runtime.spawn(async move {
            // Only a followed redirect waits here; the gap does not count as request time.
            let wait = fetcher.gates().ready_in(&group);
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            let begun = Instant::now();
            let span = info_span!(parent: &visit.span, "request");
            let asking = async move { fetcher.page(&request, &group, &right).await };
            let asked = tokio::spawn(asking.instrument(span));
            let answer = asked.await.unwrap_or_else(|error| Err(FetchError::Broken(error.to_string())));
            this.progress.took(begun.elapsed());
            this.pass_on(visit, answer);
        });
    }

    fn pass_on(&self, visit: Box<Visit>, answer: Result<Response, FetchError>) {
        // A closed channel means that the crawl was abandoned; the frontier still has the URL.
        match answer {
            Ok(response) => {
                let _ = self.tasks.send(Task::Answer(visit, Box::new(response), whole(self.clock.now())));
            }
            Err(error) => {
                debug!(url = %visit.url, %error, "no response");
                let _ = self.events.send(Event::Failed(visit, error));
            }
        }
    }

    pub(crate) fn robots(&self, host: HostId, visit: RobotsVisit) {
        let (this, origin, group) = (self.clone(), visit.url.clone(), Arc::clone(&visit.group));
        self.runtime.spawn(async move {
            let (answer, kept) = this.robots_answer(visit).await;
            let _ = this.events.send(Event::Robots(host, group, origin, Box::new(answer), kept));
        });
    }

    pub(crate) fn wanted_robots(&self, visit: RobotsVisit) {
        let (this, url) = (self.clone(), visit.url.clone());
        self.runtime.spawn(async move {
            let (answer, kept) = this.robots_answer(visit).await;
            let _ = this.events.send(Event::Wanted(url, Box::new(answer), kept));
        });
    }

    async fn robots_answer(&self, visit: RobotsVisit) -> (RobotsAnswer, Vec<Kept>) {
        let (this, previous) = (self.clone(), visit.previous.clone());
        match tokio::spawn(async move { this.ask_robots(&visit).await }).await {
            // Its pause counts from the response, not from the request.
            Ok((RobotsAnswer::Record(record), kept)) => {
                (RobotsAnswer::Record(RobotsRecord { at: self.clock.now(), ..record }), kept)
            }
            Ok(other) => other,
            Err(error) => {
                let failed = RobotsRecord::failed(error.to_string(), previous.as_ref(), self.clock.now());
                (RobotsAnswer::Record(failed), Vec::new())
            }
        }
    }

    async fn ask_robots(&self, visit: &RobotsVisit) -> (RobotsAnswer, Vec<Kept>) {
        let mut kept = Vec::new();
        let mut heard = |url: &Url, response: &Response| {
            let now = self.clock.now();
            let record = |keeping: Keeping| keeping.record(url.as_str(), ROBOTS, response, now, None);
            kept.extend(self.keeping.map(record));
        };
        let group_of = |url: &Url| self.group_within(visit, url);
        let request = RobotsRequest {
            url: visit.url.clone(),
            hops: visit.hops,
            group_of: &group_of,
            right: &right_of(visit.lease.clone()),
            previous: visit.previous.as_ref(),
            now: self.clock.now(),
        };
        let answer = self.fetcher.robots(request, &mut heard).await;
        (answer, kept)
    }

    /// The group of a URL in the visit's partition; `None` if it is in another partition. Does not read the
    /// store: requests must end in time while a database is unreachable.
    fn group_within(&self, visit: &RobotsVisit, url: &Url) -> Option<String> {
        let parsed = CanonicalUrl::parse(url.as_str());
        let Ok(place) = parsed else {
            return (!self.store.is_shared()).then(|| url.host_str().unwrap_or_default().to_owned());
        };
        let first = CanonicalUrl::parse(visit.url.as_str()).ok();
        let is_of_the_same = |first: &CanonicalUrl| match self.gap_scope {
            GapScope::Domain => first.domain() == place.domain(),
            GapScope::Host => first.host() == place.host(),
        };
        if self.store.partition_of_url(&place) != visit.partition {
            None
        } else if first.is_some_and(|first| is_of_the_same(&first)) {
            Some(visit.group.to_string())
        } else {
            Some(group_of_unknown(self.gap_scope, &place).to_string())
        }
    }
}

#[derive(Debug)]
pub(crate) struct RobotsVisit {
    /// A host's own robots.txt, or the target of a redirect.
    pub(crate) url: Url,
    pub(crate) hops: usize,
    pub(crate) group: GroupName,
    pub(crate) partition: PartitionId,
    pub(crate) lease: Lease,
    pub(crate) previous: Option<RobotsRecord>,
}

/// Requests are permitted while the lease of their partition holds.
fn right_of(lease: Lease) -> Right {
    Right::new(move || lease.left())
}

/// A time with the archive's precision: microseconds.
fn whole(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(Timestamp::MAX)
}

/// The request of a visit, conditional if the URL was fetched before. After followed redirects it is not
/// conditional.
fn request(visit: &Visit) -> Request {
    let want = match visit.record.role {
        Role::Feed | Role::Sitemap => Want::List,
        Role::Front | Role::Section | Role::Page => Want::Page,
    };
    let at_hand = |value: &Option<String>| value.clone().filter(|_| !visit.is_elsewhere());
    Request {
        url: visit.asked().url().clone(),
        want,
        etag: at_hand(&visit.record.etag),
        last_modified: at_hand(&visit.record.last_modified),
        cookie: visit.cookie(),
        is_repeated: visit.record.tries > 0,
    }
}
