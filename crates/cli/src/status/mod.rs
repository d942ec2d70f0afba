//! Serves the status page and the metrics of a crawl and its corpus over HTTP.
//!
//! | file | content |
//! |---|---|
//! | [`server`] | starts and stops the HTTP server |
//! | `security` | checks requests and sets security headers |
//! | `access_token` | checks the token that authorizes changes |
//! | `request` | parses parameters and language of a request |
//! | `corpus_view` | caches runs, hosts and totals of the corpus |
//! | `workers` | reads the workers of a shared corpus |
//! | `report_cache` | reads the reports of the last runs |
//! | `served` | what the program gives to the server |
//! | `crawl_monitor` | samples the running crawl |
//! | `search` | searches the texts of the documents |
//! | `page_lines` | classifies the lines of a document's page |
//! | [`describe()`] | describes a template in words |
//! | [`explain`] | shows what decided about each line of a page |
//! | `download` | exports the result of a search as JSON Lines |
//! | `outcome_group` | groups outcomes for charts |
//! | `pages` | renders the HTML pages, one file for each |
//! | `charts` | draws charts as SVG |
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

mod access_token;
mod actions;
mod app_state;
mod charts;
mod connections;
mod corpus_view;
mod crawl_monitor;
mod describe;
mod download;
pub(crate) mod explain;
mod language;
mod metrics;
mod outcome_group;
mod page_lines;
mod pages;
mod report_cache;
mod request;
mod search;
mod security;
mod served;
pub(crate) mod server;
mod workers;

pub(crate) use access_token::AccessToken;
pub(crate) use describe::describe;
pub(crate) use search::{
    Frequency, Grouping, Line, LineOptions, LineOrder, SearchError, SearchIndex, SearchQuery, UpdateStep,
    WordCount, WordList,
};
pub(crate) use served::{CrawlNow, Hooks, RunningCrawl, ServedCorpus};
pub(crate) use server::{Server, ServerOptions};

#[cfg(test)]
mod tests;
