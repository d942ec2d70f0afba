//! The status page and the metrics: what a crawl and its corpus look like, over HTTP.
//!
//! | file | question |
//! |---|---|
//! | [`server`] | Where is it served, by whom, how long? |
//! | `guard` | Who is answered, and what may a browser do with the answer? |
//! | `key` | Who may change something? |
//! | `asked` | In which language was what asked for? |
//! | `figures` | What is known of hosts and nights, cheaply? |
//! | `workers` | Who works on a corpus that many share? |
//! | `live` | How fast is the crawl that runs now? |
//! | `search` | Which documents have these words? |
//! | `beside` | What was each line of a document's page taken for? |
//! | `pages` | How does it look? a file a page |
//! | `pictures` | How do numbers look? |
//! | `actions` | What is changed when a button is pressed? |
//! | `metrics` | What does Prometheus get? |
//!
//! A store belongs to one process, so whoever crawls serves the page too
//! ([`Server::start`]); where no crawl runs, `gleaner serve` opens the store itself. Of a store
//! that many share it is a reader beside the workers, and shows them.
//!
//! **Invariant:** nothing that was crawled is put out as HTML. Every text goes through
//! maud's escaping; a page is shown as its lines; and a strict content security policy
//! forbids whatever might slip through.
//!
//! Limitation: whoever reaches the address may read. The key guards changes only,
//! so the address is loopback unless told otherwise (docs/status.md).

mod actions;
mod asked;
mod beside;
mod figures;
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
