//! Serves the status page and the metrics of a crawl and its corpus over HTTP.
//!
//! | file | content |
//! |---|---|
//! | [`server`] | starts and stops the HTTP server |
//! | `guard` | checks requests and sets security headers |
//! | `key` | checks the token that authorizes changes |
//! | `asked` | parses parameters and language of a request |
//! | `corpus_view` | caches runs, hosts and totals of the corpus |
//! | `workers` | reads the workers of a shared corpus |
//! | `reports` | reads the reports of the last runs |
//! | `live` | samples the running crawl |
//! | `search` | searches the texts of the documents |
//! | `beside` | classifies the lines of a document's page |
//! | `download` | exports the result of a search as JSON Lines |
//! | `family` | groups outcomes for charts |
//! | `pages` | renders the HTML pages, one file for each |
//! | `pictures` | draws charts as SVG |
//! | `actions` | executes the changes that buttons request |
//! | `metrics` | writes metrics for Prometheus |
//!
//! Only one process can open a sled store. Therefore a crawling process serves the page itself
//! ([`Server::start`]). When no crawl runs, `gleaner serve` opens the store. With a shared store, the server
//! reads while the workers write, and also shows the workers.
//!
//! **Invariant:** crawled content is never output as HTML. maud escapes every text. An archived page is shown
//! as a list of its lines. A strict content security policy adds protection.
//!
//! Limitation: anyone who can connect to the address can read everything, because the token protects only
//! changes. Therefore the default address is loopback (docs/status.md).

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
