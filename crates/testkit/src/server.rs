//! Serves both papers over HTTP/1.1, on one port of the loopback interface.
//!
//! The server acts as a proxy for absolute-form targets (RFC 9112, 3.2.2), and as an origin server for
//! requests with a `Host` header. It never opens connections to other servers. It answers requests for
//! unknown hosts with 404, and `CONNECT` with 501.
//!
//! Each connection has its own task. Requests share only the access log and the counters of a site.

use crate::access_log::{AccessLog, Request};
use crate::background::Background;
use crate::connections::accept;
use crate::daily::Daily;
use crate::expected::{Expected, expected};
use crate::generated_papers::GeneratedPapers;
use crate::page_response::PageResponse;
use crate::paper::PAPERS;
use crate::site::{Site, special};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{HOST, USER_AGENT};
use hyper::{Method, Response, StatusCode};
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

/// The options of a [`Newspaper`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewspaperOptions {
    /// Maximum number of articles in each paper. The newest articles are served.
    pub articles: usize,
    /// Whether two articles of each paper fail at the first request: one with 503 (`Retry-After: 1`), the
    /// other with 500.
    pub faults: bool,
    /// The delay between a request and its response.
    pub latency: Duration,
    /// The number of article pages that each paper serves before its redesign. `None` means that there is no
    /// redesign.
    pub redesigned_after: Option<usize>,
    /// After the redesign, one article page in this number has the new design. 1 means all of them.
    pub redesigned_every: usize,
    /// Many generated papers, which are served in addition to the two papers.
    pub generated: Option<GeneratedPapers>,
    /// Two more papers, which have new articles every day. They are served in addition to the usual two
    /// papers.
    pub daily: Option<Daily>,
}

impl Default for NewspaperOptions {
    fn default() -> Self {
        Self {
            articles: usize::MAX,
            faults: true,
            latency: Duration::ZERO,
            redesigned_after: None,
            redesigned_every: 1,
            generated: None,
            daily: None,
        }
    }
}

/// A running server with two papers. Dropping it stops the server.
#[derive(Debug)]
pub struct Newspaper {
    address: SocketAddr,
    shared: Arc<Shared>,
    _server: Background,
}

#[derive(Debug)]
struct Shared {
    sites: Vec<Site>,
    generated: Option<GeneratedPapers>,
    daily: Option<Daily>,
    latency: AtomicU64,
    log: AccessLog,
}

/// A request in progress. Dropping it records the end of the request, even if the request was cancelled.
struct RequestGuard<'a>(&'a AccessLog, usize);

impl Drop for RequestGuard<'_> {
    fn drop(&mut self) {
        self.0.finished(self.1);
    }
}

impl Newspaper {
    /// Binds a free port of 127.0.0.1, and serves on the current tokio runtime. The access log uses the clock
    /// of this runtime, which a test may have paused.
    ///
    /// # Errors
    /// No port can be bound.
    ///
    /// # Panics
    /// Outside a tokio runtime, and in a runtime without IO or time.
    pub async fn start(options: NewspaperOptions) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared::new(&options));
        let (stop, stopped) = oneshot::channel();
        let served = Arc::clone(&shared);
        tokio::spawn(accept(listener, stopped, move |request| {
            respond(Arc::clone(&served), address, request)
        }));
        Ok(Self { address, shared, _server: Background::from_stop(stop) })
    }

    /// Starts a server like [`Newspaper::start`], but on its own thread and runtime, for callers that are not
    /// async.
    ///
    /// # Errors
    /// No port can be bound, or the thread cannot be started.
    pub fn start_in_background(options: NewspaperOptions) -> io::Result<Self> {
        Self::serve_in_background(Arc::new(Shared::new(&options)))
    }

    /// Starts another proxy to the same papers, with the same access log.
    ///
    /// # Errors
    /// No port can be bound, or the thread cannot be started.
    pub fn another_proxy(&self) -> io::Result<Self> {
        Self::serve_in_background(Arc::clone(&self.shared))
    }

    fn serve_in_background(shared: Arc<Shared>) -> io::Result<Self> {
        let served = Arc::clone(&shared);
        let serve = move |listener, address, stopped| {
            accept(listener, stopped, move |request| respond(Arc::clone(&served), address, request))
        };
        let (address, server) = Background::start("newspaper", (Ipv4Addr::LOCALHOST, 0).into(), serve)?;
        Ok(Self { address, shared, _server: server })
    }

    /// Returns the URL of the HTTP proxy, `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn proxy(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns the server's address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sets the delay between a request and its response, for later requests.
    pub fn set_latency(&self, latency: Duration) {
        self.shared.latency.store(millis(latency), Ordering::Relaxed);
    }

    /// Returns the URLs of the front pages: first Vietnamese, then English.
    #[must_use]
    pub fn seeds() -> [&'static str; 2] {
        [PAPERS[0].front, PAPERS[1].front]
    }

    /// Returns pairs of addresses: the address of an agency's copy, and the address of the original article.
    #[must_use]
    pub fn wire_copies(&self) -> Vec<(String, String)> {
        let copy = |site: &Site| {
            let pair = [site.wire.as_ref()?, &site.articles[special::WIRE]];
            Some(pair.map(|article| site.paper.url(&site.path(article))).into())
        };
        self.shared.sites.iter().filter_map(copy).collect()
    }

    /// Returns all requests so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.log.requests()
    }

    /// Returns the number of requests that have arrived.
    #[must_use]
    pub fn request_count(&self) -> usize {
        self.shared.log.len()
    }

    /// Blocks the thread until `count` requests have arrived in total. Returns `false` if this takes longer
    /// than `timeout`. Async code uses [`Newspaper::requests_reached`] instead.
    #[must_use]
    pub fn wait_for_requests(&self, count: usize, timeout: Duration) -> bool {
        self.shared.log.wait(count, timeout)
    }

    /// Resolves when `count` requests have arrived in total.
    pub async fn requests_reached(&self, count: usize) {
        self.shared.log.reached(count).await;
    }

    /// Returns the expected result of a crawl of this server: the articles of the first paper, and then those
    /// of the second paper, each from the newest to the oldest.
    #[must_use]
    pub fn expected(&self) -> Vec<Expected> {
        self.shared.sites.iter().flat_map(expected).collect()
    }

    /// Stops the server and closes open connections. A server on its own thread has stopped when this
    /// function returns. Any other server stops as soon as its runtime runs the server's task.
    pub fn shutdown(self) {
        drop(self);
    }
}

