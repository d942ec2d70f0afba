//! Lets a caller stop a crawl.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop a crawl: URLs in flight are finished and kept, and no new requests start. Clones share
/// one state.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Requests the stop. Further calls change nothing.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}
