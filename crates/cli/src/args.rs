//! What can be typed.

mod dedup;
mod eval;
mod export;
mod migrate;
mod nights;
mod shell;
mod status;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use gleaner_eval::Method;
use gleaner_template::Insert;

use dedup::DEDUP_HELP;
pub(crate) use dedup::{Dedup, WhichHead};
pub(crate) use eval::{Eval, EvalMeasure, EvalProtocol};
use export::export_help;
pub(crate) use export::{Compress, Export, ExportFormat, Tones};
use migrate::MIGRATE_HELP;
pub(crate) use migrate::Migrate;
pub(crate) use nights::{Budgets, Color, Doctor, HostOrder, Hosts, Report, Schedule, Workers};
pub(crate) use shell::{Completions, Man};
pub(crate) use status::{Access, SERVE_HELP, Serve, Status};

/// Builds growing text corpora from news sites.
#[derive(Debug, Parser)]
#[command(name = "gleaner", version, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What all commands take.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Read settings from this file; config/default.toml documents every key
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Folder of the corpus [default: store.path of the settings, "data"]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) data: Option<PathBuf>,
    /// Where the corpus is kept: sled, or postgres://user@host/database [default: store.engine of
    /// the settings, sled]
    #[arg(long, value_name = "ADDRESS", global = true)]
    pub(crate) store: Option<String>,
    /// Where texts and WARC files go with PostgreSQL: s3://bucket/prefix, or a folder
    #[arg(long, value_name = "ADDRESS", global = true)]
    pub(crate) objects: Option<String>,
    /// Set one key, such as fetch.delay=5s; wins over the file; repeatable
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub(crate) set: Vec<String>,
    /// Where colours are wanted
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
    /// Crawl seed sites into the corpus; the same command goes on after any interruption
    #[command(after_help = "Examples:
  gleaner crawl --config config/demo.toml
  gleaner crawl --seeds seeds/vietnamese.txt --set fetch.contact=you@example.org
  gleaner crawl --seeds mine.txt --data corpus --set fetch.delay=10s --max-per-host 500
  gleaner crawl --max-pages 20 --set log.level=info

Exit codes: 0 fine, 3 unusual (the report says what, `gleaner report`), 1 failed, 2 not
understood, 130 interrupted. A run that ends at its budget is fine.")]
    Crawl(Crawl),
    /// Stay up and crawl at the times of the settings, every night by itself
    #[command(
        after_help = "Times, zone, jitter and limits are keys of [schedule]; Ctrl-C ends it as it ends a crawl.

Examples:
  gleaner schedule --config gleaner.toml
  gleaner schedule --once-now --set 'schedule.times=[\"0 2 * * *\"]' --set schedule.zone=Asia/Ho_Chi_Minh"
    )]
    Schedule(Schedule),
    /// Show what the last crawls came to, and what was unusual
    #[command(after_help = "Examples:
  gleaner report --data corpus
  gleaner report --list
  gleaner report --last 7 --json")]
    Report(Report),
    /// Explain one URL or host: why it gives what it gives, or nothing
    #[command(after_help = "Nothing is asked of anyone unless --fetch is given.

Examples:
  gleaner doctor vnexpress.net
  gleaner doctor https://vnexpress.net/a-page-4181177.html --data corpus
  gleaner doctor https://vnexpress.net/a-page-4181177.html --fetch --json")]
    Doctor(Doctor),
    /// List all hosts: what they gave, what waits, how they do
    #[command(after_help = "Examples:
  gleaner hosts --data corpus
  gleaner hosts --sort last-success
  gleaner hosts --filter 'out of date' --json")]
    Hosts(Hosts),
    /// List the workers of a corpus in PostgreSQL: what each has and does
    #[command(after_help = "Examples:
  gleaner workers --store postgres://gleaner@db.example/news --objects s3://news/corpus
  gleaner workers --json

