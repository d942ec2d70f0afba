//! Sends single requests politely: robots.txt, gaps, holds, limits.
//!
//! [`Client`] sends one request and checks the response (address, type, size, time). [`Gates`] allow one
//! request in flight per group of hosts, with a gap between two requests. [`Holds`] pause a host that pushed
//! back. A [`Right`] limits how long requests to a host may run. [`Rules`] is a parsed robots.txt (RFC 9309).
//! A [`RobotsRecord`] is a host's response for robots.txt and says how long it is valid. [`Fetcher`] combines
//! these types. [`Cookies`] has the cookies of one visit; the caller, which follows the redirects, passes
//! them in.
//!
//! The crate does not follow a page's redirects, retry, check robots.txt before a page, or write to disk. The
//! crawl does this with the data from this crate.
//!
//! **Invariant:** no other crate uses the HTTP library directly.

mod access;
mod address;
mod body;
mod client;
mod connections;
mod cookies;
mod error;
mod fetcher;
mod gate;
mod headers;
mod hold;
mod message;
mod names;
mod permit;
mod robots;
mod sent;
mod sniff;
mod tls;

pub use access::{Access, RobotsRecord, RobotsState};
pub use client::{Client, ClientError, FILES_OF_A_REQUEST, choose_cryptography};
pub use cookies::Cookies;
pub use error::FetchError;
pub use fetcher::{Fetcher, Politeness, RobotsAnswer, RobotsRequest, host_of};
pub use gate::{Gates, Pass};
pub use hold::{Held, Holds, PushBack};
pub use message::{Request, Response, Want};
pub use permit::Right;
pub use robots::{ROBOTS_LIMIT, Rules, Verdict};
pub use tls::{Roots, TlsFault};
