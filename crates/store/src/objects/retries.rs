//! Waits while a storage is unavailable, and logs the outage.
//!
//! 1. The library `object_store` repeats failed requests ([`config`]). A call is repeated as a whole in three
//!    cases: a folder is not mounted, a response body breaks off, or the library stops its retries during an
//!    outage. The library stops after `SIGNATURE_LASTS`, because its retries use the keys and the signature
//!    of the first attempt, and these may expire.
//! 2. After a failed request, a call ends when `should_stop` returns true or the time for retries is over.
//!    Both are checked every 100 ms. A retry that is still running when the call ends is cancelled.
//! 3. A storage that denies a write (401, 403) counts as unavailable if this process has written before: its
//!    quota may be full, or its keys are being replaced. Without this, all workers would end at once.
//! 4. The beginning and the end of an outage are logged once per call.
//!
//! Limitation: `should_stop` is first called after a failed request, so that writes during a stop can
//! succeed. Therefore a stop waits for the first request of a call, at most until the request's time limit.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use gleaner_http::retry::Backoff;
use object_store::{BackoffConfig, RetryConfig};
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use super::ObjectError;
use super::error::Operation;
use super::watch::{Outage, StorageFailure};

const PAUSES: Backoff =
    Backoff { first: Duration::from_millis(200), longest: Duration::from_secs(15), jitter: 0.5..=1.0 };
const CHECK_EVERY: Duration = Duration::from_millis(100);
/// Longest time for which the library repeats one request. This time is short, because keys may expire in
/// five minutes.
const SIGNATURE_LASTS: Duration = Duration::from_secs(4 * 60);

#[derive(Clone)]
pub(crate) struct RetryPolicy {
    pub(crate) lasts: Duration,
    /// Whether a request that the storage denies is repeated.
    pub(crate) repeats_denied: bool,
    pub(crate) should_stop: Arc<dyn Fn() -> bool + Send + Sync>,
}

pub(crate) fn config(patience: Duration) -> RetryConfig {
    RetryConfig {
        backoff: BackoffConfig { init_backoff: PAUSES.first, max_backoff: PAUSES.longest, base: 2.0 },
        max_retries: usize::MAX,
        retry_timeout: patience.min(SIGNATURE_LASTS),
    }
}

impl RetryPolicy {
    pub(crate) fn repeats(&self, trouble: &StorageFailure) -> bool {
        trouble.is_transient() || self.repeats_denied && trouble.is_denial()
    }
}

/// Repeats `attempt` until it succeeds, fails permanently, or must end. `judge` classifies an error. It
/// receives the recorded failure of the attempt's last request. It returns a failure if the storage is
/// unavailable, and otherwise the permanent error.
pub(crate) async fn repeat<T, A: Future<Output = object_store::Result<T>>>(
    patience: &RetryPolicy,
    at: &Operation,
    mut attempt: impl FnMut() -> A,
    judge: impl Fn(object_store::Error, Option<StorageFailure>) -> Result<StorageFailure, ObjectError>,
) -> Result<T, ObjectError> {
    let wait = Wait { patience, at, start: Instant::now() };
    let attempts = async {
        let mut number = 0;
        loop {
            let error = match attempt().await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let noted = Outage::current().trouble;
            let is_noted = noted.is_some();
            let trouble = judge(error, noted)?;
            if !is_noted {
                Outage::note(Some(trouble));
            }
            wait.check()?;
            number += 1;
            sleep(PAUSES.pause(number)).await;
            // If the thread was busy, a stop may have been requested long ago.
            wait.check()?;
        }
    };
    Outage::scope(async {
        tokio::select! {
            biased;
            result = attempts => result.inspect(|_| wait.log_end()),
            error = wait.until_it_must_end() => Err(error),
        }
    })
    .await
}

struct Wait<'a> {
    patience: &'a RetryPolicy,
    at: &'a Operation,
    start: Instant,
}

impl Wait<'_> {
    async fn until_it_must_end(&self) -> ObjectError {
        loop {
            sleep(CHECK_EVERY).await;
            if let Err(error) = self.check() {
                return error;
            }
        }
    }

    /// Fails if the storage is unavailable and the call must end. Logs when an outage begins.
    fn check(&self) -> Result<(), ObjectError> {
        let Outage { trouble, tries, is_logged } = Outage::current();
        let Some(trouble) = trouble.filter(|trouble| self.patience.repeats(trouble)) else { return Ok(()) };
        let (at, why, waited) = (self.at.clone(), trouble.text(), self.start.elapsed());
        if waited >= self.patience.lasts && trouble.is_denial() {
            return Err(ObjectError::Denied { at, why });
        }
        if waited >= self.patience.lasts {
            return Err(ObjectError::Unavailable { at, why, waited, tries });
        }
        if (self.patience.should_stop)() {
            return Err(ObjectError::Stopped { at, why });
        }
        if !is_logged {
            Outage::set_logged();
            warn!(why, "{at}: the storage is unavailable; trying again");
        }
        Ok(())
    }

    fn log_end(&self) {
        let Outage { tries, is_logged, .. } = Outage::current();
        if is_logged {
            let seconds = self.start.elapsed().as_secs();
            info!(seconds, tries, "{} is available again", self.at.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn policy(seconds: u64, should_stop: Arc<dyn Fn() -> bool + Send + Sync>) -> RetryPolicy {
        RetryPolicy { lasts: Duration::from_secs(seconds), repeats_denied: false, should_stop }
    }

    async fn fail(patience: &RetryPolicy) -> (ObjectError, Duration, u32) {
        let (start, mut attempts) = (Instant::now(), 0);
        let attempt = || {
            attempts += 1;
            let message = String::new();
            Outage::note(Some(StorageFailure::Answer { status: 503, code: "SlowDown".into(), message }));
            std::future::ready(Err::<(), _>(object_store::Error::NotImplemented {
                operation: String::new(),
                implementer: String::new(),
            }))
        };
        let at = Operation { doing: "write", object: "a".into(), address: "s3://b".into() };
        let result = repeat(patience, &at, attempt, |_, noted| Ok(noted.unwrap())).await;
        (result.unwrap_err(), start.elapsed(), attempts)
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_with_the_patience_and_names_the_tries() {
        let patience = policy(60, Arc::new(|| false));
        let (error, took, attempts) = fail(&patience).await;
        assert!((60_000..60_200).contains(&took.as_millis()), "{took:?}");
        let text = error.to_string();
        assert!(error.is_unavailable() && text.contains("in 60 s, last failure: 503 SlowDown"), "{text}");
        assert!(attempts > 5 && text.contains(&format!("(tries: {attempts},")), "{text}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_ends_a_long_pause_within_a_second() {
        let checks = AtomicU32::new(0);
        let should_stop = Arc::new(move || checks.fetch_add(1, Ordering::Relaxed) >= 300);
        let (error, took, attempts) = fail(&policy(3600, should_stop)).await;
        assert!(matches!(error, ObjectError::Stopped { .. }) && error.is_unavailable(), "{error}");
        // There are 300 checks, one every 100 ms, and two checks for each attempt.
        assert!(took > Duration::from_secs(25) && took <= Duration::from_secs(31), "{took:?}");
        assert!(attempts > 5);
    }
}
