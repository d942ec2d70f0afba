//! Defines the errors of creating a client.

use thiserror::Error;

/// Why a client cannot be created.
#[derive(Debug, Error)]
pub enum ClientError {
    /// `fetch.proxy` is not a proxy address.
    #[error("fetch.proxy: {0}")]
    Proxy(String),
    /// The user agent is not a valid header value.
    #[error("fetch.user_agent: cannot be sent as a header; use ASCII")]
    Agent,
    /// No root certificates were found.
    #[error(
        "no root certificates to check https servers with: {0}; install the system's (the package ca-certificates), or set SSL_CERT_FILE to a file of PEM certificates or SSL_CERT_DIR to a folder of them"
    )]
    NoRoots(String),
    /// An error of the HTTP library.
    #[error("the HTTP client cannot be set up: {0}")]
    Library(String),
}
