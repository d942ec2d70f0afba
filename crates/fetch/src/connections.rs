//! Decides which connections are kept for later requests, and when a request is sent again.
//!
//! Servers close idle connections (Apache and Node after 5 s). A request that is sent just when the server
//! closes the connection is lost, although the server would answer it. Therefore:
//!
//! 1. A connection is reused only within [`KEPT_FOR`] of its last response. This ends a second before those
//!    servers close it. If the delay between requests is this long or longer, no connection is kept. The
//!    number of idle connections is limited by an option of the client, because each needs an open file.
//! 2. In two cases a request is sent again, immediately and on a new connection. First, a reused connection
//!    closed before the response (RFC 9110, 9.2.2). Second, the server stated over HTTP/2, by
//!    `REFUSED_STREAM` or a `GOAWAY` without an error, that it did not process the request (RFC 9113, 8.7).
//!    Both attempts count as one request. There is no retry, back-off or delay between them. The second
//!    result is final, so a request is sent at most twice.
//!
//! If a new connection closes, its request is not sent again. The server may have read the request, and would
//! get a second one without a delay.
//!
//! The library does not report whether a connection was reused. But it opens a new connection within the task
//! of the request. So a layer around its connector ([`ConnectionObserverLayer`]) sets a flag in that task. If
//! the flag is not set, the connection was reused. While the library opens a new connection, another one may
//! become idle, and the library may use the idle one although the flag is set. Then the request is not sent
//! again, which is safe.
//!
//! Limitation: the library does not report whether a connection closed within or before a response's headers.
//! On a reused connection, the request is sent again in both cases. RFC 9110, 9.2.2 allows this for a GET.

use std::cell::Cell;
use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use reqwest::{ClientBuilder, Request, Response};
use tokio::time::Instant;
use tower::{Layer, Service};
use url::{Origin, Url};

use crate::error::chain;
use crate::permit::{Permit, RequestLease};

/// Maximum age of an idle connection for reuse. Apache and Node close it after 5 s.
const KEPT_FOR: Duration = Duration::from_secs(4);
/// After this time, the library has certainly closed an unused connection. It checks once per [`KEPT_FOR`].
const CLOSED_AFTER: Duration = KEPT_FOR.saturating_mul(2);

#[derive(Debug, Clone)]
pub(crate) struct Connections {
    /// A client that reuses connections. `None` if the delay between requests is too long for reuse.
    kept: Option<reqwest::Client>,
    single: reqwest::Client,
    /// Hosts that were requested through `kept`, with the time of the last request.
    last_requests: Arc<Mutex<HashMap<Origin, Instant>>>,
    most: usize,
}

impl Connections {
    /// Creates connections with the options of `builder`. `delay` is the shortest delay between two requests
    /// to a host. `most` is the maximum number of idle connections over all hosts.
    pub(crate) fn new(
        builder: impl Fn() -> ClientBuilder,
        delay: Duration,
        most: usize,
    ) -> reqwest::Result<Self> {
        let keeping = |builder: ClientBuilder| {
            let builder = builder.pool_max_idle_per_host(1).pool_idle_timeout(KEPT_FOR);
            builder.connector_layer(ConnectionObserverLayer).build()
        };
        Ok(Self {
            kept: if delay < KEPT_FOR { Some(keeping(builder())?) } else { None },
            single: builder().pool_max_idle_per_host(0).build()?,
            last_requests: Arc::default(),
            most,
        })
    }

    /// Sends a request without a body. Sends it again if its reused connection closed before the response, or
    /// if the server did not process it. The second attempt needs another permit from `lease`. All requests
    /// go through this function, so each has a permit.
    pub(crate) async fn send(
        &self,
        request: Request,
        _: Permit,
        lease: &RequestLease,
    ) -> reqwest::Result<Response> {
        let copy = request.try_clone();
        let (answer, is_used) = match self.keeping(request.url()) {
            Some(kept) => {
                let (answer, is_new) = observe_connection(kept.execute(request)).await;
                (answer, !is_new)
            }
            None => (self.single.execute(request).await, false),
        };
        match (answer, copy) {
            (Err(error), Some(copy)) if is_used && is_closed(&error) || is_unprocessed(&error) => {
                let Ok(_permit) = lease.permit() else { return Err(error) };
                tracing::debug!(url = %copy.url(), %error, "sent again on a new connection");
                self.single.execute(copy).await
            }
            (answer, _) => answer,
        }
    }

