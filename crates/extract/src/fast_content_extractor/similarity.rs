//! When two blocks are similar, and on how many pages a block has a like.
//!
//! A feature vector holds the number of images, of scripts and of hyperlinks and
//! the count of each term, lower-case, of a block's own content; two blocks are
//! similar when the cosine is greater than 0.9. The paper compares every block
//! with every other. Here the same answer comes without all pairs:
//!
//! 1. Equal vectors are one group; on real pages most repetition ends here.
//! 2. Groups are compared only when they share a feature of their prefix. With
//!    features in one order, rarest first, a vector's prefix is its shortest
//!    beginning such that the rest has a norm of at most 0.9 of the whole. If two
//!    vectors share no feature of both prefixes, their first common feature lies in
//!    the rest of one of them, so their product is at most that rest's norm: the
//!    cosine is at most 0.9 and they are not similar (prefix filtering: Bayardo,
//!    Ma, Srikant, Scaling up all pairs similarity search, WWW 2007).
//! 3. A group is not compared with another that stands only on pages already found.
//!
//! The awkward truth: a page made for it (100,000 blocks of five words out of
//! thirty) still meets quadratically many pairs. `Params::max_work` bounds the
//! entries read; once it is spent, further counts may be too small, so a repeated
//! block may pass for content.

use std::collections::HashMap;

/// Room for rounding when a prefix is cut: longer is always right.
const SLACK: f64 = 1e-9;

/// Vectors that one look-up compares at most. The recorded sites have some 200 stored
/// blocks in all; hostile ones may have any number.
const MOST_CANDIDATES: usize = 500;

/// A number for each feature; a higher number is a rarer feature.
#[derive(Debug)]
pub(super) struct Features<'a> {
    known: &'a HashMap<String, u32>,
    new: HashMap<String, u32>,
}

/// Images, scripts and hyperlinks, before all terms.
const COUNTED: u32 = 3;

impl<'a> Features<'a> {
    /// Numbers that continue those of `known`, so that new terms are the rarest.
    pub(super) fn beside(known: &'a HashMap<String, u32>) -> Self {
        Self { known, new: HashMap::new() }
    }

    /// The number of a term; upper and lower case are one.
    pub(super) fn term(&mut self, word: &str) -> u32 {
        let word = word.to_lowercase();
        if let Some(known) = self.known.get(&word) {
            return *known;
        }
        let next = COUNTED + (self.known.len() + self.new.len()) as u32;
        *self.new.entry(word).or_insert(next)
    }

    /// The terms that were not known, with their numbers.
    pub(super) fn into_new(self) -> HashMap<String, u32> {
        self.new
    }

    /// Numbers for all terms: the more blocks hold one, the lower its number. Given
    /// and returned with what the caller knows of the term.
    pub(super) fn by_rarity<T>(terms: impl Iterator<Item = (usize, String, T)>) -> Vec<(u32, (String, T))> {
        let mut terms: Vec<(usize, String, T)> = terms.collect();
        terms.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        (COUNTED..).zip(terms.into_iter().map(|(_, term, known)| (term, known))).collect()
    }

    /// The counted features that are not 0.
    pub(super) fn counted(images: u32, scripts: u32, links: u32) -> impl Iterator<Item = (u32, u32)> {
        [(0, images), (1, scripts), (2, links)].into_iter().filter(|(_, count)| *count > 0)
    }
}

/// A sparse feature vector.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Vector {
    /// Feature and count, rarest (highest) feature first, none twice.
    entries: Vec<(u32, u32)>,
    /// The sum of the squared counts.
    squared: u64,
}

impl Vector {
    /// The vector with these features and counts; a feature may come several times.
    pub(super) fn new(entries: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut entries: Vec<(u32, u32)> = entries.into_iter().collect();
        entries.sort_unstable_by(|a, b| b.cmp(a));
        entries.dedup_by(|from, into| {
            let same = from.0 == into.0;
            if same {
                into.1 = into.1.saturating_add(from.1);
            }
            same
        });
        let squared = entries.iter().map(|(_, n)| u64::from(*n) * u64::from(*n)).sum();
        Self { entries, squared }
    }

    /// Feature and count, rarest first.
    pub(super) fn entries(&self) -> &[(u32, u32)] {
        &self.entries
    }

    /// The cosine of the angle between two vectors, 0 to 1; 0 when one is empty.
    pub(super) fn cosine(&self, other: &Self) -> f64 {
        let (mut a, mut b) = (self.entries.as_slice(), other.entries.as_slice());
        let mut product = 0_u64;
        while let ([(f, n), a_rest @ ..], [(g, m), b_rest @ ..]) = (a, b) {
            if f == g {
                product += u64::from(*n) * u64::from(*m);
            }
            (a, b) = (if f >= g { a_rest } else { a }, if g >= f { b_rest } else { b });
        }
        if product == 0 { 0.0 } else { product as f64 / (self.squared as f64 * other.squared as f64).sqrt() }
    }

    /// The shortest beginning whose rest has a norm of at most `least` of the whole.
    fn prefix(&self, least: f64) -> &[(u32, u32)] {
        let enough = self.squared as f64 * least * least * (1.0 - SLACK);
        let mut rest = self.squared as f64;
        let length = self.entries.iter().take_while(|(_, n)| {
            let more = rest > enough;
            rest -= f64::from(*n) * f64::from(*n);
            more
        });
        &self.entries[..length.count()]
    }
}

