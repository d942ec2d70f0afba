//! Defines requests and responses.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::{CONTENT_TYPE, ETAG, HeaderName, LAST_MODIFIED, LOCATION, RETRY_AFTER};
use url::Url;

use crate::backoff::BackoffStart;
use crate::error::FetchError;
use crate::headers::{essence, retry_after};
use crate::sniff::looks_like_html;

/// The kind of a request. It determines the accepted types and the size limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// An HTML page: `text/html` or `application/xhtml+xml`, at most `fetch.max_page` bytes. Without
    /// `Content-Type`, the body must begin like HTML.
    Page,
    /// A robots.txt of any type. Only its first 500 KiB are kept.
    Robots,
    /// A sitemap or feed of any content type, at most `fetch.max_sitemap` bytes.
    List,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// An http or https URL.
    pub url: Url,
    /// The kind of the request.
    pub want: RequestKind,
    /// The `ETag` of the stored copy, sent as `If-None-Match`.
    pub etag: Option<String>,
    /// The `Last-Modified` of the stored copy, sent as `If-Modified-Since`.
    pub last_modified: Option<String>,
    /// Whether an earlier request for the URL failed. This affects the length of a back-off
    /// ([`crate::Backoffs`]).
    pub is_repeated: bool,
    /// The value of [`crate::Cookies::header`] for the URL, sent as `Cookie`.
    pub cookie: Option<String>,
}

impl Request {
    /// Creates an unconditional request, for a URL without a stored copy.
    #[must_use]
    pub fn new(url: Url, want: RequestKind) -> Self {
        Self { url, want, etag: None, last_modified: None, is_repeated: false, cookie: None }
    }
}

/// A response with any status.
#[derive(Debug, Clone)]
pub struct Response {
    /// The HTTP status, such as 200, 304 or 404.
    pub status: u16,
    /// The `Content-Type` as sent.
    pub content_type: Option<String>,
    /// The `ETag`, for the next request to the same URL.
    pub etag: Option<String>,
    /// The `Last-Modified`, for the next request to the same URL.
    pub last_modified: Option<String>,
    /// The target of a 3xx redirect, resolved with the request's URL. It may have any scheme. `None` if the
    /// status is not a redirect, or if `Location` is missing or unreadable.
    pub location: Option<Url>,
    /// The wait that `Retry-After` states, at most a day. If the header states a date, the wait is the time
    /// from the arrival of the response to that date. `None` if the header is missing or unreadable.
    pub retry_after: Option<Duration>,
    /// The back-off that [`crate::Fetcher::page`] started after a 429 or 503. `None` after any other status,
    /// and in a response from [`crate::Client::get`].
    pub held: Option<BackoffStart>,
    /// All headers in the order of the response, including `Content-Encoding` and `Transfer-Encoding`.
    pub headers: Vec<(String, String)>,
    /// The decoded body. If the status is not 2xx, only its first 64 KiB are kept.
    pub body: Vec<u8>,
    /// The whole body as received, in the codings of `Content-Encoding`. `None` if the body has no content
    /// coding, has a transfer coding too, or is incomplete.
    pub coded: Option<Vec<u8>>,
    /// Whether `body` is incomplete because the response was too long or broke off.
    pub is_cut: bool,
    /// The headers of the request as sent. A response from [`Response::new`] has none.
    pub sent: Vec<(String, String)>,
}

impl Response {
    /// Creates a response without a body to a request for `url`.
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
            coded: None,
            is_cut: false,
            sent: Vec::new(),
        }
    }

    /// Checks that the response is a page, by its `Content-Type`. If there is no `Content-Type`, the
    /// beginning of the body decides.
    ///
    /// # Errors
    /// [`FetchError::WrongType`] if the response is not a page.
    pub fn accept_page(&self) -> Result<(), FetchError> {
        accept_type(self.content_type.as_deref())?;
        if self.content_type.is_none() { accept_body(&self.body) } else { Ok(()) }
    }
}

pub(crate) fn accept_type(content_type: Option<&str>) -> Result<(), FetchError> {
    match content_type {
        Some(stated) if !matches!(essence(stated).as_str(), "text/html" | "application/xhtml+xml") => {
            Err(FetchError::WrongType { content_type: stated.chars().take(200).collect() })
        }
        _ => Ok(()),
    }
}

pub(crate) fn accept_body(body: &[u8]) -> Result<(), FetchError> {
    if looks_like_html(body) {
        return Ok(());
    }
    Err(FetchError::WrongType { content_type: "something without a Content-Type".into() })
}
