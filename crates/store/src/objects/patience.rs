//! Retries requests while a storage is unavailable, and logs that.
//!
//! 1. After a temporary failure, a try is repeated after a pause. Pauses start at 200 ms and double up to 15
//!    s. Each is randomly shortened by up to half, so that many processes do not return at once.
//! 2. The last pause ends with the patience; one more try follows.
//! 3. `give_up` is called before each pause and every 200 ms within it.
//! 4. The first failure is logged, then one per minute, and then the recovery.
//!
//! Limitation: `give_up` is not called during a request, so a stop waits for it, at most for the request's
//! time limit. A call makes one try even if `give_up` always returns true, so that writes at a stop succeed.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use super::ObjectError;
use super::error::Doing;
use super::watch::{self, Trouble};

const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(15);
const ASKED_EACH: Duration = Duration::from_millis(200);
const TOLD_EACH: Duration = Duration::from_secs(60);

pub(crate) type GiveUp = Arc<dyn Fn() -> bool + Send + Sync>;

#[derive(Clone)]
pub(crate) struct Patience {
    pub(crate) lasts: Duration,
    pub(crate) give_up: GiveUp,
}

pub(crate) enum Failure {
    Passes(Trouble),
    Stays(ObjectError),
}

/// Repeats `attempt` until it succeeds, fails permanently, or the patience ends. `judge` classifies an error,
/// given the trouble of its last request.
pub(crate) async fn tries<T, A: Future<Output = object_store::Result<T>>>(
    patience: &Patience,
    at: &Doing,
    mut attempt: impl FnMut() -> A,
    judge: impl Fn(object_store::Error, Option<Trouble>) -> Failure,
) -> Result<T, ObjectError> {
    let (start, mut away) = (Instant::now(), Spell::default());
    loop {
        let trouble = match watch::noting(attempt()).await {
            (Ok(value), _) => {
                away.over(at, start.elapsed());
                return Ok(value);
            }
            (Err(error), noted) => match judge(error, noted) {
                Failure::Stays(error) => return Err(error),
                Failure::Passes(trouble) => trouble,
            },
        };
        let waited = start.elapsed();
        away.tell(at, &trouble, waited);
        let (at, why) = (|| at.clone(), trouble.text());
        if waited >= patience.lasts {
            return Err(ObjectError::Away { at: at(), why, waited, tries: away.tries });
        }
        if !pause(away.pause().min(patience.lasts - waited), &patience.give_up).await {
            return Err(ObjectError::GivenUp { at: at(), why });
        }
    }
}

/// Waits; returns false as soon as `give_up` does.
async fn pause(length: Duration, give_up: &GiveUp) -> bool {
    let end = Instant::now() + length;
    loop {
        if give_up() {
            return false;
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        sleep(left.min(ASKED_EACH)).await;
    }
}

#[derive(Default)]
struct Spell {
    tries: u32,
    told: Option<Instant>,
}

impl Spell {
    fn tell(&mut self, at: &Doing, trouble: &Trouble, waited: Duration) {
        self.tries += 1;
        if self.told.is_none_or(|told| told.elapsed() >= TOLD_EACH) {
            self.told = Some(Instant::now());
            let (why, seconds) = (trouble.text(), waited.as_secs());
            warn!(why, seconds, tries = self.tries, "{at}: the storage is unavailable; trying again");
        }
    }

    fn over(&self, at: &Doing, waited: Duration) {
        if self.tries > 0 {
            info!(seconds = waited.as_secs(), "{} is available again", at.address);
        }
    }

    fn pause(&self) -> Duration {
        let doubled = FIRST_PAUSE * 2_u32.pow((self.tries - 1).min(10));
        doubled.min(LONGEST_PAUSE).mul_f64(rand::rng().random_range(0.5..=1.0))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    fn failing() -> object_store::Error {
        object_store::Error::NotSupported { source: "away".into() }
    }

    fn passes(_: object_store::Error, _: Option<Trouble>) -> Failure {
        Failure::Passes(Trouble::Answer { status: 503, code: "SlowDown".into(), message: String::new() })
    }

    fn at() -> Doing {
        Doing { doing: "write", object: "a".into(), address: "s3://b".into() }
    }

    fn patience(seconds: u64) -> Patience {
        Patience { lasts: Duration::from_secs(seconds), give_up: Arc::new(|| false) }
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_and_end_with_the_patience() {
        let (start, mut times) = (Instant::now(), Vec::new());
        let attempt = || {
            times.push(start.elapsed());
            std::future::ready(Err::<(), _>(failing()))
        };
        let error = tries(&patience(60), &at(), attempt, passes).await.unwrap_err();
        let pauses: Vec<Duration> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        for (number, pause) in pauses.iter().enumerate() {
            let full = (FIRST_PAUSE * 2_u32.pow(number.min(10) as u32)).min(LONGEST_PAUSE);
            let is_last = number + 1 == pauses.len();
            // Timers use whole milliseconds.
            let least = if is_last { Duration::ZERO } else { full / 2 };
            assert!(*pause >= least && *pause <= full + Duration::from_millis(1), "{number}: {pause:?}");
        }
        assert!((60_000..60_002).contains(&start.elapsed().as_millis()), "{:?}", start.elapsed());
        let text = error.to_string();
        assert!(error.is_away() && text.contains("in 60 s, last failure: 503 SlowDown"), "{text}");
        assert!(text.contains(&format!("(tries: {},", times.len())), "{text}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_storage_that_comes_back_is_as_if_it_had_been_there() {
        let mut left = 5;
        let attempt = || {
            left -= 1;
            std::future::ready(if left > 0 { Err(failing()) } else { Ok(7) })
        };
        assert_eq!(tries(&patience(60), &at(), attempt, passes).await.unwrap(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_takes_effect_within_a_pause_and_one_try_is_made() {
        let (start, asked) = (Instant::now(), Arc::new(AtomicU32::new(0)));
        let counted = Arc::clone(&asked);
        let give_up: GiveUp = Arc::new(move || counted.fetch_add(1, Ordering::Relaxed) >= 20);
        let patience = Patience { lasts: Duration::from_secs(3600), give_up };
        let error = tries(&patience, &at(), || std::future::ready(Err::<(), _>(failing())), passes)
            .await
            .unwrap_err();
        assert!(matches!(error, ObjectError::GivenUp { .. }) && error.is_away(), "{error}");
        assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());

        let done = tries(&patience, &at(), || std::future::ready(Ok(7)), passes).await;
        assert_eq!(done.unwrap(), 7);
    }

    #[tokio::test(start_paused = true)]
    async fn what_stays_is_tried_once() {
        let mut count = 0;
        let attempt = || {
            count += 1;
            std::future::ready(Err::<(), _>(failing()))
        };
        let stays = |_, _| Failure::Stays(ObjectError::Missing { at: at() });
        let error = tries(&patience(60), &at(), attempt, stays).await.unwrap_err();
        assert!(error.is_missing() && count == 1);
    }
}
