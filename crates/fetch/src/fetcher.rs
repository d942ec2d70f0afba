//! Sends requests in compliance with delays and back-offs.
//!
//! Each request waits for the end of its host's back-off, then at its group's gate, then for one of
//! `fetch.concurrency` slots. While a request waits for a delay or a back-off, it occupies no slot. After a
//! 429 or 503, the back-off of the host starts before the next request of its group.
//!
//! The caller checks whether a page may be requested. It also stores the robots.txt records that
//! [`Fetcher::robots`] returns.

use std::fmt;
use std::time::Duration;

use crate::settings::FetchSettings;
use jiff::Timestamp;
use tokio::sync::Semaphore;
use url::{Position, Url};

use crate::access::RobotsRecord;
use crate::backoff::{BackoffReason, Backoffs};
use crate::client::Client;
use crate::client_error::ClientError;
use crate::cookies::Cookies;
use crate::error::FetchError;
use crate::gate::{GateGuard, Gates};
use crate::message::{Request, RequestKind, Response};
use crate::permit::RequestLease;
use crate::tdmrep::TDMREP_PATH;

/// Maximum number of redirects for a robots.txt (RFC 9309, 2.3.1.2).
const ROBOTS_HOPS: usize = 5;

/// Longest wait for a request to the target of a robots.txt redirect. If the wait would be longer, the
/// request fails and is retried later.
pub const MAX_REDIRECT_WAIT: Duration = Duration::from_secs(120);

/// The delays between requests and the back-offs. Clones are cheap and share both.
#[derive(Debug, Clone)]
pub struct Politeness {
    /// The gates. They allow one request in flight per group, with a delay between requests.
    pub gates: Gates,
    /// The back-offs of hosts.
    pub backoffs: Backoffs,
}

impl Politeness {
    /// Creates gates without groups, and no back-offs. `delay` is the time from the end of a response to the
    /// next request to the same group of hosts.
    #[must_use]
    pub fn new(delay: Duration) -> Self {
        Self { gates: Gates::new(delay), backoffs: Backoffs::default() }
    }
}

/// The input of [`Fetcher::robots`].
pub struct RobotsRequest<'a> {
    /// The URL of a host's own robots.txt, or the target of a redirect.
    pub url: Url,
    /// Number of redirects that led to this URL.
    pub hops: usize,
    /// The site whose cookies are sent, as in [`Cookies::of_site`].
    pub site: String,
    /// Returns the group of a URL, or `None` if this caller must not request the URL.
    pub group_of: &'a (dyn Fn(&Url) -> Option<String> + Send + Sync),
    /// Whether the target of a redirect must not be requested by anybody.
    pub is_refused: &'a (dyn Fn(&Url) -> bool + Send + Sync),
    /// Limits how long the requests may run.
    pub lease: &'a RequestLease,
    /// The stored record of the host. `None` if there is no record.
    pub previous: Option<&'a RobotsRecord>,
    /// The time that is stored in the new record.
    pub now: Timestamp,
}

impl<'a> RobotsRequest<'a> {
    /// Creates a request for the robots.txt of a host, without a stored record. Only the scheme, host and
    /// port of `origin` matter. The site is the host.
    #[must_use]
    pub fn new(
        origin: &Url,
        group_of: &'a (dyn Fn(&Url) -> Option<String> + Send + Sync),
        lease: &'a RequestLease,
        now: Timestamp,
    ) -> Self {
        let mut url = origin.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        url.set_fragment(None);
        let site = url.host_str().unwrap_or_default().to_owned();
        Self { url, hops: 0, site, group_of, is_refused: &|_| false, lease, previous: None, now }
    }
}

impl fmt::Debug for RobotsRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RobotsRequest({} after {} hops)", self.url, self.hops)
    }
}

/// The result of a request for a robots.txt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RobotsAnswer {
    /// The record of the response or failure.
    Record(RobotsRecord),
    /// The robots.txt redirects to a URL that this caller must not request.
    Elsewhere {
        /// The target.
        url: Url,
        /// Number of redirects to the target, 1 to 5.
        hops: usize,
    },
    /// The [`RequestLease`] ended before the response. The host did not cause this.
    NotPermitted,
}

