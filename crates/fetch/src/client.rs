//! One request, with every limit on its answer.
//!
//! A hop of a redirect is an answer like any other: its target must be judged anew
//! (scope, robots.txt, gap), which only the caller can. No cookies and no referrer are
//! sent. The limits of size count decompressed bytes as they arrive, so a small body
//! that unpacks to a huge one is cut off at the limit; a limit of time lies on the
//! whole request and another on each piece of the body.
//!
//! The decompression is the HTTP library's. A sitemap that is itself a gzip file
//! (`sitemap.xml.gz`) is handed on as it came.

use std::sync::Arc;
use std::time::Duration;

use gleaner_config::Fetch;
use jiff::Timestamp;
use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MODIFIED_SINCE,
    IF_NONE_MATCH, LAST_MODIFIED, LOCATION, RETRY_AFTER,
};
use thiserror::Error;
use tokio::time::{Instant, timeout};
use url::Url;

use crate::address::{Judge, Refused, Resolver, environment_proxies, proxy_hosts};
use crate::error::FetchError;
use crate::headers::{essence, retry_after};
use crate::permit::{Permit, Right};
use crate::robots::ROBOTS_LIMIT;
use crate::sniff::looks_like_html;

/// The longest wait for the next piece of a body.
const IDLE: Duration = Duration::from_secs(30);
/// Bytes kept of the body of an answer that is no success.
const REFUSAL_BODY: u64 = 64 * 1024;
/// Open connections are kept this long for the next request of their host; longer
/// than the usual gap, so that most hosts need one handshake.
const POOL_IDLE: Duration = Duration::from_secs(30);
/// Some sites send more than the library's 100.
const MAX_HEADERS: usize = 256;

/// What is asked for; decides on the type and the size that are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Want {
    /// An HTML page: `text/html` or `application/xhtml+xml`, at most `fetch.max_page`.
    /// Without a `Content-Type` the body must begin like HTML.
    Page,
    /// A robots.txt of any type; its first 500 KiB are kept.
    Robots,
    /// A sitemap or feed of any type, at most `fetch.max_sitemap`.
    List,
}

/// What to ask for.
#[derive(Debug, Clone)]
pub struct Request {
    /// An http or https URL.
    pub url: Url,
    /// What is expected there.
    pub want: Want,
    /// The `ETag` of the copy at hand, sent as `If-None-Match`.
    pub etag: Option<String>,
    /// The `Last-Modified` of the copy at hand, sent as `If-Modified-Since`.
    pub last_modified: Option<String>,
}

/// Chooses the cryptography of all TLS in this process, once; whoever makes a client beside
/// the fetcher's calls it before.
pub fn choose_cryptography() {
    // An error means that it was chosen before.
    let _ = rustls::crypto::ring::default_provider().install_default();
}

impl Request {
    /// A request without a copy at hand.
    #[must_use]
    pub fn new(url: Url, want: Want) -> Self {
        Self { url, want, etag: None, last_modified: None }
    }
}

/// An answer, whatever its status.
#[derive(Debug, Clone)]
pub struct Response {
    /// The HTTP status, such as 200, 304 or 404.
    pub status: u16,
    /// The `Content-Type` as sent.
    pub content_type: Option<String>,
    /// The `ETag`, to be sent with the next request for the same URL.
    pub etag: Option<String>,
    /// The `Last-Modified`, likewise.
    pub last_modified: Option<String>,
    /// Where a 3xx points, resolved against the request's URL; any scheme. None: no
    /// 3xx, no `Location`, or none that can be read.
    pub location: Option<Url>,
    /// The `Retry-After` from now on, at most a day. None: not sent or unreadable.
    pub retry_after: Option<Duration>,
    /// How long [`crate::Fetcher::page`] put the group on hold for a 429 or 503; none
    /// for other answers, and from [`Client::get`] always.
    pub hold: Option<Duration>,
    /// All headers in the order of the answer, those that say how the body was
    /// compressed left out by the HTTP library where it undid that.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed; of an answer that is no 2xx at most the first 64 KiB.
    pub body: Vec<u8>,
    /// Whether the body was longer than what is kept of it, or broke off.
    pub is_cut: bool,
    /// From the request to the end of the body.
    pub elapsed: Duration,
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
    /// The library refused, most often for want of the system's certificates.
    #[error("the HTTP client cannot be set up: {0} (are the system's CA certificates installed?)")]
    Library(String),
}

