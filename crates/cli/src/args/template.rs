//! Options of `template`, `extract` and `learn`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Subcommand, ValueEnum};
use gleaner_corpus::{Extra, Insert, Method};

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
        /// Print JSON that `extract --template` can read
        #[arg(long)]
        json: bool,
    },
    /// Write HTML that shows the label of each line of a page and the reason
    Explain(Explain),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) page: PageArguments,
    /// Output file [default: the page's name with .explained.html, in the current folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// A page, and how to choose its template.
#[derive(Debug, clap::Args)]
pub(crate) struct PageArguments {
    /// File (plain or gzip), URL, or - for standard input
    #[arg(value_name = "FILE|URL|-")]
    pub(crate) page: String,
    #[command(flatten)]
    pub(crate) how: ReadOptions,
}

/// How to choose the template of a page, and what to keep.
#[derive(Debug, clap::Args)]
pub(crate) struct ReadOptions {
    /// Use this template instead of the one in the corpus (method gleaner only)
    #[arg(long, value_name = "FILE")]
    pub(crate) template: Option<PathBuf>,
    /// Read the page of this URL from the corpus instead of the network
    #[arg(long, conflicts_with = "url")]
    pub(crate) archived: bool,
    /// Extract without a template
    #[arg(long, conflicts_with = "template")]
    pub(crate) no_template: bool,
    /// URL of the page; selects the template of its host in the corpus
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Keep these kinds of lines in the text [default: text.keep of the settings, none]
    #[arg(long, value_name = "NAMES", value_parser = inserts(), value_delimiter = ',')]
    pub(crate) keep: Vec<Insert>,
    /// Write these parts of the page to separate fields [default: text.also of the settings, none]
    #[arg(long, value_name = "NAMES", value_parser = extras(), value_delimiter = ',')]
    pub(crate) also: Vec<Extra>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Extract {
    /// File (plain or gzip), URL, or - for standard input; with --format jsonl also several files,
    /// folders and patterns such as 'pages/**/*.html'
    #[arg(required = true, value_name = "FILE|URL|-")]
    pub(crate) pages: Vec<String>,
    #[command(flatten)]
    pub(crate) how: ReadOptions,
    /// Extraction method
    #[arg(long, value_name = "NAME", value_parser = methods(), default_value = "gleaner")]
    pub(crate) method: Method,
    /// Other pages of the same site to learn from, files or folders; repeatable (methods
    /// content-extractor, fast-content-extractor, gleaner)
    #[arg(long, value_name = "PAGES", conflicts_with_all = ["template", "no_template"])]
    pub(crate) beside: Vec<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = PageFormat::Text)]
    pub(crate) format: PageFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PageFormat {
    /// Plain text, one paragraph per line
    Text,
    /// Text and metadata as one JSON object
    Json,
    /// One JSON object per line for each page, with the name of the file, in the order of the pages
    Jsonl,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Learn {
    /// Article pages of one site: files (plain or gzip) or folders
    #[arg(required = true, value_name = "PAGES")]
    pub(crate) pages: Vec<PathBuf>,
    /// Output file of the template
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Host of the site; pages of other hosts are skipped [default: from the canonical URL of the
    /// pages]
    #[arg(long)]
    pub(crate) host: Option<String>,
}

/// Parses a method, except the published ones that read one page, which are in the laboratory.
fn methods() -> impl TypedValueParser<Value = Method> {
    let is_here = |method: &Method| !method.is_published() || method.needs_site();
    PossibleValuesParser::new(Method::choices().filter(is_here).map(Method::setting))
        .map(|name| Method::from_setting(&name).expect("only names of methods are possible"))
}

fn extras() -> impl TypedValueParser<Value = Extra> {
    PossibleValuesParser::new(Extra::ALL.map(Extra::name))
        .map(|name| Extra::from_name(&name).expect("only names of extras are possible"))
}

fn inserts() -> impl TypedValueParser<Value = Insert> {
    PossibleValuesParser::new(Insert::ALL.map(Insert::name))
        .map(|name| Insert::from_name(&name).expect("only names of inserts are possible"))
}