/// A client with gates and back-offs. Callers share it by reference or in an `Arc`.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    politeness: Politeness,
    places: Semaphore,
    concurrency: u32,
}

impl Fetcher {
    /// Creates a fetcher with the limits, the user agent, the delay and the concurrency of `settings`.
    ///
    /// # Errors
    /// As in [`Client::new`].
    pub fn new(settings: &FetchSettings) -> Result<Self, ClientError> {
        let concurrency = u32::try_from(settings.concurrency.clamp(1, Semaphore::MAX_PERMITS));
        let concurrency = concurrency.unwrap_or(u32::MAX);
        Ok(Self {
            client: Client::new(settings)?,
            politeness: Politeness::new(settings.delay.get()),
            places: Semaphore::new(concurrency as usize),
            concurrency,
        })
    }

    /// Returns the gates and the back-offs, for the scheduler.
    #[must_use]
    pub fn politeness(&self) -> &Politeness {
        &self.politeness
    }

    /// Returns the gates, which apply the delays and report when a group may be requested.
    #[must_use]
    pub fn gates(&self) -> &Gates {
        &self.politeness.gates
    }

    /// Returns the back-offs of all hosts.
    #[must_use]
    pub fn backoffs(&self) -> &Backoffs {
        &self.politeness.backoffs
    }

    /// Sends one request after the back-off of the URL's host ([`host_of`]), through the gate of `group`.
    /// Waits for a slot, and checks `lease` directly before sending. The request is cancelled when `lease`
    /// ends. A 429, a 503 or a failed connection starts a back-off of the host. [`Response::held`] reports
    /// the back-off after a response, so that the caller need not start it.
    ///
    /// # Errors
    /// As in [`Client::get`].
    pub async fn page(
        &self,
        request: &Request,
        group: &str,
        lease: &RequestLease,
    ) -> Result<Response, FetchError> {
        let host = host_of(&request.url);
        let pass = self.enter(group, host).await;
        let place = self.places.acquire().await.expect("the fetcher's semaphore is never closed");
        let mut answer = self.client.get(request, lease).await;
        drop(place);
        let backoff = |why, retry_after| {
            let held = self.backoffs().push_back(host, why, request.is_repeated, retry_after);
            tracing::info!(host, hold = ?held.time, "backing off from the host");
            held
        };
        match &mut answer {
            Ok(response) => match response.status {
                429 => response.held = Some(backoff(BackoffReason::TooManyRequests, response.retry_after)),
                503 => response.held = Some(backoff(BackoffReason::Unavailable, response.retry_after)),
                // Only pages count as answers here, because many sites serve robots.txt and pages from
                // separate systems.
                200..300 | 304 if request.want != RequestKind::Robots => self.backoffs().answered(host),
                _ => {}
            },
            // The host or this machine's network fails, so all requests to the host would fail.
            Err(FetchError::Dns(_) | FetchError::Connect(_) | FetchError::BadProxy(_)) => {
                backoff(BackoffReason::Unavailable, None);
            }
            Err(_) => {}
        }
        match &answer {
            // Nothing was sent, so no delay starts.
            Err(FetchError::PrivateAddress { .. }) => pass.cancel(),
            _ => drop(pass),
        }
        answer
    }

    async fn enter(&self, group: &str, host: &str) -> GateGuard {
        loop {
            self.backoffs().wait(host).await;
            let pass = self.gates().enter(group).await;
            if self.backoffs().remaining(host).is_zero() {
                return pass;
            }
            pass.cancel();
        }
    }

    /// Waits until no request is in flight. The caller must first end the leases of all requests.
    pub async fn in_flight_ended(&self) {
        let all = self.places.acquire_many(self.concurrency).await;
        drop(all.expect("the fetcher's semaphore is never closed"));
    }

