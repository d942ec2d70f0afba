//! Sends requests in asynchronous tasks. In a crawl, the network is the source of responses.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::settings::Config;
use crossbeam_channel::{Receiver, Sender};
use gleaner_fetch::{
    FetchError, Fetcher, Request, RequestKind, RequestLease, Response, RobotsAnswer, RobotsRecord,
    RobotsRequest, RobotsState,
};
use gleaner_frontier::{CanonicalUrl, Role, Scope};
use gleaner_store::{HostId, Lease, Store};
use jiff::Timestamp;
use tokio::runtime::Handle;
use tracing::debug;
use url::Url;

use crate::archive::{ROBOTS, RecordBuilder, TDMREP, WarcRecords};
use crate::clock::Clock;
use crate::error::CrawlError;
use crate::event::{Event, Task};
use crate::frontier::TICK;
use crate::frontier::budget::Ending;
use crate::frontier::schedule::group_of_unknown;
use crate::pipeline::Pipeline;
use crate::progress::Progress;
use crate::visit::{OutgoingRequest, RobotsVisit, Visit};

/// Ticks are at most this rare, however long one takes.
const MAX_TICK: Duration = Duration::from_secs(5);

/// Maximum number of events whose records are read together.
pub(crate) const MAX_EVENTS: usize = 64;

pub(crate) struct Network {
    requester: Requester,
    events: Receiver<Event>,
    next_tick: Option<Instant>,
}

#[derive(Debug, Clone)]
pub(crate) struct Requester {
    pub(crate) runtime: Handle,
    /// Gives the partition of a URL.
    pub(crate) store: Store,
    pub(crate) fetcher: Arc<Fetcher>,
    /// Names the hosts that the user removed.
    pub(crate) scope: Arc<Scope>,
    pub(crate) config: Arc<Config>,
    pub(crate) records: Option<RecordBuilder>,
    pub(crate) clock: Clock,
    pub(crate) progress: Arc<Progress>,
    pub(crate) tasks: Sender<Task>,
    pub(crate) events: Sender<Event>,
}

impl Network {
    pub(crate) const fn new(requester: Requester, events: Receiver<Event>) -> Self {
        Self { requester, events, next_tick: None }
    }

    /// Crawls until nothing is due, a budget is used up or a stop is requested: sends the due requests, waits for
    /// events, applies them, flushes.
    pub(crate) fn run(&mut self, pipeline: &mut Pipeline) -> Result<Ending, CrawlError> {
        loop {
            if let Some(ending) = self.send_due(pipeline)? {
                return Ok(ending);
            }
            for event in self.next_events(pipeline)? {
                if let Some(request) = pipeline.apply(event)? {
                    self.requester.send(request);
                }
            }
            if pipeline.recorder.is_flush_due() {
                pipeline.recorder.flush()?;
            }
        }
    }

    /// Waits for an event. If the store is shared, returns also later events that have arrived.
    fn next_events(&self, pipeline: &mut Pipeline) -> Result<Vec<Event>, CrawlError> {
        // The channel cannot be closed, because the requester has a sender.
        let mut events = Vec::from_iter(self.events.recv_timeout(pipeline.frontier.pause()).ok());
        if !events.is_empty() && pipeline.recorder.store.is_shared() {
            events.extend(self.events.try_iter().take(MAX_EVENTS - 1));
            pipeline.read_ahead(&events)?;
        }
        Ok(events)
    }

    /// Sends the requests that are due. After a stop request, or when a budget is used up, no new visits start.
    fn send_due(&mut self, pipeline: &mut Pipeline) -> Result<Option<Ending>, CrawlError> {
        let is_idle = pipeline.frontier.in_flight == 0;
        if pipeline.session.stop.is_requested() {
            return Ok(is_idle.then_some(Ending::Stopped));
        }
        if let Some(budget) = pipeline.frontier.budget.exhausted(Instant::now()) {
            let is_over = is_idle && !pipeline.train_rest(false)?;
            return Ok(is_over.then_some(Ending::Budget(budget)));
        }
        self.tick(pipeline)?;
        pipeline.due_requests()?.into_iter().for_each(|request| self.requester.send(request));
        let is_quiet = pipeline.frontier.in_flight == 0 && pipeline.is_idle()?;
        if !is_quiet || pipeline.train_rest(true)? {
            pipeline.membership.mark_busy();
            return Ok(None);
        }
        Ok(pipeline.is_over_everywhere()?.then_some(Ending::Quiet))
    }

