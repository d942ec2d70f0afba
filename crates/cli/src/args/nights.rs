//! What can be typed of a run's budgets, of the nights and of what is said about them.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;

use clap::ValueEnum;
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

#[derive(Debug, clap::Args)]
pub(crate) struct Schedule {
    /// Seed sites, one a line; repeatable [default: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Begin with a crawl at once, then keep to the times
    #[arg(long)]
    pub(crate) once_now: bool,
    #[command(flatten)]
    pub(crate) status: super::Status,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Report {
    /// Show the last N reports
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) last: usize,
    /// List all reports, a line each, the newest first
    #[arg(long, conflicts_with = "last")]
    pub(crate) list: bool,
    /// Print a JSON object for each, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    /// A URL, or a host such as vnexpress.net
    #[arg(value_name = "URL|HOST")]
    pub(crate) what: String,
    /// Ask for the URL now: robots.txt first, then once
    #[arg(long)]
    pub(crate) fetch: bool,
    /// Seed sites, one a line; repeatable [default: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Print one JSON object: for each word on the left a list
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Hosts {
    /// What comes first: by name, or the most; last-success: what gave nothing for longest
    #[arg(long, value_enum, value_name = "BY", default_value_t = HostOrder::Host)]
    pub(crate) sort: HostOrder,
    /// Only hosts whose name, template or state contains this
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Print a JSON object for each, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Workers {
    /// Print a JSON object for each, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostOrder {
    Host,
    New,
    Failed,
    Queued,
    LastSuccess,
}

/// Where colours are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Everywhere
    Always,
    /// Nowhere
    Never,
}

impl Color {
    /// What is typed, as far as it can be told from the words alone; the whole is read later.
    pub(crate) fn typed(words: impl Iterator<Item = OsString>) -> Self {
        let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
        let next = words.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1].as_str());
        let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
        let last = next.chain(joined).last();
        last.and_then(|word| Self::from_str(word, false).ok()).unwrap_or_default()
    }

    /// The same for what clap writes.
    pub(crate) const fn of_clap(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }

    /// Whether standard error is to have colours (no-color.org).
    pub(crate) fn wanted_on_stderr(self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value: OsString| !value.is_empty());
        let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => io::stderr().is_terminal() && !is_set("NO_COLOR") && !is_dumb(),
        }
    }
}