Exit codes: 0 fine, 3 partitions have no worker.")]
    Workers(Workers),
    /// Move the corpus from a folder into PostgreSQL, or back
    #[command(after_help = MIGRATE_HELP)]
    Migrate(Migrate),
    /// Write documents out of the corpus
    #[command(after_help = export_help())]
    Export(Export),
    /// Show what the corpus holds: by language, by day and by host
    #[command(after_help = "Examples:
  gleaner stats --data corpus
  gleaner stats --svg growth.svg
  gleaner stats --quick --json")]
    Stats(Stats),
    /// List near-duplicates: clusters of documents, or documents that are only alike
    #[command(
        after_help = "Of each cluster the head is shown, which stands for it, and its members with their similarity to
it: an estimate of the share of runs of three words that two texts have in common.

Examples:
  gleaner duplicates --data corpus
  gleaner duplicates --host vnexpress.net --limit 5
  gleaner duplicates --related --json"
    )]
    Duplicates(Duplicates),
    /// Find near-duplicates over the exports of many corpora, with files instead of memory
    #[command(after_help = DEDUP_HELP)]
    Dedup(Dedup),
    /// Serve a web page that shows the corpus and its hosts, with search
    #[command(after_help = SERVE_HELP)]
    Serve(Serve),
    /// Look at the templates that were learned, and at what they make of a page
    #[command(after_help = "Examples:
  gleaner template list
  gleaner template show vnexpress.net
  gleaner template explain page.html --url https://vnexpress.net/a-page-4181177.html
  gleaner template explain page.html --template example.json --out seen.html")]
    Template(Template),
    /// Extract the text of one page
    #[command(after_help = "Examples:
  gleaner extract page.html
  gleaner extract https://vnexpress.net/a-page-4181177.html --format json
  gleaner extract page.html --keep captions,by-lines
  gleaner extract page.html --method comma-score
  gleaner extract page.html --method content-extractor --beside pages/
  curl -s https://example.org/a | gleaner extract - --template example.json")]
    Extract(Extract),
    /// Learn a template from pages of one site
    #[command(after_help = "Example:
  gleaner learn pages/ --host vnexpress.net --out vnexpress.json")]
    Learn(Learn),
    /// Make the store anew from the archive of what was fetched
    #[command(
        after_help = "The old store stays beside the new one, as sled.old-1. Interrupted, the same command goes on.

Example:
  gleaner rebuild --data corpus"
    )]
    Rebuild(Rebuild),
    /// Extract the archived pages again by today's templates; ids stay
    #[command(after_help = "Interrupted, the same command goes on; on PostgreSQL several may share it.

Example:
  gleaner reextract --data corpus")]
    Reextract(Reextract),
    /// Look whether store and archive are whole and agree with each other
    #[command(after_help = "Exit code 1 if there is a fault; each is named.

Example:
  gleaner verify --data corpus")]
    Verify(Verify),
    /// Copy the corpus as it is at this moment, also while a crawl runs
    #[command(after_help = "The copy is a folder like the corpus's own: `--data DIR` reads it.

Example:
  gleaner snapshot backup/2026-11-21 --data corpus")]
    Snapshot(Snapshot),
    /// Build a corpus from WARC files of other crawlers
    #[command(
        after_help = "Read are .warc, .warc.gz and .warc.zst files, folders of them, and indexes (.cdx, .cdxj, also with
.gz) beside the files they name. A page that is not all there is not stored; it ends as truncated. Interrupted, the same command goes on; files that are done are passed over.
On PostgreSQL several may ingest the same files at once; each takes its share of the sites.

Examples:
  gleaner ingest CC-NEWS-20261101010203-00001.warc.gz --data news
  gleaner ingest crawls/ --data corpus --set crawl.workers=8
  gleaner ingest crawls/ --store postgres://gleaner@db.example/news --objects s3://news/corpus"
    )]
    Ingest(Ingest),
    /// Compare methods on recorded pages with gold text
    #[command(after_help = "Examples:
  gleaner eval ../shared/sets/sites --protocol template --method gleaner
  gleaner eval ../shared/sets/single --json > scores.jsonl
  gleaner eval ../shared/sets/single --method bte-linear --measure all --worst 10
  gleaner eval ../shared/sets --protocol papers --paper text-to-tag-ratio --pictures .

