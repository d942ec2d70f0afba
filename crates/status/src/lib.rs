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
//! | `live` | rates of the running crawl |
//! | `search` | full-text search of documents |
//! | `beside` | the classified lines of a document's page |
//! | `pages` | the HTML pages, one file each |
//! | `pictures` | charts as SVG |
//! | `actions` | the changes behind the buttons |
//! | `metrics` | metrics for Prometheus |
//!
//! A sled store belongs to one process, so a crawling process serves the page itself ([`Server::start`]).
//! Without a crawl, `gleaner serve` opens the store. For a shared store, the server is a reader beside the
//! workers and shows them.
//!
//! **Invariant:** crawled content is never output as HTML. maud escapes every text, a page is shown as its
//! lines, and a strict content security policy blocks anything else.
//!
//! Limitation: anyone who can reach the address can read. The token protects changes only, so the default
//! address is loopback (docs/status.md).

mod actions;
mod asked;
mod beside;
mod corpus_view;
mod guard;
mod key;
mod language;
mod live;
mod metrics;
mod pages;
mod pictures;
mod search;
pub mod server;
mod site;
mod workers;

pub use key::{Key, KeyError};
pub use search::SearchError;
pub use server::{Options, Server, ServerError};
pub use site::{Corpus, CrawlNow, Hooks};

#[cfg(test)]
mod tests;
