//! Distributes work to threads. The results are in the order of the pages.
//!
//! Limitation: an error is returned only after all work is done, not when it occurs.

use std::num::NonZeroUsize;
use std::thread;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::dataset::DatasetError;

/// Maximum number of threads per core. More threads would slow down the machine.
pub const PER_CORE: usize = 4;

pub(crate) fn pool(requested: Option<NonZeroUsize>) -> Result<ThreadPool, DatasetError> {
    let threads = threads(requested, thread::available_parallelism().map_or(1, NonZeroUsize::get));
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|error| DatasetError::Threads { threads, error })
}

fn threads(requested: Option<NonZeroUsize>, cores: usize) -> usize {
    requested.map_or(cores, NonZeroUsize::get).min(cores.saturating_mul(PER_CORE))
}

pub(crate) fn split_results<T>(results: Vec<Result<T, DatasetError>>) -> (Vec<Option<T>>, Vec<DatasetError>) {
    let mut errors = Vec::new();
    let values = results.into_iter().map(|result| result.map_err(|error| errors.push(error)).ok()).collect();
    (values, errors)
}

pub(crate) fn in_order<T: Send>(
    results: impl ParallelIterator<Item = Result<T, DatasetError>>,
) -> Result<Vec<T>, DatasetError> {
    let (values, errors) = split_results(results.collect());
    if errors.is_empty() {
        Ok(values.into_iter().flatten().collect())
    } else {
        Err(DatasetError::all(errors))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_a_few_a_core_at_most() {
        let of_two = |requested| threads(NonZeroUsize::new(requested), 2);
        assert_eq!([0, 1, 7, 8, 9, 100_000, usize::MAX].map(of_two), [2, 1, 7, 8, 8, 8, 8]);
    }
}
