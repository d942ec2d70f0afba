//! The client behind the gates: requests that are polite by construction.
//!
//! Each request waits at the gate of its group, then for one of the
//! `fetch.concurrency` places of all requests in flight: who waits for a gap holds no
//! place. A 429 or 503 puts its group on hold before the next in turn can pass.
//!
//! Whether a page may be asked for at all by the host's robots.txt is looked up by
//! the caller, who keeps the records; [`Fetcher::robots`] fetches them.

use std::time::Duration;

use gleaner_config::Fetch;
use jiff::Timestamp;
use tokio::sync::Semaphore;
use url::Url;

use crate::access::RobotsRecord;
use crate::client::{Client, ClientError, Request, Response, Want};
use crate::error::FetchError;
use crate::gate::Gates;

/// Hops of redirects that are followed for a robots.txt (RFC 9309, 2.3.1.2).
const ROBOTS_HOPS: usize = 5;

/// A hop to a host that is on hold for longer is a failure, to be tried again later.
const PATIENCE: Duration = Duration::from_secs(120);

/// Client and gates in one. Shared by reference or in an `Arc`.
#[derive(Debug)]
pub struct Fetcher {
    client: Client,
    gates: Gates,
    places: Semaphore,
}

impl Fetcher {
    /// A fetcher with the limits, the identity, the gap and the concurrency of `settings`.
    ///
    /// # Errors
    /// As [`Client::new`].
    pub fn new(settings: &Fetch) -> Result<Self, ClientError> {
        Ok(Self {
            client: Client::new(settings)?,
            gates: Gates::new(settings.delay.get()),
            places: Semaphore::new(settings.concurrency.clamp(1, Semaphore::MAX_PERMITS)),
        })
    }

    /// The gates, for gaps, holds and the scheduler's question who is ready.
    #[must_use]
    pub fn gates(&self) -> &Gates {
        &self.gates
    }

    /// Asks once, through the gate of `group`. After a 429 or 503 the group is on hold
    /// already, for [`Response::hold`]: the caller must not back off once more.
    ///
    /// # Errors
    /// As [`Client::get`].
    pub async fn page(&self, request: &Request, group: &str) -> Result<Response, FetchError> {
        let pass = self.gates.enter(group).await;
        let place = self.places.acquire().await.expect("the fetcher's semaphore is never closed");
        let mut answer = self.client.get(request).await;
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

    /// Asks `origin` (any URL of the host; its scheme, host and port count) for its
    /// robots.txt and says what the answer means. `previous` is the record at hand,
    /// `now` the time to be recorded. `group_of` names the group of a URL: up to five
    /// redirects are followed, and each hop waits at the gate of its own group. `heard` is
    /// told each answer with its URL.
    pub async fn robots(
        &self,
        origin: &Url,
        group_of: &(dyn Fn(&Url) -> String + Send + Sync),
        previous: Option<&RobotsRecord>,
        now: Timestamp,
        heard: &mut (dyn FnMut(&Url, &Response) + Send),
    ) -> RobotsRecord {
        let Ok(mut url) = origin.join("/robots.txt") else {
            return RobotsRecord::failed(FetchError::BadUrl.to_string(), previous, now);
        };
        let mut hops = 0;
        loop {
            let group = group_of(&url);
            if hops > 0 && self.gates.ready_in(&group) > PATIENCE {
                return RobotsRecord::failed("it leads to a host that asked to wait".into(), previous, now);
            }
            let response = match self.page(&Request::new(url.clone(), Want::Robots), &group).await {
                Ok(response) => response,
                // Its pages are refused for the same reason, each with that outcome.
                Err(FetchError::PrivateAddress { .. }) if hops == 0 => return RobotsRecord::none(0, now),
                Err(error) => return RobotsRecord::failed(error.to_string(), previous, now),
            };
            heard(&url, &response);
            let next = response.location.filter(|next| hops < ROBOTS_HOPS && is_web(next));
            match (response.status, next) {
                (200..300, _) => return RobotsRecord::answered(response.status, &response.body, now),
                (301 | 302 | 303 | 307 | 308, Some(next)) => url = next,
                (300..=428 | 430..500, _) => return RobotsRecord::none(response.status, now),
                (status, _) => return RobotsRecord::failed(format!("status {status}"), previous, now),
            }
            hops += 1;
        }
    }
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}
