//! What can be typed of `gleaner eval`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gleaner_eval::Method;
use gleaner_eval::papers::Paper;

use super::methods;

#[derive(Debug, clap::Args)]
pub(crate) struct Eval {
    /// Sets: folders with a manifest.jsonl, or folders of such folders
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) sets: Vec<PathBuf>,
    /// What a method may learn from before it extracts a page
    #[arg(long, value_enum, default_value_t = EvalProtocol::Cold)]
    pub(crate) protocol: EvalProtocol,
    /// Only this method; repeatable [default: all that the protocol allows]
    #[arg(long, value_name = "NAME", value_parser = methods())]
    pub(crate) method: Vec<Method>,
    /// Take this measure besides words, in the table, JSON and CSV; repeatable
    ///
    /// edit_distance_pages counts the pages of which the mean edit distance ratio is: texts
    /// that are long and unlike (80,000 characters and more) are not measured.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) measure: Vec<EvalMeasure>,
    /// Print a JSON object for each set and method, and for all sets together, one a line
    ///
    /// Times are in the table for people only, since they differ from run to run. With
    /// --protocol papers it is an object a row of a table: paper, table, row, from (the
    /// paper, ours, the difference) and figures by column; and one a table with its remarks.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print the same as CSV, on standard output: it takes no file name
    #[arg(long)]
    pub(crate) csv: bool,
    /// Show also the N pages on which each method did worst (on standard error with --json, --csv)
    #[arg(long, value_name = "N", value_parser = pages, allow_negative_numbers = true)]
    pub(crate) worst: Option<usize>,
    /// Judge each page by a block model grown now from the other sites (2 minutes), not the built-in one
    #[arg(long)]
    pub(crate) cross_validate: bool,
    /// With --protocol papers: only the tables of this paper; repeatable
    #[arg(long, value_name = "NAME", value_parser = papers())]
    pub(crate) paper: Vec<Paper>,
    /// With --protocol papers: write the papers' figures into this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    pub(crate) pictures: Option<PathBuf>,
    /// Threads; of more than 4 a core, 4 a core are started [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EvalProtocol {
    /// Five folds a set: each page by what the other folds teach
    Template,
    /// Each page by itself
    Cold,
    /// The tables of the papers, with our figures in their rows
    Papers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EvalMeasure {
    /// Precision, recall and F of blocks (FastContentExtractor, IV.B.1)
    Blocks,
    /// The same by the longest common subsequence of words (Line-Block)
    Subsequence,
    /// Edit distance ratio of characters (Text-To-Tag Ratio, 5.1)
    EditDistance,
    /// Bytes of HTML and text, plain and gzip (Text-To-Tag Ratio, 5.2)
    Space,
    /// All of these
    All,
}

/// clap's own words for a number that is none are the compiler's.
fn threads(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "name 1 or more, or leave it out for one a core")
}

fn pages(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "name a number of pages, 0 or more")
}

fn papers() -> impl TypedValueParser<Value = Paper> {
    PossibleValuesParser::new(Paper::ALL.map(Paper::name))
        .map(|name| Paper::named(&name).expect("only names of papers are possible"))
}
