//! Options of run budgets, `schedule`, `report`, `doctor`, `hosts` and `workers`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;
use gleaner_crawl::settings::{CrawlSettings, DurationSetting};

use crate::messages;

/// Parses a whole number here, because clap would print the error text of the standard library.
pub(super) fn number<const MIN: u64>(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number >= MIN);
    number.ok_or_else(|| format!("must be a whole number, {MIN} or more"))
}

/// Limits of one run; the remaining URLs wait for the next run.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Budgets")]
pub(crate) struct Budgets {
    /// End the run after N pages requested from all hosts, also those that fail or do not exist; 0: no limit
    /// [default: crawl.max_pages, no limit]
    #[arg(long, value_name = "N", value_parser = number::<0>)]
    pub(crate) max_pages: Option<u64>,
    /// End the run after this time, such as 6h; 0s: no limit [default: crawl.max_time, no limit]
    #[arg(long, value_name = "TIME")]
    pub(crate) max_time: Option<DurationSetting>,
    /// Request at most N pages of each host; 0: no limit [default: crawl.max_pages_per_host, 10000]
    #[arg(long, value_name = "N", value_parser = number::<0>)]
    pub(crate) max_per_host: Option<u64>,
}

impl Budgets {
    /// Limits on the command line override those in the settings.
    pub(crate) fn apply_to(&self, crawl: &mut CrawlSettings) {
        crawl.max_pages = self.max_pages.unwrap_or(crawl.max_pages);
        crawl.max_time = self.max_time.unwrap_or(crawl.max_time);
        crawl.max_pages_per_host = self.max_per_host.unwrap_or(crawl.max_pages_per_host);
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Schedule {
    /// File of seed sites, one per line; repeatable [default: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Start with a crawl now, then follow the schedule
    #[arg(long)]
    pub(crate) once_now: bool,
    #[command(flatten)]
    pub(crate) status: super::Status,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Report {
    /// Show the last N reports
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = number::<1>)]
    pub(crate) last: u64,
    /// List all reports, the newest first
    #[arg(long, conflicts_with = "last")]
    pub(crate) list: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    /// URL, or host such as vnexpress.net
    #[arg(value_name = "URL|HOST")]
    pub(crate) what: String,
    /// Fetch robots.txt and then the URL now
    #[arg(long)]
    pub(crate) fetch: bool,
    /// File of seed sites, one per line; repeatable [default: the seeds of the last crawl]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Print one JSON object: keys such as url and last_answer, each with a list of lines
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Hosts {
    /// Order: by name, hosts with documents first (host), by a count, largest first (new, failed, queued), or by the time since the
    /// last new document, longest first (last-success)
    #[arg(long, value_enum, value_name = "BY", default_value_t = HostOrder::Host)]
    pub(crate) sort: HostOrder,
    /// List only hosts whose name, template or state contains this text
    #[arg(long, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// Also list in the table the hosts that are no seed and never gave a document
    #[arg(long, conflicts_with = "filter")]
    pub(crate) all: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Workers {
    /// Print one JSON object per line
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

/// When to use colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// Finds the value of `--color` before the command line is parsed.
    pub(crate) fn typed(words: impl Iterator<Item = OsString>) -> Self {
        let options = words.take_while(|word| word != "--");
        let words: Vec<String> = options.map(|word| word.to_string_lossy().into_owned()).collect();
        let next = words.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1].as_str());
        let joined = words.iter().filter_map(|word| word.strip_prefix("--color="));
        let last = next.chain(joined).last();
        last.and_then(|word| Self::from_str(word, false).ok()).unwrap_or_default()
    }

    /// Returns the equivalent setting for clap's own output.
    pub(crate) const fn of_clap(self) -> clap::ColorChoice {
        match self {
            Self::Auto => clap::ColorChoice::Auto,
            Self::Always => clap::ColorChoice::Always,
            Self::Never => clap::ColorChoice::Never,
        }
    }

    /// Whether to use colors on standard error (no-color.org).
    pub(crate) fn wanted_on_stderr(self) -> bool {
        let is_set = |name| std::env::var_os(name).is_some_and(|value: OsString| !value.is_empty());
        let is_dumb = || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => messages::is_terminal() && !is_set("NO_COLOR") && !is_dumb(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_colour_is_an_option_and_no_argument() {
        let typed = |line: &str| Color::typed(line.split(' ').map(OsString::from));
        assert_eq!(typed("gleaner hosts --color=never"), Color::Never);
        assert_eq!(typed("gleaner extract --color always -- --color=never"), Color::Always);
        assert_eq!(typed("gleaner extract -- --color never"), Color::Auto);
    }
}
