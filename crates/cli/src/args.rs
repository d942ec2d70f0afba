//! Defines the command line.

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

/// Build growing text corpora from news sites
#[derive(Debug, Parser)]
#[command(name = "gleaner", version, propagate_version = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Options that every command accepts.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Read settings from this file; config/default.toml documents every key
    #[arg(long, value_name = "FILE", global = true)]
    pub(crate) config: Option<PathBuf>,
    /// Folder of the corpus [default: store.path of the settings, "data"]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) data: Option<PathBuf>,
    /// Store engine: sled, or postgres://user@host/database [default: store.engine of the settings, sled]
    #[arg(long, value_name = "ADDRESS", global = true)]
    pub(crate) store: Option<String>,
    /// Object storage for texts and WARC files (PostgreSQL only): s3://bucket/prefix, or a folder
    #[arg(long, value_name = "ADDRESS", global = true)]
    pub(crate) objects: Option<String>,
    /// Set one key, such as fetch.delay=5s; overrides the file; repeatable
    #[arg(long, value_name = "KEY=VALUE", global = true)]
    pub(crate) set: Vec<String>,
    /// When to use colors: auto, always or never
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
    /// Crawl the seed sites into the corpus; run it again to resume after an interruption
    #[command(after_help = "Examples:
  gleaner crawl --config config/demo.toml
  gleaner crawl --seeds seeds/vietnamese.txt --set fetch.contact=you@example.org
  gleaner crawl --seeds mine.txt --data corpus --set fetch.delay=10s --max-per-host 500
  gleaner crawl --max-pages 20 --set log.level=info

Exit codes: 0 fine, 1 failed, 2 invalid arguments or settings, 3 unusual (see `gleaner report`),
130 interrupted. A run that ends at its budget is fine.")]
    Crawl(Crawl),
    /// Keep running and crawl at the times in the settings
    #[command(
        after_help = "The section [schedule] sets times, zone, jitter and limits. Ctrl-C stops it as it stops a crawl.

Examples:
  gleaner schedule --config gleaner.toml
  gleaner schedule --once-now --set 'schedule.times=[\"0 2 * * *\"]' --set schedule.zone=Asia/Ho_Chi_Minh"
    )]
    Schedule(Schedule),
    /// Show the reports of the last crawls
    #[command(after_help = "Examples:
  gleaner report --data corpus
  gleaner report --list
  gleaner report --last 7 --json")]
    Report(Report),
    /// Explain the state of one URL or host
    #[command(after_help = "No request is sent unless --fetch is given.

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
    /// List the workers of a corpus in PostgreSQL
    #[command(after_help = "Examples:
  gleaner workers --store postgres://gleaner@db.example/news --objects s3://news/corpus
  gleaner workers --json

Exit codes: 0 fine, 3 some partitions have no worker.")]
    Workers(Workers),
    /// Move a corpus from a folder into PostgreSQL, or back
    #[command(after_help = MIGRATE_HELP)]
    Migrate(Migrate),
    /// Export documents from the corpus
    #[command(after_help = export_help())]
    Export(Export),
    /// Show statistics of the corpus by language, day and host
    #[command(after_help = "Examples:
  gleaner stats --data corpus
  gleaner stats --svg growth.svg
  gleaner stats --quick --json")]
    Stats(Stats),
    /// List near-duplicates: clusters, or related documents
    #[command(
        after_help = "Each cluster is shown as its representative, followed by the other members with their similarity
to it: the estimated share of three-word sequences that the two texts have in common.

Examples:
  gleaner duplicates --data corpus
  gleaner duplicates --host vnexpress.net --limit 5
  gleaner duplicates --related --json"
    )]
    Duplicates(Duplicates),
    /// Find near-duplicates across exports of several corpora, on disk instead of in memory
    #[command(after_help = DEDUP_HELP)]
    Dedup(Dedup),
    /// Serve a web page that shows the corpus and its hosts, with search
    #[command(after_help = SERVE_HELP)]
    Serve(Serve),
    /// Inspect the learned templates and their effect on a page
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
    /// Rebuild the store from the WARC archive
    #[command(
        after_help = "The old store is kept beside the new one, as sled.old-1. After an interruption, run the same command
again to resume.

Example:
  gleaner rebuild --data corpus"
    )]
    Rebuild(Rebuild),
    /// Extract the archived pages again with the current templates; document ids do not change
    #[command(after_help = "After an interruption, run the same command again to resume.
On PostgreSQL, several processes can share the work.

Example:
  gleaner reextract --data corpus")]
    Reextract(Reextract),
    /// Check that store and archive are complete and consistent
    #[command(after_help = "Each fault is listed. Exit code 1 if there is any.

Example:
  gleaner verify --data corpus")]
    Verify(Verify),
    /// Copy the corpus in a consistent state, even while a crawl runs
    #[command(after_help = "The copy is a corpus folder: read it with `--data DIR`.

Example:
  gleaner snapshot backup/2026-11-21 --data corpus")]
    Snapshot(Snapshot),
    /// Build a corpus from WARC files of other crawlers
    #[command(
        after_help = "Input files are .warc, .warc.gz and .warc.zst files, folders of them, and indexes (.cdx, .cdxj, also
with .gz) beside the files they refer to. An incomplete page is not stored; its outcome is truncated.
After an interruption, run the same command again to resume; finished files are skipped.
On PostgreSQL, several processes can ingest the same files; each handles its share of the sites.

