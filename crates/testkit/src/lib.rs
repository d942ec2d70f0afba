//! A newspaper on loopback, for the demo and the tests: [`Newspaper`] serves two
//! papers under their own host names, `http://baolang.example` (Vietnamese, "Báo
//! Làng") and `http://villagepost.example` (English, "The Village Post"), to those
//! who set it as HTTP proxy.
//!
//! What a crawler meets there: front page, paginated sections, robots.txt,
//! sitemaps (index, gzip, news), feeds, articles in full furniture
//! (advertisement, related links, comments), one-time errors, redirects in and out of
//! scope, a second copy of an article, an edited copy ([`Newspaper::wire_copies`]), traps without end, a wall, an old encoding; and,
//! if asked for, a redesign in mid-crawl ([`Options::redesigned_after`]).
//! What it must end with: [`Newspaper::expected`]. What it asked: [`Newspaper::requests`].
//!
//! For crawls of many nights there are two papers that appear every day ([`Options::daily`]).
//! For load there is a [`Stand`] of many generated papers ([`Options::stand`]), for
//! benches there are [`measured`] pages. For object storage there is an S3 server (`s3`),
//! for https servers with TLS and HTTP/2 that are scripted byte by byte (`tls`, `http2`); these are behind the feature `services`.
//!
//! All texts in `articles/` were written for this project; people and places are
//! invented. Two markups are no measure of extraction: that is what recorded sites
//! are for.
//!
//! ```
//! use gleaner_testkit::{Newspaper, Options};
//! use std::{io::{Read, Write}, net::TcpStream};
//!
//! let paper = Newspaper::start_in_background(Options::default())?;
//! let mut stream = TcpStream::connect(paper.address())?;
//! stream.write_all(b"GET http://baolang.example/robots.txt HTTP/1.1\r\nHost: baolang.example\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! stream.read_to_string(&mut answer)?;
//! assert!(answer.contains("Disallow: /private/"));
//! assert_eq!(paper.requests()[0].path, "/robots.txt");
//! # Ok::<(), std::io::Error>(())
//! ```

mod answer;
mod article;
mod baolang;
mod comments;
mod daily;
mod expected;
mod feeds;
#[cfg(feature = "services")]
pub mod http2;
mod legacy;
mod log;
mod markup;
pub mod measured;
mod oddities;
mod paper;
#[cfg(feature = "services")]
pub mod postgres;
mod redesign;
#[cfg(feature = "services")]
pub mod s3;
mod server;
mod serving;
mod site;
mod stand;
mod texts;
#[cfg(feature = "services")]
pub mod tls;
mod village_post;

pub use daily::{Daily, Issue};
pub use expected::Expected;
pub use log::Request;
pub use server::{Newspaper, Options};
pub use stand::Stand;
