//! Measures the time of an extraction.
//!
//! Limitation: the time is wall-clock time. The minimum of several runs excludes most effects of other load.

use std::hint::black_box;
use std::time::{Duration, Instant};

use gleaner_html::text::Line;

/// Returns the time in seconds of the fastest of `runs` runs, or 0 if `runs` is 0.
pub(super) fn seconds(runs: usize, extract: impl Fn() -> Vec<Line>) -> f64 {
    let run = |_| {
        let start = Instant::now();
        black_box(extract());
        start.elapsed()
    };
    (0..runs).map(run).min().unwrap_or(Duration::ZERO).as_secs_f64()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn it_runs_as_often_as_it_is_told() {
        for runs in [0, 1, 3] {
            let count = Cell::new(0);
            let seconds = seconds(runs, || {
                count.set(count.get() + 1);
                Vec::new()
            });
            assert_eq!((count.get(), seconds >= 0.0), (runs, true));
        }
    }
}
