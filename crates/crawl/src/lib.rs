//! Joins the stages of a crawl: from seeds to a corpus.
//!
//! | stage | runs on | modules |
//! |---|---|---|
//! | dispatch the next URL of each host whose gap has passed | the owner's thread | `dispatch`, `frontier`, `membership` |
//! | send the request, or read the response from an archive | async tasks, a reading thread | `network`, `replay` |
//! | decode, parse, judge, extract, find links; train templates | worker threads | `worker`, `extraction`, `admission`, `learner::training` |
//! | decide the outcome, change the store | the owner's thread | `pages`, `responses`, `redirects`, `robots`, `learner`, `recorder` |
//!
//! `pipeline` joins the stages: `Pipeline::run` is the loop of every crawl and replay. Its fields are the
//! state, grouped by purpose: `frontier` (which URL is next, and when), `recorder` (store and archive),
//! `learner` (templates), `membership` (partitions of this worker).
//!
//! Data flows in one direction: owner, request, worker, owner. Only the owner writes the store. Hosts that
//! share a gap have one URL in flight at a time, from its dispatch until its outcome is in the store.
//! Therefore the order of a host's pages, and with it the host's template, does not depend on timing or
//! interruptions.
//!
//! Memory is bounded: `fetch.concurrency` URLs are in flight, each with one body of at most `fetch.max_page`
//! (or `max_sitemap`) bytes. The frontier is in the store.

mod admission;
mod archive;
mod clock;
mod control;
mod dispatch;
mod draft;
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
mod recorder;
mod redirected_robots;
mod redirects;
mod replay;
pub mod report;
mod responses;
mod robots;
mod session;
mod session_config;
pub mod snapshot;
mod stop;
mod summary;
mod template;
mod timetable;
mod user_requests;
mod visit;
mod worker;

pub use archive::{archive_files, archive_folder};
pub use clock::Clock;
pub use control::{Command, Control, follow};
pub use draft::{Draft, Origin, draft, draft_of};
pub use error::CrawlError;
pub use frontier::budget::{Budget, Ending};
pub use host_view::{HostView, RequestState, RobotsView, RunHistory, TemplateState};
pub use live::Active;
pub use progress::{LATENCIES, Latency, Progress, Snapshot};
pub use replay::{Purpose, Replay, Replayed, WarcFile, replay};
pub use session::{Start, run};
pub use stop::Stop;
pub use summary::{HeldBack, Summary};
pub use timetable::{Timetable, TimetableError};
