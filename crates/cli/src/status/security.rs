//! Checks every request and sets the security headers of every response.
//!
//! 1. A request must name its host once (RFC 9112, section 3.2).
//! 2. The host must be `localhost`, an IP address, or a name that the user lists, whatever address the server
//!    is bound to. This prevents DNS rebinding: a page of another site can make its own name point to this
//!    server, but the requests of the page then have that name.
//! 3. A request for a change must come from a page of this server, according to `Origin` or `Sec-Fetch-Site`.
//!    Requests without both headers come from programs, not from browsers, and are accepted.
//! 4. A request for a change must arrive within [`MAX_CHANGE_TIME`].
//! 5. Response headers forbid frames, forms to other servers, and scripts, styles and pictures from other
//!    servers.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::{HOST, HeaderName, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use gleaner_corpus::without_port;

use crate::status::app_state::AppState;

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

/// Maximum time for a request that changes something, with its body. A form has only some bytes.
const MAX_CHANGE_TIME: Duration = Duration::from_secs(30);

pub(crate) async fn check_request(
    State(app): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Response {
    let checked = check(&app.allowed_hosts, &request);
    let mut response = match checked {
        Err((status, reason)) => (status, format!("{reason}\n")).into_response(),
        Ok(()) if is_read_only(request.method()) => next.run(request).await,
        Ok(()) => tokio::time::timeout(MAX_CHANGE_TIME, next.run(request))
            .await
            .unwrap_or_else(|_| StatusCode::REQUEST_TIMEOUT.into_response()),
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

type Refusal = (StatusCode, &'static str);

const UNKNOWN_HOST: Refusal = (
    StatusCode::FORBIDDEN,
    "this host name is not known here; start gleaner with --public-host NAME to allow it (docs/status.md)",
);

fn check(allowed_hosts: &AllowedHosts, request: &Request) -> Result<(), Refusal> {
    let host = host(request.uri(), request.headers())
        .ok_or((StatusCode::BAD_REQUEST, "the request must have exactly one header Host"))?;
    if !allowed_hosts.allow(host) {
        return Err(UNKNOWN_HOST);
    }
    if !is_read_only(request.method()) && is_cross_site(host, request.headers()) {
        return Err((StatusCode::FORBIDDEN, "cross-site requests are refused"));
    }
    Ok(())
}

fn is_read_only(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Returns the host of a request with its port. Returns `None` if there is not exactly one header `Host`, or
/// if an absolute URL in the first line of the request names another host.
fn host<'a>(uri: &Uri, headers: &'a HeaderMap) -> Option<&'a str> {
    let mut named = headers.get_all(HOST).iter();
    let (host, None) = (named.next()?.to_str().ok()?, named.next()) else { return None };
    uri.authority().is_none_or(|authority| authority.as_str().eq_ignore_ascii_case(host)).then_some(host)
}

fn is_cross_site(host: &str, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text(ORIGIN.as_str()) {
        Some(origin) => origin.split_once("://").is_none_or(|(_, rest)| rest != host),
        None => text("sec-fetch-site").is_some_and(|value| !matches!(value, "same-origin" | "none")),
    }
}

/// The host names that requests may use, in addition to `localhost` and IP addresses.
#[derive(Debug, Clone, Default)]
pub(crate) struct AllowedHosts(Vec<String>);

impl AllowedHosts {
    /// Allows the names that the user lists. Ports in them are ignored.
    pub(crate) fn new(listed: &[String]) -> Self {
        Self(listed.iter().map(|host| without_port(host).to_owned()).collect())
    }

    fn allow(&self, host: &str) -> bool {
        let name = without_port(host);
        name.eq_ignore_ascii_case("localhost")
            || is_ip_address(name)
            || self.0.iter().any(|listed| name.eq_ignore_ascii_case(listed))
    }
}

/// Whether a host is an IP address. No other site can have it as its name.
fn is_ip_address(name: &str) -> bool {
    let inside_brackets = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    match inside_brackets {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => name.parse::<Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn localhost_addresses_and_listed_names_are_allowed() {
        let allowed_hosts = AllowedHosts::new(&["corpus.example".into(), "other.example:8080".into()]);
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:7777",
            "192.168.1.5:7700",
            "[::1]",
            "[2001:db8::1]:80",
            "corpus.example:443",
            "Other.example",
        ] {
            assert!(allowed_hosts.allow(host), "{host}");
        }
        for host in [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
            "127.0.0.1.nip.io",
            "127.1",
            "::1",
            "[::1].x",
            "[evil.example]",
            "localhost@evil.example",
        ] {
            assert!(!allowed_hosts.allow(host), "{host}");
        }
    }

    #[test]
    fn a_request_names_one_host() {
        let host_of = |uri: &str, hosts: &[&'static str]| {
            let hosts = hosts.iter().map(|host| (HOST, HeaderValue::from_static(host)));
            host(&uri.parse().unwrap(), &hosts.collect()).map(str::to_owned)
        };
        assert_eq!(host_of("/", &["localhost:80"]).as_deref(), Some("localhost:80"));
        assert_eq!(host_of("http://localhost/", &["LOCALHOST"]).as_deref(), Some("LOCALHOST"));
        assert_eq!(host_of("/", &[]), None);
        assert_eq!(host_of("/", &["localhost", "evil.example"]), None);
        assert_eq!(host_of("/", &["localhost", "localhost"]), None);
        assert_eq!(host_of("http://evil.example/", &["localhost"]), None);
    }
}
