//! Connections: which are kept for the next request, and when a request is sent once more.
//!
//! Servers close connections that idle, Apache and Node after 5 s, and a request that is sent
//! at that moment is lost without any fault of its page. So:
//!
//! 1. A connection is used again only within [`KEPT_FOR`] of its last answer, a second less
//!    than those servers wait. At a gap of that or more none could be used again, and none is
//!    kept. Of others at most so many are kept at once as the client was told, since each
//!    takes one of the process's open files.
//! 2. A request is sent once more, at once, on a new connection, when its connection was a
//!    used one and closed before the answer (RFC 9110, 9.2.2), or when the server said over
//!    HTTP/2 that it did not process it (RFC 9113, 8.7): `REFUSED_STREAM`, or a `GOAWAY` without an
//!    error. It is the same request still: it costs no try, no hold and no gap. What happens to
//!    it on the new connection is final, so that a request is sent twice at most.
//!
//! A request on a new connection that closes is never sent again: the server may have read
//! it, and a second one would come without a gap.
//!
//! How is a used connection known? The library does not say. But it opens a connection
//! within the task of the request that wants it, and not before it has found that none is
//! idle. So a layer around its connector ([`NoteLayer`]) makes a note in the request's task: without a
//! note, the connection was a used one. Where the library begins to connect and then takes one
//! that has just become idle, there is a note all the same: then nothing is sent again, which
//! is the safe side.
//!
//! Limitation: a connection that closes within the head of an answer looks to the
//! library like one that closes before it. On a used connection, that request is sent again, too;
//! RFC 9110, 9.2.2 allows it for a GET.

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
use crate::permit::{Permit, Right};

/// A connection is used again within this time. Apache and Node close after 5 s; the rest is
/// for the way there and back.
const KEPT_FOR: Duration = Duration::from_secs(4);
/// Until when the library has closed a connection that is not used again: it looks at each
/// interval of the time that it keeps them.
const CLOSED_AFTER: Duration = KEPT_FOR.saturating_mul(2);

/// The connections of a client. Cheap to clone; clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Connections {
    /// Keeps connections. `None`: the gap is so long that none could be used again.
    kept: Option<reqwest::Client>,
    /// Opens a connection for each request and closes it afterwards.
    single: reqwest::Client,
    /// Hosts that were asked through `kept`, and when last.
    asked: Arc<Mutex<HashMap<Origin, Instant>>>,
    most: usize,
}

impl Connections {
    /// Connections that `builder` describes. `gap`: the least time between two requests to a
    /// host; `most`: connections that are kept idle at once, of all hosts.
    pub(crate) fn new(
        builder: impl Fn() -> ClientBuilder,
        gap: Duration,
        most: usize,
    ) -> reqwest::Result<Self> {
        let keeping = |builder: ClientBuilder| {
            let builder = builder.pool_max_idle_per_host(1).pool_idle_timeout(KEPT_FOR);
            builder.connector_layer(NoteLayer).build()
        };
        Ok(Self {
            kept: if gap < KEPT_FOR { Some(keeping(builder())?) } else { None },
            single: builder().pool_max_idle_per_host(0).build()?,
            asked: Arc::default(),
            most,
        })
    }

    /// Sends a request without a body, and a second time where the head of this file allows it
    /// and `right` gives another permit. Nothing else sends, so each request has had a permit.
    pub(crate) async fn send(&self, request: Request, _: Permit, right: &Right) -> reqwest::Result<Response> {
        let copy = request.try_clone();
        let (answer, is_used) = match self.keeping(request.url()) {
            Some(kept) => {
                let (answer, is_new) = noting(kept.execute(request)).await;
                (answer, !is_new)
            }
            None => (self.single.execute(request).await, false),
        };
        match (answer, copy) {
            (Err(error), Some(copy)) if is_used && is_closed(&error) || is_unprocessed(&error) => {
                let Ok(_permit) = right.permit() else { return Err(error) };
                tracing::debug!(url = %copy.url(), %error, "sent again on a new connection");
                self.single.execute(copy).await
            }
            (answer, _) => answer,
        }
    }

    /// The client that keeps the connection of this request; `None`: it is not to be kept.
    fn keeping(&self, url: &Url) -> Option<&reqwest::Client> {
        let kept = self.kept.as_ref()?;
        let (now, mut asked) = (Instant::now(), self.asked());
        if asked.len() >= self.most {
            asked.retain(|_, last| now < *last + CLOSED_AFTER);
        }
        let origin = url.origin();
        if asked.len() >= self.most && !asked.contains_key(&origin) {
            return None;
        }
        asked.insert(origin, now);
        Some(kept)
    }

    fn asked(&self) -> MutexGuard<'_, HashMap<Origin, Instant>> {
        // No code panics while it holds the lock, and each entry is valid by itself.
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the connection ended before the head of the answer did.
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

/// Whether the server said that it did not process the request.
fn is_unprocessed(error: &reqwest::Error) -> bool {
    let is_said = |error: &h2::Error| {
        let is_refused = error.is_reset() && error.reason() == Some(h2::Reason::REFUSED_STREAM);
        let is_leaving = error.is_go_away() && error.reason() == Some(h2::Reason::NO_ERROR);
        error.is_remote() && (is_refused || is_leaving)
    };
    chain(error).iter().any(|link| link.downcast_ref().is_some_and(is_said))
}

tokio::task_local! {
    /// Whether a connection was begun for the request of this task.
    static IS_NEW: Cell<bool>;
}

/// Sends, and says whether a connection was begun for it.
async fn noting<T>(sending: impl Future<Output = T>) -> (T, bool) {
    IS_NEW.scope(Cell::new(false), async { (sending.await, IS_NEW.with(Cell::get)) }).await
}

/// Puts [`Note`] around a connector.
#[derive(Debug, Clone)]
struct NoteLayer;

/// A connector that notes in the task of the request that it was called.
#[derive(Debug, Clone)]
struct Note<S>(S);

impl<S> Layer<S> for NoteLayer {
    type Service = Note<S>;

    fn layer(&self, inner: S) -> Note<S> {
        Note(inner)
    }
}

impl<R, S: Service<R>> Service<R> for Note<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: R) -> S::Future {
        // Out of a request's task nobody asks for the note.
        let _ = IS_NEW.try_with(|is_new| is_new.set(true));
        self.0.call(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(gap: Duration, most: usize) -> Connections {
        crate::choose_cryptography();
        Connections::new(|| reqwest::Client::builder().tls_certs_only([]), gap, most).unwrap()
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
        assert!(few.asked().len() <= 3);
        assert!(connections(KEPT_FOR, 3).keeping(&url(0)).is_none());
    }
}
