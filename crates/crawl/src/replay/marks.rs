//! Records the position up to which each file was processed, for each partition of this worker.
//!
//! Such a position (mark) belongs to a partition, so a worker that gains the partition resumes there. A
//! re-extraction reads gleaner's own archive in order. That archive may have one file per flush of each
//! worker. Therefore all its files share one mark, the [`Checkpoint`].

use std::cmp::Ordering;
use std::path::PathBuf;

use gleaner_frontier::CanonicalUrl;
use gleaner_store::{Change, PartitionId, Reextracted, Store, StoreError};

use super::source::WarcFile;

/// The mark of a file that was processed to its end, whatever its length.
pub(super) const DONE: u64 = u64::MAX;

/// The partitions of a replay: the single partition of an unshared store, or the partitions of this worker.
#[derive(Debug, Clone)]
pub(crate) struct OwnPartitions {
    store: Store,
    /// In ascending order.
    partitions: Vec<PartitionId>,
}

impl OwnPartitions {
    pub(crate) fn from_store(store: &Store) -> Self {
        let mut partitions = store.held_partitions();
        partitions.sort_unstable();
        Self { store: store.clone(), partitions }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.partitions.is_empty()
    }

    pub(crate) fn partitions(&self) -> &[PartitionId] {
        &self.partitions
    }

    /// Returns the index of a URL's partition, or `None` if another worker has the partition.
    pub(crate) fn position(&self, url: &CanonicalUrl) -> Option<usize> {
        self.partitions.binary_search(&self.store.partition_of_url(url)).ok()
    }

    pub(super) fn stored(&self, number: u32) -> Result<Vec<u8>, StoreError> {
        self.store.archive_content(number).map_err(|error| self.store.explained(error))
    }

    pub(crate) fn marks(&self, purpose: &str, file: &str) -> Result<FileMarks, StoreError> {
        Ok(FileMarks::new(self.store.replayed(purpose, file, &self.partitions)?))
    }
}

#[derive(Debug, Clone)]
pub(super) struct Checkpoint {
    run: u32,
    settings: String,
    /// File number and offset for each partition. All records before this position are processed.
    done: Vec<(u32, u64)>,
}

impl Checkpoint {
    /// Loads the stored progress. Ignores the progress of another run, and progress with other settings.
    pub(super) fn new(own: &OwnPartitions, run: u32, settings: &str) -> Result<Self, StoreError> {
        let done = own.store.reextracted(&own.partitions)?.into_iter();
        let done = done.map(|done| match done {
            Some(done) if done.run == run && done.settings == settings => (done.file, done.offset),
            _ => (0, 0),
        });
        Ok(Self { run, settings: settings.to_owned(), done: done.collect() })
    }

    pub(super) fn is_begun(&self) -> bool {
        self.done.iter().any(|done| *done > (0, 0))
    }

    pub(super) fn marks(&self, file: u32) -> FileMarks {
        let mark = |(number, offset): &(u32, u64)| match file.cmp(number) {
            Ordering::Less => DONE,
            Ordering::Equal => *offset,
            Ordering::Greater => 0,
        };
        FileMarks::new(self.done.iter().map(mark).collect())
    }

    pub(super) fn raise(&mut self, own: &OwnPartitions, to: (u32, u64), change: &mut Change) {
        for (done, partition) in self.done.iter_mut().zip(&own.partitions).filter(|(done, _)| **done < to) {
            *done = to;
            let settings = self.settings.clone();
            let (file, offset) = to;
            change.put_reextracted(*partition, &Reextracted { run: self.run, settings, file, offset });
        }
    }
}

/// The marks of one file, in partition order. All records before a mark are processed. In most files, all
/// marks are equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileMarks {
    Even(u64),
    Uneven(Vec<u64>),
}

impl FileMarks {
    fn new(marks: Vec<u64>) -> Self {
        match marks.split_first() {
            None => Self::Even(0),
            Some((first, rest)) if rest.iter().all(|mark| mark == first) => Self::Even(*first),
            Some(_) => Self::Uneven(marks),
        }
    }

    pub(crate) fn get(&self, position: usize) -> u64 {
        match self {
            Self::Even(mark) => *mark,
            Self::Uneven(marks) => marks.get(position).copied().unwrap_or_default(),
        }
    }

    pub(crate) fn least(&self) -> u64 {
        match self {
            Self::Even(mark) => *mark,
            Self::Uneven(marks) => marks.iter().min().copied().unwrap_or_default(),
        }
    }

    pub(crate) fn raised(self, mark: u64) -> Self {
        match self {
            Self::Even(old) => Self::Even(old.max(mark)),
            Self::Uneven(marks) => Self::new(marks.into_iter().map(|old| old.max(mark)).collect()),
        }
    }
}

/// How far a file was replayed.
pub(super) struct ReplayProgress {
    pub(super) path: PathBuf,
    pub(super) number: u32,
    pub(super) marks: FileMarks,
    /// The offset of the last response that was read, or of the end of the file.
    pub(super) heard: u64,
}

impl ReplayProgress {
    pub(super) fn new(source: WarcFile, marks: FileMarks) -> Self {
        Self { number: source.number(), heard: marks.least(), marks, path: source.path }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mark_goes_back() {
        for (marks, to, then) in [
            (vec![], 5, FileMarks::Even(5)),
            (vec![3, 3], 5, FileMarks::Even(5)),
            (vec![7, 7], 5, FileMarks::Even(7)),
            (vec![3, 7], 5, FileMarks::Uneven(vec![5, 7])),
            (vec![3, 7], 7, FileMarks::Even(7)),
            (vec![3, 7], 2, FileMarks::Uneven(vec![3, 7])),
        ] {
            assert_eq!(FileMarks::new(marks.clone()).raised(to), then, "{marks:?} {to}");
        }
        assert_eq!((FileMarks::Uneven(vec![4, 2]).least(), FileMarks::Uneven(vec![4, 2]).get(0)), (2, 4));
    }

    #[test]
    fn a_checkpoint_is_a_mark_in_each_file() {
        let checkpoint = Checkpoint { run: 1, settings: String::new(), done: vec![(0, 0), (7, 30)] };
        for (file, marks) in [
            (1, FileMarks::Uneven(vec![0, DONE])),
            (7, FileMarks::Uneven(vec![0, 30])),
            (8, FileMarks::Even(0)),
        ] {
            assert_eq!(checkpoint.marks(file), marks, "{file}");
        }
    }
}
