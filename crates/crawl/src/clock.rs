//! Provides the wall-clock time.
//!
//! Due times and timestamps in the store use this clock. Delays between requests use the monotonic clock.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// A replaceable wall clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// Creates a clock that calls `now`. Tests use it to simulate time.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }

    pub(crate) fn after(&self, span: Duration) -> Timestamp {
        let span = SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX);
        self.now().checked_add(span).unwrap_or(Timestamp::MAX)
    }

    pub(crate) fn until(&self, at: Timestamp) -> Duration {
        Duration::try_from(at.duration_since(self.now())).unwrap_or_default()
    }
}

impl Default for Clock {
    fn default() -> Self {
        Self::from_fn(Timestamp::now)
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Clock({})", self.now())
    }
}
