//! Defines the options of `gleaner eval`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use gleaner_eval::Method;
use gleaner_eval::papers::Paper;

use super::methods;

#[derive(Debug, clap::Args)]
pub(crate) struct Eval {
    /// Evaluation sets: folders with a manifest.jsonl, or folders of such folders
    #[arg(required = true, value_name = "FOLDER")]
    pub(crate) sets: Vec<PathBuf>,
    /// Pages that a method may learn from before it extracts a page
    #[arg(long, value_enum, default_value_t = EvalProtocol::Cold)]
    pub(crate) protocol: EvalProtocol,
    /// Evaluate only this method; repeatable [default: all methods that the protocol allows]
    #[arg(long, value_name = "NAME", value_parser = methods())]
    pub(crate) method: Vec<Method>,
    /// Add this measure to the table, JSON and CSV; repeatable
    ///
    /// edit_distance_pages counts the pages that the mean edit distance ratio includes: long
    /// texts (80,000 characters and more) that differ much are not measured.
    #[arg(long, value_enum, value_name = "NAME")]
    pub(crate) measure: Vec<EvalMeasure>,
    /// Print one JSON object per line for each set and method, and for all sets together
    ///
    /// Only the text table has times, since they differ from run to run. With --protocol papers,
    /// there is an object for each table row: paper, table, row, from (the paper, ours, the
    /// difference) and figures by column; and one for each table with its remarks.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print the same as CSV, on standard output
    #[arg(long)]
    pub(crate) csv: bool,
    /// Show also the N worst pages of each method (on standard error with --json or --csv)
    #[arg(long, value_name = "N", value_parser = pages, allow_negative_numbers = true)]
    pub(crate) worst: Option<usize>,
    /// Extract each page with a block model trained now on the other sites (takes 2 minutes) instead of
    /// the built-in one
    #[arg(long)]
    pub(crate) cross_validate: bool,
    /// Print only the tables of this paper (with --protocol papers); repeatable
    #[arg(long, value_name = "NAME", value_parser = papers())]
    pub(crate) paper: Vec<Paper>,
    /// Write the papers' figures as SVG into this folder (with --protocol papers)
    #[arg(long, value_name = "FOLDER")]
    pub(crate) pictures: Option<PathBuf>,
    /// Number of threads, at most 4 per core [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<NonZeroUsize>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum EvalProtocol {
    /// Five folds per set: a method learns from the other folds before it extracts a page
    Template,
    /// Each page without any training
    Cold,
    /// The tables of the papers, with our figures beside theirs
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

/// Replaces clap's message, which is that of the standard library.
fn threads(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "must be 1 or more; omit it for one thread per core")
}

fn pages(text: &str) -> Result<usize, &'static str> {
    text.parse().map_err(|_| "must be a number of pages, 0 or more")
}

fn papers() -> impl TypedValueParser<Value = Paper> {
    PossibleValuesParser::new(Paper::ALL.map(Paper::name))
        .map(|name| Paper::named(&name).expect("only names of papers are possible"))
}
