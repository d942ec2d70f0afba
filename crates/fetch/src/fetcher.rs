//! The client behind the gates: requests that are polite by construction.
//!
//! Each request waits at the gate of its group, then for one of the
//! `fetch.concurrency` places of all requests in flight: who waits for a gap holds no
//! place. A 429 or 503 puts its group on hold before the next in turn can pass.
//!
//! Whether a page may be asked for at all by the host's robots.txt is looked up by
//! the caller, who keeps the records; [`Fetcher::robots`] fetches them.

use std::fmt;
use std::time::Duration;

use gleaner_config::Fetch;
use jiff::Timestamp;
use tokio::sync::Semaphore;
use url::Url;

use crate::access::RobotsRecord;
use crate::client::{Client, ClientError, Request, Response, Want};
use crate::error::FetchError;
use crate::gate::Gates;
use crate::permit::Right;

/// Hops of redirects that are followed for a robots.txt (RFC 9309, 2.3.1.2).
const ROBOTS_HOPS: usize = 5;

/// A hop to a host that is on hold for longer is a failure, to be tried again later.
const PATIENCE: Duration = Duration::from_secs(120);

/// What [`Fetcher::robots`] asks for.
pub struct RobotsRequest<'a> {
    /// A host's own robots.txt, or where a redirect leads.
    pub url: Url,
    /// Redirects that were followed before this request.
    pub hops: usize,
    /// The group of a URL; `None`: it is not the caller's to ask.
    pub group_of: &'a (dyn Fn(&Url) -> Option<String> + Send + Sync),
    /// For how long requests may be sent.
    pub right: &'a Right,
    /// The record at hand of the host that the answer is for.
    pub previous: Option<&'a RobotsRecord>,
    /// The time to be recorded.
    pub now: Timestamp,
}

impl<'a> RobotsRequest<'a> {
    /// For the robots.txt of the host of `origin` (its scheme, host and port count), without a
    /// record at hand.
    #[must_use]
    pub fn new(
        origin: &Url,
        group_of: &'a (dyn Fn(&Url) -> Option<String> + Send + Sync),
        right: &'a Right,
        now: Timestamp,
    ) -> Self {
        let mut url = origin.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        url.set_fragment(None);
        Self { url, hops: 0, group_of, right, previous: None, now }
    }
}

impl fmt::Debug for RobotsRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RobotsRequest({} after {} hops)", self.url, self.hops)
    }
}

/// What came of a request for a robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsAnswer {
    /// What the answer means.
    Record(RobotsRecord),
    /// It leads to a URL that is not the caller's to ask.
    Elsewhere {
        /// That URL.
        url: Url,
        /// Redirects up to there, 1 to 5.
        hops: usize,
    },
    /// The right to ask ended first. It says nothing of the host.
    NotPermitted,
}

/// Client and gates in one. Shared by reference or in an `Arc`.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    gates: Gates,
    places: Semaphore,
    /// Places in all.
    concurrency: u32,
}

impl Fetcher {
    /// A fetcher with the limits, the identity, the gap and the concurrency of `settings`.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn new(settings: &Fetch) -> Result<Self, ClientError> {
        let concurrency = u32::try_from(settings.concurrency.clamp(1, Semaphore::MAX_PERMITS));
        let concurrency = concurrency.unwrap_or(u32::MAX);
        Ok(Self {
            client: Client::new(settings)?,
            gates: Gates::new(settings.delay.get()),
            places: Semaphore::new(concurrency as usize),
            concurrency,
        })
    }

    /// The gates, for gaps, holds and the scheduler's question who is ready.
    #[must_use]
    pub fn gates(&self) -> &Gates {
        &self.gates
    }

    /// Asks once, through the gate of `group`. `right` is judged when the gate is open and there is a
    /// place, right before the request is sent, and the request ends with it. After a 429 or 503
    /// the group is on hold already, for [`Response::hold`]: the caller must not back off once more.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub async fn page(&self, request: &Request, group: &str, right: &Right) -> Result<Response, FetchError> {
        let pass = self.gates.enter(group).await;
        let place = self.places.acquire().await.expect("the fetcher's semaphore is never closed");
        let mut answer = self.client.get(request, right).await;
        drop(place);
        if let Ok(response) = &mut answer
            && matches!(response.status, 429 | 503)
        {
            let hold = self.gates.back_off(group, response.retry_after);
            tracing::info!(group, status = response.status, ?hold, "the host asks for a pause");
            response.hold = Some(hold);
        }
        drop(pass);
        answer
    }

    /// Waits until no request is in flight. To be called when the right to all of them has ended.
    pub async fn in_flight_ended(&self) {
        let all = self.places.acquire_many(self.concurrency).await;
        drop(all.expect("the fetcher's semaphore is never closed"));
    }

    /// Asks for a robots.txt and says what the answer means. Up to five redirects are
    /// followed, those before this request counted; each hop waits at the gate of its own group.
    /// `heard` is called with each answer and its URL.
    pub async fn robots(
        &self,
        request: RobotsRequest<'_>,
        heard: &mut (dyn FnMut(&Url, &Response) + Send),
    ) -> RobotsAnswer {
        let RobotsRequest { mut url, mut hops, group_of, right, previous, now } = request;
        let failed = |reason| RobotsAnswer::Record(RobotsRecord::failed(reason, previous, now));
        let none = |status| RobotsAnswer::Record(RobotsRecord::none(status, now));
        let first = hops;
        loop {
            let Some(group) = group_of(&url) else { return RobotsAnswer::Elsewhere { url, hops } };
            if hops > first && self.gates.ready_in(&group) > PATIENCE {
                return failed("it leads to a host that asked to wait".into());
            }
            let response = match self.page(&Request::new(url.clone(), Want::Robots), &group, right).await {
                Ok(response) => response,
                // Its pages are refused for the same reason, each with that outcome.
                Err(FetchError::PrivateAddress { .. }) if hops == 0 => return none(0),
                Err(FetchError::NotPermitted) => return RobotsAnswer::NotPermitted,
                Err(error) => return failed(error.to_string()),
            };
            heard(&url, &response);
            let next = response.location.filter(|next| hops < ROBOTS_HOPS && is_web(next));
            match (response.status, next) {
                (200..300, _) => {
                    return RobotsAnswer::Record(RobotsRecord::answered(
                        response.status,
                        &response.body,
                        now,
                    ));
                }
                (301 | 302 | 303 | 307 | 308, Some(next)) => url = next,
                (300..=428 | 430..500, _) => return none(response.status),
                (status, _) => return failed(format!("status {status}")),
            }
            hops += 1;
        }
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}
