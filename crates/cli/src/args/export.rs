//! What `gleaner export` takes.

use std::path::PathBuf;

use clap::ValueEnum;
use gleaner_config::Bytes;
use gleaner_corpus::condition::FIGURES;

#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    /// Form of the output
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Compress JSON Lines or vertical text
    #[arg(long, value_enum, default_value_t = Compress::None)]
    pub(crate) compress: Compress,
    /// Write to this file, whole or not at all [default: standard output]
    #[arg(long, value_name = "FILE", conflicts_with = "into")]
    pub(crate) out: Option<PathBuf>,
    /// Write files of --shard-size and a manifest into this new folder, whole or not at all;
    /// the same command goes on after any interruption
    #[arg(long, value_name = "DIR")]
    pub(crate) into: Option<PathBuf>,
    /// With --into: size at which a file is ended and the next begun
    #[arg(long, value_name = "SIZE", default_value = "512MiB", requires = "into", value_parser = size)]
    pub(crate) shard_size: u64,
    /// Only documents of this host or its subdomains; repeatable
    #[arg(long)]
    pub(crate) host: Vec<String>,
    /// Only documents in this language, such as vi; repeatable
    #[arg(long, value_name = "TAG")]
    pub(crate) language: Vec<String>,
    /// Only documents fetched on this day (UTC) or at this time or later; or the folder of
    /// an earlier export: only what was fetched since then
    #[arg(long, value_name = "DATE|DIR")]
    pub(crate) since: Option<String>,
    /// Only documents fetched before this day (UTC) or time
    #[arg(long, value_name = "DATE")]
    pub(crate) until: Option<String>,
    /// Only documents whose extraction is at least so sure, 0 to 1; 0 for all. Those
    /// that are held back are counted on standard error
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "0.3")]
    pub(crate) confidence: f64,
    /// Where the tone marks of Vietnamese texts and titles stand
    #[arg(long, value_enum, default_value_t = Tones::AsKept)]
    pub(crate) tones: Tones,
    /// Only documents for which this holds, such as 'words>=100'; repeatable. Figures are
    /// listed below
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<String>,
    /// Also the members of clusters: near-duplicates, for which another document stands
    #[arg(long)]
    pub(crate) members: bool,
    /// Also the texts that pages had before, each as a document of the same id with its
    /// number as revision; not with --into
    #[arg(long, conflicts_with = "into")]
    pub(crate) revisions: bool,
    /// Leave out paragraphs that a site or several sites repeat; their hashes are named in
    /// the field removed. Reads the corpus twice
    #[arg(long)]
    pub(crate) without_repeated: bool,
}

pub(super) fn export_help() -> String {
    let figures = FIGURES.map(|(name, meaning)| format!("  {name:<20} {meaning}\n"));
    format!(
        "Figures for --where, with >= <= > < or =; shares are 0 to 1. A document that does not tell one passes:
{}
Examples:
  gleaner export > corpus.jsonl
  gleaner export --out vi.jsonl.zst --compress zstd --language vi --host vnexpress.net
  gleaner export --where 'words>=100' --where 'repeated_line_share<=0.2' --out good.jsonl
  gleaner export --format parquet --into exports/2026-11-21 --since exports/2026-11-20
  gleaner export --members --where 'similarity>=0.8' --out with-copies.jsonl
  gleaner export --format vertical --into sketch-engine --language vi
  gleaner export --format datasets --into for-hugging-face --shard-size 256MiB",
        figures.concat()
    )
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number between 0 and 1".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("not between 0 and 1".to_owned()) }
}

fn size(text: &str) -> Result<u64, String> {
    let size: Bytes = text.parse()?;
    if size.get() > 0 { Ok(size.get()) } else { Err("name a size above 0".to_owned()) }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One JSON object a line
    Jsonl,
    /// Apache Parquet, zstd inside
    Parquet,
    /// One token a line, for Sketch Engine and NoSketch Engine
    Vertical,
    /// A text file a document, in a folder a host (with --into)
    Text,
    /// A text file a host (with --into)
    TextBySite,
    /// A folder that the library datasets of Hugging Face loads (with --into)
    Datasets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tones {
    /// As the corpus has them
    AsKept,
    /// On the first vowel: hòa
    Old,
    /// On the second: hoà
    New,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compress {
    /// Not
    None,
    /// gzip, .gz
    Gzip,
    /// Zstandard, .zst
    Zstd,
}