    /// Returns the client that keeps this request's connection, or `None` if the connection is not kept.
    fn keeping(&self, url: &Url) -> Option<&reqwest::Client> {
        let kept = self.kept.as_ref()?;
        let (now, mut last_requests) = (Instant::now(), self.last_requests());
        if last_requests.len() >= self.most {
            last_requests.retain(|_, last| now < *last + CLOSED_AFTER);
        }
        let origin = url.origin();
        if last_requests.len() >= self.most && !last_requests.contains_key(&origin) {
            return None;
        }
        last_requests.insert(origin, now);
        Some(kept)
    }

    fn last_requests(&self) -> MutexGuard<'_, HashMap<Origin, Instant>> {
        // No code panics while it holds this lock, and the entries are independent.
        self.last_requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the connection ended before the end of the response's headers.
fn is_closed(error: &reqwest::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, NotConnected, UnexpectedEof};
    let is_end = |error: &io::Error| {
        matches!(
            error.kind(),
            BrokenPipe | ConnectionAborted | ConnectionReset | NotConnected | UnexpectedEof
        )
    };
    let is_http = |error: &hyper::Error| error.is_incomplete_message() || error.is_canceled();
    chain(error).iter().any(|link| {
        link.downcast_ref().is_some_and(is_end)
            || link.downcast_ref().is_some_and(is_http)
            || link.downcast_ref::<h2::Error>().and_then(h2::Error::get_io).is_some_and(is_end)
    })
}

fn is_unprocessed(error: &reqwest::Error) -> bool {
    let is_said = |error: &h2::Error| {
        let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        let is_leaving = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
        error.is_remote() && (is_refused || is_leaving)
    };
    chain(error).iter().any(|link| link.downcast_ref().is_some_and(is_said))
}

tokio::task_local! {
    static IS_NEW: Cell<bool>;
}

/// Awaits `sending`. Also returns whether a connection was opened meanwhile.
async fn observe_connection<T>(sending: impl Future<Output = T>) -> (T, bool) {
    IS_NEW.scope(Cell::new(false), async { (sending.await, IS_NEW.with(Cell::get)) }).await
}

#[derive(Debug, Clone)]
struct ConnectionObserverLayer;

#[derive(Debug, Clone)]
struct ConnectionObserver<S>(S);

impl<S> Layer<S> for ConnectionObserverLayer {
    type Service = ConnectionObserver<S>;

    fn layer(&self, inner: S) -> ConnectionObserver<S> {
        ConnectionObserver(inner)
    }
}

impl<R, S: Service<R>> Service<R> for ConnectionObserver<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: R) -> S::Future {
        // Outside the task of a request, the flag does not exist.
        let _ = IS_NEW.try_with(|is_new| is_new.set(true));
        self.0.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(delay: Duration, most: usize) -> Connections {
        crate::choose_cryptography();
        Connections::new(|| reqwest::Client::builder().tls_certs_only([]), delay, most).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn connections_are_kept_of_so_many_hosts_and_none_at_a_long_gap() {
        let url = |number: usize| Url::parse(&format!("http://{number}.example/")).unwrap();
        let few = connections(Duration::ZERO, 3);
        let kept = |range: std::ops::Range<usize>| range.filter(|n| few.keeping(&url(*n)).is_some()).count();
        assert_eq!(kept(0..10), 3);
        assert_eq!(kept(0..10), 3);
        tokio::time::advance(CLOSED_AFTER).await;
        assert_eq!(kept(5..10), 3);
        assert!(few.last_requests().len() <= 3);
        assert!(connections(KEPT_FOR, 3).keeping(&url(0)).is_none());
    }
}
