//! Why a request brought no usable answer.
//!
//! The HTTP library tells its errors apart poorly: a refused connection, a failed
//! handshake and an unknown name are all "error sending request", and which one it was
//! must be dug out of the chain of sources. [`FetchError::of`] digs. What it cannot
//! name becomes [`FetchError::Connect`] or [`FetchError::Broken`] with the innermost
//! message, never with the URL, which the caller knows.

use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::time::Duration;

use thiserror::Error;

use crate::address::Refused;

/// Why a request brought no usable answer. An answer with a status such as 404 or
/// 503 is none of these: it is a [`crate::Response`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FetchError {
    /// The host's name has no address, or its name server did not answer.
    #[error("the host's name could not be resolved: {0}")]
    Dns(String),
    /// No connection: refused, unreachable, reset while it was opened.
    #[error("no connection: {0}")]
    Connect(String),
    /// The host's certificate or its TLS is not acceptable.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// Connecting, or the whole request, or the wait for the next piece of the body
    /// took longer than this.
    #[error("no complete answer within {limit:?}")]
    Timeout {
        /// The limit that was passed.
        limit: Duration,
    },
    /// The answer is no HTTP, ends early or cannot be decompressed.
    #[error("broken answer: {0}")]
    Broken(String),
    /// The body is larger than this, after decompression.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// All of the host's addresses are loopback, private, link-local or otherwise not
    /// of the public internet, and none is in `fetch.allow_addresses`.
    #[error("{address} is no public address (fetch.allow_addresses can allow it)")]
    PrivateAddress {
        /// The first refused address.
        address: IpAddr,
    },
    /// A page was asked for and something else came.
    #[error("not HTML but {content_type}")]
    WrongType {
        /// The `Content-Type` as sent, or a note that there was none.
        content_type: String,
    },
    /// The proxy does not answer, or refuses.
    #[error("the proxy failed: {0}")]
    BadProxy(String),
    /// The URL's scheme is not http or https, or it has no host.
    #[error("not an http or https address")]
    BadUrl,
    /// The right to send requests to the host ended before the answer was complete. It says
    /// nothing of the host.
    #[error("the lease of the host's partition ended")]
    NotPermitted,
}

impl FetchError {
    /// A short stable name, for records and counters.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Dns(_) => "dns",
            Self::Connect(_) => "connect",
            Self::Tls(_) => "tls",
            Self::Timeout { .. } => "timeout",
            Self::Broken(_) => "broken",
            Self::TooLarge { .. } => "too_large",
            Self::PrivateAddress { .. } => "private_address",
            Self::WrongType { .. } => "wrong_type",
            Self::BadProxy(_) => "bad_proxy",
            Self::BadUrl => "bad_url",
            Self::NotPermitted => "not_permitted",
        }
    }

    /// Whether the same request may well succeed later. An unknown name counts: the
    /// resolver does not say whether the name or the name server is missing.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Dns(_)
            | Self::Connect(_)
            | Self::Timeout { .. }
            | Self::Broken(_)
            | Self::BadProxy(_)
            | Self::NotPermitted => true,
            Self::Tls(_)
            | Self::TooLarge { .. }
            | Self::PrivateAddress { .. }
            | Self::WrongType { .. }
            | Self::BadUrl => false,
        }
    }

    /// What `error` means. `connect_limit` is named when connecting took too long;
    /// `to_proxy` says that the connection went to a proxy and no tunnel was needed.
    pub(crate) fn of(error: &reqwest::Error, connect_limit: Duration, to_proxy: bool) -> Self {
        let chain = chain(error);
        if let Some(Refused(address)) = chain.iter().find_map(|e| e.downcast_ref()) {
            return Self::PrivateAddress { address: *address };
        }
        let message = chain.last().map(ToString::to_string).unwrap_or_default();
        if error.is_timeout() {
            return Self::Timeout { limit: connect_limit };
        }
        if chain.iter().any(|e| e.is::<rustls::Error>()) {
            return Self::Tls(message);
        }
        if !error.is_connect() {
            return Self::Broken(message);
        }
        // The tunnel's error type is private to the library; its text is all there is.
        // "Unsuccessful" is the proxy's word on the host, all else is the proxy's failure.
        let tunnel = chain.iter().map(ToString::to_string).find(|text| text.contains("tunnel error"));
        match tunnel {
            Some(text) if text.contains("unsuccessful") => {
                return Self::Connect("the proxy could not reach the host".into());
            }
            Some(_) => return Self::BadProxy(message),
            None if to_proxy => return Self::BadProxy(message),
            None => {}
        }
        if error.is_dns() { Self::Dns(message) } else { Self::Connect(message) }
    }
}

/// The error and its sources, outermost first. An `io::Error` that wraps another
/// error hides it from `source`, so it is opened by hand.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    let mut links = vec![error];
    // The bound is for errors that name themselves as their source.
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
        let inner = Refused("10.0.0.1".parse().unwrap());
        let outer = io::Error::other(io::Error::other(inner));
        assert!(chain(&outer).iter().any(|e| e.is::<Refused>()));
    }
}
