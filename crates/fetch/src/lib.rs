//! One polite request: robots, host gate, limits.
//!
//! From the request outwards: [`Client`] asks once and judges the answer (address,
//! type, size, time), [`Gates`] keeps one request in flight per group of hosts and a
//! gap between two, a [`Right`] says how long requests to a host may still run,
//! [`Rules`] is a parsed robots.txt (RFC 9309), [`RobotsRecord`]
//! says what a host's answer for it means and for how long, and [`Fetcher`] joins them.
//!
//! What it does not do: follow a page's redirects, try again, look at a robots.txt
//! before a page is asked for, or keep anything on disk. Those are the crawl's
//! decisions; this crate hands it the facts.
//!
//! **Invariant:** no other crate names the HTTP library.

mod access;
mod address;
mod client;
mod error;
mod fetcher;
mod gate;
mod headers;
mod names;
mod permit;
mod robots;
mod sniff;

pub use access::{Access, RobotsRecord, RobotsState};
pub use client::{Client, ClientError, Request, Response, Want, choose_cryptography};
pub use error::FetchError;
pub use fetcher::{Fetcher, RobotsAnswer, RobotsRequest};
pub use gate::{Gates, Pass};
pub use permit::Right;
pub use robots::{ROBOTS_LIMIT, Rules, Verdict};
