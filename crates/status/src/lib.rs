//! Serves the status page and the metrics of a crawl and its corpus over HTTP.
//!
//! | file | content |
//! |---|---|
//! | [`server`] | starts and stops the HTTP server |
//! | `guard` | checks requests and sets security headers |
//! | `key` | the token that authorizes changes |
//! | `asked` | parameters and language of a request |
//! | `corpus_view` | the cached view of runs, hosts and totals |
//! | `workers` | the workers of a shared corpus |
//! | `reports` | the status of the last runs |
//! | `live` | the running crawl |
//! | `search` | full-text search of documents |
//! | `beside` | the classified lines of a document's page |
//! | `download` | the result of a search as JSON Lines |
//! | `family` | families of outcomes |
//! | `pages` | the HTML pages, one file each |
//! | `pictures` | charts as SVG |
//! | `actions` | the changes behind the buttons |
//! | `metrics` | metrics for Prometheus |
//!
//! Only one process can open a sled store, so a crawling process serves the page itself ([`Server::start`]).
//! Without a crawl, `gleaner serve` opens the store. With a shared store, the server reads while the workers
//! write, and shows the workers.
//!
//! **Invariant:** crawled content is never output as HTML. maud escapes every text, an archived page is shown
//! as a list of its lines, and a strict content security policy adds protection.
//!
//! Limitation: anyone who can connect to the address can read everything. The token protects only changes, so
//! the default address is loopback (docs/status.md).

mod actions;
mod asked;
mod beside;
mod corpus_view;
mod download;
mod family;
mod guard;
mod key;
mod language;
mod live;
mod metrics;
mod pages;
mod pictures;
mod reports;
mod search;
pub mod server;
mod site;
mod workers;

pub use key::{Key, KeyError};
pub use search::SearchError;
pub use server::{Options, Server, ServerError};
pub use site::{Corpus, CrawlNow, Hooks, NextStart, Running};

#[cfg(test)]
mod tests;
