//! Finds similar blocks, and counts the pages that contain a block similar to a given block.
//!
//! Two blocks are similar if the cosine of their vectors is above 0.9. The papers compare all pairs. This
//! module avoids most comparisons:
//!
//! 1. Equal vectors form one group.
//! 2. Groups are compared only if their prefixes share a feature. Features are ordered rarest first. A
//!    vector's prefix is its shortest beginning for which the norm of the remaining entries is at most 0.9 of
//!    the vector's norm. If the prefixes of two unit vectors share no feature, all common features are in the
//!    remainder of one vector. The product is then at most the norm of this remainder, so the cosine is at
//!    most 0.9 (prefix filtering: Bayardo, Ma, Srikant, Scaling up all pairs similarity search, WWW 2007).
//! 3. A group is skipped if all of its pages are already counted.
//!
//! Limitation: a hostile page (100,000 blocks, each with five of the same thirty words) still causes
//! quadratically many comparisons. [`WorkLimit`] limits the number of entries that all searches and look-ups
//! read. After this limit is reached, counts may be too small and similar vectors may be missed, so repeated
//! blocks may count as content.

use std::collections::HashMap;

use super::vector::Vector;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Index {
    vectors: Vec<Vector>,
    postings: HashMap<u32, Vec<u32>>,
    least: f64,
}

impl Index {
    pub(crate) fn new(least: f64) -> Self {
        Self { least, ..Self::default() }
    }

    pub(crate) fn insert(&mut self, vector: Vector) -> u32 {
        let number = self.vectors.len() as u32;
        for (feature, _) in vector.prefix(self.least) {
            self.postings.entry(*feature).or_default().push(number);
        }
        self.vectors.push(vector);
        number
    }

    pub(crate) fn candidates<'a>(&'a self, vector: &'a Vector) -> impl Iterator<Item = u32> + 'a {
        vector
            .prefix(self.least)
            .iter()
            .flat_map(|(feature, _)| self.postings.get(feature).into_iter().flatten().copied())
    }

    pub(crate) fn is_similar(&self, vector: &Vector, number: u32) -> bool {
        self.vectors[number as usize].cosine(vector) > self.least
    }

    fn entries(&self, vector: &Vector, number: u32) -> usize {
        vector.entries().len() + self.vectors[number as usize].entries().len()
    }
}

#[derive(Debug)]
pub(crate) struct LookUp {
    /// For each vector, the last look-up in which it was a candidate.
    met_by: Vec<u32>,
    look_ups: u32,
    pub(crate) work: WorkLimit,
}

impl LookUp {
    pub(crate) fn new(work: WorkLimit) -> Self {
        Self { met_by: Vec::new(), look_ups: 0, work }
    }

