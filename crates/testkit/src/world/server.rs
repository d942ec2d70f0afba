//! Serves a world as an HTTP proxy on loopback.

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use jiff::Timestamp;

use super::World;
use super::page::{RETRY_AFTER, is_forbidden};
use crate::background::Background;
use crate::connections::accept;
use crate::tls::Authority;

/// A request that was answered.
#[derive(Debug, Clone)]
pub struct Served {
    /// The host, in lower case.
    pub host: String,
    /// The path with its query.
    pub path: String,
    /// The status of the response.
    pub status: u16,
    /// When the request arrived, counted from the start of the server.
    pub begun: Duration,
    /// When the response was handed to the connection, counted from the start of the server.
    pub ended: Duration,
    /// Number of bytes of the body before compression.
    pub bytes: usize,
}

impl Served {
    /// Whether robots.txt never allows this request.
    #[must_use]
    pub fn is_forbidden(&self) -> bool {
        is_forbidden(&self.path)
    }

    /// How long the response asked to wait, or `None`.
    #[must_use]
    pub fn asked_to_wait(&self) -> Option<Duration> {
        (self.status == 429).then(|| Duration::from_secs(RETRY_AFTER.into()))
    }
}

/// A running server. Dropping it stops the server.
#[derive(Debug)]
pub struct WorldServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    _server: Background,
}

#[derive(Debug)]
struct Shared {
    world: Arc<World>,
    authority: Authority,
    now: AtomicI64,
    start: Instant,
    served: Mutex<Vec<Served>>,
}

impl WorldServer {
    /// Starts the server on a thread of its own. The time of the world is that of [`set`](Self::set). The authority signs
    /// the certificates of the sites.
    ///
    /// # Errors
    /// No port can be bound, or the thread cannot be started.
    pub fn start(world: Arc<World>, authority: Authority) -> io::Result<Self> {
        let now = AtomicI64::new(world.night(0).as_second());
        let shared =
            Arc::new(Shared { world, authority, now, start: Instant::now(), served: Mutex::default() });
        let answering = Arc::clone(&shared);
        let serve = move |listener, _, stopped| {
            accept(listener, stopped, move |request| proxy(Arc::clone(&answering), request))
        };
        let (address, server) = Background::start("world", (Ipv4Addr::LOCALHOST, 0).into(), serve)?;
        Ok(Self { address, shared, _server: server })
    }

    /// Returns the URL of the HTTP proxy, `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the time of the world.
    pub fn set(&self, now: Timestamp) {
        self.shared.now.store(now.as_second(), Ordering::Release);
    }

    /// Returns the number of requests since the last call of [`take`](Self::take).
    #[must_use]
    pub fn count(&self) -> usize {
        self.shared.served().len()
    }

    /// Returns the requests since the last call, in order of their arrival.
    #[must_use]
    pub fn take(&self) -> Vec<Served> {
        let mut served = std::mem::take(&mut *self.shared.served());
        served.sort_by_key(|request| request.begun);
        served
    }
}

impl Shared {
    fn now(&self) -> Timestamp {
        Timestamp::from_second(self.now.load(Ordering::Acquire)).unwrap_or_default()
    }

    fn served(&self) -> MutexGuard<'_, Vec<Served>> {
        // A panic while the lock is held cannot make the list inconsistent.
        self.served.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers a request for an http page, or opens a tunnel to an https site.
async fn proxy(shared: Arc<Shared>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let host = request.uri().host().unwrap_or_default().to_ascii_lowercase();
    if request.method() == Method::CONNECT {
        tokio::spawn(tunnel(shared, host, request));
        return Ok(Response::new(Full::default()));
    }
    respond(&shared, "http", host, request).await
}

/// Serves a host over TLS on the connection of a `CONNECT` request.
async fn tunnel(shared: Arc<Shared>, host: String, request: Request<Incoming>) {
    let identity = match shared.world.is_expired(&host, shared.now()) {
        true => shared.authority.certify_expired(&[&host]),
        false => shared.authority.certify(&[&host]),
    };
    // An error means that the client closed the connection, or refused the certificate.
    let Ok(connection) = hyper::upgrade::on(request).await else { return };
    let acceptor = identity.acceptor(&["http/1.1"]);
    let Ok(stream) = acceptor.accept(TokioIo::new(connection)).await else { return };
    let respond = service_fn(|request| respond(&shared, "https", host.clone(), request));
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), respond).await;
}

async fn respond(
    shared: &Shared,
    protocol: &str,
    host: String,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (begun, now) = (shared.start.elapsed(), shared.now());
    let path = request.uri().path_and_query().map_or("", |path| path.as_str()).to_owned();
    let answer = shared.world.answer(protocol, &host, &path, now);
    let bytes = answer.body.len();
    let response = answer.into_response(request.headers());
    let status = response.status().as_u16();
    let ended = shared.start.elapsed();
    shared.served().push(Served { host, path, status, begun, ended, bytes });
    Ok(response)
}
