//! The stages joined: from seeds to a corpus.
//!
//! | stage | where it runs | room |
//! |---|---|---|
//! | hand out the next URL of each host whose gap has passed | the owner's thread | `owner`, `handing_out`, `schedule`, `membership` |
//! | ask for it | async tasks | `fetching` |
//! | decode, parse, judge, extract, find links; learn | worker threads | `reading`, `admitting`, `learning` |
//! | decide the outcome, change the store | the owner's thread | `applying`, `answering`, `revisiting`, `watching`, `settling` |
//!
//! Data flows one way round: owner, fetch, work, owner. The owner alone writes the
//! store. A host (with all that share its gap) has one URL in flight at a time, from
//! handing it out until its outcome is in the store; so the order of a host's pages,
//! and with it its template, does not depend on timing or on interruptions.
//!
//! What bounds memory: `fetch.concurrency` URLs are in flight, each with one body of
//! at most `fetch.max_page` (or `max_sitemap`); the frontier itself is in the store.

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

/// Asks a crawl to stop: what is in flight is finished and kept, nothing new begins.
/// Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks for the stop. Asking again changes nothing.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether a stop was asked for.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
