//! One polite request: robots, host gate, limits.
//!
//! From the request outwards: [`Client`] asks once and judges the answer (address,
//! type, size, time), [`Gates`] keeps one request in flight per group of hosts and a
//! gap between two, [`Holds`] leaves a host alone that pushed back, a [`Right`] says how
//! long requests to a host may still run, [`Rules`] is a parsed robots.txt (RFC 9309), [`RobotsRecord`]
//! says what a host's answer for it means and for how long, and [`Fetcher`] joins them.
//! [`Cookies`] are for one visit's redirects; whoever follows those hands them in.
//!
//! What it does not do: follow a page's redirects, try again, look at a robots.txt
//! before a page is asked for, or keep anything on disk. Those are the crawl's
//! decisions; this crate hands it the facts.
//!
//! **Invariant:** no other crate names the HTTP library.

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
