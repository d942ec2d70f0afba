//! Decides the back-off of a host: how long it gets no request after a push-back. A push-back is a 429, a
//! 503, or a failed connection.
//!
//! Each host has its own back-off, even if it shares a delay between requests with other hosts
//! ([`crate::gate`]).
//!
//! | event | back-off |
//! |---|---|
//! | a 429 or 503 with `Retry-After` | the stated time, at most a day (RFC 9110, 10.2.3) |
//! | the first push-back, a 503 or a failed connection | 10 s |
//! | the first push-back, a 429 | 60 s |
//! | each later push-back | 60 s, doubled with each push-back, at most a day |
//! | a later push-back, if another URL got 2xx or 304 since the last one | 60 s |
//! | the same, if this URL already failed before | 10 s for a 503 or a failed connection, 60 s for a 429 |
//!
//! Up to a tenth is added at random to each back-off without `Retry-After`. The first back-off after a 503 is
//! short, because this status often concerns only one URL. The next request, for another URL, shows whether
//! the whole host is affected. Every tenth successful response reduces the number of push-backs by one, so a
//! host with occasional push-backs gets fewer requests. Push-backs are forgotten 30 minutes after the end of
//! the host's last back-off.
//!
//! If a response has `Retry-After`, the first row applies instead of all others. The caller records the
//! back-offs and restores them after a restart with [`Backoffs::start`]. A restart loses the number of
//! push-backs.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gleaner_http::retry::Backoff;
use tokio::time::{Instant, sleep_until};

use crate::headers::MAX_BACKOFF;

/// The back-offs after a 429, and after any push-back except the first. The random part prevents requests at
/// the same time to hosts that failed at the same time.
const BACKOFFS: Backoff = Backoff { first: Duration::from_secs(60), longest: MAX_BACKOFF, jitter: JITTER };
const PROBE: Backoff = Backoff { first: Duration::from_secs(10), longest: MAX_BACKOFF, jitter: JITTER };
const JITTER: RangeInclusive<f64> = 1.0..=1.1;
/// The push-backs of a host are forgotten this long after the end of its last back-off.
const FORGIVEN_AFTER: Duration = Duration::from_secs(30 * 60);
const ANSWERS_A_STEP: u32 = 10;
/// The number of hosts at which hosts without a back-off are removed for the first time.
const SWEEP_AT: usize = 1024;

/// Why a host gets a back-off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackoffReason {
    /// The host responded with 429: too many requests.
    TooManyRequests,
    /// The host responded with 503, or the connection failed.
    Unavailable,
}

/// The back-off after a push-back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackoffStart {
    /// The length of the back-off.
    pub time: Duration,
    /// Whether the host responded successfully between the previous push-back and this one. If so, the host
    /// works, and the URL with this push-back is probably the cause.
    pub others_answered: bool,
}

/// The back-offs of all hosts. Clones are cheap and share the back-offs.
#[derive(Debug, Clone, Default)]
pub struct Backoffs(Arc<Mutex<Hosts>>);

#[derive(Debug, Default)]
struct Hosts {
    by_name: HashMap<String, HostBackoff>,
    sweep_at: usize,
}

#[derive(Debug, Clone, Copy)]
struct HostBackoff {
    until: Instant,
    /// Number of push-backs (429, 503 or failed connection). Every tenth success reduces it by one.
    step: u32,
    /// Number of successful responses since `step` last changed.
    answers: u32,
    /// Whether the host responded successfully since its last push-back.
    has_answered: bool,
}

impl HostBackoff {
    const fn new(now: Instant) -> Self {
        Self { until: now, step: 0, answers: 0, has_answered: false }
    }

    fn is_past(&self, now: Instant) -> bool {
        now >= self.until && (self.step == 0 || now >= self.until + FORGIVEN_AFTER)
    }
}

