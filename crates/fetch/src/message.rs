//! What is asked for, and what is answered.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderName, LAST_MODIFIED, LOCATION, RETRY_AFTER};
use url::Url;

use crate::error::FetchError;
use crate::headers::{essence, retry_after};
use crate::hold::Held;
use crate::sniff::looks_like_html;

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
    /// Whether the URL was asked for before without success; decides on the length of a
    /// hold ([`crate::Holds`]).
    pub is_repeated: bool,
    /// What [`crate::Cookies::header`] gives for the URL, sent as `Cookie`.
    pub cookie: Option<String>,
}

impl Request {
    /// A request without a copy at hand.
    #[must_use]
    pub fn new(url: Url, want: Want) -> Self {
        Self { url, want, etag: None, last_modified: None, is_repeated: false, cookie: None }
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
    /// The hold on which [`crate::Fetcher::page`] put the host for a 429 or 503; `None`
    /// for other answers, and from [`crate::Client::get`] always.
    pub held: Option<Held>,
    /// All headers in the order of the answer, those that say how the body came included.
    pub headers: Vec<(String, String)>,
    /// The body, its codings undone; of an answer that is no 2xx at most the first 64 KiB.
    pub body: Vec<u8>,
    /// Whether the body was longer than what is kept of it, or broke off.
    pub is_cut: bool,
    /// From the request to the end of the body.
    pub elapsed: Duration,
    /// The headers of the request, as they were sent; none in an answer of [`Response::new`].
    pub sent: Vec<(String, String)>,
}

impl Response {
    /// An answer without its body, as its status and headers tell. `url`: the request's.
    #[must_use]
    pub fn new(url: &Url, status: u16, headers: Vec<(String, String)>) -> Self {
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
            held: None,
            headers,
            body: Vec::new(),
            is_cut: false,
            elapsed: Duration::ZERO,
            sent: Vec::new(),
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
pub(crate) fn accept_type(content_type: Option<&str>) -> Result<(), FetchError> {
    match content_type {
        Some(stated) if !matches!(essence(stated).as_str(), "text/html" | "application/xhtml+xml") => {
            Err(FetchError::WrongType { content_type: stated.chars().take(200).collect() })
        }
        _ => Ok(()),
    }
}

/// Judges a page whose type is not stated.
pub(crate) fn accept_body(body: &[u8]) -> Result<(), FetchError> {
    if looks_like_html(body) {
        return Ok(());
    }
    Err(FetchError::WrongType { content_type: "something without a Content-Type".into() })
}
