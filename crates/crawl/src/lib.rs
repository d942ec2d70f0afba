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

mod admitting;
mod answering;
mod applying;
mod archiving;
mod budget;
mod chain;
mod clock;
mod control;
mod drafting;
mod error;
mod fetching;
mod handing_out;
mod hosts;
mod job;
mod known;
mod learning;
mod live;
mod membership;
mod nights;
mod owner;
mod pipeline;
mod progress;
mod quota;
mod reading;
mod replay;
mod reporting;
mod revisiting;
mod robots_elsewhere;
mod schedule;
mod settling;
pub mod snapshot;
mod summary;
mod watching;

pub use archiving::{archive_files, archive_folder};
pub use budget::{Budget, Ending};
pub use clock::Clock;
pub use control::{Command, Control, follow};
pub use drafting::{Draft, Origin, draft, draft_of};
pub use error::CrawlError;
pub use live::Active;
pub use nights::{Nights, NightsError};
pub use pipeline::{Start, run};
pub use progress::{LATENCIES, Latency, Progress, Snapshot};
pub use replay::{Purpose, Replay, Replayed, Source, replay};
pub use reporting::report;
pub use summary::{HeldBack, Summary};

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
