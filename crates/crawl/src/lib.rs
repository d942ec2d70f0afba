//! Joins the stages of a crawl: from seeds to a corpus.
//!
//! | stage | runs on | modules |
//! |---|---|---|
//! | dispatch the next URL of each host whose gap has passed | the owner's thread | `owner`, `dispatch`, `schedule`, `membership` |
//! | send the request | async tasks | `network` |
//! | decode, parse, judge, extract, find links; train templates | worker threads | `extraction`, `admission`, `training` |
//! | decide the outcome, change the store | the owner's thread | `events`, `responses`, `revisit`, `template_health`, `documents` |
//!
//! Data flows in one direction: owner, request, worker, owner. Only the owner writes the store. Hosts that
//! share a gap have one URL in flight at a time, from its dispatch until its outcome is in the store. So the
//! order of a host's pages, and therefore its template, does not depend on timing or interruptions.
//!
//! Memory is bounded: `fetch.concurrency` URLs are in flight, each with one body of at most `fetch.max_page`
//! (or `max_sitemap`) bytes. The frontier is in the store.

mod admission;
mod archive;
mod budget;
mod chain;
mod clock;
mod control;
mod dispatch;
mod documents;
mod draft;
mod error;
mod events;
mod extraction;
mod hosts;
mod job;
mod known_urls;
mod live;
mod membership;
mod network;
mod owner;
mod pipeline;
mod progress;
mod quota;
mod redirected_robots;
mod replay;
pub mod report;
mod responses;
mod revisit;
mod schedule;
mod session_config;
pub mod snapshot;
mod summary;
mod template_health;
mod timetable;
mod training;

pub use archive::{archive_files, archive_folder};
pub use budget::{Budget, Ending};
pub use clock::Clock;
pub use control::{Command, Control, follow};
pub use draft::{Draft, Origin, draft, draft_of};
pub use error::CrawlError;
pub use live::Active;
pub use pipeline::{Start, run};
pub use progress::{LATENCIES, Latency, Progress, Snapshot};
pub use replay::{Purpose, Replay, Replayed, Source, replay};
pub use summary::{HeldBack, Summary};
pub use timetable::{Timetable, TimetableError};

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a crawl to stop: URLs in flight are finished and kept, no new ones begin. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests the stop. Further calls change nothing.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
