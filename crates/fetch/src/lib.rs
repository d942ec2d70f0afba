//! Sends single requests politely: robots.txt, delays between requests, back-offs, limits.
//!
//! [`Client`] sends one request and checks the response (address, type, size, time). [`Gates`] allow one
//! request in flight per group of hosts, with a delay between requests. [`Backoffs`] start a back-off after a
//! push-back (a 429, a 503 or a failed connection). A [`RequestLease`] limits how long requests to a host may
//! run. [`RobotsRules`] is a parsed robots.txt (RFC 9309). A [`RobotsRecord`] contains the result of a host's
//! robots.txt request and says how long it is valid. [`Fetcher`] combines these types. [`Cookies`] has the
//! cookies of one visit. The caller follows redirects and passes the cookies to each request.
//!
//! The crate does not follow redirects of a page, retry requests, check robots.txt before a page, or write to
//! disk. The crawl crate does all this with the data from this crate.
//!
//! **Invariant:** no other crate uses the HTTP library directly.

mod access;
mod address;
mod backoff;
mod body;
mod client;
mod client_error;
mod connections;
mod cookies;
mod dns_cache;
mod error;
mod fetcher;
mod gate;
mod headers;
mod message;
mod permit;
mod proxy;
mod robots;
mod sent;
pub mod settings;
mod sniff;
mod tdmrep;
mod tls;

pub use access::{Access, RobotsRecord, RobotsState, SiteFile};
pub use backoff::{BackoffReason, BackoffStart, Backoffs};
pub use client::{Client, FILES_OF_A_REQUEST, choose_cryptography};
pub use client_error::ClientError;
pub use cookies::Cookies;
pub use error::FetchError;
pub use fetcher::{Fetcher, MAX_REDIRECT_WAIT, Politeness, RobotsAnswer, RobotsRequest, host_of};
pub use gate::{GateGuard, Gates};
pub use message::{Request, RequestKind, Response};
pub use permit::RequestLease;
pub use robots::usage::{RobotsUsage, UsageLine};
pub use robots::{ROBOTS_LIMIT, RobotsDecision, RobotsRules};
pub use tdmrep::{TDMREP_PATH, TdmRule, TdmRules};
pub use tls::{RootCertificates, TlsFault};
