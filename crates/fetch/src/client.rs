//! Sends one request and limits its response.
//!
//! A redirect is returned to the caller like any other response, because only the caller can check its target
//! (scope, robots.txt, delay between requests). Requests contain no referrer, and only the cookies that the
//! caller passes (`cookies.rs`).
//!
//! Size limits count decompressed bytes while they arrive, so a decompression bomb stops at the limit. One
//! time limit applies to the whole request, and another to each piece of the body.
//!
//! Codings are decoded here (`body.rs`), because the HTTP library does not support `x-gzip`, deflate without
//! the zlib format, or a second gzip member. If a body is incomplete, the result is an error and not a short
//! page. `gleaner_http::coding::is_complete` is the rule. A body can be complete although its `Content-Length` is wrong
//! or its transfer broke off, and incomplete although its transfer ended. Requests never ask for a part, so a 206 response is an error unless its
//! `Content-Range` is the whole body. A sitemap that is itself a gzip file (`sitemap.xml.gz`) is returned
//! unchanged.

use std::sync::Arc;
use std::time::Duration;

use crate::settings::FetchSettings;
use gleaner_http::coding::{ACCEPTED, breaks_off, header_text, is_whole_range};
use hyper::body::Bytes;
use reqwest::StatusCode;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, COOKIE, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, PROXY_AUTHENTICATE,
};
use tokio::time::{Instant, sleep, timeout_at};
use url::Url;

use crate::address::{AddressPolicy, RefusedAddress, Resolver, environment_proxies, proxy_hosts};
use crate::body::Codings;
use crate::client_error::ClientError;
use crate::connections::Connections;
use crate::error::FetchError;
use crate::headers::{MAX_HEAD, MAX_HEADERS};
use crate::message::{Request, RequestKind, Response, accept_body, accept_type};
use crate::permit::RequestLease;
use crate::proxy::Proxies;
use crate::robots::ROBOTS_LIMIT;
use crate::sent::sent;
use crate::tls::RootCertificates;

/// Longest wait for the next piece of a body.
const IDLE: Duration = Duration::from_secs(30);
/// Maximum number of bytes that are kept of the body of an unsuccessful response.
const REFUSAL_BODY: u64 = 64 * 1024;
/// The library's limit for headers over HTTP/2. It exceeds [`MAX_HEAD`], so that this module detects headers
/// that are too large. The library would only reset the stream, without a reason. Over HTTP/1.1, the
/// library's limit is 408 KiB.
const MAX_HEAD_HTTP2: u32 = 1024 * 1024;
/// Number of idle connections to keep for each request that `fetch.concurrency` allows.
const KEPT_PER_REQUEST: usize = 2;
/// Maximum number of open files per request in flight. A request needs its connection, a second one for name
/// resolution or for trying IPv4 and IPv6 in parallel, and its idle connections.
pub const FILES_OF_A_REQUEST: u64 = 2 + KEPT_PER_REQUEST as u64;
/// How long a request waits for a free file descriptor. The pause between two attempts is `FILES_PAUSE`.
const FILES_PATIENCE: Duration = Duration::from_secs(300);
const FILES_PAUSE: Duration = Duration::from_millis(500);

/// Selects the cryptography library for all TLS in this process. Call it before any other code creates a TLS
/// client. Further calls have no effect.
pub fn choose_cryptography() {
    // An error means that the cryptography is already selected.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// Sends requests and applies the limits to each response. Clones are cheap and share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    connections: Connections,
    agent: HeaderValue,
    resolver: Resolver,
    /// Whether `fetch.proxy` is set.
    proxied: bool,
    proxies: Arc<Proxies>,
    total: Duration,
    connect: Duration,
    idle: Duration,
    max_page: u64,
    max_list: u64,
}

impl Client {
    /// Creates a client with the limits, the identity and the proxy of `settings`. Without `settings.proxy`,
    /// the client reads `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` once.
    ///
    /// # Errors
    /// The proxy or user agent is invalid, no root certificate can be read, or the HTTP library fails.
    pub fn new(settings: &FetchSettings) -> Result<Self, ClientError> {
        Self::with_roots(settings, &RootCertificates::from_system()?)
    }

