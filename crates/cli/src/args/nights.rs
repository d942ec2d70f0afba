//! What can be typed of a run's budgets, of the nights and of what is said about them.

use gleaner_config::{Crawl, Span};

/// Limits of one run; what is left waits for the next.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Budgets")]
pub(crate) struct Budgets {
    /// End the run after N pages, over all hosts [default: crawl.max_pages, no limit]
    #[arg(long, value_name = "N")]
    pub(crate) max_pages: Option<u64>,
    /// End the run after this time, such as 6h [default: crawl.max_time, no limit]
    #[arg(long, value_name = "TIME")]
    pub(crate) max_time: Option<Span>,
    /// Fetch N pages of one host at most [default: crawl.max_pages_per_host, 10000]
    #[arg(long, value_name = "N")]
    pub(crate) max_per_host: Option<u64>,
}

impl Budgets {
    /// Lays what was typed over the settings.
    pub(crate) fn lay_over(&self, crawl: &mut Crawl) {
        crawl.max_pages = self.max_pages.unwrap_or(crawl.max_pages);
        crawl.max_time = self.max_time.unwrap_or(crawl.max_time);
        crawl.max_pages_per_host = self.max_per_host.unwrap_or(crawl.max_pages_per_host);
    }
}
