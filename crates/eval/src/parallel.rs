//! Distributes work to threads. The results are in the order of the pages.
//!
//! Limitation: errors are returned after all work is done, not at the first error.

use std::num::NonZeroUsize;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::set::SetError;

/// Maximum number of threads per core. More threads would slow down the machine.
pub const PER_CORE: usize = 4;

pub(crate) fn pool(asked: Option<NonZeroUsize>) -> Result<ThreadPool, SetError> {
    let threads = threads(asked, thread::available_parallelism().map_or(1, NonZeroUsize::get));
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| SetError::Threads { threads, error })
}

fn threads(asked: Option<NonZeroUsize>, cores: usize) -> usize {
    asked.map_or(cores, NonZeroUsize::get).min(cores.saturating_mul(PER_CORE))
}

pub(crate) fn apart<T>(results: Vec<Result<T, SetError>>) -> (Vec<Option<T>>, Vec<SetError>) {
    let mut errors = Vec::new();
    let values = results.into_iter().map(|result| result.map_err(|error| errors.push(error)).ok()).collect();
    (values, errors)
}

pub(crate) fn in_order<T: Send>(
    results: impl ParallelIterator<Item = Result<T, SetError>>,
) -> Result<Vec<T>, SetError> {
    let (values, errors) = apart(results.collect());
    if errors.is_empty() { Ok(values.into_iter().flatten().collect()) } else { Err(SetError::all(errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_a_few_a_core_at_most() {
        let of_two = |asked| threads(NonZeroUsize::new(asked), 2);
        assert_eq!([0, 1, 7, 8, 9, 100_000, usize::MAX].map(of_two), [2, 1, 7, 8, 8, 8, 8]);
    }
}