    /// Like [`Self::new`], but trusts `roots` instead of the system's roots.
    ///
    /// # Errors
    /// As in [`Self::new`].
    pub fn with_roots(settings: &FetchSettings, roots: &RootCertificates) -> Result<Self, ClientError> {
        choose_cryptography();
        let agent = HeaderValue::from_str(&settings.agent()).map_err(|_| ClientError::Agent)?;
        let proxied = !settings.proxy.is_empty();
        let proxies = if proxied { vec![settings.proxy.clone()] } else { environment_proxies() };
        let resolver = Resolver {
            judge: AddressPolicy::new(&settings.allow_addresses),
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
                // `body.rs` decodes the codings. The library's own decoding is switched off, because another
                // crate may enable its features.
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
            proxies: Arc::new(Proxies::new(&settings.proxy)),
            total: settings.timeout.get(),
            connect: settings.connect_timeout.get(),
            idle: IDLE,
            max_page: settings.max_page.get(),
            max_list: settings.max_sitemap.get(),
        })
    }

    /// Sends one request. The request is cancelled when `lease` ends.
    ///
    /// # Errors
    /// No response arrives, or the response exceeds a limit. See [`FetchError`]. A response with any status
    /// is a success, except a 407 from a proxy.
    pub async fn get(&self, request: &Request, lease: &RequestLease) -> Result<Response, FetchError> {
        self.admit(&request.url).await?;
        lease.bound(self.send_in_time(request, lease)).await
    }

    /// Sends a request within the time limit. If no file descriptor is free for the connection, waits and
    /// retries.
    async fn send_in_time(&self, request: &Request, lease: &RequestLease) -> Result<Response, FetchError> {
        let begin = Instant::now();
        loop {
            match self.send_once(request, lease).await {
                // Nothing was sent. Other requests will release their file descriptors.
                Err(FetchError::NoFile) if begin.elapsed() < FILES_PATIENCE => {
                    tracing::warn!(url = %request.url, "{}; the request waits for one", FetchError::NoFile);
                    sleep(FILES_PAUSE).await;
                }
                answer => return answer,
            }
        }
    }

    async fn admit(&self, url: &Url) -> Result<(), FetchError> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(FetchError::BadUrl);
        }
        let private = |RefusedAddress(address)| FetchError::PrivateAddress { address };
        self.resolver.judge.literal(url).map_err(private)?;
        if self.proxied {
            return Ok(());
        }
        // The resolver allows the addresses of all proxies of the environment. If a proxy itself is the
        // target, it is checked here.
        self.resolver.judge_proxy_as_target(url).await.map_err(private)
    }

    async fn send_once(&self, request: &Request, lease: &RequestLease) -> Result<Response, FetchError> {
        let headers = request_headers(request);
        let sent = sent(&request.url, &headers, &self.agent);
        let mut get = reqwest::Request::new(reqwest::Method::GET, request.url.clone());
        *get.headers_mut() = headers;
        let deadline = Instant::now() + self.total;
        let answer = timeout_at(deadline, self.connections.send(get, lease.permit()?, lease)).await;
        let mut answer = answer.map_err(|_| FetchError::Timeout { limit: self.total })?.map_err(|e| {
            if e.is_connect() {
                self.resolver.names.forget(request.url.host_str().unwrap_or_default());
            }
            FetchError::from_reqwest(&e, self.connect, self.proxies.named(&request.url))
        })?;
        if let Some(proxy) = self.refusing_proxy(request, &answer) {
            return Err(FetchError::BadProxy(format!("{proxy}: it asks for a login (407)")));
        }
        if !fits(answer.headers()) {
            return Err(FetchError::HEADERS_TOO_LARGE);
        }
        let mut response = Response { sent, ..response_head(&request.url, &answer) };
        if answer.status() == StatusCode::PARTIAL_CONTENT && !is_whole_range(&response.headers) {
            return Err(FetchError::Broken(
                "a part of the body (206), although no part was requested".into(),
            ));
        }
        self.read_body(request, &mut answer, &mut response, deadline).await?;
        Ok(response)
    }

    /// Reads the body with the limits for its status and for the kind of the request.
    async fn read_body(
        &self,
        request: &Request,
        answer: &mut reqwest::Response,
        response: &mut Response,
        deadline: Instant,
    ) -> Result<(), FetchError> {
        if !answer.status().is_success() {
            // The body of an unsuccessful response only explains the failure to people, so it may be
            // incomplete.
            let read = self.read(answer, response, REFUSAL_BODY, true, deadline).await;
            response.is_cut = !matches!(read, Ok(true));
            return Ok(());
        }
        if request.want == RequestKind::Robots {
            response.is_cut = !self.read(answer, response, ROBOTS_LIMIT as u64, true, deadline).await?;
            return Ok(());
        }
        let is_page = request.want == RequestKind::Page;
        let limit = if is_page { self.max_page } else { self.max_list };
        if is_page {
            accept_type(response.content_type.as_deref())?;
        }
        let stated = answer.content_length().is_some_and(|length| length > limit);
        if stated || !self.read(answer, response, limit, false, deadline).await? {
            return Err(FetchError::TooLarge { limit });
        }
        if is_page && response.content_type.is_none() {
            accept_body(&response.body)?;
        }
        if is_page && breaks_off(&response.headers, &response.body) {
            return Err(FetchError::Broken("the page ends within its text or a tag".into()));
        }
        Ok(())
    }

    /// Returns the name of the proxy if the proxy has answered with a 407. Only a proxy may send this status
    /// (RFC 9110, 15.5.8), with `Proxy-Authenticate`, but some origin servers send it too. Through an https
    /// tunnel, every response comes from the origin server. A proxy that refuses to open a tunnel causes a
    /// connection error.
    fn refusing_proxy(&self, request: &Request, answer: &reqwest::Response) -> Option<String> {
        let is_refused = request.url.scheme() == "http"
            && answer.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED
            && answer.headers().contains_key(PROXY_AUTHENTICATE);
        is_refused.then(|| self.proxies.named(&request.url)).flatten()
    }

    /// Reads the body until its end, `limit` or `deadline`. Returns `false` if the body exceeds `limit`.
    async fn read(
        &self,
        answer: &mut reqwest::Response,
        response: &mut Response,
        limit: u64,
        keeps_part: bool,
        deadline: Instant,
    ) -> Result<bool, FetchError> {
        let mut codings = Codings::from_headers(&response.headers, limit, keeps_part)?;
        let transfer = loop {
            match self.next_piece(answer, deadline).await {
                Ok(Some(piece)) if codings.push(&piece, &mut response.body)? => {}
                Ok(Some(_)) => return Ok(false),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        response.coded = codings.finish(transfer, &mut response.body)?;
        Ok(true)
    }

    /// Waits for the next piece of a body, or for its end.
    async fn next_piece(
        &self,
        answer: &mut reqwest::Response,
        deadline: Instant,
    ) -> Result<Option<Bytes>, FetchError> {
        let idle = Instant::now() + self.idle;
        let limit = if idle < deadline { self.idle } else { self.total };
        match timeout_at(idle.min(deadline), answer.chunk()).await {
            Ok(piece) => piece.map_err(|e| FetchError::from_reqwest(&e, self.idle, None)),
            Err(_) => Err(FetchError::Timeout { limit }),
        }
    }
}

/// Returns `Accept` and the headers for conditional requests and cookies. Omits invalid values. If both the
/// `ETag` and the date are invalid, the request is unconditional.
fn request_headers(request: &Request) -> HeaderMap {
    let accept = match request.want {
        RequestKind::Page => "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
        RequestKind::Robots => "text/plain,*/*;q=0.1",
        RequestKind::List => "application/xml,text/xml,application/rss+xml,application/atom+xml,*/*;q=0.5",
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
    let text = |(name, value): (&HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), header_text(name.as_str(), value.as_bytes()).into_owned())
    };
    let headers = answer.headers().iter().map(text);
    Response::new(url, answer.status().as_u16(), headers.collect())
}

fn proxy(address: &str) -> Result<reqwest::Proxy, ClientError> {
    reqwest::Proxy::all(address).map_err(|e| ClientError::Proxy(e.to_string()))
}

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
            // The read ends when the client closes the connection.
            stream.read_to_end(&mut Vec::new()).await
        });
        let settings = FetchSettings {
            allow_addresses: vec!["127.0.0.0/8".parse().unwrap()],
            ..FetchSettings::default()
        };
        let mut client = Client::new(&settings).unwrap();
        client.idle = Duration::from_millis(40);
        let error =
            client.get(&Request::new(url, RequestKind::Page), &RequestLease::unlimited()).await.unwrap_err();
        assert_eq!(error, FetchError::Timeout { limit: client.idle });
    }
}