    /// Returns the number of the first similar vector in an index. Returns `None` if there is none, or if the
    /// work limit was reached.
    pub(crate) fn find(&mut self, index: &Index, vector: &Vector) -> Option<u32> {
        self.look_ups += 1;
        self.met_by.resize(index.vectors.len().max(self.met_by.len()), 0);
        for number in index.candidates(vector) {
            if !self.work.spend(1) {
                return None;
            }
            if std::mem::replace(&mut self.met_by[number as usize], self.look_ups) == self.look_ups {
                continue;
            }
            if !self.work.spend(index.entries(vector, number)) {
                return None;
            }
            if index.is_similar(vector, number) {
                return Some(number);
            }
        }
        None
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Groups {
    index: Index,
    pages: Vec<Vec<u32>>,
    group_of: Vec<u32>,
}

impl Groups {
    /// Groups non-empty vectors, each with its page number. Page numbers start at 0 and have no large gaps.
    pub(crate) fn new(blocks: &[(u32, Vector)], least: f64) -> Self {
        let mut groups: HashMap<&Vector, u32> = HashMap::new();
        let mut pages: Vec<Vec<u32>> = Vec::new();
        let mut index = Index::new(least);
        let mut group_of = Vec::with_capacity(blocks.len());
        for (page, vector) in blocks {
            let group = *groups.entry(vector).or_insert_with(|| {
                pages.push(Vec::new());
                index.insert(vector.clone())
            });
            pages[group as usize].push(*page);
            group_of.push(group);
        }
        for list in &mut pages {
            list.sort_unstable();
            list.dedup();
        }
        Self { index, pages, group_of }
    }

    pub(crate) fn of_blocks<T: Copy>(&self, of_groups: &[T]) -> Vec<T> {
        self.group_of.iter().map(|group| of_groups[*group as usize]).collect()
    }

    pub(crate) fn vectors(&self) -> &[Vector] {
        &self.index.vectors
    }

    /// Returns, for every group, the number of pages with a similar block, including the group's own pages.
    /// If the work limit was reached, the numbers may be too small.
    pub(crate) fn pages_with_similar(&self, work: &mut WorkLimit) -> Vec<u32> {
        let mut search = Search::new(self, *work);
        let groups = (0_u32..).zip(self.vectors());
        let counts = groups.map(|(group, vector)| search.pages(vector, Some(group), None)).collect();
        *work = search.work;
        counts
    }
}

/// A series of searches in the same groups, with one work limit.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    groups: &'a Groups,
    /// For each page, the last search that counted the page.
    found_by: Vec<u32>,
    /// For each group, the last search in which it was a candidate.
    met_by: Vec<u32>,
    searches: u32,
    pub(crate) work: WorkLimit,
}

impl<'a> Search<'a> {
    pub(crate) fn new(groups: &'a Groups, work: WorkLimit) -> Self {
        let last = groups.pages.iter().filter_map(|list| list.last()).max();
        let pages = last.map_or(0, |last| *last as usize + 1);
        Self { groups, found_by: vec![0; pages], met_by: vec![0; groups.pages.len()], searches: 0, work }
    }

    /// Returns the number of pages with a block similar to `vector`, without counting the page `without`.
    /// `group` is the group of `vector`. Its pages are counted without a comparison.
    pub(crate) fn pages(&mut self, vector: &Vector, group: Option<u32>, without: Option<u32>) -> u32 {
        self.searches += 1;
        if let Some(page) = without.and_then(|page| self.found_by.get_mut(page as usize)) {
            *page = self.searches;
        }
        let own = group.map_or(0, |group| self.find(group));
        let groups = self.groups;
        let mut count = own;
        for other in groups.index.candidates(vector) {
            if !self.work.spend(1) {
                break;
            }
            let seen = std::mem::replace(&mut self.met_by[other as usize], self.searches) == self.searches;
            if seen || self.is_found(other) {
                continue;
            }
            self.work.spend(groups.index.entries(vector, other));
            if groups.index.is_similar(vector, other) {
                count += self.find(other);
            }
        }
        count
    }

    fn is_found(&self, group: u32) -> bool {
        let pages = &self.groups.pages[group as usize];
        pages.iter().all(|page| self.found_by[*page as usize] == self.searches)
    }

