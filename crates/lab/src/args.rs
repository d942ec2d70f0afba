//! The command line of `gleaner-lab`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand, ValueEnum};
use gleaner_corpus::Method;
use gleaner_lab::papers::Paper;

/// The laboratory of gleaner: compares extraction methods
#[derive(Debug, Parser)]
#[command(name = "gleaner-lab", version)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Evaluate extraction methods on recorded pages with gold text
    #[command(after_help = "Examples:
  gleaner-lab eval ../shared/sets/sites --protocol template --method gleaner
  gleaner-lab eval ../shared/sets/single --json > scores.jsonl
  gleaner-lab eval ../shared/sets/single --method bte-linear --measure all --worst 10
  gleaner-lab eval ../shared/sets --protocol papers --paper text-to-tag-ratio --pictures .

P, R and F1 are word precision, recall and F1, averaged over the pages with gold text. A page whose \
extracted text has no word in common with the gold text has an F1 of 0. The site mean F1 (site_mean_f1) \
is the mean of the sets' means. The exit code is 1 if a page cannot be read. Such a page is printed and \
not counted.")]
    Eval(Eval),
    /// Print the text of a page by a paper's method that reads one page
    #[command(after_help = "`gleaner extract` has the other methods.

Example:
  gleaner-lab extract page.html --method line-block")]
    Extract(Extract),
}

#[derive(Debug, clap::Args)]
pub(crate) struct Extract {
    /// File (plain, or gzip if its name ends in .gz)
    #[arg(value_name = "FILE")]
    pub(crate) page: PathBuf,
    /// Extraction method
    #[arg(long, value_name = "NAME", value_parser = methods(reads_one_page))]
    pub(crate) method: Method,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Eval {
    /// Evaluation sets: folders with a manifest.jsonl, or folders of such folders
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) sets: Vec<PathBuf>,
    /// Which pages a method can learn from
    #[arg(long, value_enum, default_value_t = EvalProtocol::Cold)]
    pub(crate) protocol: EvalProtocol,
    /// Only this method; repeatable [default: all methods of the protocol]
    #[arg(long, value_name = "NAME", value_parser = methods(|_| true))]
    pub(crate) method: Vec<Method>,
    /// Add this measure to the table, JSON and CSV; repeatable
    ///
    /// edit_distance_pages is the number of pages in the mean edit distance ratio. Long and very
    /// different texts (80,000 characters and more) are not measured.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) measure: Vec<EvalMeasure>,
    /// Print one JSON object per line for each set and method, and for all sets together
    ///
    /// JSON has no times, since they vary. With --protocol papers, there is one object for
    /// each row of a table (paper, table, row, from, figures by column) and one for each table
    /// with its remarks.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print CSV on standard output
    #[arg(long)]
    pub(crate) csv: bool,
    /// Also show the N pages with the lowest F1 of each method (on standard error with --json or --csv)
    #[arg(long, value_name = "N", value_parser = pages, allow_negative_numbers = true)]
    pub(crate) worst: Option<usize>,
    /// Train the block model on the other sites (2 minutes) instead of using the built-in one
    #[arg(long)]
    pub(crate) cross_validate: bool,
    /// Print only the tables of this paper (with --protocol papers); repeatable
    #[arg(long, value_name = "NAME", value_parser = papers())]
    pub(crate) paper: Vec<Paper>,
    /// With --protocol papers: write the papers' figures as SVG into this folder
    #[arg(long, value_name = "FOLDER")]
    pub(crate) pictures: Option<PathBuf>,
    /// Number of threads, at most 4 per core [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EvalProtocol {
    /// Extract each of five folds of a set with a template learned from the other four
    Template,
    /// Each page on its own
    Cold,
    /// The tables of the papers, with our figures
    Papers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalMeasure {
    /// Precision, recall and F of blocks (FastContentExtractor, IV.B.1)
    Blocks,
    /// Precision, recall and F of the longest common subsequence of words (Line-Block)
    Subsequence,
    /// Edit distance ratio of characters (Text-To-Tag Ratio, 5.1)
    EditDistance,
    /// Bytes of HTML and text, plain and gzip (Text-To-Tag Ratio, 5.2)
    Space,
    /// All of these
    All,
}

/// Parses the number here because clap would print the error text of the standard library.
fn threads(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "must be 1 or more; omit it for one thread per core")
}

fn pages(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "must be a number of pages, 0 or more")
}

/// Whether the method is one of [`gleaner_lab::methods`].
fn reads_one_page(method: Method) -> bool {
    method.is_published() && !method.needs_site()
}

fn methods(is_choice: impl Fn(Method) -> bool) -> impl TypedValueParser<Value = Method> {
    let choices = Method::choices().filter(|method| is_choice(*method));
    PossibleValuesParser::new(choices.map(Method::setting))
        .map(|name| Method::from_setting(&name).expect("only names of methods are possible"))
}

fn papers() -> impl TypedValueParser<Value = Paper> {
    PossibleValuesParser::new(Paper::ALL.map(Paper::name))
        .map(|name| Paper::from_name(&name).expect("only names of papers are possible"))
}
