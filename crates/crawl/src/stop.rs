//! Lets a caller stop a crawl.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to stop a crawl. URLs in flight are finished, and no new requests start. Clones share one state.
#[derive(Debug, Clone, Default)]
pub struct StopRequest {
    requested: Arc<AtomicBool>,
    parent: Option<Arc<Self>>,
}

impl StopRequest {
    /// Creates a stop request for one of several tasks, such as one crawl of a process. If `self` is
    /// requested, the new stop request counts as requested too, but not the other way round.
    #[must_use]
    pub fn child(&self) -> Self {
        Self { requested: Arc::default(), parent: Some(Arc::new(self.clone())) }
    }

    /// Requests the stop. Further calls have no effect.
    pub fn request(&self) {
        self.requested.store(true, Ordering::Release);
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.requested.load(Ordering::Acquire) || self.parent.as_ref().is_some_and(|stop| stop.is_requested())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_stops_alone_or_with_the_whole() {
        let whole = StopRequest::default();
        let (one, other) = (whole.child(), whole.child());
        one.clone().request();
        assert_eq!([&whole, &one, &other].map(StopRequest::is_requested), [false, true, false]);
        whole.request();
        assert!(other.is_requested() && whole.child().is_requested());
    }
}
