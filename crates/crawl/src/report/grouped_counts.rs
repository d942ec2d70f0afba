//! Groups a host's counts for reports.

use std::collections::BTreeMap;

use gleaner_frontier::OutcomeClass;
use gleaner_store::Counts;
use serde::{Deserialize, Serialize};

const NAMED: [&str; 4] = ["stored", "revised", "duplicate", "near_duplicate"];

/// The results of one host, or of all hosts together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupedCounts {
    /// Articles whose text is new to the corpus.
    pub new: u64,
    /// Known articles with a changed text.
    pub revised: u64,
    /// Articles whose text is already in the corpus under another URL.
    pub duplicates: u64,
    /// Articles stored as near-duplicates of other documents.
    pub near_duplicates: u64,
    /// Failed visits by reason, such as `failed: timeout`.
    pub failures: BTreeMap<String, u64>,
    /// All other outcomes by reason.
    pub others: BTreeMap<String, u64>,
    /// Links that were not followed, by reason.
    pub refused: BTreeMap<String, u64>,
    /// Responses with a body.
    pub fetched: u64,
    /// Total size of these bodies, in bytes.
    pub bytes: u64,
    /// Milliseconds spent on the host's URLs, summed over all visits.
    pub millis: u64,
}

fn label(reason: &str) -> &str {
    reason.split(": ").next().unwrap_or(reason)
}

fn is_class(reason: &str, is_wanted: impl Fn(OutcomeClass) -> bool) -> bool {
    OutcomeClass::from_reason(reason).is_some_and(is_wanted)
}

fn sum<'a>(counts: impl IntoIterator<Item = &'a u64>) -> u64 {
    counts.into_iter().sum()
}

fn is_of_page(reason: &str) -> bool {
    OutcomeClass::from_reason(reason).is_none_or(OutcomeClass::is_of_page)
}

impl GroupedCounts {
    /// Groups the counts of a run.
    #[must_use]
    pub fn from_counts(counts: &Counts) -> Self {
        let rest = counts.outcomes.iter().filter(|(reason, _)| !NAMED.contains(&label(reason)));
        let (failures, others) = rest
            .map(|(reason, count)| (reason.clone(), *count))
            .partition(|(reason, _): &(String, u64)| is_class(reason, OutcomeClass::is_failure));
        Self {
            new: counts.ended("stored"),
            revised: counts.ended("revised"),
            duplicates: counts.ended("duplicate"),
            near_duplicates: counts.ended("near_duplicate"),
            failures,
            others,
            refused: counts.refused.clone(),
            fetched: counts.fetched,
            bytes: counts.bytes,
            millis: counts.millis,
        }
    }

    /// Adds another host's counts.
    pub fn add(&mut self, other: &Self) {
        let maps = [
            (&mut self.failures, &other.failures),
            (&mut self.others, &other.others),
            (&mut self.refused, &other.refused),
        ];
        for (into, from) in maps {
            from.iter().for_each(|(reason, count)| *into.entry(reason.clone()).or_default() += count);
        }
        self.new += other.new;
        self.revised += other.revised;
        self.duplicates += other.duplicates;
        self.near_duplicates += other.near_duplicates;
        self.fetched += other.fetched;
        self.bytes += other.bytes;
        self.millis += other.millis;
    }

    /// Returns how many visits failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        sum(self.failures.values())
    }

    /// Returns how many visits ended.
    #[must_use]
    pub fn visits(&self) -> u64 {
        self.new
            + self.revised
            + self.duplicates
            + self.near_duplicates
            + self.failed()
            + sum(self.others.values())
    }

    fn other(&self, wanted: &str) -> u64 {
        sum(self.others.iter().filter(|(reason, _)| label(reason) == wanted).map(|(_, count)| count))
    }

    /// Returns how many visits ended without a request because robots.txt disallows the URL.
    #[must_use]
    pub fn disallowed(&self) -> u64 {
        self.other("disallowed")
    }

    /// Returns how many visits found no page (404 or 410).
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.other("gone")
    }

    /// Returns how many visits got a response, including 4xx refusals. A visit that ended as `failed` does
    /// not count, even after a 5xx response.
    #[must_use]
    pub fn answered(&self) -> u64 {
        let is_silent = |reason: &str| {
            label(reason) == "failed" || is_class(reason, |class| class == OutcomeClass::Unreachable)
        };
        let failed = self.failures.iter().filter(|(reason, _)| is_silent(reason));
        self.visits() - sum(failed.map(|(_, count)| count)) - self.disallowed()
    }

    /// Returns how many front pages, sections, feeds and sitemaps were read, plus the number of unchanged
    /// URLs, which may be articles.
    #[must_use]
    pub fn listings(&self) -> u64 {
        self.other("listing") + self.other("unchanged")
    }

    /// Returns how many of the visited URLs could be articles.
    #[must_use]
    pub fn pages(&self) -> u64 {
        let others = self.others.iter().filter(|(reason, _)| !is_of_page(reason));
        self.visits() - sum(others.map(|(_, count)| count))
    }

    /// Returns the most common reason why a page added no new document, and the number of pages with this
    /// reason. Returns `None` if there are no such pages.
    #[must_use]
    pub fn main_failure(&self) -> Option<(&str, u64)> {
        let others = self.others.iter().filter(|(reason, _)| is_of_page(reason));
        let named = [("duplicate", self.duplicates), ("near_duplicate", self.near_duplicates)];
        let all = others.chain(&self.failures).map(|(reason, count)| (reason.as_str(), *count)).chain(named);
        all.filter(|(_, count)| *count > 0).max_by_key(|(_, count)| *count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_outcome_is_in_one_figure() {
        let counts = [
            ("stored", 5),
            ("near_duplicate", 2),
            ("duplicate", 1),
            ("failed: timeout", 3),
            ("rejected: http_403", 4),
            ("not_article: hub", 6),
            ("listing", 7),
            ("unchanged", 1),
            ("disallowed", 8),
            ("gone: http_404", 1),
        ];
        let outcomes: BTreeMap<String, u64> = counts.map(|(label, n)| (label.to_owned(), n)).into();
        let figures = GroupedCounts::from_counts(&Counts { outcomes, ..Counts::default() });
        assert_eq!((figures.new, figures.failed(), figures.visits()), (5, 7, 38));
        assert_eq!((figures.answered(), figures.listings(), figures.pages()), (27, 8, 22));
        assert_eq!(figures.main_failure(), Some(("not_article: hub", 6)));
    }
}