    fn tick(&mut self, pipeline: &mut Pipeline) -> Result<(), CrawlError> {
        let begun = Instant::now();
        if self.next_tick.is_some_and(|next| begun < next) {
            return Ok(());
        }
        pipeline.follow_leases()?.into_iter().for_each(|request| self.requester.send(request));
        pipeline.follow_snapshot_request()?;
        pipeline.follow_repair_request();
        pipeline.follow_commands()?;
        pipeline.promote_due()?;
        // With a distant database, a tick takes several round trips. Then ticks are rarer, so that they take a fifth of
        // the time.
        self.next_tick = Some(begun + (5 * begun.elapsed()).clamp(TICK, MAX_TICK));
        Ok(())
    }
}

impl Requester {
    fn send(&self, request: OutgoingRequest) {
        match request {
            OutgoingRequest::Visit(visit) => self.visit(visit),
            OutgoingRequest::Robots(host, visit) => self.robots(host, *visit),
            OutgoingRequest::RedirectedRobots(visit) => self.redirected_robots(*visit),
        }
    }

    /// Requests a URL. Afterwards sends exactly one event or task, even if the request code panics.
    fn visit(&self, visit: Box<Visit>) {
        let (this, fetcher) = (self.clone(), Arc::clone(&self.fetcher));
        let (request, group) = (request(&visit), Arc::clone(visit.requested_group()));
        let lease = request_lease(visit.lease.clone());
        self.runtime.spawn(async move {
            // The fetcher waits for the delay before a redirect within a visit. The latency excludes this wait.
            let begun = Instant::now() + fetcher.gates().ready_in(&group);
            let asked = tokio::spawn(async move { fetcher.page(&request, &group, &lease).await });
            let answer = asked.await.unwrap_or_else(|error| Err(FetchError::Broken(error.to_string())));
            this.progress.took(begun.elapsed());
            this.deliver(visit, answer);
        });
    }

    fn deliver(&self, visit: Box<Visit>, answer: Result<Response, FetchError>) {
        // The send fails only if the crawl was aborted. The frontier then still has the URL.
        match answer {
            Ok(response) => {
                self.progress.answered();
                let _ = self.tasks.send(Task::Process(visit, Box::new(response), truncate(self.clock.now())));
            }
            Err(error) => {
                debug!(url = %visit.url, %error, "no response");
                self.progress.unanswered(&error.to_string());
                let _ = self.events.send(Event::Failed(visit, error));
            }
        }
    }

    fn robots(&self, host: HostId, visit: RobotsVisit) {
        let (this, origin, group) = (self.clone(), visit.url.clone(), Arc::clone(&visit.group));
        self.runtime.spawn(async move {
            let (answer, records) = this.robots_answer(visit).await;
            let _ = this.events.send(Event::Robots(host, group, origin, Box::new(answer), records));
        });
    }

    fn redirected_robots(&self, visit: RobotsVisit) {
        let (this, url) = (self.clone(), visit.url.clone());
        self.runtime.spawn(async move {
            let (answer, records) = this.robots_answer(visit).await;
            let _ = this.events.send(Event::RedirectedRobots(url, Box::new(answer), records));
        });
    }

    async fn robots_answer(&self, visit: RobotsVisit) -> (RobotsAnswer, Vec<WarcRecords>) {
        let (this, previous) = (self.clone(), visit.previous.clone());
        match tokio::spawn(async move { this.request_site_files(&visit).await }).await {
            Ok(answered) => answered,
            Err(error) => {
                let failed = RobotsRecord::failed(error.to_string(), previous.as_ref(), self.clock.now());
                (RobotsAnswer::Record(failed), Vec::new())
            }
        }
    }

    /// Requests a robots.txt and then, if the visit says so, the tdmrep.json of its host.
    async fn request_site_files(&self, visit: &RobotsVisit) -> (RobotsAnswer, Vec<WarcRecords>) {
        let (mut answer, mut records) = self.request_robots(visit).await;
        if let RobotsAnswer::Record(record) = &mut answer
            && visit.with_tdmrep
        {
            records.extend(self.request_tdmrep(visit, record).await);
        }
        (answer, records)
    }

