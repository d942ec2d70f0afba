//! Maps the source's numbers to numbers of the target.
//!
//! First, the target's partition is recorded for each old number. Then new numbers are assigned in the order
//! of the old numbers. Each old number takes 4 bytes, even if it is unused.

use crate::StoreError;
use crate::partitions::{Partition, Partitions};

const NONE: u32 = u32::MAX;

/// One list for each source partition. For each old number, the list contains the target's partition and,
/// after [`NumberMap::assign`], the new number.
#[derive(Debug)]
pub(super) struct NumberMap {
    what: &'static str,
    partitions: Partitions,
    limits: Vec<u32>,
    lists: Vec<Vec<u32>>,
}

impl NumberMap {
    pub(super) fn new(what: &'static str, partitions: Partitions, limits: Vec<u32>) -> Self {
        let lists = vec![Vec::new(); limits.len()];
        Self { what, partitions, limits, lists }
    }

    fn place(&self, number: u32) -> (usize, usize) {
        let partition = self.partitions.of_number(number);
        let first = partition.number(0).unwrap_or(0);
        (partition.index().map_or(0, usize::from), (number - first) as usize)
    }

    /// Records that the old `number` will be replaced by a new number in the target's partition `to`.
    pub(super) fn note(&mut self, number: u32, to: Partition) -> Result<(), StoreError> {
        let (list, at) = self.place(number);
        if self.limits.get(list).is_none_or(|limit| at >= *limit as usize) {
            return Err(self.unknown(number));
        }
        let list = &mut self.lists[list];
        if list.len() <= at {
            list.resize(at + 1, NONE);
        }
        list[at] = to.index().map_or(0, u32::from);
        Ok(())
    }

    pub(super) fn assign(&mut self, target: &Partitions) -> Result<Vec<u32>, StoreError> {
        let partitions = target.all();
        let mut given = vec![0; partitions.len()];
        for number in self.lists.iter_mut().flatten().filter(|number| **number != NONE) {
            let partition = *number as usize;
            *number = partitions[partition]
                .number(given[partition])
                .ok_or(StoreError::Crowded { what: self.what })?;
            given[partition] += 1;
        }
        Ok(given)
    }

    pub(super) fn get(&self, number: u32) -> Result<u32, StoreError> {
        let (list, at) = self.place(number);
        let known = self.lists.get(list).and_then(|list| list.get(at)).copied();
        known.filter(|number| *number != NONE).ok_or_else(|| self.unknown(number))
    }

    fn unknown(&self, number: u32) -> StoreError {
        StoreError::Damaged { what: self.what, reason: format!("nothing has the number {number}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_order_within_a_partition_and_gaps_close() {
        let mut numbers = NumberMap::new("documents", Partitions::Whole, vec![10]);
        for (number, partition) in [(7, 3), (2, 3), (9, 200), (4, 3)] {
            numbers.note(number, Partition::new(partition)).unwrap();
        }
        let given = numbers.assign(&Partitions::Cut(None, crate::partitions::Exceptions::default())).unwrap();
        assert_eq!((given[3], given[200], given.iter().sum::<u32>()), (3, 1, 4));
        let new = |number| numbers.get(number).ok();
        assert_eq!([2, 4, 7].map(new), [3 << 24, (3 << 24) + 1, (3 << 24) + 2].map(Some));
        assert_eq!((new(9), new(3), new(10)), (Some(200 << 24), None, None));
        assert!(numbers.note(10, Partition::new(0)).is_err(), "it was never given out");
    }

    #[test]
    fn numbers_of_partitions_become_those_of_one_store() {
        let mut limits = vec![0; 256];
        (limits[1], limits[255]) = (2, 1);
        let mut numbers = NumberMap::new(
            "documents",
            Partitions::Cut(None, crate::partitions::Exceptions::default()),
            limits,
        );
        for number in [255 << 24, (1 << 24) + 1, 1 << 24] {
            numbers.note(number, Partition::WHOLE).unwrap();
        }
        assert_eq!(numbers.assign(&Partitions::Whole).unwrap(), [3]);
        let new: Vec<u32> = [1 << 24, (1 << 24) + 1, 255 << 24].map(|old| numbers.get(old).unwrap()).into();
        assert_eq!(new, [0, 1, 2]);
    }
}