/// Asks for one URL at a time and holds every answer to the limits. Cheap to clone;
/// clones share their connections.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    resolver: Resolver,
    proxied: bool,
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
        choose_cryptography();
        let agent = HeaderValue::from_str(&settings.agent()).map_err(|_| ClientError::Agent)?;
        let proxied = !settings.proxy.is_empty();
        let proxies = if proxied { vec![settings.proxy.clone()] } else { environment_proxies() };
        let resolver = Resolver {
            judge: Judge::new(&settings.allow_addresses),
            proxies: Arc::new(proxy_hosts(proxies.iter().map(String::as_str))),
            names: Arc::default(),
        };
        let mut builder = reqwest::Client::builder()
            .user_agent(agent)
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .dns_resolver(resolver.clone())
            .connect_timeout(settings.connect_timeout.get())
            .tcp_keepalive(Duration::from_secs(30))
            .pool_idle_timeout(POOL_IDLE)
            .pool_max_idle_per_host(1)
            .http1_max_headers(MAX_HEADERS)
            .http1_ignore_invalid_headers_in_responses(true);
        if proxied {
            let proxy = reqwest::Proxy::all(&settings.proxy);
            builder = builder.proxy(proxy.map_err(|e| ClientError::Proxy(e.to_string()))?);
        }
        Ok(Self {
            http: builder.build().map_err(|e| ClientError::Library(format!("{e:?}")))?,
            resolver,
            proxied,
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
    /// status is an answer, save a proxy's 407.
    pub async fn get(&self, request: &Request, right: &Right) -> Result<Response, FetchError> {
        self.admit(&request.url).await?;
        let limit = FetchError::Timeout { limit: self.total };
        let asking = async { timeout(self.total, self.ask(request, right)).await.map_err(|_| limit)? };
        right.bound(asking).await
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

    /// Sends a request. Nothing else does, so that each one that is sent has had a permit.
    async fn send(&self, request: &Request, _: Permit) -> Result<reqwest::Response, reqwest::Error> {
        self.http.get(request.url.clone()).headers(request_headers(request)).send().await
    }

    async fn ask(&self, request: &Request, right: &Right) -> Result<Response, FetchError> {
        let start = Instant::now();
        let mut answer = self.send(request, right.permit()?).await.map_err(|e| {
            if e.is_connect() {
                self.resolver.names.forget(request.url.host_str().unwrap_or_default());
            }
            let to_proxy = self.proxied && request.url.scheme() == "http";
            FetchError::of(&e, self.connect, to_proxy)
        })?;
        if answer.status() == reqwest::StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return Err(FetchError::BadProxy("it asks for a login (407)".into()));
        }
        let mut response = response_head(&request.url, &answer);
        if !answer.status().is_success() {
            // What follows a refusal is of use to people only; half of it will do.
            let read = self.read(&mut answer, &mut response.body, REFUSAL_BODY).await;
            response.is_cut = !matches!(read, Ok(true));
        } else if request.want == Want::Robots {
            response.is_cut = !self.read(&mut answer, &mut response.body, ROBOTS_LIMIT as u64).await?;
        } else {
            let limit = if request.want == Want::Page { self.max_page } else { self.max_list };
            if request.want == Want::Page {
                accept_type(response.content_type.as_deref())?;
            }
            let stated = answer.content_length().is_some_and(|length| length > limit);
            if stated || !self.read(&mut answer, &mut response.body, limit).await? {
                return Err(FetchError::TooLarge { limit });
            }
            if request.want == Want::Page && response.content_type.is_none() {
                accept_body(&response.body)?;
            }
        }
        response.elapsed = start.elapsed();
        Ok(response)
    }

    /// Reads at most `limit` bytes into `body`. False: there are more.
    async fn read(
        &self,
        answer: &mut reqwest::Response,
        body: &mut Vec<u8>,
        limit: u64,
    ) -> Result<bool, FetchError> {
        let idle = self.idle;
        loop {
            let piece =
                timeout(idle, answer.chunk()).await.map_err(|_| FetchError::Timeout { limit: idle })?;
            let Some(piece) = piece.map_err(|e| FetchError::of(&e, idle, false))? else { return Ok(true) };
            let room = usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(body.len());
            body.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.len() > room {
                return Ok(false);
            }
        }
    }
}

/// `Accept`, `Accept-Language` and what makes the request conditional. An `ETag` that
/// cannot be sent is left out: the answer is then merely a full one.
fn request_headers(request: &Request) -> HeaderMap {
    let accept = match request.want {
        Want::Page => "text/html,application/xhtml+xml;q=0.9,*/*;q=0.1",
        Want::Robots => "text/plain,*/*;q=0.1",
        Want::List => "application/xml,text/xml,application/rss+xml,application/atom+xml,*/*;q=0.5",
    };
    let mut headers = HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static(accept)),
        (ACCEPT_LANGUAGE, HeaderValue::from_static("vi,en;q=0.8,*;q=0.5")),
    ]);
    for (name, value) in [(IF_NONE_MATCH, &request.etag), (IF_MODIFIED_SINCE, &request.last_modified)] {
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
    Response::of(url, answer.status().as_u16(), headers.collect())
}

