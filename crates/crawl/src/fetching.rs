//! The asynchronous stage: one request, then hand the answer on.

use std::sync::Arc;
use std::time::Instant;

use crossbeam_channel::Sender;
use gleaner_config::GapScope;
use gleaner_fetch::{FetchError, Fetcher, Request, Response, RobotsRecord, Want};
use gleaner_frontier::{CanonicalUrl, Role};
use gleaner_store::HostId;
use jiff::Timestamp;
use tokio::runtime::Handle;
use tracing::{Instrument, debug, info_span};
use url::Url;

use crate::archiving::{Keeping, ROBOTS};
use crate::clock::Clock;
use crate::hosts::group_of_url;
use crate::job::{Event, Task, Visit};
use crate::progress::Progress;
use crate::schedule::GroupName;

/// What the stage needs to begin a request.
#[derive(Debug, Clone)]
pub(crate) struct Fetching {
    pub(crate) runtime: Handle,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) gap_scope: GapScope,
    pub(crate) keeping: Option<Keeping>,
    pub(crate) clock: Clock,
    pub(crate) progress: Arc<Progress>,
    pub(crate) tasks: Sender<Task>,
    pub(crate) events: Sender<Event>,
}

impl Fetching {
    /// Asks for a URL. Exactly one event or task follows, even if the request's
    /// code should fail.
    pub(crate) fn visit(&self, visit: Box<Visit>) {
        let (this, fetcher) = (self.clone(), Arc::clone(&self.fetcher));
        let (request, group) = (request(&visit), Arc::clone(visit.gate()));
        self.runtime.spawn(async move {
            // Of a redirect that is followed; the gap is no part of its request.
            let wait = fetcher.gates().ready_in(&group);
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            let begun = Instant::now();
            let span = info_span!(parent: &visit.span, "request");
            let asked = tokio::spawn(async move { fetcher.page(&request, &group).await }.instrument(span));
            let answer = asked.await.unwrap_or_else(|error| Err(FetchError::Broken(error.to_string())));
            this.progress.took(begun.elapsed());
            this.pass_on(visit, answer);
        });
    }

    fn pass_on(&self, visit: Box<Visit>, answer: Result<Response, FetchError>) {
        // A closed channel means that the crawl has been given up; the URL is still
        // in the frontier.
        match answer {
            Ok(response) => {
                let _ = self.tasks.send(Task::Answer(visit, Box::new(response), whole(self.clock.now())));
            }
            Err(error) => {
                debug!(url = %visit.url, %error, "no answer");
                let _ = self.events.send(Event::Failed(visit, error));
            }
        }
    }

    /// Asks for a host's robots.txt.
    pub(crate) fn robots(&self, host: HostId, group: GroupName, origin: Url, previous: Option<RobotsRecord>) {
        let (this, fetcher) = (self.clone(), Arc::clone(&self.fetcher));
        self.runtime.spawn(async move {
            let (asked, before) = (origin.clone(), previous.clone());
            let scope = this.gap_scope;
            let group_of = move |url: &Url| match CanonicalUrl::parse(url.as_str()) {
                Ok(url) => group_of_url(scope, &url).to_string(),
                Err(_) => url.host_str().unwrap_or_default().to_owned(),
            };
            let (keeping, clock) = (this.keeping, this.clock.clone());
            let asking = async move {
                let mut kept = Vec::new();
                let mut heard = |url: &Url, response: &Response| {
                    let record =
                        |keeping: Keeping| keeping.record(url.as_str(), ROBOTS, response, clock.now(), None);
                    kept.extend(keeping.map(record));
                };
                let asked = fetcher.robots(&asked, &group_of, before.as_ref(), clock.now(), &mut heard);
                (asked.await, kept)
            };
            let (record, kept) = match tokio::spawn(asking).await {
                // Its pause counts from the answer, not from the question.
                Ok((record, kept)) => (RobotsRecord { at: this.clock.now(), ..record }, kept),
                Err(error) => {
                    let failed = RobotsRecord::failed(error.to_string(), previous.as_ref(), this.clock.now());
                    (failed, Vec::new())
                }
            };
            let _ = this.events.send(Event::Robots(host, group, origin, Box::new(record), kept));
        });
    }
}

/// A time as the archive has it: to the microsecond.
fn whole(time: Timestamp) -> Timestamp {
    Timestamp::from_microsecond(time.as_microsecond()).unwrap_or(Timestamp::MAX)
}

/// Pages are asked for as they are; what is visited again and again is asked for
/// only if it has changed. Where redirects have led, nothing is said of a copy at hand.
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
