//! Records which sites repeat a paragraph, in limited memory. The recorded number of sites is never too high.
//!
//! A site is stored as 32 bits of its name's hash and is counted once. The caller states how many paragraphs
//! to keep. When there are more than twice as many paragraphs, a paragraph is dropped if its number of sites
//! is at most the median. If nearly all paragraphs have one site, nearly all are dropped.
//!
//! Limitation: among 1,000 sites, two have the same 32 bits with a probability of 1 in 8,000.

use std::collections::BTreeMap;

use crate::dedup::mix::{mix, step};

/// Maximum number of sites stored per paragraph. With a threshold above this number, no paragraph counts as
/// repeated.
const MOST: usize = 16;

/// Paragraphs with the sites that repeat them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CrossSiteCounts {
    sites: BTreeMap<u64, Vec<u32>>,
}

impl CrossSiteCounts {
    /// Records that `site` repeats the paragraph with the hash `key`. `paragraphs` is the number of
    /// paragraphs to keep. Up to twice this number are kept temporarily.
    pub fn add(&mut self, key: u64, site: &str, paragraphs: usize) {
        let site = mix(site.bytes().fold(1, |hash, byte| step(hash, byte.into()))) as u32;
        let sites = self.sites.entry(key).or_default();
        if sites.len() < MOST && !sites.contains(&site) {
            sites.push(site);
        }
        if self.sites.len() > 2 * paragraphs.max(1) {
            self.forget();
        }
    }

    /// Returns the number of sites that repeat a paragraph, at most 16. Returns 0 for an unknown paragraph.
    #[must_use]
    pub fn get(&self, key: u64) -> u32 {
        self.sites.get(&key).map_or(0, |sites| sites.len() as u32)
    }

    /// Returns the paragraphs with their sites in the order of keys, for storage.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u32])> {
        self.sites.iter().map(|(key, sites)| (*key, sites.as_slice()))
    }

    /// Restores stored paragraphs.
    #[must_use]
    pub fn restored(sites: impl IntoIterator<Item = (u64, Vec<u32>)>) -> Self {
        Self { sites: sites.into_iter().collect() }
    }

    fn forget(&mut self) {
        let mut counts: Vec<usize> = self.sites.values().map(Vec::len).collect();
        let middle = counts.len() / 2;
        let median = *counts.select_nth_unstable(middle).1;
        self.sites.retain(|_, sites| sites.len() > median);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_counts_once_and_what_few_have_is_forgotten() {
        let mut across = CrossSiteCounts::default();
        for round in 0..5_u64 {
            for (number, site) in (0..).zip(["a.example", "b.example", "c.example"]) {
                across.add(7, site, 10);
                (0..4).for_each(|at| across.add(100 + round * 12 + number * 4 + at, site, 10));
            }
        }
        assert_eq!(across.get(7), 3);
        assert!(across.iter().count() <= 20);
        assert_eq!(
            CrossSiteCounts::restored(across.iter().map(|(key, sites)| (key, sites.to_vec()))),
            across
        );
        (0..100).for_each(|site| across.add(7, &site.to_string(), 10));
        assert_eq!((across.get(7), across.get(1)), (16, 0));
    }
}