    /// Requests a robots.txt and interprets the response. Follows up to five redirects, including the
    /// redirects that led to this request. Each redirect waits at the gate of its own group. Sends the cookies
    /// that the responses of the site set, because some sites redirect each request without a cookie. Calls
    /// `on_response` with each response and its URL.
    pub async fn robots(
        &self,
        request: RobotsRequest<'_>,
        on_response: &mut (dyn FnMut(&Url, &Response) + Send),
    ) -> RobotsAnswer {
        let RobotsRequest { mut url, mut hops, site, group_of, is_refused, lease, previous, now } = request;
        let mut cookies = Cookies::of_site(&site);
        let failed = |reason| RobotsAnswer::Record(RobotsRecord::failed(reason, previous, now));
        let none = |status| RobotsAnswer::Record(RobotsRecord::none(status, now));
        let first = hops;
        loop {
            if is_refused(&url) {
                return failed("it leads to a host that the user removed".into());
            }
            let Some(group) = group_of(&url) else { return RobotsAnswer::Elsewhere { url, hops } };
            let wait = self.backoffs().remaining(host_of(&url)).max(self.gates().ready_in(&group));
            if hops > first && wait > MAX_REDIRECT_WAIT {
                return failed("it leads to a host that asked to wait".into());
            }
            let cookie = cookies.header(&url);
            let request = Request { cookie, ..Request::new(url.clone(), RequestKind::Robots) };
            let response = match self.page(&request, &group, lease).await {
                Ok(response) => response,
                // The host's address is refused, so each request for a page of the host fails with this error
                // too.
                Err(FetchError::PrivateAddress { .. }) if hops == 0 => return none(0),
                Err(FetchError::NotPermitted) => return RobotsAnswer::NotPermitted,
                Err(error) => return failed(error.to_string()),
            };
            on_response(&url, &response);
            cookies.store(&url, &response);
            let next = response.location.filter(|next| hops < ROBOTS_HOPS && is_web(next));
            match (response.status, next) {
                (301 | 302 | 303 | 307 | 308, Some(next)) => url = next,
                (status, _) => {
                    let record = RobotsRecord::from_response(status, &response.body, previous, now);
                    return RobotsAnswer::Record(record);
                }
            }
            hops += 1;
        }
    }

    /// Requests the `tdmrep.json` of a host, and applies the response to the host's record. Sends no request if the
    /// robots.txt does not allow it. Follows up to five redirects within the host, with cookies as in
    /// [`robots`](Self::robots). Calls `on_response` with each response and its URL, which returns the time of the
    /// response. If a request fails, the record stays as it is.
    pub async fn tdmrep(
        &self,
        request: RobotsRequest<'_>,
        product: &str,
        record: &mut RobotsRecord,
        on_response: &mut (dyn FnMut(&Url, &Response) -> Timestamp + Send),
    ) {
        let RobotsRequest { mut url, site, group_of, lease, .. } = request;
        let (access, mut cookies) = (record.rules(product), Cookies::of_site(&site));
        url.set_path(TDMREP_PATH);
        for _ in 0..=ROBOTS_HOPS {
            let is_allowed = access.verdict(&url[Position::BeforePath..]).is_allowed();
            let Some(group) = group_of(&url).filter(|_| is_allowed) else { return };
            let cookie = cookies.header(&url);
            let request = Request { cookie, ..Request::new(url.clone(), RequestKind::Robots) };
            let Ok(response) = self.page(&request, &group, lease).await else { return };
            let now = on_response(&url, &response);
            cookies.store(&url, &response);
            let is_redirect = matches!(response.status, 301 | 302 | 303 | 307 | 308);
            let is_within = |next: &Url| is_web(next) && host_of(next) == host_of(&url);
            match response.location.filter(|next| is_redirect && is_within(next)) {
                Some(next) => url = next,
                None => return record.apply_tdmrep(response.status, &response.body, now),
            }
        }
    }
}

/// Returns the host of a URL, with `:port` unless the port is the default. [`Backoffs`] identifies hosts by
/// this string.
#[must_use]
pub fn host_of(url: &Url) -> &str {
    &url[Position::BeforeHost..Position::AfterPort]
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}
