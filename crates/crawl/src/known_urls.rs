//! URLs of which the owner knows that the store has them.
//!
//! Most links of a page stand on every page of its site, and each would be looked up in
//! the store again. A URL's record is never removed, so what was there once is there.
//! What is not remembered is looked up: forgetting costs time and nothing else.
//!
//! Two generations bound the memory: when the young one is full the old one is
//! forgotten, and what is met again in the old one becomes young.

use std::collections::HashSet;

use gleaner_frontier::UrlKey;

/// URLs of one generation; both together take some 4 MiB.
const GENERATION: usize = 50_000;

/// See the head of this file.
#[derive(Debug, Default)]
pub(crate) struct KnownUrls {
    young: HashSet<UrlKey>,
    old: HashSet<UrlKey>,
}

impl KnownUrls {
    /// Whether the store has the URL for certain.
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

    /// The store has the URL, or has it with the change that is being made.
    pub(crate) fn insert(&mut self, url: UrlKey) {
        if self.young.len() >= GENERATION {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(url);
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
        assert!(known.young.len() + known.old.len() <= 2 * GENERATION);
    }
}