impl Backoffs {
    /// Starts a back-off of the host for `time`, at most a day. Does not shorten an existing back-off.
    pub fn start(&self, host: &str, time: Duration) {
        let now = Instant::now();
        let mut hosts = self.hosts();
        let backoff = hosts.entry(host, now);
        backoff.until = backoff.until.max(now + time.min(MAX_BACKOFF));
    }

    /// Returns the remaining time of the host's back-off, or zero if the host may be requested.
    #[must_use]
    pub fn remaining(&self, host: &str) -> Duration {
        let until = self.hosts().by_name.get(host).map(|backoff| backoff.until);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Waits until the host's back-off has ended.
    pub async fn wait(&self, host: &str) {
        loop {
            // The back-off may have become longer during the wait, so the loop checks it again.
            let remaining = self.remaining(host);
            if remaining.is_zero() {
                return;
            }
            sleep_until(Instant::now() + remaining).await;
        }
    }

    /// Starts a back-off after a push-back. The table in `backoff.rs` defines the length. `is_repeated` says
    /// whether an earlier request for the URL failed. `retry_after` is the wait that the response states.
    pub fn push_back(
        &self,
        host: &str,
        why: BackoffReason,
        is_repeated: bool,
        retry_after: Option<Duration>,
    ) -> BackoffStart {
        let now = Instant::now();
        let mut hosts = self.hosts();
        let backoff = hosts.entry(host, now);
        if backoff.is_past(now) {
            backoff.step = 0;
        }
        let others_answered = std::mem::take(&mut backoff.has_answered);
        let is_own = is_repeated && others_answered;
        // Other URLs got responses, so the host works. It counts as a host with at most one push-back.
        let known = if others_answered { backoff.step.min(1) } else { backoff.step };
        let usual = match why {
            BackoffReason::Unavailable if known == 0 || is_own => PROBE.pause(1),
            _ if is_own => BACKOFFS.pause(1),
            _ => BACKOFFS.pause(known),
        };
        let time = retry_after.map_or(usual, |time| time.min(MAX_BACKOFF));
        if !is_own {
            let raised = if others_answered { backoff.step.max(1) } else { backoff.step.saturating_add(1) };
            (backoff.step, backoff.answers) = (raised, 0);
        }
        backoff.until = backoff.until.max(now + time);
        BackoffStart { time, others_answered }
    }

    /// Records a successful response (2xx or 304) to a request for a page.
    pub fn answered(&self, host: &str) {
        if let Some(backoff) = self.hosts().by_name.get_mut(host) {
            backoff.has_answered = true;
            backoff.answers += 1;
            if backoff.answers == ANSWERS_A_STEP {
                (backoff.step, backoff.answers) = (backoff.step.saturating_sub(1), 0);
            }
        }
    }

    /// Returns the number of hosts that are in memory because of a push-back (a 429, a 503 or a failed
    /// connection).
    #[must_use]
    pub fn remembered(&self) -> usize {
        self.hosts().by_name.len()
    }

    fn hosts(&self) -> MutexGuard<'_, Hosts> {
        // No code panics while it holds this lock, and the entries are independent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Hosts {
    fn entry(&mut self, host: &str, now: Instant) -> &mut HostBackoff {
        if self.by_name.len() >= self.sweep_at.max(SWEEP_AT) {
            self.by_name.retain(|_, backoff| !backoff.is_past(now));
            self.sweep_at = 2 * self.by_name.len();
        }
        self.by_name.entry(host.to_owned()).or_insert(HostBackoff::new(now))
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);

    fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn is_about(backoff: Duration, least: Duration) -> bool {
        backoff >= least && backoff <= least.mul_f64(*JITTER.end())
    }

    #[tokio::test(start_paused = true)]
    async fn holds_double_up_to_a_day_and_are_forgiven() {
        for (why, first) in [(BackoffReason::Unavailable, 10), (BackoffReason::TooManyRequests, 60)] {
            let backoffs = Backoffs::default();
            let expected = [first, 60, 120, 240].map(seconds).into_iter().chain([DAY; 12].into_iter());
            for (step, least) in expected.enumerate() {
                let backoff = backoffs.push_back("a", why, false, None).time;
                assert!(is_about(backoff, least) || (step > 3 && backoff <= DAY), "{step}: {backoff:?}");
                assert_eq!(backoffs.remaining("a"), backoff);
                advance(backoff).await;
            }
            advance(FORGIVEN_AFTER - seconds(1)).await;
            assert_eq!(backoffs.push_back("a", why, false, None).time, DAY);
            advance(DAY + FORGIVEN_AFTER).await;
            assert!(is_about(backoffs.push_back("a", why, false, None).time, seconds(first)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn ten_good_answers_take_one_step_back() {
        let backoffs = Backoffs::default();
        let push_back = || backoffs.push_back("a", BackoffReason::Unavailable, false, None).time;
        let answer = |times| (0..times).for_each(|_| backoffs.answered("a"));
        push_back();
        answer(ANSWERS_A_STEP - 1);
        assert!(is_about(push_back(), seconds(60)), "nine do not make a step");
        answer(ANSWERS_A_STEP);
        assert!(is_about(push_back(), seconds(10)));
        assert!(is_about(push_back(), seconds(60)));
        assert!(is_about(push_back(), seconds(120)));
    }

    #[tokio::test(start_paused = true)]
    async fn many_urls_that_are_pushed_back_between_good_answers_cost_a_minute_each() {
        let backoffs = Backoffs::default();
        let push_back = || backoffs.push_back("a", BackoffReason::Unavailable, false, None).time;
        assert!(is_about(push_back(), seconds(10)));
        for _ in 0..20 {
            backoffs.answered("a");
            assert!(is_about(push_back(), seconds(60)));
        }
        assert!(is_about(push_back(), seconds(60)));
        assert!(is_about(push_back(), seconds(120)), "now none is answered in between");
    }

    #[tokio::test(start_paused = true)]
    async fn a_url_that_alone_is_pushed_back_does_not_slow_its_host_down() {
        let backoffs = Backoffs::default();
        let push_back = |is_repeated| backoffs.push_back("a", BackoffReason::Unavailable, is_repeated, None);
        assert!(!push_back(false).others_answered);
        for _ in 0..5 {
            backoffs.answered("a");
            let held = push_back(true);
            assert!(held.others_answered && is_about(held.time, seconds(10)), "{held:?}");
        }
        let held = push_back(true);
        assert!(!held.others_answered && is_about(held.time, seconds(60)), "no other was answered: {held:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn retry_after_is_obeyed_up_to_a_day() {
        let backoffs = Backoffs::default();
        let push_back =
            |host, time| backoffs.push_back(host, BackoffReason::Unavailable, false, Some(time)).time;
        assert_eq!(push_back("a", seconds(7)), seconds(7));
        assert_eq!(backoffs.remaining("a"), seconds(7));
        assert_eq!(push_back("b", 10 * DAY), DAY);
        assert_eq!(push_back("c", Duration::ZERO), Duration::ZERO);
        assert_eq!(backoffs.remaining("other"), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_hold_is_never_shortened_and_waiting_obeys_a_longer_one() {
        let backoffs = Backoffs::default();
        backoffs.start("a", seconds(10));
        backoffs.start("a", seconds(2));
        backoffs.push_back("a", BackoffReason::TooManyRequests, false, Some(seconds(1)));
        let start = Instant::now();
        let waiting = tokio::spawn({
            let backoffs = backoffs.clone();
            async move { backoffs.wait("a").await }
        });
        advance(seconds(5)).await;
        backoffs.start("a", seconds(100));
        waiting.await.unwrap();
        assert_eq!(start.elapsed(), seconds(105));
    }

    #[tokio::test(start_paused = true)]
    async fn hosts_without_a_hold_do_not_pile_up() {
        let backoffs = Backoffs::default();
        for n in 0..5 * SWEEP_AT {
            backoffs.start(&n.to_string(), seconds(1));
            advance(seconds(1)).await;
            assert!(backoffs.remembered() <= SWEEP_AT);
        }
    }
}
