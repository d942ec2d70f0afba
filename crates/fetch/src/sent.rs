//! Reconstructs the headers of a request for the archive.
//!
//! The HTTP library adds `user-agent` and `host` when it sends a request, but does not expose them.
//! `tests/over_loopback/sent.rs` compares the result with the headers that a server receives.
//!
//! Limitation: HTTP/2 sends `:authority` instead of `host`, and a proxy may receive headers that the site
//! does not get. Neither difference is recorded.

use reqwest::header::{HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use url::{Position, Url};

/// Returns the names and values of all headers, in the order in which HTTP/1.1 sends them. `headers` contains
/// those that this crate sets.
pub(crate) fn sent(url: &Url, headers: &HeaderMap, agent: &HeaderValue) -> Vec<(String, String)> {
    let text = |name: &HeaderName, value: &HeaderValue| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let mut sent: Vec<_> = headers.iter().map(|(name, value)| text(name, value)).collect();
    sent.push(text(&USER_AGENT, agent));
    sent.push((HOST.as_str().into(), url[Position::BeforeHost..Position::AfterPort].into()));
    sent
}
