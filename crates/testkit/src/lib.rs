//! Serves a newspaper on loopback for the demo and the tests. [`Newspaper`] serves two papers under their own
//! host names: `http://baolang.example` (Vietnamese, "Báo Làng") and `http://villagepost.example` (English,
//! "The Village Post"). Clients use the server as an HTTP proxy.
//!
//! The papers have a front page, paginated sections, robots.txt, sitemaps (index, gzip, news) and feeds.
//! Articles have boilerplate (advertisement, related links, comments). One article has a second page, and
//! another has an edited copy ([`Newspaper::wire_copies`]). There are also errors that occur once, redirects
//! in and out of scope, endless traps, consent and login pages, and an old encoding. A paper can be redesigned
//! during a crawl ([`NewspaperOptions::redesigned_after`]). [`Newspaper::expected`] returns the expected
//! result of a crawl, and [`Newspaper::requests`] returns the access log.
//!
//! The crate also has two papers with new articles every day, for crawls over many nights
//! ([`NewspaperOptions::daily`]). For load tests it has many [`GeneratedPapers`]
//! ([`NewspaperOptions::generated`]). For benches it has [`bench_pages`] and a [`large_newspaper`] with all
//! kinds of pages. The feature `services` adds a PostgreSQL server (`postgres`), an S3 server (`s3`),
//! scripted servers with TLS and HTTP/2 (`tls`, `http2`), and a network with a long round trip
//! (`delaying_proxy`).
//!
//! All texts in `articles/` were written for this project, and their people and places are invented. Two
//! papers do not have enough different markup to evaluate extraction.
//!
//! ```
//! use gleaner_testkit::{Newspaper, NewspaperOptions};
//! use std::{io::{Read, Write}, net::TcpStream};
//!
//! let paper = Newspaper::start_in_background(NewspaperOptions::default())?;
//! let mut stream = TcpStream::connect(paper.address())?;
//! stream.write_all(b"GET http://baolang.example/robots.txt HTTP/1.1\r\nHost: baolang.example\r\nConnection: close\r\n\r\n")?;
//! let mut answer = String::new();
//! stream.read_to_string(&mut answer)?;
//! assert!(answer.contains("Disallow: /private/"));
//! assert_eq!(paper.requests()[0].path, "/robots.txt");
//! # Ok::<(), std::io::Error>(())
//! ```

mod access_log;
mod article;
mod background;
mod baolang;
pub mod bench_pages;
mod comments;
mod connections;
mod daily;
#[cfg(feature = "services")]
pub mod delaying_proxy;
mod expected;
mod feeds;
mod fixed;
mod generated_papers;
#[cfg(feature = "services")]
pub mod http2;
mod large;
mod legacy;
mod markup;
mod page_response;
mod paper;
#[cfg(feature = "services")]
pub mod postgres;
mod redesign;
#[cfg(feature = "services")]
pub mod s3;
mod server;
mod site;
mod special_pages;
mod texts;
#[cfg(feature = "tls")]
pub mod tls;
#[cfg(feature = "services")]
pub mod tls_sites;
mod village_post;
#[cfg(feature = "tls")]
pub mod world;

pub use access_log::Request;
pub use daily::{Daily, Issue};
pub use expected::Expected;
pub use fixed::{FixedPage, FixedServer};
pub use generated_papers::GeneratedPapers;
pub use large::{Page, large_newspaper};
pub use server::{Newspaper, NewspaperOptions};
