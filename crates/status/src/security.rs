//! Checks every request and sets the security headers of every response.
//!
//! 1. A server that is bound to loopback accepts only requests to loopback names and to names that the user
//!    lists. This prevents DNS rebinding. The same applies to every server for which the user lists names.
//! 2. A request for a change must come from a page of this server, according to `Origin` or `Sec-Fetch-Site`.
//!    Requests without both headers come from programs, not from browsers, and are accepted.
//! 3. Response headers forbid frames, forms to other servers, and scripts, styles and pictures from other
//!    servers.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gleaner_corpus::without_port;

use crate::app_state::AppState;

/// The content security policy. It allows only styles and scripts from this server, and nothing inline.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
    img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    // With `no-referrer`, browsers would send forms without an `Origin` header.
    ("referrer-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cache-control", "no-store"),
];

pub(crate) async fn check_request(
    State(app): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match refusal(&app, request.method(), request.headers()) {
        Some(reason) => (StatusCode::FORBIDDEN, format!("{reason}\n")).into_response(),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        let name = HeaderName::from_static(name);
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    response
}

fn refusal(app: &AppState, method: &Method, headers: &HeaderMap) -> Option<&'static str> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let host = text(&HOST).unwrap_or_default();
    if !app.allowed_hosts.allow(host) {
        return Some("unknown host name; see --public-host in docs/status.md");
    }
    if matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    let is_cross_site = match text(&ORIGIN) {
        Some(origin) => origin.split_once("://").is_none_or(|(_, rest)| rest != host),
        None => {
            let fetch_site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
            fetch_site.is_some_and(|value| !matches!(value, "same-origin" | "none"))
        }
    };
    is_cross_site.then_some("cross-site requests are refused")
}

#[derive(Debug, Clone, Default)]
pub(crate) struct AllowedHosts {
    pub(crate) any: bool,
    /// The names that the user lists, without ports.
    pub(crate) listed: Vec<String>,
}

impl AllowedHosts {
    fn allow(&self, host: &str) -> bool {
        let name = without_port(host);
        let is = |known: &str| name.eq_ignore_ascii_case(known);
        self.any
            || ["localhost", "127.0.0.1", "[::1]"].into_iter().any(is)
            || self.listed.iter().any(|known| is(known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_and_listed_names_are_allowed() {
        let allowed_hosts = AllowedHosts { any: false, listed: vec!["corpus.example".into()] };
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:7777", "[::1]", "[::1]:80", "corpus.example:443"]
        {
            assert!(allowed_hosts.allow(host), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "::1", "[::1].x"]
        {
            assert!(!allowed_hosts.allow(host), "{host}");
        }
        assert!(AllowedHosts { any: true, listed: Vec::new() }.allow("evil.example"));
    }
}
