//! One request, with every limit on its answer.
//!
//! A hop of a redirect is an answer like any other: its target must be judged anew
//! (scope, robots.txt, gap), which only the caller can. No referrer is sent, and no cookies
//! but those that the caller hands in for the one request (`cookies.rs`).
//!
//! The limits of size count decompressed bytes as they arrive, so a small body that
//! unpacks to a huge one is cut off at the limit; a limit of time lies on the whole
//! request and another on each piece of the body.
//!
//! Codings are undone here (`body.rs`), not by the HTTP library: that one knows no
//! `x-gzip`, no deflate without zlib and no second gzip member. A body that ends within
//! its coding, or before its `Content-Length`, is a broken answer and never half a page.
//! A sitemap that is itself a gzip file (`sitemap.xml.gz`) is handed on as it came.

use std::sync::Arc;
use std::time::Duration;

use gleaner_coding::ACCEPTED;
use gleaner_config::Fetch;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, COOKIE, HeaderMap, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, PROXY_AUTHENTICATE,
};
use thiserror::Error;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::address::{Judge, Refused, Resolver, environment_proxies, proxy_hosts};
use crate::body::Codings;
use crate::connections::Connections;
use crate::error::FetchError;
use crate::message::{Request, Response, Want, accept_body, accept_type};
use crate::permit::Right;
use crate::robots::ROBOTS_LIMIT;
use crate::sent::sent;
use crate::tls::Roots;

/// The longest wait for the next piece of a body.
const IDLE: Duration = Duration::from_secs(30);
/// Bytes kept of the body of an answer that is no success.
const REFUSAL_BODY: u64 = 64 * 1024;
/// Header lines of an answer. Some sites send more than the library's 100.
const MAX_HEADERS: usize = 256;
/// Bytes of an answer's headers, over HTTP/1.1 and HTTP/2 alike.
const MAX_HEAD: usize = 256 * 1024;
/// What the library accepts of headers over HTTP/2. It resets what is larger, and does not
/// say why; so this is more than [`MAX_HEAD`], which is checked here. Over HTTP/1.1 the
/// library's bound is fixed, at 408 KiB.
const MAX_HEAD_HTTP2: u32 = 1024 * 1024;
/// Connections that are kept idle, for each request that may be in flight.
const KEPT_PER_REQUEST: usize = 2;
/// Open files that each of the `fetch.concurrency` requests in flight may take: its
/// connection, a second one while its name is resolved or while addresses of IPv4 and
/// IPv6 are tried side by side, and those that are kept idle.
pub const FILES_OF_A_REQUEST: u64 = 2 + KEPT_PER_REQUEST as u64;
/// How long a request waits while the process has no file for its connection, and how long
/// between two looks.
const FILES_PATIENCE: Duration = Duration::from_secs(300);
const FILES_PAUSE: Duration = Duration::from_millis(500);

/// Chooses the cryptography of all TLS in this process, once; whoever makes a client beside
/// the fetcher's calls it before.
pub fn choose_cryptography() {
    // An error means that it was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// A client that cannot be set up.
#[derive(Debug, Error)]
pub enum ClientError {
    /// `fetch.proxy` is no proxy's address.
    #[error("fetch.proxy: {0}")]
    Proxy(String),
    /// The user agent cannot be sent as a header.
    #[error("fetch.user_agent: cannot be sent as a header; use ASCII")]
    Agent,
    /// There is nothing to check servers of https by.
    #[error(
        "no root certificates to check https servers by: {0}; install the system's (the package ca-certificates), or set SSL_CERT_FILE to a file of PEM certificates or SSL_CERT_DIR to a folder of them"
    )]
    NoRoots(String),
    /// The library refused.
    #[error("the HTTP client cannot be set up: {0}")]
    Library(String),
}

/// Asks for one URL at a time and holds every answer to the limits. Cheap to clone;
/// clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    connections: Connections,
    agent: HeaderValue,
    resolver: Resolver,
    /// Whether `fetch.proxy` names one.
    proxied: bool,
    /// Whether that or the environment does.
    has_proxy: bool,
    total: Duration,
    connect: Duration,
    idle: Duration,
    max_page: u64,
    max_list: u64,
}

impl Client {
    /// A client with the limits, the identity and the proxy of `settings`. Where
    /// `settings.proxy` is empty, `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and
    /// `NO_PROXY` are read, once.
    ///
    /// # Errors
    /// The proxy's address or the user agent cannot be used, or the system's
    /// certificates cannot be read.
    pub fn new(settings: &Fetch) -> Result<Self, ClientError> {
        Self::with_roots(settings, &Roots::from_system()?)
    }