    fn find(&mut self, group: u32) -> u32 {
        let searches = self.searches;
        let pages = &self.groups.pages[group as usize];
        let new = pages
            .iter()
            .filter(|page| std::mem::replace(&mut self.found_by[**page as usize], searches) != searches);
        new.count() as u32
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct WorkLimit {
    left: u64,
    spent: bool,
}

impl WorkLimit {
    pub(crate) fn new(max_work: u64) -> Self {
        Self { left: max_work, spent: false }
    }

    /// Subtracts from the limit. Returns `false` if this or an earlier call exceeded the limit.
    pub(crate) fn spend(&mut self, entries: usize) -> bool {
        self.spent |= self.left < entries as u64;
        self.left = self.left.saturating_sub(entries as u64);
        !self.spent
    }

    pub(crate) fn is_spent(self) -> bool {
        self.spent
    }
}

/// Returns the minimum number of pages with a similar block for which a block is non-content: a share of
/// `pages`, but at least `least` and at least two.
pub(crate) fn repeated_from(pages: usize, share: f64, least: usize) -> usize {
    let share = (share * pages as f64).ceil() as usize;
    share.max(least).max(2)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counts(blocks: &[(u32, Vector)], max_work: u64) -> Vec<u32> {
        let groups = Groups::new(blocks, 0.9);
        groups.of_blocks(&groups.pages_with_similar(&mut WorkLimit::new(max_work)))
    }

    fn find(index: &Index, vector: &Vector, work: &mut WorkLimit) -> Option<u32> {
        let mut look_up = LookUp::new(*work);
        let found = look_up.find(index, vector);
        *work = look_up.work;
        found
    }

    #[test]
    fn spent_work_ends_the_search() {
        let blocks: Vec<(u32, Vector)> = (1..400).map(|n| (n, Vector::new([(0, n), (1, 400 - n)]))).collect();
        let exact = counts(&blocks, u64::MAX);
        let bounded = counts(&blocks, 1_000);
        assert!(exact.iter().zip(&bounded).all(|(e, b)| b <= e));
        assert_eq!(bounded.last(), Some(&1));
        assert!(exact.last() > Some(&50));
    }

    fn unlike(vectors: u32) -> Index {
        let mut index = Index::new(0.9);
        for n in 0..vectors {
            index.insert(Vector::new([(1_000_000, 1), (n, 1)]));
        }
        index
    }

    #[test]
    fn a_like_is_found_among_any_number() {
        let index = unlike(5_000);
        for n in [0, 499, 500, 501, 4_999] {
            let probe = Vector::new([(1_000_000, 3), (n, 3)]);
            assert_eq!(find(&index, &probe, &mut WorkLimit::new(u64::MAX)), Some(n));
        }
        assert_eq!(
            find(&index, &Vector::new([(1_000_000, 1), (5_000, 1)]), &mut WorkLimit::new(u64::MAX)),
            None
        );
    }

    #[test]
    fn a_look_up_reads_no_vector_twice() {
        let vector = |first: u32| Vector::new((first..first + 8).chain([90, 91]).map(|feature| (feature, 1)));
        let mut index = Index::new(0.9);
        index.insert(vector(0));
        let sufficient = 2 + 20;
        for (max_work, is_spent) in [(sufficient, false), (sufficient - 1, true)] {
            let mut work = WorkLimit::new(max_work);
            assert_eq!((find(&index, &vector(10), &mut work), work.is_spent()), (None, is_spent));
        }
    }

    #[test]
    fn spent_work_ends_a_look_up() {
        let probe = Vector::new([(1_000_000, 1), (4_000, 1)]);
        let mut work = WorkLimit::new(1_000);
        assert_eq!((find(&unlike(5_000), &probe, &mut work), work.is_spent()), (None, true));
        assert_eq!(find(&unlike(1), &Vector::new([(1_000_000, 1), (0, 1)]), &mut work), None);
    }

    fn blocks() -> impl Strategy<Value = Vec<(u32, Vector)>> {
        let entries = proptest::collection::vec((0_u32..12, 1_u32..8), 1..8);
        proptest::collection::vec((0_u32..6, entries.prop_map(Vector::new)), 0..40)
    }

    proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn counts_equal_those_of_all_pairs(blocks in blocks()) {
            let counts = counts(&blocks, u64::MAX);
            for ((page, vector), count) in blocks.iter().zip(counts) {
                let mut pages: Vec<u32> = blocks.iter().filter(|(p, v)| p == page || v.cosine(vector) > 0.9).map(|(p, _)| *p).collect();
                pages.sort_unstable();
                pages.dedup();
                prop_assert_eq!(count as usize, pages.len());
            }
        }

        #[test]
        fn the_index_misses_nothing(blocks in blocks(), probe in proptest::collection::vec((0_u32..14, 1_u32..8), 0..8)) {
            let probe = Vector::new(probe);
            let mut index = Index::new(0.9);
            for (_, vector) in &blocks {
                index.insert(vector.clone());
            }
            let mut work = WorkLimit::new(u64::MAX);
            let expected = blocks.iter().any(|(_, v)| v.cosine(&probe) > 0.9);
            prop_assert_eq!(find(&index, &probe, &mut work).is_some(), expected);
        }
    }
}