Examples:
  gleaner ingest CC-NEWS-20261101010203-00001.warc.gz --data news
  gleaner ingest crawls/ --data corpus --set crawl.workers=8
  gleaner ingest crawls/ --store postgres://gleaner@db.example/news --objects s3://news/corpus"
    )]
    Ingest(Ingest),
    /// Evaluate extraction methods on recorded pages with gold text
    #[command(after_help = "Examples:
  gleaner eval ../shared/sets/sites --protocol template --method gleaner
  gleaner eval ../shared/sets/single --json > scores.jsonl
  gleaner eval ../shared/sets/single --method bte-linear --measure all --worst 10
  gleaner eval ../shared/sets --protocol papers --paper text-to-tag-ratio --pictures .

P, R and F1 are measured on words and averaged over the pages that have gold text; they are 0 if no
word is shared, for example if the gold text is empty. The site mean F1 (site_mean_f1) is the mean of
the sets' means, even if the pages of a set come from several sites. Exit code 1 if a page could not
be read: it is listed, and no figure includes it.")]
    Eval(Eval),
    /// Print a completion script for a shell
    #[command(after_help = "Examples:
  gleaner completions bash > ~/.local/share/bash-completion/completions/gleaner
  gleaner completions zsh > ~/.zfunc/_gleaner")]
    Completions(Completions),
    /// Write manual pages, one for each command
    #[command(after_help = "Example:
  gleaner man ~/.local/share/man/man1")]
    Man(Man),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Crawl {
    /// File with seed sites, one per line; repeatable [default: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) budgets: Budgets,
    #[command(flatten)]
    pub(crate) status: Status,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Rebuild {
    /// File with seed sites, one per line; repeatable [default: crawl.seeds of the settings]
    #[arg(long, value_name = "FILE")]
    pub(crate) seeds: Vec<PathBuf>,
    /// Rebuild even if the archive lacks pages of documents, and restart an unfinished rebuild
    #[arg(long)]
    pub(crate) force: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Reextract {}

#[derive(Debug, clap::Args)]
pub(crate) struct Verify {
    /// Remove files that killed workers left in object storage and that no record refers to
    #[arg(long)]
    pub(crate) sweep: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Snapshot {
    /// Folder for the copy; it must not exist
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
    /// Write a chart of the growth by day to this file, as SVG
    #[arg(long, value_name = "FILE", conflicts_with = "quick")]
    pub(crate) svg: Option<PathBuf>,
    /// Skip figures that require reading all documents: types and growth
    #[arg(long)]
    pub(crate) quick: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Duplicates {
    /// Show only clusters with a document of this host or its subdomains
    #[arg(long)]
    pub(crate) host: Option<String>,
    /// Show the N largest clusters; 0 shows all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Show documents with their related documents instead of clusters
    #[arg(long)]
    pub(crate) related: bool,
    /// Print one JSON object per line
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
    /// Print a host's template in readable form
    Show {
        /// Host, such as vnexpress.net
        host: String,
        /// Print the JSON file that `extract --template` reads
        #[arg(long)]
        json: bool,
    },
    /// Write a page as HTML that shows how each line was classified, and why
    Explain(Explain),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) page: OnePage,
    /// File to write [default: the page's name with .explained.html, in the current folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A page and its template.
#[derive(Debug, clap::Args)]
pub(crate) struct OnePage {
    /// File (plain or gzip), URL, or - for standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) page: String,
    /// Template to use instead of the corpus's (method gleaner only)
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Use the single-page method without any template
    #[arg(long, conflicts_with = "template")]
    pub(crate) no_template: bool,
    /// URL of a page read from a file; selects its host's template in the corpus
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Kinds of lines to keep in the body text [default: text.keep of the settings, none]
    #[arg(long, value_name = "NAMES", value_parser = inserts(), value_delimiter = ',')]
    pub(crate) keep: Vec<Insert>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Extract {
    #[command(flatten)]
    pub(crate) page: OnePage,
    /// Extraction method
    #[arg(long, value_name = "NAME", value_parser = methods(), default_value = "gleaner")]
    pub(crate) method: Method,
    /// Other pages of the same site to learn from: files or folders; repeatable (for the methods that learn a
    /// site: content-extractor, fast-content-extractor, gleaner)
    #[arg(long, value_name = "PAGES", conflicts_with_all = ["template", "no_template"])]
    pub(crate) beside: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub(crate) format: PageFormat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PageFormat {
    /// Text only, one paragraph per line
    Text,
    /// Text and metadata as one JSON object
    Json,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Learn {
    /// Article pages of one site: files (plain or gzip) or folders
    #[arg(required = true, value_name = "PAGES")]
    pub(crate) pages: Vec<PathBuf>,
    /// File to write the template to
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Host of the site [default: from the canonical URLs in the pages]
    #[arg(long)]
    pub(crate) host: Option<String>,
}

/// Parses a method's name; help lists the possible names.
fn methods() -> impl TypedValueParser<Value = Method> {
    PossibleValuesParser::new(Method::all().map(Method::name))
        .map(|name| Method::named(&name).expect("only names of methods are possible"))
}

fn inserts() -> impl TypedValueParser<Value = Insert> {
    PossibleValuesParser::new(Insert::ALL.map(Insert::name))
        .map(|name| Insert::named(&name).expect("only names of inserts are possible"))
}
