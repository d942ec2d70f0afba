//! Joins the stages of a crawl: from seeds to a corpus.
//!
//! | stage | thread | modules |
//! |---|---|---|
//! | dispatch the next URL of each due host | owner | `dispatch`, `frontier`, `membership` |
//! | send the request, or read from an archive | async tasks, a reading thread | `network`, `replay` |
//! | decode, parse, judge, extract, find links, train | workers | `worker`, `extraction`, `learner` |
//! | decide the outcome, change the store | owner | `pages`, `responses`, `redirects`, `robots`, `recorder` |
//!
//! `pipeline` joins the stages: `Pipeline::run` is the loop of every crawl and replay. Its state has four
//! parts: `frontier` (which URL is next, and when), `recorder` (store and archive), `learner` (templates),
//! `membership` (partitions of this worker).
//!
//! Data flows in one direction: owner, request, worker, owner. Only the owner writes the store. Hosts that
//! share a gap have one URL in flight at a time, from dispatch until its outcome is in the store. Therefore
//! the order of a host's pages, and so its template, does not depend on timing or interruptions.
//!
//! Memory is bounded: `fetch.concurrency` URLs are in flight, each with one body of at most `fetch.max_page`
//! (or `max_sitemap`) bytes. The frontier is in the store.

mod admission;
mod archive;

mod clock;
mod control;
mod dispatch;
mod error;
mod event;
mod extraction;
mod frontier;
mod host_view;
mod learner;
mod live;
mod membership;
mod network;
mod pages;
mod partitions;
mod pipeline;
mod progress;
mod rank;
mod record_context;
mod recorder;
mod redirected_robots;
mod redirects;
mod replay;
pub mod report;
mod responses;
mod robots;
mod scope;
mod session;
mod session_config;
pub mod snapshot;
mod stop;
mod stored_page;
mod summary;
mod template;
mod timetable;
mod user_requests;
mod verdict;
mod visit;
mod worker;

pub use archive::{archive_files, archive_folder};
pub use clock::Clock;
pub use control::{Command, Control, follow};
pub use error::CrawlError;
pub use frontier::budget::{Budget, Ending};
pub use host_view::{HostView, RequestState, RobotsView, RunHistory, Seeding, TemplateState};
pub use live::Active;
pub use progress::{LATENCIES, Latency, NoResponse, Progress, Snapshot};
pub use record_context::ContextReader;
pub use replay::{Purpose, Replay, Replayed, WarcFile, replay};
pub use scope::{scope, sites_without_seed};
pub use session::{Start, run};
pub use stop::Stop;
pub use stored_page::{PageError, StoredPage, stored_page};
pub use summary::{HeldBack, Summary};
pub use timetable::{Timetable, TimetableError};
pub use verdict::verdict;