impl Response {
    /// An answer without its body, as its status and headers tell. `url`: the request's.
    #[must_use]
    pub fn of(url: &Url, status: u16, headers: Vec<(String, String)>) -> Self {
        let header = |name: HeaderName| {
            let is_it = |(known, _): &&(String, String)| known.eq_ignore_ascii_case(name.as_str());
            headers.iter().find(is_it).map(|(_, value)| value.clone())
        };
        let location = header(LOCATION).filter(|_| (300..400).contains(&status));
        Self {
            status,
            content_type: header(CONTENT_TYPE).filter(|value| !value.trim().is_empty()),
            etag: header(ETAG),
            last_modified: header(LAST_MODIFIED),
            location: location.and_then(|value| url.join(value.trim()).ok()),
            retry_after: header(RETRY_AFTER).and_then(|value| retry_after(&value, Timestamp::now())),
            hold: None,
            headers,
            body: Vec::new(),
            is_cut: false,
            elapsed: Duration::ZERO,
        }
    }

    /// Whether it is taken for a page: by its `Content-Type` or, where there is none, by
    /// the beginning of its body.
    ///
    /// # Errors
    /// [`FetchError::WrongType`].
    pub fn accept_page(&self) -> Result<(), FetchError> {
        accept_type(self.content_type.as_deref())?;
        if self.content_type.is_none() { accept_body(&self.body) } else { Ok(()) }
    }
}

/// Judges a page's stated type, before its body is read.
fn accept_type(content_type: Option<&str>) -> Result<(), FetchError> {
    match content_type {
        Some(stated) if !matches!(essence(stated).as_str(), "text/html" | "application/xhtml+xml") => {
            Err(FetchError::WrongType { content_type: stated.chars().take(200).collect() })
        }
        _ => Ok(()),
    }
}

/// Judges a page whose type is not stated.
fn accept_body(body: &[u8]) -> Result<(), FetchError> {
    if looks_like_html(body) {
        return Ok(());
    }
    Err(FetchError::WrongType { content_type: "something without a Content-Type".into() })
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
