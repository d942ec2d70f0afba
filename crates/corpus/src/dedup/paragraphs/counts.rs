//! Counts keys in limited memory. A count is never too high.
//!
//! The algorithm is from J. Misra, D. Gries: Finding Repeated Elements, 1982, in the variant of D. Anderson
//! and others: A High-Performance Algorithm for Identifying Frequent Items in Data Streams, IMC 2017.
//! * If a key has a counter, the counter is incremented. A new key gets a counter of 1.
//! * If there are more than twice as many counters as requested, the median count is subtracted from every
//!   count, and counters that reach zero are dropped. This is rare enough that the work per key is constant
//!   on average.
//!
//! A count is at most the true count, and at least the true count minus [`ParagraphCounts::missed`].
//! [`ParagraphCounts::missed`] is at most the number of calls of [`ParagraphCounts::add`] divided by the
//! number of requested counters. A count-min sketch would overestimate counts. Paragraphs that occur only
//! once could then count as repeated, and be removed.
//!
//! Cost: 12 bytes per counter plus the map's overhead. 4,096 requested counters take about 200 KB.
//!
//! ```
//! use gleaner_corpus::dedup::paragraphs::ParagraphCounts;
//! let mut counts = ParagraphCounts::default();
//! (0..1_000).for_each(|key| { counts.add(key, 16); counts.add(7, 16); });
//! assert!(counts.get(7) <= 1_001 && counts.get(7) >= 1_001 - counts.missed());
//! assert!(counts.len() <= 32 && counts.missed() <= 2_000 / 16);
//! ```

use std::collections::BTreeMap;

/// Counts of keys in limited memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParagraphCounts {
    counters: BTreeMap<u64, u32>,
    missed: u32,
}

impl ParagraphCounts {
    /// Counts a key and returns its count. `counters` is the requested number of counters, at least 1. Up to
    /// twice this number exist temporarily.
    pub fn add(&mut self, key: u64, counters: usize) -> u32 {
        let count = self.counters.entry(key).or_insert(0);
        *count = count.saturating_add(1);
        let count = *count;
        if self.counters.len() > 2 * counters.max(1) {
            self.forget();
            return self.get(key);
        }
        count
    }

    /// Returns the count of a key. Returns 0 if the key was never counted, or if its counter was dropped.
    #[must_use]
    pub fn get(&self, key: u64) -> u32 {
        self.counters.get(&key).copied().unwrap_or(0)
    }

    /// Returns the maximum amount by which a count can be too low.
    #[must_use]
    pub const fn missed(&self) -> u32 {
        self.missed
    }

    /// Returns the number of keys that have a counter.
    #[must_use]
    pub fn len(&self) -> usize {
        self.counters.len()
    }

    /// Whether no key has a counter.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counters.is_empty()
    }

    /// Returns the keys with their counts in the order of keys, for storage.
    pub fn iter(&self) -> impl Iterator<Item = (u64, u32)> {
        self.counters.iter().map(|(key, count)| (*key, *count))
    }

    /// Restores stored keys with their counts, and [`Self::missed`].
    #[must_use]
    pub fn restored(counters: impl IntoIterator<Item = (u64, u32)>, missed: u32) -> Self {
        Self { counters: counters.into_iter().collect(), missed }
    }

    fn forget(&mut self) {
        let mut counts: Vec<u32> = self.counters.values().copied().collect();
        let middle = counts.len() / 2;
        let median = *counts.select_nth_unstable(middle).1;
        self.counters.retain(|_, count| {
            *count = count.saturating_sub(median);
            *count > 0
        });
        self.missed = self.missed.saturating_add(median);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn counts_are_never_too_high_nor_too_low_by_more_than_stated(
            seen in prop::collection::vec((0..60_u64).prop_map(|n| n * n / 60), 0..800),
            counters in 1..30_usize,
        ) {
            let (mut counts, mut exact) = (ParagraphCounts::default(), BTreeMap::<u64, u32>::new());
            for key in &seen {
                *exact.entry(*key).or_default() += 1;
                let count = counts.add(*key, counters);
                prop_assert_eq!(count, counts.get(*key));
                prop_assert!(counts.len() <= 2 * counters);
            }
            for (key, exact) in exact {
                prop_assert!(counts.get(key) <= exact && counts.get(key) + counts.missed() >= exact);
            }
            prop_assert!(counts.missed() as usize * counters <= seen.len());
            let again = ParagraphCounts::restored(counts.iter(), counts.missed());
            prop_assert_eq!(again, counts);
        }
    }
}
