//! The client behind gates and holds: requests that are polite by construction.
//!
//! Each request waits until its host's hold is over, then at the gate of its group, then
//! for one of the `fetch.concurrency` places of all requests in flight: a request that waits
//! for a gap or a hold takes no place. A 429 or 503 puts its host on hold before the next
//! request of its group can pass.
//!
//! Whether a page may be asked for at all by the host's robots.txt is looked up by
//! the caller, who keeps the records; [`Fetcher::robots`] fetches them.

use std::fmt;
use std::time::Duration;

use gleaner_config::Fetch;
use jiff::Timestamp;
use tokio::sync::Semaphore;
use url::{Position, Url};

use crate::access::RobotsRecord;
use crate::client::{Client, ClientError};
use crate::error::FetchError;
use crate::gate::{Gates, Pass};
use crate::hold::{Holds, PushBack};
use crate::message::{Request, Response, Want};
use crate::permit::Right;

/// Hops of redirects that are followed for a robots.txt (RFC 9309, 2.3.1.2).
const ROBOTS_HOPS: usize = 5;

/// A hop to a host that is on hold for longer is a failure, to be tried again later.
const PATIENCE: Duration = Duration::from_secs(120);

/// When hosts may be asked: gaps and holds. Cheap to clone; clones share both.
#[derive(Debug, Clone)]
pub struct Politeness {
    /// One request in flight for each group of hosts, and a gap between two.
    pub gates: Gates,
    /// How long a host is left alone.
    pub holds: Holds,
}

impl Politeness {
    /// With `delay` between the end of an answer and the next request of its group.
    #[must_use]
    pub fn new(delay: Duration) -> Self {
        Self { gates: Gates::new(delay), holds: Holds::default() }
    }
}

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

/// Client, gates and holds in one. Shared by reference or in an `Arc`.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    politeness: Politeness,
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
            politeness: Politeness::new(settings.delay.get()),
            places: Semaphore::new(concurrency as usize),
            concurrency,
        })
    }

    /// Gates and holds, for the scheduler.
    #[must_use]
    pub fn politeness(&self) -> &Politeness {
        &self.politeness
    }

    /// The gates: gaps, and when a group can be asked.
    #[must_use]
    pub fn gates(&self) -> &Gates {
        &self.politeness.gates
    }

    /// The holds: how long a host is left alone.
    #[must_use]
    pub fn holds(&self) -> &Holds {
        &self.politeness.holds
    }

    /// Asks once, when the hold of the URL's host ([`host_of`]) is over, through the gate of
    /// `group`. `right` is judged when the gate is open and there is a place, right before the
    /// request is sent, and the request ends with it. After a 429, a 503 or a failed connection the host is on hold already, for
    /// [`Response::held`]: the caller must not put it on hold once more.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub async fn page(&self, request: &Request, group: &str, right: &Right) -> Result<Response, FetchError> {
        let host = host_of(&request.url);
        let pass = self.enter(group, host).await;
        let place = self.places.acquire().await.expect("the fetcher's semaphore is never closed");
        let mut answer = self.client.get(request, right).await;
        drop(place);
        let hold = |why, retry_after| {
            let held = self.holds().push_back(host, why, request.is_repeated, retry_after);
            tracing::info!(host, hold = ?held.time, "the host is left alone for a while");
            held
        };
        match &mut answer {
            Ok(response) => match response.status {
                429 => response.held = Some(hold(PushBack::TooManyRequests, response.retry_after)),
                503 => response.held = Some(hold(PushBack::Unavailable, response.retry_after)),
                // robots.txt is often served by something else than the pages.
                200..300 | 304 if request.want != Want::Robots => self.holds().answered(host),
                _ => {}
            },
            // The host, or our own way to the network: other URLs would fail as well.
            Err(FetchError::Dns(_) | FetchError::Connect(_) | FetchError::BadProxy(_)) => {
                hold(PushBack::Unavailable, None);
            }
            Err(_) => {}
        }
        drop(pass);
        answer
    }

    /// Waits for the host's hold without keeping its group busy, then for the group's gap.
    async fn enter(&self, group: &str, host: &str) -> Pass {
        loop {
            self.holds().wait(host).await;
            let pass = self.gates().enter(group).await;
            if self.holds().remaining(host).is_zero() {
                return pass;
            }
            pass.give_back();
        }
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
            let wait = self.holds().remaining(host_of(&url)).max(self.gates().ready_in(&group));
            if hops > first && wait > PATIENCE {
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

/// The host of a URL, with `:port` where it is not the default one: what a hold belongs to.
#[must_use]
pub fn host_of(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}
