//! The asynchronous stage: one request, then hand the answer on.

use std::sync::Arc;

use crossbeam_channel::Sender;
use gleaner_config::GapScope;
use gleaner_fetch::{FetchError, Fetcher, Request, Response, RobotsRecord, Want};
use gleaner_frontier::{CanonicalUrl, Role};
use gleaner_store::HostId;
use jiff::Timestamp;
use tokio::runtime::Handle;
use tracing::debug;
use url::Url;

use crate::hosts::group_of_url;
use crate::job::{Event, Task, Visit};
use crate::schedule::GroupName;

/// What the stage needs to begin a request.
#[derive(Debug, Clone)]
pub(crate) struct Fetching {
    pub(crate) runtime: Handle,
    pub(crate) fetcher: Arc<Fetcher>,
    pub(crate) gap_scope: GapScope,
    pub(crate) tasks: Sender<Task>,
    pub(crate) events: Sender<Event>,
}

impl Fetching {
    /// Asks for a URL. Exactly one event or task follows, even if the request's
    /// code should fail.
    pub(crate) fn visit(&self, visit: Box<Visit>) {
        let (this, fetcher) = (self.clone(), Arc::clone(&self.fetcher));
        let (request, group) = (request(&visit), Arc::clone(&visit.group));
        self.runtime.spawn(async move {
            let asked = tokio::spawn(async move { fetcher.page(&request, &group).await });
            this.pass_on(
                visit,
                asked.await.unwrap_or_else(|error| Err(FetchError::Broken(error.to_string()))),
            );
        });
    }

    fn pass_on(&self, visit: Box<Visit>, answer: Result<Response, FetchError>) {
        // A closed channel means that the crawl has been given up; the URL is still
        // in the frontier.
        match answer {
            Ok(response) if (200..300).contains(&response.status) => {
                let _ = self.tasks.send(Task::Read(visit, Box::new(response), Timestamp::now()));
            }
            Ok(response) => {
                let _ = self.events.send(Event::Answered(visit, Box::new(response)));
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
            let asking =
                async move { fetcher.robots(&asked, &group_of, before.as_ref(), Timestamp::now()).await };
            let record = match tokio::spawn(asking).await {
                // Its pause counts from the answer, not from the question.
                Ok(record) => RobotsRecord { at: Timestamp::now(), ..record },
                Err(error) => RobotsRecord::failed(error.to_string(), previous.as_ref(), Timestamp::now()),
            };
            let _ = this.events.send(Event::Robots(host, group, origin, Box::new(record)));
        });
    }
}

/// Pages are asked for as they are; what is visited again and again is asked for
/// only if it has changed.
fn request(visit: &Visit) -> Request {
    let want = match visit.record.role {
        Role::Feed | Role::Sitemap => Want::List,
        Role::Front | Role::Section | Role::Page => Want::Page,
    };
    Request {
        url: visit.url.url().clone(),
        want,
        etag: visit.record.etag.clone(),
        last_modified: visit.record.last_modified.clone(),
    }
}
