//! The command line of `gleaner`.

mod archive;
mod export;
mod migrate;
mod operations;
mod removal;
mod search;
mod seeds;
mod selection;
mod shell;
mod status;
mod template;
mod urls;

use std::path::PathBuf;

use clap::{CommandFactory, Parser, Subcommand};

pub(crate) use archive::{Ingest, Rebuild, Reextract, Snapshot, Verify};
use export::export_help;
pub(crate) use export::{Compress, Export};
use migrate::MIGRATE_HELP;
pub(crate) use migrate::Migrate;
use operations::number;
pub(crate) use operations::{Budgets, Color, Doctor, HostOrder, Hosts, Report, Schedule, Workers};
use removal::{REMOVALS_HELP, REMOVE_HELP};
pub(crate) use removal::{Removals, Remove};
use search::SEARCH_HELP;
pub(crate) use search::{Search, SearchFormat};
use seeds::{INIT_HELP, SEEDS_HELP};
pub(crate) use seeds::{Init, Seeds, SeedsCommand};
pub(crate) use selection::Selection;
use selection::selection_help;
pub(crate) use shell::{Completions, Man};
pub(crate) use status::{Access, SERVE_HELP, Serve, Status};
pub(crate) use template::{Explain, Extract, Learn, PageFormat, ReadOptions, Template, TemplateCommand};
use urls::URLS_HELP;
pub(crate) use urls::{UrlFormat, Urls, WantedOutcome};

/// Build growing text corpora from news sites.
#[derive(Debug, Parser)]
#[command(name = "gleaner", version, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

impl Args {
    /// Returns the command line. A negative number after an option becomes the option's value, so that the
    /// option's parser can explain which numbers it accepts. By default, clap would take the number for an
    /// option.
    pub(crate) fn definition() -> clap::Command {
        fn with_numbers(command: clap::Command) -> clap::Command {
            let has_value = |arg: &clap::Arg| !arg.is_positional() && arg.get_action().takes_values();
            let with_number = |arg: clap::Arg| {
                let is_option = has_value(&arg);
                arg.allow_negative_numbers(is_option)
            };
            command.mut_args(with_number).mut_subcommands(with_numbers)
        }
        with_numbers(Self::command())
    }
}

/// Options that all commands share.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Read settings from this file; `gleaner settings` prints every key. Paths in the file are
    /// relative to its folder [default: gleaner.toml in the working directory, if it exists]
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Folder of the corpus [default: store.path of the settings, "data"]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) data: Option<PathBuf>,
    /// Store of the corpus: sled, or postgres://user@host/database [default: store.engine of the
    /// settings, sled]
    #[arg(long, value_name = "ADDRESS", global = true)]
    pub(crate) store: Option<String>,
    /// Storage of texts and WARC files with PostgreSQL: s3://bucket/prefix, or a folder
    #[arg(long, value_name = "ADDRESS", global = true)]
    pub(crate) objects: Option<String>,
    /// Set one key, such as fetch.delay=5s, instead of the file's value; repeatable
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub(crate) set: Vec<String>,
    /// When to use colors
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        global = true,
        hide_possible_values = true
    )]
    pub(crate) color: Color,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a project folder: settings, seeds and pins with comments
    #[command(after_help = INIT_HELP)]
    Init(Init),
    /// Check seeds before a crawl
    #[command(after_help = SEEDS_HELP)]
    Seeds(Seeds),
    /// Crawl seed sites into the corpus; the same command resumes after an interruption
    #[command(after_help = "Examples:
  gleaner crawl --data demo --set demo.newspaper=true --set fetch.delay=100ms
  gleaner crawl https://vnexpress.net --set fetch.contact=you@example.org --max-pages 200
  gleaner crawl --seeds mine.txt --data corpus --set fetch.delay=10s --max-per-host 500
  gleaner crawl --max-pages 20 --set log.level=info

The first example crawls a bundled newspaper on loopback.

Exit codes: 0 success, 3 unusual (`gleaner report` shows why), 1 failure, 2 invalid command line, \
settings or seeds, 130 interrupted. A run that ends at its budget is a success.")]
    Crawl(Crawl),
    /// Fetch pages of the corpus again now
    #[command(
        after_help = "Obeys robots.txt and the delays. Requests only these pages. A changed text becomes a new \
revision of its document. Links that are found wait for the next crawl.

Examples:
  gleaner refetch https://vnexpress.net/a-page-4181177.html --data corpus
  gleaner refetch --host vnexpress.net --data corpus"
    )]
    Refetch(Refetch),
    /// Run as a daemon and crawl at the configured times
    #[command(
        after_help = "The section [schedule] of the settings has the times, the time zone, the random \
delay and the limits. Ctrl-C stops the daemon.