impl Shared {
    fn new(options: &NewspaperOptions) -> Self {
        let redesign = options.redesigned_after.map(|after| (after, options.redesigned_every));
        let site = |paper| Site::new(paper, options.articles, options.faults, redesign);
        let sites = PAPERS.iter().map(site);
        Self {
            sites: sites.collect(),
            generated: options.generated,
            daily: options.daily.clone(),
            latency: AtomicU64::new(millis(options.latency)),
            log: AccessLog::new(),
        }
    }

    fn answer(&self, method: &Method, host: &str, path: &str, query: Option<&str>) -> PageResponse {
        if *method == Method::CONNECT {
            return PageResponse::text(StatusCode::NOT_IMPLEMENTED, "Only http is served here.\n");
        }
        if *method != Method::GET && *method != Method::HEAD {
            return PageResponse::text(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD.\n");
        }
        if let Some(site) = self.sites.iter().find(|site| site.paper.host == host) {
            return site.answer(path, query);
        }
        if let Some(daily) = self.daily.as_ref().filter(|_| Daily::serves(host)) {
            return daily.answer(host, path, query);
        }
        let papers = self.generated.filter(|_| host.starts_with("paper-"));
        papers.map(|generated| generated.answer(host, path)).unwrap_or_else(|| {
            PageResponse::text(
                StatusCode::NOT_FOUND,
                "Set this address as HTTP proxy and ask for http://baolang.example/ or http://villagepost.example/.\n",
            )
        })
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

async fn respond(
    shared: Arc<Shared>,
    proxy: SocketAddr,
    request: hyper::Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let time = shared.log.now();
    let (host, uri, headers) = (host(&request), request.uri(), request.headers());
    let answer = shared.answer(request.method(), &host, uri.path(), uri.query());
    let agent = headers.get(USER_AGENT).and_then(|v| v.to_str().ok());
    let place = shared.log.add(Request {
        time,
        finished: None,
        proxy,
        host,
        path: uri.path_and_query().map_or("", |p| p.as_str()).to_owned(),
        status: answer.status_for(headers).as_u16(),
        user_agent: agent.unwrap_or_default().to_owned(),
    });
    let _served = RequestGuard(&shared.log, place);
    let latency = shared.latency.load(Ordering::Relaxed);
    if latency > 0 {
        tokio::time::sleep(Duration::from_millis(latency)).await;
    }
    Ok(answer.into_response(headers))
}

fn host<B>(request: &hyper::Request<B>) -> String {
    let header = request.headers().get(HOST).and_then(|v| v.to_str().ok());
    let header = header.map(|host| host.split(':').next().unwrap_or_default());
    let host = request.uri().host().or(header).unwrap_or_default();
    host.to_ascii_lowercase()
}
