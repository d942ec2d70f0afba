//! Up to where a file was worked through, in each part of the store that is ours.
//!
//! Of several workers each reads all files, and takes the pages of its own parts. A part that
//! comes to another worker is gone on with there: a mark is the part's.

use gleaner_store::{PartId, Store, StoreError};

/// The parts of a store in which a replay works: a single one, or a worker's.
#[derive(Debug, Clone)]
pub(crate) struct Ours {
    store: Store,
    /// In their order.
    parts: Vec<PartId>,
}

impl Ours {
    /// The parts that are held now.
    pub(crate) fn of(store: &Store) -> Self {
        let mut parts = store.held_parts();
        parts.sort_unstable();
        Self { store: store.clone(), parts }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn parts(&self) -> &[PartId] {
        &self.parts
    }

    /// Which of the parts a registrable domain is of; `None`: another worker's.
    pub(crate) fn position(&self, domain: &str) -> Option<usize> {
        self.parts.binary_search(&self.store.part_of_domain(domain)).ok()
    }

    /// The marks of a file.
    pub(crate) fn marks(&self, purpose: &str, file: &str) -> Result<Marks, StoreError> {
        Ok(Marks::of(self.store.replayed(purpose, file, &self.parts)?))
    }
}

/// One file's marks, in the order of the parts: all before a mark is done. Nearly all files
/// were read to the same place in all parts, and there may be very many files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Marks {
    Even(u64),
    Uneven(Vec<u64>),
}

impl Marks {
    fn of(marks: Vec<u64>) -> Self {
        match marks.split_first() {
            None => Self::Even(0),
            Some((first, rest)) if rest.iter().all(|mark| mark == first) => Self::Even(*first),
            Some(_) => Self::Uneven(marks),
        }
    }

    /// The mark of the part at this position.
    pub(crate) fn get(&self, position: usize) -> u64 {
        match self {
            Self::Even(mark) => *mark,
            Self::Uneven(marks) => marks.get(position).copied().unwrap_or_default(),
        }
    }

    /// Where the file is to be read from.
    pub(crate) fn least(&self) -> u64 {
        match self {
            Self::Even(mark) => *mark,
            Self::Uneven(marks) => marks.iter().min().copied().unwrap_or_default(),
        }
    }

    /// All that are before `mark` move there.
    pub(crate) fn raised(self, mark: u64) -> Self {
        match self {
            Self::Even(old) => Self::Even(old.max(mark)),
            Self::Uneven(marks) => Self::of(marks.into_iter().map(|old| old.max(mark)).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_mark_goes_back() {
        for (marks, to, then) in [
            (vec![], 5, Marks::Even(5)),
            (vec![3, 3], 5, Marks::Even(5)),
            (vec![7, 7], 5, Marks::Even(7)),
            (vec![3, 7], 5, Marks::Uneven(vec![5, 7])),
            (vec![3, 7], 7, Marks::Even(7)),
            (vec![3, 7], 2, Marks::Uneven(vec![3, 7])),
        ] {
            assert_eq!(Marks::of(marks.clone()).raised(to), then, "{marks:?} {to}");
        }
        assert_eq!((Marks::Uneven(vec![4, 2]).least(), Marks::Uneven(vec![4, 2]).get(0)), (2, 4));
    }
}
