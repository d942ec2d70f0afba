//! Limits the pages and the time of a run, and defines how a run ended.
//!
//! When a budget is used up, no new requests start and requests in flight finish. The run then counts as
//! ended. The next run continues with the remaining URLs.
//!
//! Limitation: the time starts at zero with each process, and again after this worker lost its leases. The
//! pages count from the start of the run. After a crash, the requests since the last flush are not counted.

use std::fmt;
use std::time::{Duration, Instant};

use crate::settings::CrawlSettings;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// No URL was due.
    Quiet,
    /// A budget was used up.
    Budget(Budget),
    /// A stop was requested. The next crawl resumes the same run.
    Stopped,
}

/// A budget of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// `crawl.max_pages`.
    Pages,
    /// `crawl.max_time`.
    Time,
}

impl Ending {
    /// Whether the run is over. An interrupted run is not over.
    #[must_use]
    pub const fn is_over(self) -> bool {
        !matches!(self, Self::Stopped)
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pages => "crawl.max_pages",
            Self::Time => "crawl.max_time",
        })
    }
}

#[derive(Debug)]
pub(crate) struct RunBudget {
    /// 0 means no limit.
    max_pages: u64,
    /// 0 means no limit.
    max_time: Duration,
    begun: Instant,
    pages: u64,
}

impl RunBudget {
    pub(crate) fn new(crawl: &CrawlSettings, begun: Instant) -> Self {
        Self { max_pages: crawl.max_pages, max_time: crawl.max_time.get(), begun, pages: 0 }
    }

    pub(crate) const fn spend(&mut self, pages: u64) {
        self.pages += pages;
    }

    pub(crate) const fn give_back(&mut self, pages: u64) {
        self.pages = self.pages.saturating_sub(pages);
    }

    pub(crate) fn exhausted(&self, now: Instant) -> Option<Budget> {
        if self.max_pages > 0 && self.pages >= self.max_pages {
            return Some(Budget::Pages);
        }
        let is_late = !self.max_time.is_zero() && now.saturating_duration_since(self.begun) >= self.max_time;
        is_late.then_some(Budget::Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_used_up_at_its_last_page_or_second() {
        let begun = Instant::now();
        let sets = ["crawl.max_pages=3", "crawl.max_time=6h"].map(String::from);
        let config = crate::settings::read(None, &sets).unwrap();
        let mut budget = RunBudget::new(&config.crawl, begun);
        let hour = Duration::from_secs(3600);
        assert_eq!(budget.exhausted(begun + 5 * hour), None);
        assert_eq!(budget.exhausted(begun + 6 * hour), Some(Budget::Time));
        budget.spend(2);
        assert_eq!(budget.exhausted(begun), None);
        budget.spend(1);
        assert_eq!(budget.exhausted(begun), Some(Budget::Pages));
    }

    #[test]
    fn without_budgets_a_run_ends_by_itself() {
        let begun = Instant::now();
        let mut budget = RunBudget::new(&CrawlSettings::default(), begun);
        budget.spend(u64::from(u32::MAX));
        assert_eq!(budget.exhausted(begun + Duration::from_secs(1 << 30)), None);
    }
}
