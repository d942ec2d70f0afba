//! Defines the errors of requests.
//!
//! The HTTP library reports a refused connection, a failed handshake and an unknown name all as "error
//! sending request". [`FetchError::from_reqwest`] finds the cause in the chain of sources. An unknown cause
//! becomes [`FetchError::Connect`] or [`FetchError::Broken`] with the innermost message. Messages do not
//! contain the URL, because the caller knows it.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use gleaner_http::retry::is_out_of_files;
use thiserror::Error;

use crate::address::RefusedAddress;
use crate::headers::{MAX_HEAD, MAX_HEADERS};
use crate::tls::TlsFault;

/// Why there is no usable response. A status such as 404 or 503 is a [`crate::Response`], not an error.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FetchError {
    /// The host's name has no address, or its name server did not respond.
    #[error("the host's name could not be resolved: {0}")]
    Dns(String),
    /// The connection was refused, the host was unreachable, or the connection was reset while it was opened.
    #[error("no connection: {0}")]
    Connect(String),
    /// The host's certificate or TLS handshake is not acceptable.
    #[error("TLS failed: {fault} ({detail})")]
    Tls {
        /// The kind of fault.
        fault: TlsFault,
        /// The library's message.
        detail: String,
    },
    /// The process has reached its limit of open files and connections.
    #[error(
        "the limit of open files is reached; raise it with `ulimit -n 4096`, or LimitNOFILE= of a systemd unit, or set fetch.concurrency lower"
    )]
    NoFile,
    /// The response's headers exceed a limit.
    #[error("the answer's headers are larger than {bytes} bytes, or more than {lines} lines")]
    HeadersTooLarge {
        /// The limit in bytes, for names and values together.
        bytes: usize,
        /// The maximum number of header lines.
        lines: usize,
    },
    /// A time limit was exceeded: for connecting, for the whole request, or for the next piece of the body.
    #[error("no complete answer within {limit:?}")]
    Timeout {
        /// The exceeded limit.
        limit: Duration,
    },
    /// The response is not HTTP, ends early or cannot be decompressed.
    #[error("broken answer: {0}")]
    Broken(String),
    /// The body has an unknown coding that the request did not offer.
    #[error("the body is coded as {coding:?}, which cannot be read")]
    UnknownCoding {
        /// The first 50 characters of the coding's name, in lower case.
        coding: String,
    },
    /// The body exceeds the limit, before or after decompression.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// None of the host's addresses is public or in `fetch.allow_addresses`. Addresses that are not public
    /// are loopback, private, link-local and similar.
    /// The message does not tell how to allow the address, because a redirect may have named it.
    #[error("{address} is not a public address")]
    PrivateAddress {
        /// The first refused address.
        address: IpAddr,
    },
    /// The response to a request for a page is not a page.
    #[error("not HTML but {content_type}")]
    WrongType {
        /// The `Content-Type` as sent (at most 200 characters), or a note that it is missing.
        content_type: String,
    },
    /// The proxy does not respond, or refuses the request. The text names the proxy and the setting for it.
    #[error("the proxy failed: {0}")]
    BadProxy(String),
    /// The URL has no host, or its scheme is not http or https.
    #[error("not an http or https address")]
    BadUrl,
    /// The [`crate::RequestLease`] ended before the response was complete. The host did not cause this error.
    #[error("the lease of the host's partition ended")]
    NotPermitted,
}

impl FetchError {
    pub(crate) const HEADERS_TOO_LARGE: Self = Self::HeadersTooLarge { bytes: MAX_HEAD, lines: MAX_HEADERS };

