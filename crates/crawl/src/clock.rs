//! Where the time comes from.
//!
//! What the store says is due, and what it says has happened, is by this clock. Gaps
//! between requests are not: they are kept by the machine's own time, which nobody sets.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

/// The time of day.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

impl Clock {
    /// A clock that is handed in, as by a test of many nights.
    pub fn from_fn(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }

    /// The time that lies `span` from now.
    pub(crate) fn after(&self, span: Duration) -> Timestamp {
        let span = SignedDuration::try_from(span).unwrap_or(SignedDuration::MAX);
        self.now().checked_add(span).unwrap_or(Timestamp::MAX)
    }

    /// How long it is until `at`; nothing if that is past.
    pub(crate) fn until(&self, at: Timestamp) -> Duration {
        Duration::try_from(at.duration_since(self.now())).unwrap_or_default()
    }
}

/// The system's.
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