    async fn request_robots(&self, visit: &RobotsVisit) -> (RobotsAnswer, Vec<WarcRecords>) {
        let (mut records, mut answered) = (Vec::new(), None);
        let mut heard = |url: &Url, response: &Response| {
            let now = truncate(self.clock.now());
            answered = Some(now);
            let record = |builder: RecordBuilder| builder.record(url.as_str(), ROBOTS, response, now, None);
            records.extend(self.records.map(record));
        };
        let group_of = |url: &Url| self.group_within(visit, url);
        let is_refused =
            |url: &Url| CanonicalUrl::parse(url.as_str()).is_ok_and(|url| self.scope.is_removed(&url));
        let lease = request_lease(visit.lease.clone());
        let plain = RobotsRequest::new(&visit.url, &group_of, &lease, self.clock.now());
        let site = CanonicalUrl::parse(visit.url.as_str()).ok().map(|url| url.domain().to_owned());
        let request = RobotsRequest {
            url: visit.url.clone(),
            hops: visit.hops,
            site: site.unwrap_or_else(|| plain.site.clone()),
            is_refused: &is_refused,
            previous: visit.previous.as_ref(),
            ..plain
        };
        let mut answer = self.fetcher.robots(request, &mut heard).await;
        if let RobotsAnswer::Record(record) = &mut answer {
            // The time until the next robots.txt request counts from the end of this request. If there was a response,
            // it is also the `WARC-Date` of its record.
            record.at = answered.unwrap_or_else(|| self.clock.now());
        }
        match &answer {
            _ if answered.is_some() => self.progress.answered(),
            RobotsAnswer::Record(RobotsRecord { state: RobotsState::Unreachable { reason, .. }, .. }) => {
                self.progress.unanswered(reason);
            }
            _ => {}
        }
        (answer, records)
    }

    async fn request_tdmrep(&self, visit: &RobotsVisit, record: &mut RobotsRecord) -> Vec<WarcRecords> {
        let fetch = &self.config.fetch;
        let site =
            CanonicalUrl::parse(visit.url.as_str()).map(|url| url.domain().to_owned()).unwrap_or_default();
        let delay = self.config.delay_of(&site);
        let delay = record.rules(fetch.product()).effective_delay(delay, fetch);
        self.fetcher.gates().raise_delay(&visit.group, delay);
        let mut records = Vec::new();
        let mut heard = |url: &Url, response: &Response| {
            let now = truncate(self.clock.now());
            self.progress.answered();
            let record = |builder: RecordBuilder| builder.record(url.as_str(), TDMREP, response, now, None);
            records.extend(self.records.map(record));
            now
        };
        let (group_of, lease) =
            (|url: &Url| self.group_within(visit, url), request_lease(visit.lease.clone()));
        let request = RobotsRequest::new(&visit.url, &group_of, &lease, self.clock.now());
        let request = RobotsRequest { site, ..request };
        self.fetcher.tdmrep(request, fetch.product(), record, &mut heard).await;
        records
    }

    /// Returns the group of a URL, or `None` if the URL is in another partition than the visit. Does not read
    /// the store, because requests must end in time even if a database is unreachable.
    fn group_within(&self, visit: &RobotsVisit, url: &Url) -> Option<String> {
        let parsed = CanonicalUrl::parse(url.as_str());
        let Ok(place) = parsed else {
            return (!self.store.is_shared()).then(|| url.host_str().unwrap_or_default().to_owned());
        };
        let first = CanonicalUrl::parse(visit.url.as_str()).ok();
        let group = |url: &CanonicalUrl| group_of_unknown(self.config.fetch.gap_scope, url);
        if self.store.partition_of_url(&place) != visit.partition {
            None
        } else if first.is_some_and(|first| group(&first) == group(&place)) {
            Some(visit.group.to_string())
        } else {
            Some(group(&place).to_string())
        }
    }
}

/// Permits requests to a partition while its lease is valid.
fn request_lease(lease: Lease) -> RequestLease {
    RequestLease::new(move || lease.left())
}

/// Truncates a time to microseconds, the precision of the archive.
fn truncate(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(Timestamp::MAX)
}

/// Builds the request of a visit. The request is conditional if the URL's last response had an `ETag` or
/// `Last-Modified`, and the visit was not redirected to another URL.
fn request(visit: &Visit) -> Request {
    let want = match visit.record.role {
        Role::Feed | Role::Sitemap => RequestKind::List,
        Role::Front | Role::Section | Role::Page => RequestKind::Page,
    };
    let at_hand = |value: &Option<String>| value.clone().filter(|_| !visit.is_elsewhere());
    Request {
        url: visit.address().clone(),
        want,
        etag: at_hand(&visit.record.etag),
        last_modified: at_hand(&visit.record.last_modified),
        cookie: visit.cookie(),
        is_repeated: visit.record.tries > 0,
    }
}