    /// Returns a short stable label for records and counters.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Dns(_) => "dns",
            Self::Connect(_) => "connect",
            Self::Tls { fault, .. } => fault.label(),
            Self::NoFile => "no_file",
            Self::HeadersTooLarge { .. } => "headers_too_large",
            Self::Timeout { .. } => "timeout",
            Self::Broken(_) => "broken",
            Self::UnknownCoding { .. } => "unknown_coding",
            Self::TooLarge { .. } => "too_large",
            Self::PrivateAddress { .. } => "private_address",
            Self::WrongType { .. } => "wrong_type",
            Self::BadProxy(_) => "bad_proxy",
            Self::BadUrl => "bad_url",
            Self::NotPermitted => "not_permitted",
        }
    }

    /// Whether the same request may succeed later. This includes `Dns`, because the resolver does not
    /// distinguish a missing name from an unreachable name server.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Dns(_)
            | Self::Connect(_)
            | Self::NoFile
            | Self::Timeout { .. }
            | Self::Broken(_)
            | Self::BadProxy(_)
            | Self::NotPermitted => true,
            Self::Tls { .. }
            | Self::HeadersTooLarge { .. }
            | Self::UnknownCoding { .. }
            | Self::TooLarge { .. }
            | Self::PrivateAddress { .. }
            | Self::WrongType { .. }
            | Self::BadUrl => false,
        }
    }

    /// Converts an error of the library. `connect_limit` is the limit to report if connecting took too long.
    /// `proxy` is the name of the request's proxy. Only https requests use a tunnel.
    pub(crate) fn from_reqwest(
        error: &reqwest::Error,
        connect_limit: Duration,
        proxy: Option<String>,
    ) -> Self {
        let chain = chain(error);
        if let Some(RefusedAddress(address)) = chain.iter().find_map(|e| e.downcast_ref()) {
            return Self::PrivateAddress { address: *address };
        }
        if chain.iter().filter_map(|e| e.downcast_ref()).any(is_out_of_files) {
            return Self::NoFile;
        }
        let message = chain.last().map(ToString::to_string).unwrap_or_default();
        if error.is_timeout() {
            return Self::Timeout { limit: connect_limit };
        }
        if let Some(error) = chain.iter().find_map(|e| e.downcast_ref()) {
            return Self::Tls { fault: TlsFault::from_error(error), detail: message };
        }
        if message == "message head is too large" {
            return Self::HEADERS_TOO_LARGE;
        }
        if chain.iter().filter_map(|e| e.downcast_ref()).any(is_refused_here) {
            return Self::Broken(format!("its HTTP/2 headers are malformed, or far too large ({message})"));
        }
        if !error.is_connect() {
            return Self::Broken(message);
        }
        // The tunnel's error type is private to the library, so only its text is available. "unsuccessful"
        // means that the proxy could not reach the host. Any other text means that the proxy itself failed.
        let tunnel = chain.iter().map(ToString::to_string).find(|text| text.contains("tunnel error"));
        let is_to_proxy = tunnel.is_some() || error.url().is_some_and(|url| url.scheme() == "http");
        match (proxy.filter(|_| is_to_proxy), tunnel) {
            (Some(proxy), Some(text)) if text.contains("unsuccessful") => {
                Self::Connect(format!("the proxy could not reach the host: {proxy}"))
            }
            (Some(proxy), _) => Self::BadProxy(format!("{proxy}: {message}")),
            (None, _) if error.is_dns() => Self::Dns(message),
            (None, _) => Self::Connect(message),
        }
    }
}

/// Whether this process, and not the server, rejected the data on the HTTP/2 connection.
fn is_refused_here(error: &h2::Error) -> bool {
    error.is_library() && (error.is_reset() || error.is_go_away())
}

/// Returns the error and its sources, outermost first. Includes the error inside an `io::Error`.
pub(crate) fn chain<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut links = vec![error];
    // The number is limited, because an error can be its own source.
    while links.len() < 16 {
        let last = links[links.len() - 1];
        let inner = last.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        match inner.map(|e| e as &(dyn Error + 'static)).or_else(|| last.source()) {
            Some(next) => links.push(next),
            None => break,
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_inside_an_io_error_is_found() {
        let inner = RefusedAddress("10.0.0.1".parse().unwrap());
        let outer = io::Error::other(io::Error::other(inner));
        assert!(chain(&outer).iter().any(|e| e.is::<RefusedAddress>()));
    }
}