Examples:
  gleaner schedule --config /etc/gleaner/gleaner.toml
  gleaner schedule --once-now --set 'schedule.times=[\"0 2 * * *\"]'"
    )]
    Schedule(Schedule),
    /// Show the reports of the last runs and what was unusual
    #[command(after_help = "Examples:
  gleaner report --data corpus
  gleaner report --list
  gleaner report --last 7 --json")]
    Report(Report),
    /// Explain the result of one URL or host
    #[command(after_help = "Without --fetch, no request is sent.

Examples:
  gleaner doctor vnexpress.net
  gleaner doctor https://vnexpress.net/a-page-4181177.html --data corpus
  gleaner doctor https://vnexpress.net/a-page-4181177.html --fetch --json")]
    Doctor(Doctor),
    /// List all hosts with their new documents, queue and state
    #[command(after_help = "Examples:
  gleaner hosts --data corpus
  gleaner hosts --sort last-success
  gleaner hosts --filter 'out of date' --json")]
    Hosts(Hosts),
    /// List URLs with the outcome of their last visit
    #[command(after_help = URLS_HELP)]
    Urls(Urls),
    /// List the workers of a corpus in PostgreSQL
    #[command(after_help = "Examples:
  gleaner workers --store postgres://gleaner@db.example/news --objects s3://news/corpus
  gleaner workers --json

Exit codes: 0 success, 3 if some partitions have no worker.")]
    Workers(Workers),
    /// Copy a corpus from a folder into PostgreSQL, or back
    #[command(after_help = MIGRATE_HELP)]
    Migrate(Migrate),
    /// Merge small files in object storage into large Parquet and WARC files
    #[command(
        after_help = "Workers merge their own files. This command merges all files, and writes files with many \
outdated documents again. It can run during a crawl.

Examples:
  gleaner compact --store postgres://gleaner@db.example/news --objects s3://news/corpus"
    )]
    Compact,
    /// Export documents of the corpus
    #[command(after_help = export_help())]
    Export(Box<Export>),
    /// Search the texts: concordance lines, frequencies, word lists
    #[command(after_help = SEARCH_HELP)]
    Search(Box<Search>),
    /// Show the size of the corpus by language, day and host
    #[command(after_help = stats_help())]
    Stats(Box<Stats>),
    /// List clusters of near-duplicates, or related documents
    #[command(
        after_help = "For each cluster, prints the representative and the other members, each with its \
similarity to the representative. The similarity is the estimated share of three-word sequences that two \
texts have in common.

Examples:
  gleaner duplicates --data corpus
  gleaner duplicates --host vnexpress.net --limit 5
  gleaner duplicates --related --json"
    )]
    Duplicates(Duplicates),
    /// Serve the status page: hosts, runs, search, documents, metrics
    #[command(after_help = SERVE_HELP)]
    Serve(Serve),
    /// Inspect templates and what they extract from a page
    #[command(after_help = "Examples:
  gleaner template list
  gleaner template show vnexpress.net
  gleaner template explain page.html --url https://vnexpress.net/a-page-4181177.html
  gleaner template explain page.html --template example.json --out seen.html
  gleaner template explain https://vnexpress.net/a-page-4181177.html --archived --data corpus")]
    Template(Template),
    /// Extract the text of a page, or of many pages
    #[command(
        after_help = "With --format jsonl, a page that cannot be read becomes a line with the reason in \
\"error\", and the exit code is 1.

Examples:
  gleaner extract page.html
  gleaner extract pages/ --format jsonl > pages.jsonl
  gleaner extract 'crawl/**/*.html' --format jsonl > pages.jsonl
  gleaner extract https://vnexpress.net/a-page-4181177.html --format json
  gleaner extract page.html --keep captions,by-lines
  gleaner extract page.html --method content-extractor --beside pages/
  curl -s https://example.org/a | gleaner extract - --template example.json"
    )]
    Extract(Extract),
    /// Learn a template from pages of one site
    #[command(after_help = "Example:
  gleaner learn pages/ --host vnexpress.net --out vnexpress.json")]
    Learn(Learn),
    /// Restore the store from the archive alone, with the same texts
    #[command(
        after_help = "The archive has every change of the store, so nothing is extracted again, and the texts do not \
depend on today's settings, pins or templates. With --relearn, the templates are learned and all texts extracted \
again, and the command says what changed. The new store is built beside the old one, which can be read meanwhile, and \
is then kept as sled.old-1. After an interruption, the same command resumes.

Examples:
  gleaner rebuild --data corpus
  gleaner rebuild --relearn --data corpus"
    )]
    Rebuild(Rebuild),
    /// Extract the archived pages again with the current templates; ids stay the same
    #[command(
        after_help = "After an interruption, the same command resumes. On PostgreSQL, several workers \
can share the work.