Figures: P, R and F1 are those of words, means over the pages that have gold text; where nothing
is shared, as with an empty gold text, they are 0. The site mean F1 (site_mean_f1) is the mean over
the sets of their means, whatever sites the pages of a set are of. Exit code 1 if a page could not
be read: it is named, and in no figure.")]
    Eval(Eval),
    /// Print what a shell needs to complete gleaner's commands
    #[command(after_help = "Examples:
  gleaner completions bash > ~/.local/share/bash-completion/completions/gleaner
  gleaner completions zsh > ~/.zfunc/_gleaner")]
    Completions(Completions),
    /// Write the manual: a page for each command
    #[command(after_help = "Example:
  gleaner man ~/.local/share/man/man1")]
    Man(Man),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Crawl {
    /// Seed sites, one a line; repeatable [default: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) budgets: Budgets,
    #[command(flatten)]
    pub(crate) status: Status,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Rebuild {
    /// Seed sites, one a line; repeatable [default: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Anew though the archive lacks pages of documents, or though an unfinished one could go on
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reextract {}

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// Remove what killed workers left in object storage, and which does not count
    #[arg(long)]
    pub(crate) sweep: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Snapshot {
    /// Folder of the copy; it must not be there
    pub(crate) dir: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Ingest {
    /// WARC files, folders of them, or indexes
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Stats {
    /// Print one JSON object instead of tables
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw the growth by day into this file
    #[arg(long, value_name = "FILE", conflicts_with = "quick")]
    pub(crate) svg: Option<PathBuf>,
    /// Only what is known without reading the documents: no types, no growth
    #[arg(long)]
    pub(crate) quick: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Duplicates {
    /// Only clusters with a document of this host or its subdomains
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Show that many clusters, the largest; 0 for all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Instead of clusters, documents with those that are alike and no duplicates
    #[arg(long)]
    pub(crate) related: bool,
    /// Print a JSON object for each, one a line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Template {
    #[command(subcommand)]
    pub(crate) what: TemplateCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TemplateCommand {
    /// List the hosts that have a template
    List,
    /// Print a host's template for people
    Show {
        /// The host, such as vnexpress.net
        host: String,
        /// Print the file that `extract --template` reads instead
        #[arg(long)]
        json: bool,
    },
    /// Write a page as HTML that shows what each of its lines was taken for, and why
    Explain(Explain),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) page: OnePage,
    /// Where it is written [default: the page's name with .explained.html, here]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A page, and how its template is found.
#[derive(Debug, clap::Args)]
pub(crate) struct OnePage {
    /// A file (gzip or not), a URL, or - for standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) page: String,
    /// Extract by this template instead of the corpus's (method gleaner only)
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Use no template at all, but the single-page method
    #[arg(long, conflicts_with = "template")]
    pub(crate) no_template: bool,
    /// Where a file came from; its host's template in the corpus is then used
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Keep these lines in the body, too [default: text.keep of the settings, none]
    #[arg(long, value_name = "NAMES", value_parser = inserts(), value_delimiter = ',')]
    pub(crate) keep: Vec<Insert>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Extract {
    #[command(flatten)]
    pub(crate) page: OnePage,
    /// Extract by this method
    #[arg(long, value_name = "NAME", value_parser = methods(), default_value = "gleaner")]
    pub(crate) method: Method,
    /// Other pages of the same site, to learn from: files or folders; repeatable (methods that
    /// learn a site: content-extractor, fast-content-extractor, gleaner)
    #[arg(long, value_name = "PAGES", conflicts_with_all = ["template", "no_template"])]
    pub(crate) beside: Vec<PathBuf>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub(crate) format: PageFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PageFormat {
    /// The text alone, a paragraph a line
    Text,
    /// Text and metadata as one JSON object
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Learn {
    /// Article pages of one site: files (gzip or not) or folders of them
    #[arg(required = true, value_name = "PAGES")]
    pub(crate) pages: Vec<PathBuf>,
    /// Where the template is written
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// The site's host [default: the canonical URL that the pages state]
    #[arg(long)]
    pub(crate) host: Option<String>,
}

/// The methods' names, which help lists, to methods.
fn methods() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::all().map(Method::name))
        .map(|name| Method::named(&name).expect("only names of methods are possible"))
}

fn inserts() -> impl TypedValueParser<Value = Insert> {
    PossibleValuesParser::new(Insert::ALL.map(Insert::name))
        .map(|name| Insert::named(&name).expect("only names of inserts are possible"))
}
