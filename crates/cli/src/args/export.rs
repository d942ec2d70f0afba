//! Options of `gleaner export`.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use gleaner_corpus::Tones;
use gleaner_crawl::settings::ByteSize;
use gleaner_export::filter::DEFAULT_CONFIDENCE;
use gleaner_export::{FORMATS, Fields, FormatKind};

use super::operations::number;
use super::selection::{Selection, selection_help};

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
    /// With csv: write for Excel, with a byte order mark and as with --guard-formulas
    #[arg(long)]
    pub(crate) excel: bool,
    /// With vertical and conllu: run this command in a shell and write its tokens. The command gets one
    /// sentence per line. For each, it writes one token per line, as a word or as word, tag and lemma
    /// separated by tabs, and then an empty line
    #[arg(long, value_name = "COMMAND", conflicts_with = "revisions")]
    pub(crate) tagger: Option<String>,
    /// Write to this file, atomically [default: standard output]
    #[arg(long, value_name = "FILE", conflicts_with = "into")]
    pub(crate) out: Option<PathBuf>,
    /// Write shards and a manifest into this new folder, atomically; the same command resumes
    /// after an interruption
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    /// With --into: approximate size of a shard
    #[arg(long, value_name = "SIZE", default_value = "512MiB", requires = "into", value_parser = size)]
    pub(crate) shard_size: u64,
    #[command(flatten)]
    pub(crate) selection: Selection,
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
    format!(
        "If no document matches, the exit code is 1 and no file is written; with --since or --into, it is 0.

Letters of the field kinds, one for each line of the text: p paragraph, h heading, i list item, q quotation, c cell, \
f caption, x preformatted

{}
Examples:
  gleaner export > corpus.jsonl
  gleaner export --out vi.jsonl.zst --compress zstd --language vi --host vnexpress.net
  gleaner export --where 'words>=100' --where 'repeated_line_share<=0.2' --out good.jsonl
  gleaner export --format parquet --into exports/2026-11-21 --since exports/2026-11-20
  gleaner export --published-from 7d --host vnexpress.net --out week.parquet
  gleaner export --published-from 2026-11 --published-to 2026-11 --out november.csv
  gleaner export --exclude-host blog.vnexpress.net --exclude-url '/video/' --out articles.jsonl
  gleaner export --sample 500 --seed 1 --fields id,title,text --out sample.jsonl
  gleaner export --allowed train-ai --not-barred CCBot --out for-training.parquet
  gleaner export --members --where 'similarity>=0.8' --out with-copies.jsonl
  gleaner export --format vertical --into sketch-engine --language vi
  gleaner export --format conllu --tagger 'python3 segment.py' --out words.conllu --language vi
  gleaner export --excel --fields published,host,title,text --out news.csv
  gleaner export --format datasets --into for-hugging-face --shard-size 256MiB",
        selection_help()
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