/// Vectors that can be asked for those which may be similar to another.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Index {
    vectors: Vec<Vector>,
    /// Of each feature: the vectors with it in their prefix.
    postings: HashMap<u32, Vec<u32>>,
    least: f64,
}

impl Index {
    /// An empty index for "cosine greater than `least`".
    pub(super) fn new(least: f64) -> Self {
        Self { least, ..Self::default() }
    }

    /// Takes a vector in; the number is its place in the order of insertion.
    pub(super) fn insert(&mut self, vector: Vector) -> u32 {
        let number = self.vectors.len() as u32;
        for (feature, _) in vector.prefix(self.least) {
            self.postings.entry(*feature).or_default().push(number);
        }
        self.vectors.push(vector);
        number
    }

    /// Every vector that may be similar, some of them more than once.
    pub(super) fn candidates<'a>(&'a self, vector: &'a Vector) -> impl Iterator<Item = u32> + 'a {
        vector
            .prefix(self.least)
            .iter()
            .flat_map(|(feature, _)| self.postings.get(feature).into_iter().flatten().copied())
    }

    /// Whether a vector of the index is similar to this one.
    pub(super) fn is_similar(&self, vector: &Vector, number: u32) -> bool {
        self.vectors[number as usize].cosine(vector) > self.least
    }

    /// Any similar vector, looked for among the first [`MOST_CANDIDATES`] that may be.
    pub(super) fn find(&self, vector: &Vector) -> Option<u32> {
        self.candidates(vector).take(MOST_CANDIDATES).find(|number| self.is_similar(vector, *number))
    }
}

/// For every vector the number of pages, its own included, that have a similar one.
///
/// `blocks` are vectors, none of them empty, with the number of their page; pages are numbered from 0
/// without large gaps. Exact unless `max_work` is spent (head of this file).
pub(super) fn pages_with_similar(blocks: &[(u32, Vector)], least: f64, max_work: u64) -> Vec<u32> {
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
    let counts = count_groups(&index, &pages, max_work);
    group_of.iter().map(|group| counts[*group as usize]).collect()
}

/// For every group the number of pages with a similar group.
fn count_groups(index: &Index, pages: &[Vec<u32>], max_work: u64) -> Vec<u32> {
    let page_count = pages.iter().filter_map(|list| list.last()).max().map_or(0, |last| *last as usize + 1);
    let mut found_by = vec![u32::MAX; page_count];
    let mut met_by = vec![u32::MAX; pages.len()];
    let mut work = 0_u64;
    let mut counts = Vec::with_capacity(pages.len());
    for (group, vector) in (0_u32..).zip(&index.vectors) {
        let mut count = 0;
        let mut find = |list: &[u32], found_by: &mut [u32]| {
            for page in list {
                if std::mem::replace(&mut found_by[*page as usize], group) != group {
                    count += 1;
                }
            }
        };
        find(&pages[group as usize], &mut found_by);
        for other in index.candidates(vector) {
            work += 1;
            if work > max_work {
                break;
            }
            let seen = std::mem::replace(&mut met_by[other as usize], group) == group;
            let others = &pages[other as usize];
            if seen || others.iter().all(|page| found_by[*page as usize] == group) {
                continue;
            }
            work += (vector.entries.len() + index.vectors[other as usize].entries.len()) as u64;
            if index.is_similar(vector, other) {
                find(others, &mut found_by);
            }
        }
        counts.push(count);
    }
    counts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vector(text: &str) -> Vector {
        Vector::new(text.bytes().map(|b| (u32::from(b), 1)))
    }

    #[test]
    fn cosine_of_small_vectors() {
        let cases = [
            ("", "", 0.0),
            ("a", "", 0.0),
            ("ab", "ab", 1.0),
            ("a", "b", 0.0),
            ("ab", "b", 0.5_f64.sqrt()),
            ("aab", "ab", 3.0 / 10_f64.sqrt()),
        ];
        for (a, b, expected) in cases {
            assert!((vector(a).cosine(&vector(b)) - expected).abs() < 1e-12, "{a} {b}");
            assert!((vector(b).cosine(&vector(a)) - expected).abs() < 1e-12, "{b} {a}");
        }
    }

    #[test]
    fn new_terms_are_the_rarest() {
        let known = HashMap::from([("a".to_owned(), 3)]);
        let mut features = Features::beside(&known);
        assert_eq!(
            [features.term("A"), features.term("b"), features.term("B"), features.term("c")],
            [3, 4, 4, 5]
        );
    }

    #[test]
    fn spent_work_ends_the_search() {
        let blocks: Vec<(u32, Vector)> = (1..400).map(|n| (n, Vector::new([(0, n), (1, 400 - n)]))).collect();
        let exact = pages_with_similar(&blocks, 0.9, u64::MAX);
        let bounded = pages_with_similar(&blocks, 0.9, 1_000);
        assert!(exact.iter().zip(&bounded).all(|(e, b)| b <= e));
        assert_eq!(bounded.last(), Some(&1));
        assert!(exact.last() > Some(&50));
    }

    fn blocks() -> impl Strategy<Value = Vec<(u32, Vector)>> {
        let entries = proptest::collection::vec((0_u32..12, 1_u32..8), 1..8);
        proptest::collection::vec((0_u32..6, entries.prop_map(Vector::new)), 0..40)
    }

    proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn counts_equal_those_of_all_pairs(blocks in blocks()) {
            let counts = pages_with_similar(&blocks, 0.9, u64::MAX);
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
            prop_assert_eq!(index.find(&probe).is_some(), blocks.iter().any(|(_, v)| v.cosine(&probe) > 0.9));
        }
    }
}
