//! Runs a crawl, from its seeds to a corpus.
//!
//! Each URL passes through four stages:
//!
//! 1. The owner thread names the next URL of each host whose delay is over (`dispatch`, `frontier`,
//!    `membership`).
//! 2. An async task sends the request (`network`). A replay reads the response from an archive instead
//!    (`replay`).
//! 3. A worker thread processes the response (`process`): it parses the page, and extracts its text and links. Worker
//!    threads also train templates (`learner`).
//! 4. The owner thread records the result (`record`): it decides the outcome and writes it to the store. Other responses
//!    are in `responses`, `redirects` and `robots`.
//!
//! `Network::run` is the loop of every crawl, and `Replayer::run` that of every replay. Only the owner thread writes the
//! store. A group of hosts that share a delay has at most one URL in flight, from its dispatch until its outcome is in
//! the store. So timing and interruptions affect neither the order of a host's pages nor its template.
//!
//! Memory is bounded: at most `fetch.concurrency` URLs are in flight, each with one body of at most
//! `fetch.max_page` (or `max_sitemap`) bytes. The list of known URLs is in the store.

mod activity;
mod archive;
mod clock;
mod control;
mod discovery;
mod dispatch;
mod error;
mod event;
mod explanation;
mod extraction;
mod frontier;
mod host_summary;
mod host_view;
pub mod integrity;
mod known_hosts;
mod known_links;
mod learner;
mod membership;
mod moved;
mod network;
mod page_links;
mod page_robots;
mod partitions;
mod pipeline;
mod process;
mod progress;
mod rank;
mod record;
mod recorder;
mod redirected_robots;
mod redirects;
pub mod render;
pub mod repair;
mod replay;
pub mod report;
mod request_file;
mod responses;
mod robots;
mod scope;
mod session;
mod session_config;
pub mod settings;
pub mod snapshot;
mod stop;
mod stored_page;
mod summary;
mod timetable;
mod traps;
mod usage;
mod user_requests;
mod visit;
mod wanted;
mod worker;

pub use activity::ActiveHost;
pub use archive::{archive_files, archive_folder, open_archive};
pub use clock::Clock;
pub use control::{Command, Control, follow};
pub use error::CrawlError;
pub use explanation::{
    detail_in_words, explained, explained_hold, explained_retry, explained_visit, is_without_connection,
};
pub use extraction::rejection;
pub use frontier::budget::{Budget, Ending};
pub use host_summary::host_summary;
pub use host_view::{HostView, RequestState, RobotsView, RunHistory, SeedState, TemplateState};
pub use known_hosts::{similar_hosts, site_of};
pub use learner::current_template;
pub use moved::MovedSite;
pub use progress::{LATENCIES, Latency, NoResponse, Progress, ProgressSnapshot};
pub use recorder::revisit::is_final_redirect;
pub use replay::{Changes, Purpose, Replay, ReplaySummary, WarcFile, replay};
pub use scope::{scope, sites_without_seed};
pub use session::{CrawlInput, run};
pub use stop::StopRequest;
pub use stored_page::{PageError, StoredPage, stored_page};
pub use summary::{DeferredHost, Summary, buffered, pages_without_outcome};
pub use timetable::{Timetable, TimetableError, zone_of};
pub use traps::trap_rule;
pub use usage::stated_by_host;
pub use wanted::Wanted;
