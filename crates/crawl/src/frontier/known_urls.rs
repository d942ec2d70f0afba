//! Remembers URLs whose record is in the store, and that a link without a date cannot make ready again.
//!
//! Most links of a page occur on every page of its site. With this set, the crawl need not look them up in
//! the store again. The store never removes the record of a URL. A URL whose visit failed leaves the set,
//! because a list may name it again.
//!
//! Two generations limit the memory. When the young generation is full, it replaces the old one. A URL found
//! in the old generation is copied to the young generation.

use std::collections::HashSet;

use gleaner_frontier::UrlKey;

/// URLs per generation. Both generations together take about 4 MiB.
const GENERATION: usize = 50_000;

#[derive(Debug, Default)]
pub(crate) struct KnownUrls {
    young: HashSet<UrlKey>,
    old: HashSet<UrlKey>,
}

impl KnownUrls {
    pub(crate) fn contains(&mut self, url: UrlKey) -> bool {
        if self.young.contains(&url) {
            return true;
        }
        let known = self.old.contains(&url);
        if known {
            self.insert(url);
        }
        known
    }

    pub(crate) fn insert(&mut self, url: UrlKey) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(url);
    }

    pub(crate) fn remove(&mut self, url: UrlKey) {
        self.young.remove(&url);
        self.old.remove(&url);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(number: usize) -> UrlKey {
        UrlKey::from_bytes((number as u128).to_be_bytes())
    }

    #[test]
    fn what_is_met_again_and_again_is_remembered_and_the_rest_forgotten() {
        let mut known = KnownUrls::default();
        for number in 0..5 * GENERATION {
            known.insert(url(number));
            assert!(known.contains(url(0)), "{number}");
        }
        assert!(known.contains(url(5 * GENERATION - 1)));
        assert!(!known.contains(url(1)));
        known.remove(url(0));
        assert!(!known.contains(url(0)));
        assert!(known.young.len() + known.old.len() <= 2 * GENERATION);
    }
}