    /// The same with `roots` in the place of the system's.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_roots(settings: &Fetch, roots: &Roots) -> Result<Self, ClientError> {
        choose_cryptography();
        let agent = HeaderValue::from_str(&settings.agent()).map_err(|_| ClientError::Agent)?;
        let proxied = !settings.proxy.is_empty();
        let proxies = if proxied { vec![settings.proxy.clone()] } else { environment_proxies() };
        let has_proxy = !proxies.is_empty();
        let resolver = Resolver {
            judge: Judge::new(&settings.allow_addresses),
            proxies: Arc::new(proxy_hosts(proxies.iter().map(String::as_str))),
            names: Arc::default(),
        };
        let proxy = if proxied { Some(proxy(&settings.proxy)?) } else { None };
        let tls = roots.config()?;
        let builder = || {
            let builder = reqwest::Client::builder()
                .user_agent(agent.clone())
                .redirect(reqwest::redirect::Policy::none())
                .retry(reqwest::retry::never())
                .referer(false)
                // Undone in `body.rs`, also where another room switches these features on.
                .no_gzip()
                .no_brotli()
                .no_deflate()
                .no_zstd()
                .dns_resolver(resolver.clone())
                .connect_timeout(settings.connect_timeout.get())
                .tcp_keepalive(Duration::from_secs(30))
                .tls_backend_preconfigured(tls.clone())
                .http1_max_headers(MAX_HEADERS)
                .http2_max_header_list_size(MAX_HEAD_HTTP2)
                .http1_ignore_invalid_headers_in_responses(true);
            match &proxy {
                Some(proxy) => builder.proxy(proxy.clone()),
                None => builder,
            }
        };
        let most_idle = settings.concurrency.saturating_mul(KEPT_PER_REQUEST);
        let connections = Connections::new(builder, settings.delay.get(), most_idle);
        Ok(Self {
            connections: connections.map_err(|e| ClientError::Library(format!("{e:?}")))?,
            agent,
            resolver,
            proxied,
            has_proxy,
            total: settings.timeout.get(),
            connect: settings.connect_timeout.get(),
            idle: IDLE,
            max_page: settings.max_page.get(),
            max_list: settings.max_sitemap.get(),
        })
    }

    /// Asks once, for as long as `right` holds.
    ///
    /// # Errors
    /// There is no answer, or none within the limits; see [`FetchError`]. Every
    /// status is an answer, save a proxy's 407; an origin's 407 is one.
    pub async fn get(&self, request: &Request, right: &Right) -> Result<Response, FetchError> {
        self.admit(&request.url).await?;
        right.bound(self.ask_in_time(request, right)).await
    }

    /// Within the time for a request, and waits while no file is free for its connection.
    async fn ask_in_time(&self, request: &Request, right: &Right) -> Result<Response, FetchError> {
        let (limit, begin) = (FetchError::Timeout { limit: self.total }, Instant::now());
        loop {
            match timeout(self.total, self.ask(request, right)).await {
                // Nothing was sent; others in flight give their files back.
                Ok(Err(FetchError::NoFile)) if begin.elapsed() < FILES_PATIENCE => {
                    tracing::warn!(url = %request.url, "{}; it waits for one", FetchError::NoFile);
                    sleep(FILES_PAUSE).await;
                }
                answer => return answer.unwrap_or(Err(limit)),
            }
        }
    }

    /// Refuses what must not be asked, as far as the URL tells.
    async fn admit(&self, url: &Url) -> Result<(), FetchError> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(FetchError::BadUrl);
        }
        let private = |Refused(address)| FetchError::PrivateAddress { address };
        self.resolver.judge.literal(url).map_err(private)?;
        if self.proxied {
            return Ok(());
        }
        // The resolver lets the names of the environment's proxies pass, so as targets
        // they are judged here.
        self.resolver.judge_proxy_as_target(url).await.map_err(private)
    }

    async fn ask(&self, request: &Request, right: &Right) -> Result<Response, FetchError> {
        let start = Instant::now();
        let headers = request_headers(request);
        let sent = sent(&request.url, &headers, &self.agent);
        let mut get = reqwest::Request::new(reqwest::Method::GET, request.url.clone());
        *get.headers_mut() = headers;
        let mut answer = self.connections.send(get, right.permit()?, right).await.map_err(|e| {
            if e.is_connect() {
                self.resolver.names.forget(request.url.host_str().unwrap_or_default());
            }
            let to_proxy = self.proxied && request.url.scheme() == "http";
            FetchError::from_reqwest(&e, self.connect, to_proxy)
        })?;
        if self.is_refused_by_proxy(request, &answer) {
            return Err(FetchError::BadProxy("it asks for a login (407)".into()));
        }
        if !fits(answer.headers()) {
            return Err(HEADERS_TOO_LARGE);
        }
        let mut response = Response { sent, ..response_head(&request.url, &answer) };
        if !answer.status().is_success() {
            // What follows a refusal is of use to people only; half of it will do.
            let read = self.read(&mut answer, &mut response, REFUSAL_BODY).await;
            response.is_cut = !matches!(read, Ok(true));
        } else if request.want == Want::Robots {
            response.is_cut = !self.read(&mut answer, &mut response, ROBOTS_LIMIT as u64).await?;
        } else {
            let limit = if request.want == Want::Page { self.max_page } else { self.max_list };
            if request.want == Want::Page {
                accept_type(response.content_type.as_deref())?;
            }
            let stated = answer.content_length().is_some_and(|length| length > limit);
            if stated || !self.read(&mut answer, &mut response, limit).await? {
                return Err(FetchError::TooLarge { limit });
            }
            if request.want == Want::Page && response.content_type.is_none() {
                accept_body(&response.body)?;
            }
        }
        response.elapsed = start.elapsed();
        Ok(response)
    }

    /// Whether a 407 is a proxy's. Only a proxy may send one (RFC 9110, 15.5.8), with a
    /// `Proxy-Authenticate`; origins do it all the same. What comes through the tunnel of
    /// https is the origin's; the proxy's own refusal of a tunnel is an error of connecting.
    fn is_refused_by_proxy(&self, request: &Request, answer: &reqwest::Response) -> bool {
        self.has_proxy
            && request.url.scheme() == "http"
            && answer.status() == reqwest::StatusCode::PROXY_AUTHENTICATION_REQUIRED
            && answer.headers().contains_key(PROXY_AUTHENTICATE)
    }

    /// Reads at most `limit` bytes of the body. False: there are more.
    async fn read(
        &self,
        answer: &mut reqwest::Response,
        response: &mut Response,
        limit: u64,
    ) -> Result<bool, FetchError> {
        let idle = self.idle;
        let mut codings = Codings::from_headers(&response.headers, limit)?;
        loop {
            let piece =
                timeout(idle, answer.chunk()).await.map_err(|_| FetchError::Timeout { limit: idle })?;
            let Some(piece) = piece.map_err(|e| FetchError::from_reqwest(&e, idle, false))? else {
                return codings.finish(&response.body).map(|()| true);
            };
            if !codings.push(&piece, &mut response.body)? {
                return Ok(false);
            }
        }
    }
}

