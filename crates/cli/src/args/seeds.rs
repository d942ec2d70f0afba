//! Options of `seeds` and `init`.

use std::path::PathBuf;

use clap::Subcommand;

pub(crate) const SEEDS_HELP: &str =
    "Requests robots.txt, the front page, a feed and a sitemap of each seed, and up to three articles \
until one has a text. Follows the same rules and delays as a crawl. Stores nothing.

Examples:
  gleaner seeds check
  gleaner seeds check https://vnexpress.net bbc.com/news
  gleaner seeds check --seeds mine.txt --json

Exit codes: 0 if every seed can be crawled, 1 if some cannot.";

pub(crate) const INIT_HELP: &str =
    "Writes gleaner.toml, seeds.txt, pins/ and .gitignore. In this folder, all commands use gleaner.toml. \
Paths in gleaner.toml are relative to its folder.

Example:
  gleaner init news vnexpress.net https://www.bbc.com/news";

#[derive(Debug, clap::Args)]
pub(crate) struct Seeds {
    #[command(subcommand)]
    pub(crate) what: SeedsCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SeedsCommand {
    /// Request a few pages of each seed and show what a crawl would find
    #[command(after_help = SEEDS_HELP)]
    Check(SeedsCheck),
}

#[derive(Debug, clap::Args)]
pub(crate) struct SeedsCheck {
    /// Sites to check: a host such as vnexpress.net, or a URL
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// File of seed sites, one per line; repeatable [default without URL: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// Folder of the project; it must be empty or not exist
    pub(crate) dir: PathBuf,
    /// Sites to crawl, written into seeds.txt
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
}
