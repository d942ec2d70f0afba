//! Options of `gleaner export`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::ValueEnum;
use clap::builder::{NonEmptyStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use gleaner_corpus::condition::FIGURES;
use gleaner_corpus::query::{TEXT_FIELDS, TIME_FIELDS};
use gleaner_corpus::{Purpose, Tones};
use gleaner_crawl::settings::ByteSize;
use gleaner_export::filter::DEFAULT_CONFIDENCE;
use gleaner_export::{FORMATS, Fields, FormatKind};

use super::operations::number;

#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// Output format [default: from the extension of --out, otherwise jsonl]
    #[arg(long, value_parser = formats())]
    pub(crate) format: Option<&'static FormatKind>,
    /// Compression of the file or files, except for parquet, datasets and text [default: from the
    /// extension of --out, otherwise none]
    #[arg(long, value_enum)]
    pub(crate) compress: Option<Compress>,
    /// With csv: write ' before a text that a spreadsheet program would run as a formula, because it
    /// begins with =, +, -, @, a tab or a line break
    #[arg(long)]
    pub(crate) guard_formulas: bool,
    /// Write to this file, atomically [default: standard output]
    #[arg(long, value_name = "FILE", conflicts_with = "into")]
    pub(crate) out: Option<PathBuf>,
    /// Write shards and a manifest into this new folder, atomically; the same command resumes
    /// after an interruption
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    /// With --into: maximum size of a shard
    #[arg(long, value_name = "SIZE", default_value = "512MiB", requires = "into", value_parser = size)]
    pub(crate) shard_size: u64,
    /// Export only documents of this host, or the host of this URL, and its subdomains; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
    /// Export only documents in this language, such as vi; repeatable
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Vec<String>,
    /// Export only documents fetched on or after this day or time (UTC), or since the earlier export
    /// in this folder
    #[arg(long, value_name = "DATE|DIR")]
    pub(crate) since: Option<String>,
    /// Export only documents fetched before this day or time (UTC)
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Export only documents published on or after this day or time (UTC); excludes those without a
    /// date
    #[arg(long, value_name = "DATE")]
    pub(crate) published_from: Option<String>,
    /// Export only documents published up to this time (UTC), or to the end of this day; excludes
    /// those without a date
    #[arg(long, value_name = "DATE")]
    pub(crate) published_to: Option<String>,
    /// Export only documents whose title contains this text, in upper or lower case; repeatable, one
    /// text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) title: Vec<String>,
    /// Export only documents whose section contains this text, in upper or
    /// lower case; repeatable, one text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) section: Vec<String>,
    /// Export only documents with an author whose name contains this text, in
    /// upper or lower case; repeatable, one text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) author: Vec<String>,
    /// Export only documents with a keyword that contains this text, in upper or
    /// lower case; repeatable, one text must match
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) tag: Vec<String>,
    /// Export only documents whose site and page do not disallow this use: train-ai, search, ai-input or tdm;
    /// repeatable, all must hold. A document about which nothing is stated, or that was stored by an older
    /// version, is exported
    #[arg(long, value_name = "USE", value_parser = Purpose::from_str)]
    pub(crate) allowed: Vec<Purpose>,
    /// Export only documents whose site or page explicitly allows this use; repeatable, all must hold. A
    /// document about which nothing is stated is left out
    #[arg(long, value_name = "USE", value_parser = Purpose::from_str)]
    pub(crate) explicitly_allowed: Vec<Purpose>,
    /// Export only documents from whose page robots.txt does not bar this crawler, one of corpus.agents;
    /// repeatable, all must hold
    #[arg(long, value_name = "CRAWLER", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) not_barred: Vec<String>,
    /// Export only the first N documents, in the order of their ids
    #[arg(long, value_name = "N", value_parser = number::<1>)]
    pub(crate) limit: Option<u64>,
    /// Export N random documents; the same --seed selects the same ones. Reads the corpus twice
    #[arg(long, value_name = "N", value_parser = sample_size, conflicts_with_all = ["limit", "revisions"])]
    pub(crate) sample: Option<usize>,
    /// With --sample: number that determines the selection
    #[arg(long, value_name = "S", requires = "sample", value_parser = number::<0>)]
    pub(crate) seed: Option<u64>,
    /// Write only these fields, in this order, such as id,title,text (jsonl, csv, parquet, datasets)
    #[arg(long, value_name = "NAMES")]
    pub(crate) fields: Option<Fields>,
    /// Export only documents with at least this confidence: the probability, 0 to 1, that the text is
    /// right (word F1 of at least 0.9). 0 for all. The number of omitted documents is printed on
    /// standard error
    #[arg(long, value_name = "SHARE", value_parser = share, default_value_t = DEFAULT_CONFIDENCE)]
    pub(crate) confidence: f64,
    /// Position of tone marks in Vietnamese texts and titles
    #[arg(long, value_name = "TONES", value_parser = tones(), default_value = AS_KEPT)]
    pub(crate) tones: Tones,
    /// Export only documents that meet this condition, such as 'words>=100 and not section=Sport'; repeatable.
    /// The fields are listed below
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<String>,
    /// Also export the other members of each cluster of near-duplicates, not only its representative
    #[arg(long)]
    pub(crate) members: bool,
    /// Also export earlier texts of pages, each with the same id and its revision number; not
    /// with --into
    #[arg(long, conflicts_with = "into")]
    pub(crate) revisions: bool,
    /// Remove paragraphs that one or several sites repeat; the field "removed" lists their hashes. Reads the
    /// corpus twice
    #[arg(long)]
    pub(crate) without_repeated: bool,
}

