//! Options of `gleaner search`.

use clap::ValueEnum;

use super::operations::number;
use crate::status::{Grouping, LineOrder};

pub(super) const SEARCH_HELP: &str = "Prints each hit with its context, one per line. A query has these parts:

  hòa bình         both words, anywhere in a document
  \"hòa bình\"       these words next to each other
  mưa OR lũ        one of them; OR binds closer than a space
  phát*            all words that begin so; not in the middle of a word
  -bão             no document with this word; after -- if it comes first
  host:H  language:L  from:DATE  to:DATE     as the options; -host:H and -language:L leave out

Words in upper and lower case are equal. A word without diacritics (hoa) also finds words with them (hòa, hoá). A word \
with diacritics finds only itself. Titles and texts are searched, also those of near-duplicates. The search index is \
in the folder `search` of the corpus, and is updated first.

A DATE is a day (2026-11-22), a month (2026-11), a year (2026) or an age (7d). Quote the query for the shell.

Examples:
  gleaner search mưa --data corpus
  gleaner search '\"biến đổi khí hậu\" -bão' --host vnexpress.net --from 2026-11 --sort right
  gleaner search 'mưa OR lũ' --by month
  gleaner search 'phát*' --by host --format csv > frequency.csv
  gleaner search --word-list --language vi --limit 100
  gleaner search mưa --limit 0 --format jsonl > lines.jsonl

Exit codes: 0 success, 1 nothing found or failure, 2 invalid command line, settings or query.";

#[derive(Debug, clap::Args)]
pub(crate) struct Search {
    /// What to search for; see below
    #[arg(value_name = "QUERY")]
    pub(crate) query: Vec<String>,
    /// Search only documents of this host and its subdomains; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
    /// Search only documents in this language, such as vi; repeatable
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Vec<String>,
    /// Search only documents published from the beginning of this day, month or year on; without a
    /// date of publication, the day of the fetch counts
    #[arg(long, value_name = "DATE")]
    pub(crate) from: Option<String>,
    /// Search only documents published up to the end of this day, month or year
    #[arg(long, value_name = "DATE")]
    pub(crate) to: Option<String>,
    /// Count the hits, also in a million words, in each group
    #[arg(long, value_name = "GROUP", value_enum, conflicts_with_all = ["word_list", "documents"])]
    pub(crate) by: Option<Grouping>,
    /// List the most frequent words of the documents that match
    #[arg(long, conflicts_with = "documents")]
    pub(crate) word_list: bool,
    /// List the documents that match, the best first
    #[arg(long)]
    pub(crate) documents: bool,
    /// Order of the lines
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = LineOrder::Time, conflicts_with_all = ["by", "word_list", "documents"])]
    pub(crate) sort: LineOrder,
    /// Characters of context before and after a hit [default: as many as fit the terminal, otherwise 50]
    #[arg(long, value_name = "N", value_parser = number::<1>, conflicts_with_all = ["by", "word_list", "documents"])]
    pub(crate) width: Option<u64>,
    /// Print at most N lines, words, documents or groups; 0 for all. Months and years are always all printed
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = number::<0>)]
    pub(crate) limit: u64,
    /// Search the index as it is, without looking for new documents first; faster in a large corpus
    #[arg(long)]
    pub(crate) no_update: bool,
    /// Output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = SearchFormat::Text)]
    pub(crate) format: SearchFormat,
    /// With csv: write ' before a text that a spreadsheet program would run as a formula
    #[arg(long)]
    pub(crate) guard_formulas: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SearchFormat {
    /// A table for people
    Text,
    /// One JSON object per line
    Jsonl,
    /// CSV with the field names in the first line
    Csv,
}
