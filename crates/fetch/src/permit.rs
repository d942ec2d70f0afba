//! Checks the lease of a worker at the moment when the worker sends a request.
//!
//! Each of several workers may send requests only to the hosts of its own partitions. Its lease of a
//! partition may end while a request waits for its delay or is in flight. So the caller passes a
//! [`RequestLease`], which says how long requests may still run. A [`Permit`] is created from the lease
//! directly before a request is sent. The client sends nothing without a permit. A request that is sent again
//! needs a new permit. A request in flight is cancelled when its lease ends.
//!
//! Limitation: a site may process a request after its connection was closed. No HTTP client can prevent this.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::FetchError;

/// Longest time between two checks of a lease while a request is in flight. If the machine was suspended, the
/// first check afterwards finds out whether the lease has ended.
const LOOK: Duration = Duration::from_millis(200);

/// The right to send requests to a host for a limited time. Clones share one lease.
#[derive(Clone)]
pub struct RequestLease(Arc<dyn Fn() -> Duration + Send + Sync>);

/// Allows one request. Only [`RequestLease::permit`] creates a permit, and sending a request consumes it.
#[derive(Debug)]
pub(crate) struct Permit(());

impl fmt::Debug for RequestLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RequestLease").field(&self.left()).finish()
    }
}

impl RequestLease {
    /// Creates a lease. `left` returns the remaining time of the lease, which is zero after the lease has
    /// ended. The time may grow, for example when a lease is renewed.
    pub fn new(left: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(left))
    }

    /// Returns a lease that never ends, for a process that shares its hosts with no other process.
    #[must_use]
    pub fn unlimited() -> Self {
        Self::new(|| Duration::MAX)
    }

    fn left(&self) -> Duration {
        (self.0)()
    }

    pub(crate) fn permit(&self) -> Result<Permit, FetchError> {
        if self.left().is_zero() { Err(FetchError::NotPermitted) } else { Ok(Permit(())) }
    }

    /// Runs a request while the lease lasts. Checks the lease before each step of the request, so nothing is
    /// sent after the lease has ended. If the lease ends first, the request is dropped, and the result is
    /// [`FetchError::NotPermitted`].
    pub(crate) async fn bound<T>(
        &self,
        request: impl Future<Output = Result<T, FetchError>>,
    ) -> Result<T, FetchError> {
        let mut request = pin!(request);
        let mut look = pin!(sleep(self.left().min(LOOK)));
        poll_fn(|context| {
            loop {
                let left = self.left();
                if left.is_zero() {
                    return Poll::Ready(Err(FetchError::NotPermitted));
                }
                if look.as_mut().poll(context).is_pending() {
                    return request.as_mut().poll(context);
                }
                look.as_mut().reset(Instant::now() + left.min(LOOK));
            }
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn until(seconds: u64) -> (RequestLease, Arc<Mutex<Instant>>) {
        let end = Arc::new(Mutex::new(Instant::now() + Duration::from_secs(seconds)));
        let known = Arc::clone(&end);
        (RequestLease::new(move || known.lock().unwrap().saturating_duration_since(Instant::now())), end)
    }

    async fn answer_after(seconds: u64) -> Result<u64, FetchError> {
        sleep(Duration::from_secs(seconds)).await;
        Ok(seconds)
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_ends_with_its_right() {
        let (lease, _) = until(3);
        let begun = Instant::now();
        assert_eq!(lease.bound(answer_after(2)).await, Ok(2));
        assert_eq!(lease.bound(answer_after(9)).await, Err(FetchError::NotPermitted));
        assert_eq!(begun.elapsed().as_secs(), 3);
        assert!(matches!(lease.permit(), Err(FetchError::NotPermitted)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_right_that_is_renewed_lets_the_request_go_on() {
        let (lease, end) = until(3);
        let renew = async {
            sleep(Duration::from_secs(2)).await;
            *end.lock().unwrap() += Duration::from_secs(10);
        };
        let (answer, ()) = tokio::join!(lease.bound(answer_after(9)), renew);
        assert_eq!(answer, Ok(9));
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_done_once_the_right_has_ended() {
        let mut is_polled = false;
        let request = async {
            is_polled = true;
            Ok(())
        };
        assert_eq!(RequestLease::new(|| Duration::ZERO).bound(request).await, Err(FetchError::NotPermitted));
        assert!(!is_polled);
        assert_eq!(RequestLease::unlimited().bound(answer_after(4000)).await, Ok(4000));
    }
}