pub(super) fn export_help() -> String {
    let figures = FIGURES.map(|(name, _, meaning)| format!("  {name:<20} {meaning}\n"));
    format!(
        "A DATE is a day (2026-11-20), a time (2026-11-20T02:30:00Z) or an age (7d: seven days ago). If no document \
matches, the exit code is 1 and no file is written; with --since or --into, it is 0.

Letters of the field kinds, one for each line of the text: p paragraph, h heading, i list item, q quotation, c cell, \
f caption, x preformatted

Conditions for --where are joined by and, or, not and parentheses. A document that lacks a field on which the result \
depends passes. Texts are compared with = != or ~ (contains), in upper or lower case, and need quotation marks if they \
have spaces: {}. Times (UTC) are compared with = != < <= > or >=: {}. So are figures, of which shares are 0 to 1:
{}
Examples:
  gleaner export > corpus.jsonl
  gleaner export --out vi.jsonl.zst --compress zstd --language vi --host vnexpress.net
  gleaner export --where 'words>=100' --where 'repeated_line_share<=0.2' --out good.jsonl
  gleaner export --format parquet --into exports/2026-11-21 --since exports/2026-11-20
  gleaner export --published-from 7d --host vnexpress.net --out week.parquet
  gleaner export --published-from 2026-11-01 --published-to 2026-11-30 --out november.csv
  gleaner export --sample 500 --seed 1 --fields id,title,text --out sample.jsonl
  gleaner export --allowed train-ai --not-barred CCBot --out for-training.parquet
  gleaner export --members --where 'similarity>=0.8' --out with-copies.jsonl
  gleaner export --format vertical --into sketch-engine --language vi
  gleaner export --format datasets --into for-hugging-face --shard-size 256MiB",
        TEXT_FIELDS.join(", "),
        TIME_FIELDS.join(", "),
        figures.concat()
    )
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number between 0 and 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("not between 0 and 1".to_owned()) }
}

fn size(text: &str) -> Result<u64, String> {
    let size: ByteSize = text.parse()?;
    if size.get() > 0 { Ok(size.get()) } else { Err("must be above 0".to_owned()) }
}

fn sample_size(text: &str) -> Result<usize, String> {
    Ok(usize::try_from(number::<1>(text)?).unwrap_or(usize::MAX))
}

fn formats() -> impl TypedValueParser<Value = &'static FormatKind> {
    let values = FORMATS.iter().map(|kind| PossibleValue::new(kind.name).help(kind.help));
    PossibleValuesParser::new(values)
        .map(|name| FORMATS.iter().find(|kind| kind.name == name).expect("the possible values are the names"))
}

const AS_KEPT: &str = "as-kept";

fn tones() -> impl TypedValueParser<Value = Tones> {
    let value = |name: &'static str, help: &'static str| PossibleValue::new(name).help(help);
    PossibleValuesParser::new([
        value(AS_KEPT, "As in the corpus"),
        value("old", "Old style, on the first vowel: hòa"),
        value("new", "New style, on the second vowel: hoà"),
    ])
    .map(|name| match name.as_str() {
        "old" => Tones::Old,
        "new" => Tones::New,
        _ => Tones::AsWritten,
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compress {
    /// No compression
    None,
    /// gzip, .gz
    Gzip,
    /// Zstandard, .zst
    Zstd,
}