Example:
  gleaner reextract --data corpus"
    )]
    Reextract(Reextract),
    /// Remove documents or a host for good; without --yes, show what would be removed
    #[command(after_help = REMOVE_HELP)]
    Remove(Remove),
    /// List what was removed, or take a removal back
    #[command(after_help = REMOVALS_HELP)]
    Removals(Removals),
    /// Check that store and archive are complete and consistent
    #[command(after_help = "Prints each fault. The exit code is 1 if there is one.

Examples:
  gleaner verify --data corpus
  gleaner verify --repair --data corpus")]
    Verify(Verify),
    /// Make a consistent copy of the corpus, even during a crawl
    #[command(after_help = "The copy is a corpus folder: read it with `--data DIR`.

Example:
  gleaner snapshot backup/2026-11-21 --data corpus")]
    Snapshot(Snapshot),
    /// Ingest WARC files of other crawlers
    #[command(after_help = "Reads .warc, .warc.gz and .warc.zst files, folders of them, and indexes (.cdx, \
.cdxj, also with .gz) in the same folder as the files that they list. An incomplete page is not stored, \
and gets the outcome `truncated`. After an interruption, the same command resumes and skips finished \
files. On PostgreSQL, several workers can ingest the same files at once. Each takes its share of the \
sites.

Examples:
  gleaner ingest CC-NEWS-20261101010203-00001.warc.gz --data news
  gleaner ingest crawls/ --data corpus --set crawl.workers=8
  gleaner ingest crawls/ --store postgres://gleaner@db.example/news --objects s3://news/corpus")]
    Ingest(Ingest),
    /// Print all settings with their defaults and comments
    #[command(
        after_help = "A settings file needs only the keys that differ from the defaults. `gleaner init` writes one.

Example:
  gleaner settings > all-settings.toml"
    )]
    Settings,
    /// Print completions for a shell
    #[command(after_help = "Examples:
  gleaner completions bash > ~/.local/share/bash-completion/completions/gleaner
  gleaner completions zsh > ~/.zfunc/_gleaner")]
    Completions(Completions),
    /// Write man pages, one per command
    #[command(after_help = "Example:
  gleaner man ~/.local/share/man/man1")]
    Man(Man),
}

impl Command {
    /// Whether the command reads the settings.
    pub(crate) const fn has_settings(&self) -> bool {
        !matches!(self, Self::Init(_) | Self::Settings | Self::Completions(_) | Self::Man(_))
    }

    /// Whether the command uses more of the settings than the place of the corpus.
    pub(crate) const fn depends_on_settings(&self) -> bool {
        !matches!(
            self,
            Self::Report(_)
                | Self::Hosts(_)
                | Self::Urls(_)
                | Self::Export(_)
                | Self::Search(_)
                | Self::Stats(_)
                | Self::Duplicates(_)
                | Self::Workers(_)
                | Self::Removals(_)
                | Self::Verify(_)
                | Self::Snapshot(_)
                | Self::Template(Template { what: TemplateCommand::List | TemplateCommand::Show { .. } })
        )
    }
}

#[derive(Debug, clap::Args)]
pub(crate) struct Crawl {
    /// Sites to crawl: a host such as vnexpress.net, or a URL
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// File of seed sites, one per line; repeatable [default without URL: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Also visit the front pages, sections, feeds and sitemaps that are not due yet, and the articles that
    /// wait for an age of crawl.recheck
    #[arg(long)]
    pub(crate) now: bool,
    #[command(flatten)]
    pub(crate) budgets: Budgets,
    #[command(flatten)]
    pub(crate) status: Status,
}

#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Refetch {
    /// Page of the corpus, or another URL that a crawl has found
    #[arg(value_name = "URL")]
    pub(crate) urls: Vec<String>,
    /// Fetch the pages of all documents of this host and its subdomains; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Stats {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a chart of the growth by day to this file
    #[arg(long, value_name = "FILE", conflicts_with = "quick")]
    pub(crate) svg: Option<PathBuf>,
    /// Omit distinct words, statements on use and the growth by day, which need all documents
    #[arg(long)]
    pub(crate) quick: bool,
    #[command(flatten)]
    pub(crate) selection: Selection,
}

fn stats_help() -> String {
    format!(
        "All documents count, also those that an export leaves out by default: near-duplicates and texts with a low \
confidence.

{}
Examples:
  gleaner stats --data corpus
  gleaner stats --svg growth.svg
  gleaner stats --published-from 2026 --language vi
  gleaner stats --exclude-host blog.vnexpress.net --where 'section=\"Thể thao\" and words>=200'
  gleaner stats --quick --json",
        selection_help()
    )
}

#[derive(Debug, clap::Args)]
pub(crate) struct Duplicates {
    /// Show only clusters with a document of this host or its subdomains
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Show the N largest clusters; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number::<0>)]
    pub(crate) limit: u64,
    /// List related documents that are not near-duplicates, instead of clusters
    #[arg(long)]
    pub(crate) related: bool,
    /// Print one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
}