/// What is accepted, and what makes the request conditional. An `ETag` that
/// cannot be sent is left out: the answer is then merely a full one.
fn request_headers(request: &Request) -> HeaderMap {
    let accept = match request.want {
        Want::Page => "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
        Want::Robots => "text/plain,*/*;q=0.1",
        Want::List => "application/xml,text/xml,application/rss+xml,application/atom+xml,*/*;q=0.5",
    };
    let mut headers = HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static(accept)),
        (ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED)),
        (ACCEPT_LANGUAGE, HeaderValue::from_static("vi,en;q=0.8,*;q=0.5")),
    ]);
    let stated = [
        (IF_NONE_MATCH, &request.etag),
        (IF_MODIFIED_SINCE, &request.last_modified),
        (COOKIE, &request.cookie),
    ];
    for (name, value) in stated {
        if let Some(Ok(value)) = value.as_deref().map(HeaderValue::from_str) {
            headers.insert(name, value);
        }
    }
    headers
}

fn response_head(url: &Url, answer: &reqwest::Response) -> Response {
    // Some servers send names in UTF-8, in `Location` above all.
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = answer.headers().iter().map(|(name, value)| (name.as_str().to_owned(), text(value)));
    Response::new(url, answer.status().as_u16(), headers.collect())
}

fn proxy(address: &str) -> Result<reqwest::Proxy, ClientError> {
    reqwest::Proxy::all(address).map_err(|e| ClientError::Proxy(e.to_string()))
}

/// An answer with more than [`MAX_HEAD`] or [`MAX_HEADERS`].
pub(crate) const HEADERS_TOO_LARGE: FetchError =
    FetchError::HeadersTooLarge { bytes: MAX_HEAD, lines: MAX_HEADERS };

/// Whether the headers are within the bounds of both protocols.
fn fits(headers: &HeaderMap) -> bool {
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    bytes <= MAX_HEAD && headers.len() <= MAX_HEADERS
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_body_that_stops_hits_the_idle_limit_before_the_total_one() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_u8().await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>").await.unwrap();
            // Ends when the client has gone.
            stream.read_to_end(&mut Vec::new()).await
        });
        let settings = Fetch { allow_addresses: vec!["127.0.0.0/8".parse().unwrap()], ..Fetch::default() };
        let mut client = Client::new(&settings).unwrap();
        client.idle = Duration::from_millis(40);
        let error = client.get(&Request::new(url, Want::Page), &Right::unlimited()).await.unwrap_err();
        assert_eq!(error, FetchError::Timeout { limit: client.idle });
    }
}
