//! Computes the pauses between attempts. The pauses double, up to a limit.

use std::ops::RangeInclusive;
use std::time::Duration;

/// Computes the pauses after failed attempts.
///
/// ```
/// use std::time::Duration;
///
/// use gleaner_http::retry::Backoff;
///
/// let backoff = Backoff::exact(Duration::from_secs(60), Duration::from_secs(150));
/// assert_eq!([1, 2, 3, 4].map(|tries| backoff.pause(tries).as_secs()), [60, 120, 150, 150]);
/// ```
#[derive(Debug, Clone)]
pub struct Backoff {
    /// The pause after the first failure.
    pub first: Duration,
    /// The upper limit of every pause.
    pub longest: Duration,
    /// The range of the random factor of each pause. It prevents clients that failed at the same time from
    /// retrying at the same time. `longest` limits the result even after this factor.
    pub jitter: RangeInclusive<f64>,
}

impl Backoff {
    /// Creates a backoff without a random factor.
    #[must_use]
    pub const fn exact(first: Duration, longest: Duration) -> Self {
        Self { first, longest, jitter: 1.0..=1.0 }
    }

    /// Returns the pause after `tries` failed attempts. `tries` 0 counts as 1.
    #[must_use]
    pub fn pause(&self, tries: u32) -> Duration {
        let doubled = self.first.saturating_mul(2_u32.saturating_pow(tries.saturating_sub(1)));
        let factor = rand::random_range(self.jitter.clone());
        doubled.min(self.longest).mul_f64(factor).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        let backoff = Backoff::exact(Duration::from_millis(200), Duration::from_secs(15));
        let pauses = [0, 1, 2, 3, 7, 8, u32::MAX].map(|tries| backoff.pause(tries).as_millis());
        assert_eq!(pauses, [200, 200, 400, 800, 12_800, 15_000, 15_000]);
    }

    #[test]
    fn the_random_part_stays_in_its_range_and_below_the_longest() {
        let (first, longest) = (Duration::from_secs(1), Duration::from_secs(10));
        let (shorter, longer) =
            (Backoff { first, longest, jitter: 0.5..=1.0 }, Backoff { first, longest, jitter: 1.0..=1.5 });
        for _ in 0..100 {
            assert!((1.0..=2.0).contains(&shorter.pause(2).as_secs_f64()));
            assert!((5.0..=10.0).contains(&shorter.pause(9).as_secs_f64()));
            assert!((2.0..=3.0).contains(&longer.pause(2).as_secs_f64()));
            assert_eq!(longer.pause(9), longest);
        }
    }
}
